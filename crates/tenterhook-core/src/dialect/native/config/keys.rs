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

const fn key(name: &'static str, shape: Shape) -> Key {
    Key { name, shape }
}

pub(super) const ON_FAILURE: &[&str] = &["block", "ask", "continue"];
/// What a hook can say beside them: that its dialect's promise holds.
pub(crate) const PROMISED: &str = "promised";
pub(super) const OWN_ON_FAILURE: &[&str] = &["block", "ask", "continue", PROMISED];
pub(super) const PHASES: &[&str] = &["rewrite", "decide", "observe"];
/// What a rule makes of a line that cannot be read whole: the first is the default (RU-40, RU-45).
pub(super) const DOUBT: &[&str] = &["fault", Doubt::IGNORE];
pub(super) const ANSWERS: &[&str] = &["required", "optional"];
pub(super) const MODES: &[&str] = &[SHADOW, ENFORCE];
pub(super) const COMPAT: &[&str] = &["guarded", "exact"];
pub(crate) const EXPECT: &[&str] = &["allow", "ask", "defer", "deny", "silent", "stop"];

/// The keys of a file.
pub(crate) const FILE: &[Key] = &[
    key("$schema", Shape::Text),
    key("hook", Shape::Table),
    key("source", Shape::Table),
    key("event", Shape::Table),
    key("mcp", Shape::Table),
    key("record", Shape::Table),
    key("protect", Shape::Fields(PROTECT)),
    key("trust", Shape::Fields(TRUST)),
    key("shadow", Shape::Fields(SHADOWS)),
    key("mode", Shape::Choice(MODES)),
];

/// The keys of `[protect]`.
pub(crate) const PROTECT: &[Key] =
    &[key("writable", Shape::List), key("pause", Shape::Flag), key("mode", Shape::Choice(MODES))];

/// The keys of `[shadow]`, which count in a managed file (SH-3).
pub(crate) const SHADOWS: &[Key] = &[key("allowed", Shape::Flag)];

/// The keys of `[trust]`: the first counts in a managed file (T-13), the other in the user's, too
/// (T-50).
pub(crate) const TRUST: &[Key] =
    &[key("unapproved", Shape::Choice(&["off", "hold"])), key("keys", Shape::List)];

/// The keys that say what runs: a hook has exactly one (C-43).
pub(crate) const RUN: &[&str] =
    &["run", "shell", "when", "http", "worker", "prompt", "agent", "mcp"];

/// The keys of `[hook.NAME]`.
pub(crate) const HOOK: &[Key] = &[
    key("on", Shape::Words),
    key("match", Shape::Words),
    key("if", Shape::Conditions),
    key("run", Shape::List),
    key("shell", Shape::Text),
    key("when", Shape::Text),
    key("deny", Shape::Text),
    key("ask", Shape::Text),
    key("context", Shape::Text),
    key("rewrite", Shape::Text),
    key("doubt", Shape::Choice(DOUBT)),
    key("http", Shape::TextOr(HTTP)),
    key("worker", Shape::List),
    key("prompt", Shape::TextOr(PROMPT)),
    key("agent", Shape::TextOr(AGENT)),
    key("mcp", Shape::Fields(MCP)),
    key("prewarm", Shape::Prewarm),
    key("timeout", Shape::Time),
    key("on_failure", Shape::Choice(OWN_ON_FAILURE)),
    key("answer", Shape::Choice(ANSWERS)),
    key("phase", Shape::Choice(PHASES)),
    key("background", Shape::Flag),
    key("wake", Shape::Flag),
    key("once", Shape::Flag),
    key("enabled", Shape::Flag),
    key("mode", Shape::Choice(MODES)),
    key("env", Shape::Variables),
    key("pass", Shape::List),
    key("cwd", Shape::Text),
    key("files", Shape::List),
    key("sandbox", Shape::TextOr(SANDBOX)),
    key("status", Shape::Text),
    key("speaks", Shape::Text),
    key("test", Shape::Cases),
];

/// What a rule says when it holds.
pub(super) const SAYS: &[&str] = &["deny", "ask", "context", "rewrite"];

/// The words that stand for a whole sandbox, and where one begins.
pub(crate) const PROFILES: &[&str] = &["off", "standard", "strict"];
const TIERS: &[&str] = &["T0", "T1", "T2"];

/// The keys of `sandbox`.
pub(crate) const SANDBOX: &[Key] = &[
    key("profile", Shape::Choice(PROFILES)),
    key("read", Shape::List),
    key("write", Shape::List),
    key("net", Shape::Words),
    key("env", Shape::List),
    key("attributes", Shape::Flag),
    key("processes", Shape::Count),
    key("memory", Shape::Bytes),
    key("cpu", Shape::Time),
    key("isolation_min", Shape::Choice(TIERS)),
];

/// The keys of `http`.
const HTTP: &[Key] =
    &[key("url", Shape::Text), key("headers", Shape::Variables), key("secret", Shape::Text)];

/// The keys of `prompt`.
const PROMPT: &[Key] = &[
    key("text", Shape::Text),
    key("model", Shape::Text),
    key("tokens", Shape::Count),
    key("allow", Shape::Flag),
    key("goes_on", Shape::Flag),
];

/// The keys of `agent`.
const AGENT: &[Key] = &[
    key("text", Shape::Text),
    key("model", Shape::Text),
    key("tokens", Shape::Count),
    key("allow", Shape::Flag),
    key("goes_on", Shape::Flag),
    key("turns", Shape::Count),
];

/// The keys of `mcp`.
const MCP: &[Key] =
    &[key("server", Shape::Text), key("tool", Shape::Text), key("input", Shape::Table)];

/// The keys of `[source."FILE"]`.
pub(crate) const SOURCE: &[Key] = &[
    key("on_failure", Shape::Choice(ON_FAILURE)),
    key("on_broken", Shape::Choice(ON_FAILURE)),
    key("compat", Shape::Choice(COMPAT)),
    key("enabled", Shape::Flag),
    key("prewarm", Shape::Prewarm),
    key("mode", Shape::Choice(MODES)),
    key("sandbox", Shape::TextOr(SANDBOX)),
];

/// The keys of `[event."NAME"]`.
pub(crate) const EVENT: &[Key] = &[
    key("subject", Shape::Text),
    key("gate", Shape::Flag),
    key("answers", Shape::List),
    key("timeout", Shape::Time),
    key("when", Shape::Text),
];

/// The keys of `[mcp.NAME]`.
pub(crate) const SERVER: &[Key] = &[
    key("run", Shape::List),
    key("url", Shape::Text),
    key("headers", Shape::Variables),
    key("env", Shape::Variables),
    key("pass", Shape::List),
    key("cwd", Shape::Text),
    key("sandbox", Shape::TextOr(SANDBOX)),
];

/// The values of `content`: how much text the record keeps.
const CONTENT: &[&str] = &["none", "redacted", "full"];

/// The keys of `[record]`.
pub(crate) const RECORD: &[Key] = &[
    key("enabled", Shape::Flag),
    key("dir", Shape::Text),
    key("content", Shape::Choice(CONTENT)),
    key("keep_days", Shape::Count),
    key("max_bytes", Shape::Bytes),
    key("required", Shape::Flag),
];

/// The keys of a case of `test`: those of a case of a file, but the hook that it is about, which
/// stands around it.
pub(crate) const TEST: &[Key] = match CASE {
    [_hook, keys @ ..] => keys,
    [] => CASE,
};

/// The keys of a case of a file of cases; the first is the one that [`TEST`] lacks.
pub(crate) const CASE: &[Key] = &[
    key("hook", Shape::Text),
    key("name", Shape::Text),
    key("event", Shape::TextOrTable),
    key("expect", Shape::Choice(EXPECT)),
    key("reason", Shape::Text),
    key("context", Shape::Text),
    key("rewrite", Shape::TextOrTable),
    key("within", Shape::Time),
    key("background", Shape::Flag),
    key("faults", Shape::List),
    key("files", Shape::Variables),
];

/// The keys of a file of cases.
pub(crate) const CASE_FILE: &[Key] = &[
    key("$schema", Shape::Text),
    key("config", Shape::Words),
    key("dialect", Shape::Text),
    key("copy", Shape::Words),
    key("case", Shape::Cases),
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
    ("failClosed", "say `on_failure = \"block\"`"),
    ("url", "say `http = \"https://...\"`"),
    ("disabled", "say `enabled = false`"),
    ("hooks", "each hook is one table: `[hook.NAME]`"),
    ("event", "the event of a hook is its key `on`"),
    ("tests", "it is called `test` here"),
    ("dialect", "it is called `speaks` here"),
    ("mcpServers", "each server is one table: `[mcp.NAME]`"),
];

/// What to write instead of a key of another format.
pub(super) fn foreign(key: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|(name, _)| *name == key).map(|(_, help)| *help)
}

/// `a`, `b` and `c`, in backticks.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
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

/// The word of `known` that means what `word` says.
pub(super) fn synonym(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let group = SYNONYMS.into_iter().find(|group| group.contains(&word))?;
    known.iter().copied().find(|text| group.contains(text))
}
