//! `cargo xtask gen`: writes the pages that are drawn from tables in the code, so that the two cannot disagree.

mod agents;
mod covered;
mod measured;
mod proofs;

use std::fmt::Write as _;

use tenterhook_core::answer::Power;
use tenterhook_core::dialect::{DIALECTS, Dialect, DialectId, EventRow, Subject};

use crate::Report;
use crate::error::Error;
use crate::tidy::{Findings, gauges, rules};
use crate::tree::{self, File};

/// A generated page: its path, and the function that draws it.
type Page = (&'static str, fn() -> String);

const PAGES: &[Page] = &[
    ("docs/spec/events-table.md", events),
    (rules::INDEX, proofs::page),
    ("docs/guide/agents-compared.md", agents::page),
    ("docs/guide/bridge-agents.md", replies),
    ("docs/guide/bridge-covered.md", covered::page),
];

/// The page that sums up in a sentence what agents were seen to do.
const README: &str = "README.md";

pub(crate) fn run() -> Report {
    let mut report = String::new();
    for (path, draw) in PAGES {
        std::fs::write(tree::root().join(path), draw()).map_err(Error::file(path))?;
        let _ = writeln!(report, "wrote {path}");
    }
    let (counts, holds) = gauges::lower()?;
    Ok((report + &counts, holds))
}

/// Whether every generated page is what would be written now.
pub(crate) fn check(files: &[File], findings: &mut Findings) {
    for (path, draw) in PAGES {
        let committed =
            files.iter().find(|file| file.path == *path).map_or("", |file| file.text.as_str());
        if committed != draw() {
            findings.error(path, "is not what `cargo xtask gen` writes");
        }
    }
    let readme =
        files.iter().find(|file| file.path == README).map_or("", |file| file.text.as_str());
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for claim in agents::readme_claims() {
        if !joined(readme).contains(&claim) {
            findings.error(README, format!("does not state what was measured: {claim}"));
        }
    }
    for (start, end) in agents::readme_rows() {
        if !readme.lines().any(|line| line.starts_with(&start) && line.ends_with(&end)) {
            findings.error(README, format!("has no row `{start}...{end}`"));
        }
    }
}

fn events() -> String {
    let mut page = String::from(
        "<!-- Written by `cargo xtask gen`; change the tables in the code instead. -->\n\n# The event tables\n\n\
         One row for each event of each dialect (E-3): what matchers are tested on, what a hook may do, how long one may\n\
         take that says nothing itself, what happens when a gate gives no answer, and after how many denials in a row the\n\
         event gives way.\n",
    );
    for dialect in DIALECTS {
        let _ = write!(page, "\n## {}\n\n{}", dialect.id(), table(dialect));
    }
    page
}

/// A word of the page about replies, and which powers are in it.
const REPLY_COLUMNS: &[(&str, &[Power])] = &[
    ("deny", &[Power::Deny]),
    ("ask", &[Power::Ask]),
    ("allow", &[Power::Allow]),
    ("change", &[Power::Input, Power::Prompt, Power::Output]),
    ("context", &[Power::Context]),
    ("message", &[Power::Message]),
    ("end the turn", &[Power::Stop]),
];

fn replies() -> String {
    let mut page = String::from(
        "<!-- Written by `cargo xtask gen`; change the tables in the code instead. -->\n\n# What each agent supports\n\n\
         Look up what a hook can do on an event of the agent that calls `tenterhook hook`. Where an agent does not support it, a\n\
         denial becomes the strictest supported reply, a question a denial that names how you let the call pass, a changed call a\n\
         denial that contains it, and the rest a warning ([the rules](../spec/bridge.md)). Events without a row accept nothing.\n\
         Rules find the first column in `host.can`.\n",
    );
    for agent in DialectId::agents() {
        let dialect = agent.dialect();
        let name = dialect.calling_agent_title().unwrap_or_default();
        let _ = write!(page, "\n## {name} (`--agent {agent}`)\n\n| a hook can | on |\n|---|---|\n");
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for (event, powers) in dialect.reply_table() {
            let event = format!("`{event}`");
            let can =
                REPLY_COLUMNS.iter().filter(|(_, of)| of.iter().any(|power| powers.has(*power)));
            let can = can.map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
            match rows.iter_mut().find(|(row, _)| *row == can) {
                Some((_, events)) => events.push(event),
                None => rows.push((can, vec![event])),
            }
        }
        for (can, events) in rows {
            let can = if can.is_empty() { "none of these" } else { can.as_str() };
            let _ = writeln!(page, "| {can} | {} |", events.join(", "));
        }
    }
    page
}

fn table(dialect: &Dialect) -> String {
    let mut table = String::from(
        "| event | when | matched on | a hook may | timeout | no answer | cap |\n|---|---|---|---|--:|---|--:|\n",
    );
    for row in dialect.event_rows() {
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} | {} s | {} | {} |",
            row.name,
            row.when,
            subject(&row.subject),
            powers(row),
            row.timeout.as_secs(),
            row.failure.as_str(),
            row.cap.map(|cap| cap.denials.to_string()).unwrap_or_default(),
        );
    }
    table
}

fn subject(subject: &Subject) -> String {
    match subject {
        Subject::None => String::new(),
        Subject::Field(key) => format!("`{key}`"),
        Subject::FileName(key) => format!("file name of `{key}`"),
        Subject::Declared(key) => format!("`{key}`"),
        Subject::Tool(_) => "the tool".to_owned(),
        Subject::Model(key) => format!("name of the model in `{key}`"),
        _ => "?".to_owned(),
    }
}

fn powers(row: &EventRow) -> String {
    let words: Vec<&str> = row.powers.iter().map(|power| power.as_str()).collect();
    if words.is_empty() { "observe".to_owned() } else { words.join(", ") }
}
