//! The last look at a package, and how a later one differs from it: each difference with the row that it asks to change.

use std::collections::BTreeSet;
use std::path::Path;

use super::tables::Tables;
use super::watched::Watched;
use crate::error::Error;

/// The facts of the last look, and their version; empty before the first one.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) version: String,
    facts: BTreeSet<String>,
}

impl Record {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::file(path)(error)),
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let first = lines.next().and_then(|line| line.strip_prefix("version "));
        Self {
            version: first.unwrap_or_default().to_owned(),
            facts: lines.map(str::to_owned).collect(),
        }
    }
}

/// Writes the facts of a version as the last look.
pub(super) fn write_record(
    path: &Path,
    version: &str,
    facts: &BTreeSet<String>,
) -> Result<(), Error> {
    std::fs::write(path, record_text(version, facts)).map_err(Error::file(path))
}

pub(super) fn record_text(version: &str, facts: &BTreeSet<String>) -> String {
    let mut text = format!("version {version}\n");
    for fact in facts {
        text.push_str(fact);
        text.push('\n');
    }
    text
}

/// Lists what differs from the last look, and says whether nothing does.
pub(super) fn compare(
    watched: &Watched,
    version: &str,
    record: &Record,
    facts: &BTreeSet<String>,
    tables: &Tables,
) -> (String, bool) {
    let new = facts.difference(&record.facts).map(|fact| new_fact(fact, facts, tables));
    let gone = record.facts.difference(facts).map(|fact| gone_fact(fact, tables));
    // An event that is gone is also absent.
    let lines: BTreeSet<String> = new.chain(gone).collect();
    let lines: Vec<String> = lines.into_iter().collect();
    let last = if record.version.is_empty() { "none" } else { &record.version };
    let title = format!("{}: {} {version} (last look: {last})", watched.agent, watched.package);
    if lines.is_empty() {
        return (format!("{title}: no difference\n"), true);
    }
    let text = format!(
        "{title}: {} differences\n  {}\n  when each is handled: cargo xtask watch-agents {} --bless\n",
        lines.len(),
        lines.join("\n  "),
        watched.agent
    );
    (text, false)
}

/// Splits a fact into its kind, the event that it is about if any, and the name that a table would have.
fn parts(fact: &str) -> (&str, &str, &str) {
    let (kind, name) = fact.split_once(' ').unwrap_or(("", fact));
    match kind {
        "input" | "answer" | "value" => {
            let (event, field) = name.split_once(['.', '=']).unwrap_or(("", name));
            (kind, event, field.rsplit(['.', '=']).next().unwrap_or(field))
        }
        "absent" => (kind, "", name.split_once(' ').map_or(name, |(_, name)| name)),
        _ => (kind, "", name),
    }
}

fn new_fact(fact: &str, facts: &BTreeSet<String>, tables: &Tables) -> String {
    let (kind, event, name) = parts(fact);
    let row = tables.find(name);
    if kind == "absent" {
        let row = row.unwrap_or_else(|| "our tables".to_owned());
        return format!("gone: {}, which {row} has", fact.trim_start_matches("absent "));
    }
    if let Some(row) = row {
        return format!("new: {fact}; {row} has that name");
    }
    let neighbours = facts.iter().map(|fact| parts(fact));
    let neighbours = neighbours.filter(|other| (other.0, other.1) == (kind, event));
    let row = tables.row_beside(neighbours.map(|other| other.2));
    // The row of an event is the next best place for a field of it.
    let row = row.or_else(|| tables.find(event)).unwrap_or_else(|| "a new table".to_owned());
    format!("new: {fact}; no table has it: its row belongs to {row}")
}

fn gone_fact(fact: &str, tables: &Tables) -> String {
    let (kind, _, name) = parts(fact);
    if kind == "absent" {
        return format!("back: {}", fact.trim_start_matches("absent "));
    }
    match tables.find(name) {
        Some(row) => format!("gone: {fact}, which {row} has"),
        None => format!("gone: {fact}; no table has it"),
    }
}
