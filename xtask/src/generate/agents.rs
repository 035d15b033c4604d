//! The page on what agents do when a hook denies or fails, drawn from what real ones did (`e2e/src/agents/expected.tsv`).

use std::fmt::Write as _;

use super::measured::{Column, Measured, Tally, cell, version_title};

/// The name of a case, and what the hook does in it.
type Tried = (&'static str, &'static str);

/// Denials, right and malformed.
const DENIALS: &[Tried] = &[
    ("deny", "prints a denial"),
    ("exit2", "exits with 2, with the reason on standard error"),
    ("exit2-empty", "exits with 2, and prints nothing"),
    ("exit2-stdout", "exits with 2, with the reason on standard output"),
    ("grandchild", "exits with 2, and leaves a process that holds its output open"),
    ("deny-exit1", "prints a denial, and exits with 1"),
    ("deny-exit2", "prints a denial, and exits with 2"),
    ("on-stderr", "prints a denial on standard error"),
    ("line-before", "prints a log line, and then a denial"),
    ("line-after", "prints a denial, and then a log line"),
    ("fenced", "prints a denial in a Markdown block"),
    ("bom", "prints a byte order mark, and then a denial"),
    ("no-reason", "prints a denial without a reason"),
    ("upper", "spells the decision in capitals"),
    ("spaced", "puts a blank before the decision"),
    ("twice-a-key", "gives the decision twice, first `allow`"),
    ("extra-key", "adds a key that the agent does not know"),
    ("no-event-name", "leaves out the name of the event"),
    ("wrong-event-name", "names a different event"),
    ("top-level", "puts the keys of the denial at the top level"),
    ("decision-block", "prints `decision` with `block`"),
    ("decision-deny", "prints `decision` with `deny`"),
    ("trailing-comma", "ends an object with a comma"),
    ("cut", "leaves out the last braces of a denial"),
    ("in-a-string", "prints a denial as a JSON string"),
    ("in-a-list", "prints a denial in a list"),
    ("yes-then-no", "prints an approval, and then a denial"),
    ("no-then-yes", "prints a denial, and then an approval"),
    ("async-then-no", "prints `{\"async\":true}`, and then a denial"),
];

/// Hooks that give no answer.
const FAILURES: &[Tried] = &[
    ("exit1", "exits with 1, with the reason on standard error"),
    ("exit1-empty", "exits with 1, and prints nothing"),
    ("crash", "is killed by a signal"),
    ("missing", "starts a program that does not exist"),
    ("slow", "does not answer before its timeout"),
];

/// Calls that are not made one by one, and what is no call of the shell.
const ELSEWHERE: &[Tried] = &[
    ("ask", "asks, in a run without a person"),
    ("parallel-1", "denies the first of three calls at once"),
    ("parallel-3", "denies the last of three calls at once"),
    ("mcp", "denies a tool of an MCP server"),
    ("subagent", "denies a call of a subagent"),
    ("prompt-block", "denies the prompt"),
];

pub(super) fn page() -> String {
    let measured = Measured::read();
    let scripted = scripted_versions(&measured);
    format!(
        "{HEAD}{}\n{DENIES}{}\n{}\n{HERE}\n{FAILS}{}\n{}\n{POLICY}\n{OTHER}{}\n{}\n\n{MORE}",
        counts(&measured),
        results(DENIALS, &scripted, &measured),
        with_tenterhook(DENIALS, &measured),
        results(FAILURES, &scripted, &measured),
        with_tenterhook(FAILURES, &measured),
        results(ELSEWHERE, &scripted, &measured),
        with_tenterhook(ELSEWHERE, &measured),
    )
}

const HEAD: &str = "\
<!-- Written by `cargo xtask gen` from `e2e/src/agents/expected.tsv`; change the text in `xtask/src/generate/agents.rs`. -->

# Agents compared

See what your agent does when a hook denies a call or fails. Unmodified agents from npm ran with every tool permitted and a scripted model
that calls one shell command, behind one hook. *Ran* means that the command ran anyway. A dash was not tried.

## How many calls ran

| agent | after a denial | after a failure | other calls | in all |
|---|--:|--:|--:|--:|
";

const DENIES: &str = "\
OpenCode, Kilo, Pi and OpenClaw run plugins and no hook scripts; their own plugins were tried in up to 19 ways. [Coverage](bridge-covered.md) has the same
counts with Tenterhook in front. [Tools compared](tools-compared.md) shows how other tools differ.

## A hook denies

";

const HERE: &str = "\
A fault says how to write a malformed denial correctly. `--compat exact` follows the agent instead.
";

const FAILS: &str = "\
## A hook fails

";

const POLICY: &str = "\
There, the hook was in a `tenterhook.toml`, which blocks when a hook fails. In another agent's file the failure policy is what that agent
documents, mostly to continue. `[source.\"FILE\"]` with `on_failure = \"block\"` in your own `tenterhook.toml` makes the hooks of that file block.

In Claude Code, an entry may set `\"onFailure\": \"block\"` since [2.1.295](https://dev.to/gabrielanhaia/a-claude-code-hook-that-times-out-lets-the-command-through-make-it-fail-closed-1g5k)
(2026-10-08). With it, 2.1.332 stopped all five. The hook in the table did not set it.
";

const OTHER: &str = "\
## Other calls

";

const MORE: &str = "\
## How it was measured

Each cell is one run of one agent with one hook. `cargo e2e agents --whole` runs all of them again and compares the results with
[the table](../../e2e/src/agents/expected.tsv). [More tables](../../conformance/observed/README.md) hold what older versions did, also for other
events.
";

/// Returns the newest version of each agent whose hooks are scripts.
fn scripted_versions(measured: &Measured) -> Vec<&str> {
    let is_scripted =
        |version: &&str| !measured.result(version, "exit2", Column::Without).is_empty();
    measured.newest_versions().into_iter().filter(is_scripted).collect()
}

/// Draws how many calls ran behind each agent alone.
fn counts(measured: &Measured) -> String {
    let scripted = scripted_versions(measured);
    let mut table = String::new();
    for version in measured.newest_versions() {
        let count = |tried: &[Tried]| match scripted.contains(&version) {
            true => tally(tried, version, measured, Column::Without).to_string(),
            false => "-".to_owned(),
        };
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} |",
            version_title(version),
            count(DENIALS),
            count(FAILURES),
            count(ELSEWHERE),
            measured.tally(version, Column::Without),
        );
    }
    table
}

/// Draws what each agent did in each case.
fn results(tried: &[Tried], versions: &[&str], measured: &Measured) -> String {
    let titles: Vec<String> = versions.iter().map(|version| version_title(version)).collect();
    let mut table =
        format!("| the hook | {} |\n|---{}|\n", titles.join(" | "), "|---".repeat(titles.len()));
    for (case, text) in tried {
        let cells =
            versions.iter().map(|version| cell(measured.result(version, case, Column::Without)));
        let _ = writeln!(table, "| {text} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    table
}

/// States how many of these calls ran behind Tenterhook.
fn with_tenterhook(tried: &[Tried], measured: &Measured) -> String {
    let versions = measured.newest_versions();
    let counts = versions.iter().map(|version| tally(tried, version, measured, Column::With));
    let count: Tally = counts.sum();
    let reasons = if count.ran > 0 {
        " ([why](bridge-covered.md#denials-that-a-real-agent-applies))"
    } else {
        ""
    };
    format!(
        "With Tenterhook in front of the {} agents, {count} of these calls ran{reasons}.",
        versions.len()
    )
}

/// Counts the calls of these cases that ran.
fn tally(tried: &[Tried], version: &str, measured: &Measured, column: Column) -> Tally {
    tried.iter().map(|(case, _)| Tally::from_result(measured.result(version, case, column))).sum()
}

/// Returns the sentences in which the README sums up the tables.
pub(super) fn readme_claims() -> Vec<String> {
    let measured = Measured::read();
    let versions = scripted_versions(&measured);
    let ran = |case: &str| -> Tally {
        versions
            .iter()
            .map(|version| Tally::from_result(measured.result(version, case, Column::Without)))
            .sum()
    };
    let claude =
        versions.iter().find(|version| version.starts_with("claude-")).copied().unwrap_or_default();
    vec![
        format!(
            "When a hook printed a log line before its denial, {} ran the command as if the hook had agreed; when the hook crashed, {} ran it.",
            ran("line-before"),
            ran("crash"),
        ),
        format!(
            "{} ran the command in {} ways; with Tenterhook in front, in {}.",
            version_title(claude),
            measured.tally(claude, Column::Without),
            measured.tally(claude, Column::With),
        ),
    ]
}

/// Returns how the row of each agent begins and ends in the table of the README.
pub(super) fn readme_rows() -> Vec<(String, String)> {
    let measured = Measured::read();
    let row = |version: &str| {
        let (without, with) =
            (measured.tally(version, Column::Without), measured.tally(version, Column::With));
        (format!("| {} | {without}", version_title(version)), format!(" | {with} |"))
    };
    measured.newest_versions().into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_that_must_be_blocked_is_in_one_table() {
        let measured = Measured::read();
        let versions = scripted_versions(&measured);
        let is_missing = |case: &str| {
            [DENIALS, FAILURES, ELSEWHERE].concat().iter().filter(|(name, _)| *name == case).count()
                != 1
        };
        for row in measured.rows() {
            let counts = versions.contains(&row.version.as_str())
                && tenterhook_probe::must_block_call_named(&row.case);
            assert!(!counts || row.without.is_empty() || !is_missing(&row.case), "{}", row.case);
        }
    }
}
