//! Has every code of a diagnostic or fault its entry on the page that the table of codes names, and every entry there a code?

use std::collections::BTreeSet;

use tenterhook_core::diagnostic::Code;

use super::Findings;
use crate::tree::File;

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let known: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let pages: BTreeSet<&str> = Code::ALL.iter().map(|code| code.page()).collect();
    for path in pages {
        let text =
            files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
        let listed: BTreeSet<&str> = text.lines().flat_map(entries).collect();
        let here = Code::ALL.iter().filter(|code| code.page() == path);
        for code in here.filter(|code| !listed.contains(code.name())) {
            findings.error(path, format!("`{code}` has no entry"));
        }
        for name in listed.difference(&known) {
            findings.error(path, format!("`{name}` is not a code of `diagnostic::Code`"));
        }
    }
    let used = used(files);
    for code in Code::ALL.iter().filter(|code| !used.contains(&*format!("{code:?}"))) {
        findings.error(TABLE, format!("`{code:?}` is not reported anywhere"));
    }
}

const TABLE: &str = "crates/tenterhook-core/src/diagnostic/code.rs";

/// The codes that a line is the entry of: a heading, or an item that begins with codes and a colon, behind the number of a rule
/// or without one.
fn entries(line: &str) -> impl Iterator<Item = &str> {
    let item =
        line.strip_prefix("- ").map(|item| item.split_once("** ").map_or(item, |(_, rest)| rest));
    let codes = item.and_then(|item| Some(item.split_once("`: ")?.0));
    let entry = line.strip_prefix("### ").or(codes).filter(|rest| rest.starts_with('`'));
    entry.unwrap_or_default().split('`').skip(1).step_by(2)
}

/// The variants of `Code` that the sources name.
fn used(files: &[File]) -> BTreeSet<&str> {
    let sources = files.iter().filter(|file| file.is_rust() && file.path.starts_with("crates/"));
    let names = sources.flat_map(|file| file.source().split("Code::").skip(1));
    let is_other = |c: char| !c.is_alphanumeric() && c != '_';
    names.filter_map(|text| text.split(is_other).next()).collect()
}
