//! Every key of the format, in one table that the reader, the schema test and the documentation
//! share (C-42).

use crate::hook::enforcement::{ENFORCE, SHADOW};
use crate::rule::Doubt;

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A string or a list of strings.
    Words,
    /// A list of strings.
    List,
    /// A number with a unit, in a string.
    Time,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A string, a table, or a list of them.
    Conditions,
    /// A table of strings.
    Variables,
    /// A table or a list of tables.
    Cases,
    /// An object.
    Table,
    /// A string or an object.
    TextOrTable,
    /// `true`, `false`, or the form of an interpreter.
    Prewarm,
    /// A number that counts something, above 0.
    Count,
    /// A number of bytes, above 0.
    Bytes,
    /// A table of these keys.
    Fields(&'static [Key]),
    /// A string, which stands for the first of these keys, or a table of them.
    TextOr(&'static [Key]),
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
}

const fn new_key(name: &'static str, shape: Shape) -> Key {
    Key { name, shape }
}

pub(super) const ON_FAILURE: &[&str] = &["block", "ask", "continue"];
/// What a hook can say beside them: that its dialect's promise holds.
pub(crate) const PROMISED: &str = "promised";
pub(super) const OWN_ON_FAILURE: &[&str] = &["block", "ask", "continue", PROMISED];
pub(super) const PHASES: &[&str] = &["rewrite", "decide", "observe"];
/// What a rule makes of a line that cannot be read whole: the first is the default (RU-40, RU-45).
pub(super) const DOUBT: &[&str] = &[Doubt::Fault.label(), Doubt::Ignore.label()];
pub(super) const ANSWERS: &[&str] = &["required", "optional"];
pub(super) const MODES: &[&str] = &[SHADOW, ENFORCE];
pub(super) const COMPAT: &[&str] = &["guarded", "exact"];
pub(crate) const EXPECT: &[&str] = &["allow", "ask", "defer", "deny", "silent", "stop"];

/// The keys of a file.
pub(crate) const FILE: &[Key] = &[
    new_key("$schema", Shape::Text),
    new_key("hook", Shape::Table),
    new_key("source", Shape::Table),
    new_key("event", Shape::Table),
    new_key("mcp", Shape::Table),
    new_key("record", Shape::Table),
    new_key("protect", Shape::Fields(PROTECT)),
    new_key("trust", Shape::Fields(TRUST)),
    new_key("shadow", Shape::Fields(SHADOWS)),
    new_key("mode", Shape::Choice(MODES)),
];

/// The keys of `[protect]`.
pub(crate) const PROTECT: &[Key] = &[
    new_key("writable", Shape::List),
    new_key("pause", Shape::Flag),
    new_key("mode", Shape::Choice(MODES)),
];

/// The keys of `[shadow]`, which count in a managed file (SH-3).
pub(crate) const SHADOWS: &[Key] = &[new_key("allowed", Shape::Flag)];

/// The keys of `[trust]`: the first counts in a managed file (T-13), the other in the user's, too
/// (T-50).
pub(crate) const TRUST: &[Key] =
    &[new_key("unapproved", Shape::Choice(&["off", "hold"])), new_key("keys", Shape::List)];

/// The keys that say what runs: a hook has exactly one (C-43).
pub(crate) const RUN: &[&str] =
    &["run", "shell", "when", "http", "worker", "prompt", "agent", "mcp"];

/// The keys of `[hook.NAME]`.
pub(crate) const HOOK: &[Key] = &[
    new_key("on", Shape::Words),
    new_key("match", Shape::Words),
    new_key("if", Shape::Conditions),
    new_key("run", Shape::List),
    new_key("shell", Shape::Text),
    new_key("when", Shape::Text),
    new_key("deny", Shape::Text),
    new_key("ask", Shape::Text),
    new_key("context", Shape::Text),
    new_key("rewrite", Shape::Text),
    new_key("label", Shape::Text),
    new_key("count", Shape::Text),
    new_key("clear", Shape::Text),
    new_key("doubt", Shape::Choice(DOUBT)),
    new_key("http", Shape::TextOr(HTTP)),
    new_key("worker", Shape::List),
    new_key("prompt", Shape::TextOr(PROMPT)),
    new_key("agent", Shape::TextOr(AGENT)),
    new_key("mcp", Shape::Fields(MCP)),
    new_key("prewarm", Shape::Prewarm),
    new_key("timeout", Shape::Time),
    new_key("on_failure", Shape::Choice(OWN_ON_FAILURE)),
    new_key("answer", Shape::Choice(ANSWERS)),
    new_key("phase", Shape::Choice(PHASES)),
    new_key("background", Shape::Flag),
    new_key("wake", Shape::Flag),
    new_key("once", Shape::Flag),
    new_key("enabled", Shape::Flag),
    new_key("mode", Shape::Choice(MODES)),
    new_key("env", Shape::Variables),
    new_key("pass", Shape::List),
    new_key("cwd", Shape::Text),
    new_key("files", Shape::List),
    new_key("sandbox", Shape::TextOr(SANDBOX)),
    new_key("status", Shape::Text),
    new_key("speaks", Shape::Text),
    new_key("test", Shape::Cases),
];

/// What a rule says when it holds.
pub(super) const SAYS: &[&str] = &["deny", "ask", "context", "rewrite", "label", "count", "clear"];

/// The words that stand for a whole sandbox, and where one begins.
pub(crate) const PROFILES: &[&str] = &["off", "standard", "strict"];
const TIERS: &[&str] = &["T0", "T1", "T2"];

/// The keys of `sandbox`.
pub(crate) const SANDBOX: &[Key] = &[
    new_key("profile", Shape::Choice(PROFILES)),
    new_key("read", Shape::List),
    new_key("write", Shape::List),
    new_key("net", Shape::Words),
    new_key("env", Shape::List),
    new_key("attributes", Shape::Flag),
    new_key("processes", Shape::Count),
    new_key("memory", Shape::Bytes),
    new_key("cpu", Shape::Time),
    new_key("isolation_min", Shape::Choice(TIERS)),
];

/// The keys of `http`.
const HTTP: &[Key] = &[
    new_key("url", Shape::Text),
    new_key("headers", Shape::Variables),
    new_key("secret", Shape::Text),
];

/// The keys of `prompt`.
const PROMPT: &[Key] = &[
    new_key("text", Shape::Text),
    new_key("model", Shape::Text),
    new_key("tokens", Shape::Count),
    new_key("allow", Shape::Flag),
    new_key("goes_on", Shape::Flag),
];

/// The keys of `agent`.
const AGENT: &[Key] = &[
    new_key("text", Shape::Text),
    new_key("model", Shape::Text),
    new_key("tokens", Shape::Count),
    new_key("allow", Shape::Flag),
    new_key("goes_on", Shape::Flag),
    new_key("turns", Shape::Count),
];

/// The keys of `mcp`.
const MCP: &[Key] =
    &[new_key("server", Shape::Text), new_key("tool", Shape::Text), new_key("input", Shape::Table)];

/// The keys of `[source."FILE"]`.
pub(crate) const SOURCE: &[Key] = &[
    new_key("on_failure", Shape::Choice(ON_FAILURE)),
    new_key("on_broken", Shape::Choice(ON_FAILURE)),
    new_key("compat", Shape::Choice(COMPAT)),
    new_key("enabled", Shape::Flag),
    new_key("prewarm", Shape::Prewarm),
    new_key("mode", Shape::Choice(MODES)),
    new_key("sandbox", Shape::TextOr(SANDBOX)),
];

/// The keys of `[event."NAME"]`.
pub(crate) const EVENT: &[Key] = &[
    new_key("subject", Shape::Text),
    new_key("gate", Shape::Flag),
    new_key("answers", Shape::List),
    new_key("timeout", Shape::Time),
    new_key("when", Shape::Text),
];

/// The keys of `[mcp.NAME]`.
pub(crate) const SERVER: &[Key] = &[
    new_key("run", Shape::List),
    new_key("url", Shape::Text),
    new_key("headers", Shape::Variables),
    new_key("env", Shape::Variables),
    new_key("pass", Shape::List),
    new_key("cwd", Shape::Text),
    new_key("sandbox", Shape::TextOr(SANDBOX)),
];

/// The values of `content`: how much text the record keeps.
const CONTENT: &[&str] = &["none", "redacted", "full"];

const SYSTEM_LOG: &[&str] = &["off", "syslog", "journald"];

/// The keys of `[record]`.
pub(crate) const RECORD: &[Key] = &[
    new_key("enabled", Shape::Flag),
    new_key("dir", Shape::Text),
    new_key("content", Shape::Choice(CONTENT)),
    new_key("keep_days", Shape::Count),
    new_key("max_bytes", Shape::Bytes),
    new_key("required", Shape::Flag),
    new_key("system_log", Shape::Choice(SYSTEM_LOG)),
    new_key("socket", Shape::Text),
];

/// The keys of a case of `test`: those of a case of a file, but the hook that it is about, which
/// stands around it.
pub(crate) const TEST: &[Key] = match CASE {
    [_hook, keys @ ..] => keys,
    [] => CASE,
};

/// The keys of a case of a file of cases; the first is the one that [`TEST`] lacks.
pub(crate) const CASE: &[Key] = &[
    new_key("hook", Shape::Text),
    new_key("name", Shape::Text),
    new_key("event", Shape::TextOrTable),
    new_key("expect", Shape::Choice(EXPECT)),
    new_key("reason", Shape::Text),
    new_key("context", Shape::Text),
    new_key("rewrite", Shape::TextOrTable),
    new_key("within", Shape::Time),
    new_key("background", Shape::Flag),
    new_key("faults", Shape::List),
    new_key("files", Shape::Variables),
];

/// The keys of a file of cases.
pub(crate) const CASE_FILE: &[Key] = &[
    new_key("$schema", Shape::Text),
    new_key("config", Shape::Words),
    new_key("dialect", Shape::Text),
    new_key("copy", Shape::Words),
    new_key("case", Shape::Cases),
];

/// What other formats call something that has another name here.
const FOREIGN: &[(&str, &str)] = &[
    ("matcher", "it is called `match` here"),
    ("command", "write `shell = \"...\"` for a shell line, or `run = [\"program\", \"argument\"]`"),
    ("args", "arguments stand in `run` behind the program"),
    ("type", "the key itself says what runs: `run`, `shell`, `http`, ..."),
    ("async", "it is called `background` here"),
    ("asyncRewake", "it is called `wake` here"),
    ("statusMessage", "it is called `status` here"),
    ("onFailure", "it is called `on_failure` here"),
    ("on_fail", "it is called `on_failure` here"),
    (
        "reason",
        "did you mean `deny`? A rule gives its reason with its decision: `deny = \"REASON\"`",
    ),
    ("failClosed", "say `on_failure = \"block\"`"),
    ("url", "say `http = \"https://...\"`"),
    ("disabled", "say `enabled = false`"),
    ("hooks", "each hook is one table: `[hook.NAME]`"),
    ("event", "the event of a hook is its key `on`"),
    ("tests", "it is called `test` here"),
    ("dialect", "it is called `speaks` here"),
    ("mcpServers", "each server is one table: `[mcp.NAME]`"),
];

/// Returns what to write instead of a key of another format.
pub(super) fn foreign_key_help(key: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|(name, _)| *name == key).map(|(_, help)| *help)
}

/// Joins names for messages: `a`, `b` and `c`, in backticks.
pub(super) fn join_quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

/// Words that people take for one another: what one key calls `deny`, another calls `block`.
const SYNONYMS: [&[&str]; 4] = [
    &["deny", "denied", "block", "blocked", "refuse", "reject"],
    &["ask", "asked", "confirm"],
    &["silent", "nothing", "none", "continue", "proceed", "pass", "ok"],
    &["allow", "allowed", "approve", "accept"],
];

/// Returns the word of `known` that means the same as `word`.
pub(super) fn known_synonym(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let group = SYNONYMS.into_iter().find(|group| group.contains(&word))?;
    known.iter().copied().find(|text| group.contains(text))
}
