//! The page on what agents do with the answers of hooks, drawn from what real ones were seen to do (`conformance/observed`).

use std::fmt::Write as _;

use serde_json::Value;

use crate::tree;

/// An agent: its table, the name and version that the table begins with, and its event before a tool runs.
struct Agent {
    table: &'static str,
    event: &'static str,
}

const AGENTS: &[Agent] = &[
    Agent { table: "claude-code-outcomes.json", event: "PreToolUse" },
    Agent { table: "codex-outcomes.json", event: "PreToolUse" },
    Agent { table: "gemini-cli-outcomes.json", event: "BeforeTool" },
];

/// What a hook did, and the names of the cases in which it was tried.
type Tried = (&'static str, &'static [&'static str]);

/// Ways of saying no.
const NO: &[Tried] = &[
    ("exits with 2, with the reason on standard error", &["exit2-stderr", "exit2"]),
    ("prints a denial, with blanks before it", &["leading-ws-json"]),
    ("prints a denial without a reason", &["deny-no-reason"]),
    ("prints a denial after a log line", &["text-then-json"]),
    ("prints a denial, and then a log line", &["json-then-text"]),
    ("prints another object, and then a denial", &["two-json-lines"]),
    ("prints a denial and exits with 1", &["exit1-json-deny"]),
    ("prints a denial and exits with 3", &["exit3-json-deny"]),
    ("spells the denial `DENY`", &["DENY-upper"]),
    ("names another event in its denial", &["deny-wrong-eventname"]),
    ("prints the denial of another agent", &["cc-deny-PreToolUse"]),
    (
        "exits with 2, and leaves a process that holds its output open",
        &["bg-grandchild-holds-stdout", "bg-grandchild"],
    ),
];

/// Ways of giving no answer.
const FAILURE: &[Tried] = &[
    ("exits with 1", &["exit1-stderr"]),
    ("cannot be found", &["exit127", "missing"]),
    ("is killed by a signal", &["signal-kill"]),
    ("does not answer in its time", &["timeout1", "timeout"]),
    ("prints half an object", &["invalid-json"]),
    ("prints a decision that does not exist", &["unknown-decision"]),
];

/// What one agent did in one row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Did {
    Ran,
    Stopped,
    NotTried,
}

struct Table {
    /// The agent with its version.
    name: String,
    event: &'static str,
    cases: Vec<Value>,
}

pub(super) fn page() -> String {
    let tables = tables();
    let mut page = format!(
        "<!-- Written by `cargo xtask gen` from `conformance/observed`; change the tables there instead. -->\n\n\
         # Agents compared\n\n\
         See what your agent does when a hook denies a call or fails. Unmodified agents from npm ran with every tool permitted and a scripted\n\
         model that calls one shell command, behind one hook. *Ran* means that the command ran anyway. A dash was not tried.\n\n\
         {}\n\n## A hook denies\n\n{}\n{}\n## A hook fails\n\n{}\n{}",
        headline(),
        drawn(NO, &tables),
        HERE,
        drawn(FAILURE, &tables),
        FAILS,
    );
    page.push_str(MORE);
    page
}

const HERE: &str = "\
Here each of these denies, in every dialect, and a fault says how to write it correctly. `--compat exact` follows the agent instead.
";

const FAILS: &str = "\
Here half an object asks, or denies where the agent cannot ask. A decision that does not exist denies. In the other rows the failure policy of the
hook decides: a `tenterhook.toml` blocks, and another agent's file does what that agent promises, mostly to continue. `[source.\"FILE\"]` with
`on_failure = \"block\"` in your own `tenterhook.toml` makes the hooks of that file block.
";

const MORE: &str = "
## How it was measured

Each row is one run of one agent with one hook. [The tables](../../conformance/observed/README.md) hold what each hook printed and all
results, also for other events.
";

/// How many of the tried ways each agent let pass, in one sentence.
pub(super) fn headline() -> String {
    let tables = tables();
    let counted = |tried: &[Tried]| -> Vec<String> {
        let count = |table: &Table| {
            let did: Vec<Did> = tried
                .iter()
                .map(|(_, cases)| did(table, cases))
                .filter(|d| *d != Did::NotTried)
                .collect();
            let ran = did.iter().filter(|d| **d == Did::Ran).count();
            format!("{} let {ran} of {} pass", table.name, did.len())
        };
        tables.iter().map(count).collect()
    };
    format!("We denied a call in several ways: {}.", counted(NO).join(", "))
}

fn tables() -> Vec<Table> {
    let read = |agent: &Agent| {
        let path = tree::root().join("conformance/observed").join(agent.table);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let name = value.get("observed").and_then(Value::as_str).unwrap_or_default();
        let name = name.split(',').next().unwrap_or_default().to_owned();
        let cases = value.get("cases").and_then(Value::as_array).cloned().unwrap_or_default();
        Table { name, event: agent.event, cases }
    };
    AGENTS.iter().map(read).collect()
}

fn did(table: &Table, cases: &[&str]) -> Did {
    let named =
        |case: &Value, key: &str, word: &str| case.get(key).is_some_and(|value| value == word);
    let is = |case: &&Value| {
        named(case, "event", table.event) && cases.iter().any(|name| named(case, "case", name))
    };
    let ran = |case: &Value| case.pointer("/observed/tool_ran_with_original_input")?.as_bool();
    match table.cases.iter().find(is).and_then(ran) {
        Some(true) => Did::Ran,
        Some(false) => Did::Stopped,
        None => Did::NotTried,
    }
}

fn drawn(tried: &[Tried], tables: &[Table]) -> String {
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    let mut drawn =
        format!("| the hook | {} |\n|---{}|\n", names.join(" | "), "|---".repeat(names.len()));
    for (what, cases) in tried {
        let cells = tables.iter().map(|table| match did(table, cases) {
            Did::Ran => "**ran**",
            Did::Stopped => "stopped",
            Did::NotTried => "-",
        });
        let _ = writeln!(drawn, "| {what} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    drawn
}
