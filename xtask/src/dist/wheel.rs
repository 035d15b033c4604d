//! A wheel: a zip that holds the program as a script, with what pip wants to know of it. It has no Python module.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::archive::{self, Entry};
use super::{About, Artefact, Program, text};
use crate::error::Error;

/// Runs with any Python, and needs nothing of it.
const ANY_PYTHON: &str = "py3-none";

pub(crate) fn make(about: &About, program: &Program) -> Result<Artefact, Error> {
    let named = format!("tenterhook-{}", about.version);
    let info = format!("{named}.dist-info");
    let platforms = program.target.wheel;
    let tags: Vec<String> =
        platforms.iter().map(|platform| format!("Tag: {ANY_PYTHON}-{platform}")).collect();
    let filled =
        |file: &str| Ok::<_, Error>(about.fill(&text(&format!("integrations/pypi/{file}"))?));
    let mut entries = vec![
        Entry::program(format!("{named}.data/scripts/tenterhook"), program.bytes.clone()),
        Entry::data(format!("{info}/METADATA"), filled("METADATA")?),
        Entry::data(format!("{info}/WHEEL"), filled("WHEEL")?.replace("@TAGS@", &tags.join("\n"))),
    ];
    entries
        .extend(program.licences.iter().map(|licence| licence.under(&format!("{info}/licenses"))));
    let record = format!("{info}/RECORD");
    entries.push(Entry::data(record.clone(), list(&entries, &record)));
    let name = format!("{named}-{ANY_PYTHON}-{}.whl", platforms.join("."));
    Ok((name, archive::zip(&entries, program.target.effort())?))
}

/// What every file must be, and the list itself, which cannot say it of itself.
fn list(entries: &[Entry], record: &str) -> String {
    let mut list = String::new();
    for Entry { path, bytes, .. } in entries {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        let _ = writeln!(list, "{path},sha256={sum},{}", bytes.len());
    }
    let _ = writeln!(list, "{record},,");
    list
}
