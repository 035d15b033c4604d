//! The tarball of one target: the program, its licences, what it says of itself, and completions for shells.

use std::process::Command;

use super::archive::{self, Entry};
use super::{About, Artefact, Program, text};
use crate::error::Error;
use crate::tree;

/// Which shells get completions, and under which name they look for them.
const COMPLETIONS: &[(&str, &str)] =
    &[("bash", "tenterhook.bash"), ("zsh", "_tenterhook"), ("fish", "tenterhook.fish")];

pub(crate) fn make(about: &About, program: &Program) -> Result<Artefact, Error> {
    let name = format!("tenterhook-{}-{}", about.version, program.target.triple);
    let mut entries = vec![
        Entry::program("tenterhook", program.bytes.clone()),
        Entry::data("README.md", text("crates/tenterhook-cli/README.md")?),
        Entry::data("CHANGELOG.md", text("CHANGELOG.md")?),
    ];
    entries.extend_from_slice(&program.licences);
    for (shell, file) in COMPLETIONS {
        entries.push(Entry::data(format!("completions/{file}"), completions(shell)?));
    }
    let entries: Vec<Entry> = entries.iter().map(|entry| entry.under(&name)).collect();
    Ok((format!("{name}.tar.gz"), archive::tar_gz(&entries, program.target.effort())?))
}

/// From the program as it is built for this machine: they are the same for all.
fn completions(shell: &str) -> Result<Vec<u8>, Error> {
    let output = Command::new(tree::root().join("target/debug/tenterhook"))
        .args(["completions", shell])
        .output()
        .map_err(Error::spawn("tenterhook"))?;
    match output.status.success() && !output.stdout.is_empty() {
        true => Ok(output.stdout),
        false => Err(Error::Invalid(format!("there are no completions for {shell}"))),
    }
}
