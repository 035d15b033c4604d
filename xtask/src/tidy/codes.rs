//! Has every code of a diagnostic or fault its entry on the page that the table of codes names, and every entry there a code?

use std::collections::BTreeSet;

use tenterhook::diagnostic::Code;

use super::Findings;
use crate::tree::File;

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let known: BTreeSet<&str> = Code::ALL.iter().map(|it| it.name()).collect();
    let pages: BTreeSet<&str> = Code::ALL.iter().map(|it| it.page()).collect();
    for path in pages {
        let text = files.iter().find(|it| it.path == path).map_or("", |it| it.text.as_str());
        let told: BTreeSet<&str> = text.lines().flat_map(entries).collect();
        let here = Code::ALL.iter().filter(|it| it.page() == path);
        for code in here.filter(|it| !told.contains(it.name())) {
            findings.error(path, format!("`{code}` has no entry"));
        }
        for word in told.difference(&known) {
            findings.error(path, format!("`{word}` is not a code of `diagnostic::Code`"));
        }
    }
    for code in Code::ALL.iter().filter(|it| !is_used(**it, files)) {
        findings.error(TABLE, format!("`{code:?}` is not reported anywhere"));
    }
}

const TABLE: &str = "crates/tenterhook/src/diagnostic/code.rs";

/// The codes that a line is the entry of: a heading, or the first cell of a row.
fn entries(line: &str) -> impl Iterator<Item = &str> {
    let cell = line.strip_prefix("| ").and_then(|it| it.split('|').next());
    let entry = line.strip_prefix("### ").or(cell).filter(|it| it.starts_with('`'));
    entry.unwrap_or_default().split('`').skip(1).step_by(2)
}

fn is_used(code: Code, files: &[File]) -> bool {
    let variant = format!("Code::{code:?}");
    let sources = files.iter().filter(|it| it.is_rust() && it.path.starts_with("crates/"));
    sources.into_iter().any(|it| names(it.source(), &variant))
}

/// Whether `text` has `word` with nothing of a name behind it.
fn names(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let rest = text.get(at + word.len()..).unwrap_or_default();
        !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_')
    })
}
