//! The page on what is covered behind each agent, drawn from what `install` writes and what real agents were seen to do
//! (`e2e/src/agents/expected.tsv`).

use std::fmt::Write as _;

use tenterhook::agents::{Agent, Scope, callers};
use tenterhook_probe::means_no;

use crate::tree;

/// Calls that some agents do not put before hooks: the case in which each was tried, and its column.
const CALLS: &[(&str, &str)] = &[
    ("mcp", "a tool of an MCP server"),
    ("subagent", "a call of a subagent"),
    ("parallel-3", "the last of three calls at once"),
    ("prompt-block", "a prompt"),
];

/// What became of one case behind one version of an agent, alone and with Tenterhook.
struct Row {
    version: String,
    case: String,
    without: String,
    with: String,
    why: String,
}

pub(super) fn page() -> String {
    let rows = rows();
    let mut page = format!("{HEAD}{}\n{}{NOTE}", seen(&rows), reasons(&rows));
    for agent in callers() {
        let _ = write!(page, "\n## {}\n\n{}", agent.title, registered(agent));
        for unhooked in agent.installation.unhooked {
            let _ = writeln!(
                page,
                "- {}; `tenterhook rules add {}` asks before that begins",
                unhooked.gap, unhooked.pack
            );
        }
        for gap in agent.installation.gaps {
            let _ = writeln!(page, "- {gap}");
        }
    }
    page
}

const HEAD: &str = "\
<!-- Written by `cargo xtask gen`; change the tables in the code instead. -->

# What is covered behind each agent

`tenterhook install AGENT` has the agent call `tenterhook hook` for the events below, with the deadlines that are written. `tenterhook status` says the
same of the agents on your machine, and whether they call. [What each agent can be told](bridge-agents.md) is a page of its own.

## A hook says no, and the real agent goes on or not

Unmodified agents were run against a model of ours that calls tools; a hook says no in all the ways in which hooks were seen to say it: well, and with
slips, such as a line of log before the answer. *Ran* counts the calls that ran all the same.

";

const NOTE: &str = "
A dash was not tried: that agent has no such call, or its run has none. Each cell comes from `cargo e2e agents --whole`, which plays them anew and holds
what it sees to [the table](../../e2e/src/agents/expected.tsv). Cursor and Windsurf are spoken by their documents alone, and were not run.
";

/// One row for each version that was run.
fn seen(rows: &[Row]) -> String {
    let mut table = String::from("| agent | ran alone | ran with Tenterhook |");
    CALLS.iter().for_each(|(_, column)| table.push_str(&format!(" {column} |")));
    let _ = write!(table, "\n|---|--:|--:|{}\n", "---|".repeat(CALLS.len()));
    let mut versions: Vec<&str> = rows.iter().map(|row| row.version.as_str()).collect();
    versions.dedup();
    for version in versions {
        let of_it = || rows.iter().filter(|row| row.version == version);
        let alone = ran(of_it().filter(|row| means_no(&row.case)).map(|row| row.without.as_str()));
        let with = ran(of_it().filter(|row| means_no(&row.case)).map(|row| row.with.as_str()));
        // A version of which only other cases are played has no such row.
        if with == NONE && alone == NONE {
            continue;
        }
        let _ = write!(table, "| {} | {alone} | {with} |", titled(version));
        for (case, _) in CALLS {
            let fate = of_it().find(|row| row.case == *case).map_or("", |row| row.with.as_str());
            let _ = write!(table, " {} |", word(fate));
        }
        table.push('\n');
    }
    table
}

/// The count of a version of which no way was played.
const NONE: &str = "0 of 0";

/// How many of the calls ran that were made.
fn ran<'f>(fates: impl Iterator<Item = &'f str>) -> String {
    let tried: Vec<&str> = fates.filter(|fate| !fate.is_empty()).collect();
    let ran = tried.iter().filter(|text| text.starts_with("ran")).count();
    format!("{ran} of {}", tried.len())
}

fn word(fate: &str) -> &'static str {
    match fate {
        "" => "-",
        fate if fate.starts_with("ran") => "**ran**",
        _ => "stopped",
    }
}

/// An agent's version, as people write it: `claude-2.1.330` is Claude Code 2.1.330.
fn titled(version: &str) -> String {
    let (name, number) = version.rsplit_once('-').unwrap_or((version, ""));
    let title = callers().find(|caller| caller.name == name).map_or(name, |caller| caller.title);
    format!("{title} {number}")
}

/// Why something ran that was denied.
fn reasons(rows: &[Row]) -> String {
    let mut list = String::from("What ran with Tenterhook, and why:\n\n");
    for row in rows.iter().filter(|row| !row.why.is_empty()) {
        let _ = writeln!(list, "- {}, `{}`: {}", titled(&row.version), row.case, row.why);
    }
    list
}

/// What `install` writes for an agent.
fn registered(agent: &Agent) -> String {
    let of_kind = |gates: bool| {
        let events = agent.installation.events.iter().filter(|event| event.gates == gates);
        let words: Vec<String> =
            events.map(|event| format!("`{}` {} s", event.name, event.seconds)).collect();
        words.join(", ")
    };
    let places = agent.installation.places.iter().map(|location| {
        let path = match location.scope {
            Scope::User => format!("~/{}/{}", agent.installation.home, location.path),
            Scope::Project | Scope::Managed => location.path.to_owned(),
        };
        format!("`{path}` (`--scope {}`)", scope(location.scope))
    });
    let places: Vec<String> = places.collect();
    format!(
        "| | |\n|---|---|\n| written to | {} |\n| gates: no answer restrains | {} |\n| told | {} |\n| if the program is gone | {} |\n\n\
         Not covered, or otherwise than you may think:\n\n",
        places.join(", "),
        of_kind(true),
        of_kind(false),
        agent.installation.gone,
    )
}

const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project => "project",
        Scope::Managed => "managed",
    }
}

/// The table of what was seen; no rows where it is not there, so that the page differs and `tidy` says so.
fn rows() -> Vec<Row> {
    let path = tree::root().join("e2e/src/agents/expected.tsv");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        let (version, case) = (cells.next()?, cells.next()?);
        let mut next = || cells.next().unwrap_or_default();
        Some(Row { version, case, without: next(), with: next(), why: next() })
    };
    lines.filter_map(row).collect()
}
