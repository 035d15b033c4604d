//! The page on what is covered behind each agent, drawn from what `install` writes and what real agents were seen to do
//! (`e2e/src/agents/expected.tsv`).

use std::fmt::Write as _;

use tenterhook_core::agents::{Agent, agents_with_hook_installation};

use super::measured::{Column, Measured, Row, cell, version_title};

/// Calls that some agents do not put before hooks: the case in which each was tried, and its column.
const CALLS: &[(&str, &str)] = &[
    ("mcp", "a tool of an MCP server"),
    ("subagent", "a call of a subagent"),
    ("parallel-3", "the last of three calls at once"),
    ("prompt-block", "a prompt"),
];

pub(super) fn page() -> String {
    let measured = Measured::read();
    let mut page = format!("{HEAD}{}\n{}{NOTE}", seen(&measured), reasons(&measured));
    for agent in agents_with_hook_installation() {
        let _ = write!(page, "\n## {}\n\n{}", agent.title, registered(agent));
        for unhooked in agent.installation.unhooked {
            let _ = writeln!(
                page,
                "- {}; `tenterhook rules add {}` asks before one starts",
                unhooked.gap, unhooked.pack
            );
        }
        for gap in agent.installation.gaps.iter().chain(agent.installation.switch_gaps) {
            let _ = writeln!(page, "- {gap}");
        }
    }
    page
}

const HEAD: &str = "\
<!-- Written by `cargo xtask gen`; change the tables in the code instead. -->

# Coverage behind each agent

Look up which calls reach your hooks after `tenterhook install AGENT`. `tenterhook status` reports the same for the agents on your machine.
[What each agent supports](bridge-agents.md) lists what a hook can do there.

## Denials that a real agent applies

Unmodified agents ran against a scripted model. A hook denied each call in a different way, clean or malformed, such as after a log line. *Ran* counts the
calls that ran anyway. A dash was not tried.

";

const NOTE: &str = "
`cargo e2e agents --whole` runs all of them again and compares the results with [the table](../../e2e/src/agents/expected.tsv). Cursor and Windsurf were
implemented from their documents, and not run.
";

/// Draws one row for each version that was run.
fn seen(measured: &Measured) -> String {
    let mut table = String::from("| agent | ran alone | ran with Tenterhook |");
    CALLS.iter().for_each(|(_, column)| table.push_str(&format!(" {column} |")));
    let _ = write!(table, "\n|---|--:|--:|{}\n", "---|".repeat(CALLS.len()));
    for version in measured.versions() {
        let [alone, with] =
            [Column::Without, Column::With].map(|column| measured.tally(version, column));
        let _ = write!(table, "| {} | {alone} | {with} |", version_title(version));
        for (case, _) in CALLS {
            let _ = write!(table, " {} |", cell(measured.result(version, case, Column::With)));
        }
        table.push('\n');
    }
    table
}

/// Why something ran that was denied: one line for each version and reason.
fn reasons(measured: &Measured) -> String {
    let mut reasons: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for Row { version, case, why, .. } in measured.rows().iter().filter(|row| !row.why.is_empty()) {
        let case = format!("`{case}`");
        match reasons.iter_mut().find(|(v, w, _)| (*v, *w) == (version.as_str(), why.as_str())) {
            Some((_, _, cases)) => cases.push(case),
            None => reasons.push((version, why, vec![case])),
        }
    }
    let mut list = String::from("What ran with Tenterhook, and why:\n\n");
    for (version, why, cases) in reasons {
        let _ = writeln!(list, "- {}: {why} ({})", version_title(version), cases.join(", "));
    }
    list
}

/// What `install` writes for an agent.
fn registered(agent: &Agent) -> String {
    let of_kind = |gates: bool| {
        let mut groups: Vec<(_, Vec<String>)> = Vec::new();
        for event in agent.installation.events.iter().filter(|event| event.gates == gates) {
            let name = format!("`{}`", event.name);
            match groups.iter_mut().find(|(seconds, _)| *seconds == event.seconds) {
                Some((_, names)) => names.push(name),
                None => groups.push((event.seconds, vec![name])),
            }
        }
        let groups =
            groups.iter().map(|(seconds, names)| format!("{} ({seconds} s)", names.join(", ")));
        groups.collect::<Vec<_>>().join("; ")
    };
    let files = &agent.installation;
    let places = [
        ("user", files.user_file.map(|path| format!("~/{}/{path}", files.home))),
        ("project", files.project_file.map(str::to_owned)),
        ("managed", files.managed_file.map(str::to_owned)),
    ];
    let shown = |(scope, path): (&str, Option<String>)| Some(format!("`{}` ({scope})", path?));
    let places: Vec<String> = places.into_iter().filter_map(shown).collect();
    let source = agent.evidence.source_if_only_read();
    let evidence = source.map_or_else(String::new, |source| {
        format!("Read, not played: known only from {source}.\n\n")
    });
    format!(
        "{evidence}| | |\n|---|---|\n| files, by `--scope` | {} |\n| gates | {} |\n| observed | {} |\n| if the program is gone | {} |\n\n\
         Gaps:\n\n",
        places.join(", "),
        of_kind(true),
        of_kind(false),
        agent.installation.gone,
    )
}
