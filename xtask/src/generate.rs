//! `cargo xtask gen`: writes the pages that are drawn from tables in the code, so that the two cannot disagree.

mod agents;
mod covered;
mod measured;
mod proofs;

use std::fmt::Write as _;

use tenterhook_core::answer::Power;
use tenterhook_core::dialect::tools::ToolWords;
use tenterhook_core::dialect::{DIALECTS, Dialect, DialectId, Dispatch, EventRow, Roots, Subject};

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
         The files that each dialect's agent loads, in the home, the root of the repository, or the working directory. Then\n\
         one row for each event (E-3), with a different neutral name in brackets: what matchers are tested\n\
         on, what a hook may do, whether the agent waits for it, how long one may take that says nothing itself, what\n\
         happens when a gate gives no answer, and after how many denials in a row the event gives way. Below, the tools\n\
         and input keys with a different neutral name.\n",
    );
    for dialect in DIALECTS {
        let _ = write!(
            page,
            "\n## {}\n\n{}{}{}",
            dialect.id(),
            files(dialect),
            table(dialect),
            tools(dialect)
        );
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
            "| {} | {} | {} | {} | {} s | {} | {} |",
            event(row),
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

/// The files that an agent loads, by layer: below `~` for the home, below `REPOSITORY` for the root of the repository, and
/// relative to the working directory.
fn files(dialect: &Dialect) -> String {
    let roots = Roots {
        cwd: "/repository/directory".into(),
        repository: Some("/repository".into()),
        home: "/home".into(),
        managed: Some("/etc/claude-code".into()),
        ..Roots::default()
    };
    let mut layers: Vec<(&str, Vec<String>)> = Vec::new();
    for file in dialect.candidate_files(&roots) {
        let mut path = file.path.display().to_string();
        for (root, shown) in
            [("/repository/directory/", ""), ("/repository/", "REPOSITORY/"), ("/home/", "~/")]
        {
            path = path.strip_prefix(root).map(|rest| format!("{shown}{rest}")).unwrap_or(path);
        }
        for row in dialect.event_rows() {
            path = path.replace(&format!("/{}*", row.name), "/EVENT*");
        }
        let (path, layer) = (format!("`{path}`"), file.layer.as_str());
        match layers.iter_mut().find(|(name, _)| *name == layer) {
            Some((_, paths)) if paths.contains(&path) => {}
            Some((_, paths)) => paths.push(path),
            None => layers.push((layer, vec![path])),
        }
    }
    if layers.is_empty() {
        return String::new();
    }
    let mut parts: Vec<String> =
        layers.iter().map(|(layer, paths)| format!("{layer}: {}", paths.join(", "))).collect();
    parts.extend(dialect.home_variable().map(|name| format!("user's directory: `${name}`")));
    format!("Files: {}.\n\n", parts.join("; "))
}

/// The name of an event, and its neutral name if that differs.
fn event(row: &EventRow) -> String {
    if row.name == row.event {
        format!("`{}`", row.name)
    } else {
        format!("`{}` (`{}`)", row.name, row.event)
    }
}

/// A table of the tools and keys that an agent names differently; empty without one.
fn tools(dialect: &Dialect) -> String {
    let mut rows: Vec<String> = Vec::new();
    for tool in dialect.event_rows().iter().flat_map(tool_names) {
        let names: Vec<String> = tool.own.iter().map(|name| format!("`{name}`")).collect();
        let keys: Vec<String> = tool
            .keys
            .iter()
            .filter(|(own, neutral)| own != neutral)
            .map(|(own, neutral)| format!("`{own}` is `{neutral}`"))
            .collect();
        let row = format!("| {} | `{}` | {} |\n", names.join(", "), tool.neutral, keys.join(", "));
        let is_neutral = tool.own == [tool.neutral] && keys.is_empty();
        if !is_neutral && !rows.contains(&row) {
            rows.push(row);
        }
    }
    let head = "\n| tool | neutral name | keys |\n|---|---|---|\n";
    if rows.is_empty() { String::new() } else { format!("{head}{}", rows.concat()) }
}

/// The tools that an event's matchers name.
fn tool_names(row: &EventRow) -> &'static [ToolWords] {
    match row.subject {
        Subject::Tool(tools) => tools,
        _ => &[],
    }
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
    let words = if words.is_empty() { "observe".to_owned() } else { words.join(", ") };
    match row.dispatch {
        Dispatch::Awaited => words,
        Dispatch::FireAndForget => format!("{words} (not awaited)"),
    }
}
