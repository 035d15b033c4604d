//! Reads `hooks.toml` of Mistral Vibe (VI-1 to VI-12): each entry is one command for one event.
//! Mistral Vibe drops a bad entry alone, and a broken file whole. Opens no file.

use std::time::Duration;

use super::matching;
use super::vocabulary::ROWS;
use crate::diagnostic::{Code, Diagnostic, Severity, nearest_word};
use crate::dialect::DialectId;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, Fields, unusable_run};
use crate::dialect::kit::field::seconds_to_duration;
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::Lints;
use crate::hook::{Compat, OnFailure, Run};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node, find_value_of_toml_1_1};

/// How an entry is written, for help.
const SHAPE: &str = "write `[[hooks]]`, and below it `name = \"...\"`, `type = \"pre_tool\"` and `command = \"...\"`";

static FILE: File = File {
    own_keys: &["description"],
    items: "entries",
    shape: SHAPE,
    rules: Rules::with_one_rule("VI-4"),
    lints: Some(&LINTS),
    find: read_entries,
    ..File::new("Mistral Vibe", DialectId::VIBE, || &ROWS, read_entry)
};

/// What the lints of commands need to know of Mistral Vibe, which sets no variable for hooks.
static LINTS: Lints = Lints {
    matcher_key: "match",
    mcp: "mcp_SERVER.TOOL",
    never_set: &["VIBE_PROJECT_DIR", "VIBE_TOOL_NAME", "VIBE_TOOL_INPUT"],
    ..Lints::new("Mistral Vibe")
};

const FIELDS: Fields = Fields {
    whose: "an entry",
    code: Code::UnknownEntryField,
    known: &["name", "type", "command", "match", "timeout", "strict", "description"],
    foreign: &[
        ("matcher", "write `match`"),
        ("event", "write `type`"),
        ("timeoutms", "write `timeout`, in seconds"),
        ("failclosed", "write `strict`"),
        ("onfailure", "write `strict`"),
    ],
};

/// The events of version 2, each with the present one. Version 3 drops an entry that has one.
const OLD_EVENTS: &[(&str, &str)] =
    &[("before_tool", "pre_tool"), ("after_tool", "post_tool"), ("post_agent_turn", "post_agent")];

/// Tools of version 2, each with the present one.
const OLD_TOOLS: &[(&str, &str)] =
    &[("grep", "bash"), ("task", "agents_spawn"), ("search_replace", "edit")];

/// Reads the hooks of a config file of Mistral Vibe.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Toml)
}

/// Reads the list of entries. No other part of the file is read (VI-3).
fn read_entries<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    if let Some(span) = find_value_of_toml_1_1(root, &reader.source.text) {
        let message = "only TOML 1.1 permits this value: Mistral Vibe refuses the whole file";
        let found = finding_without_location(Code::BrokenFile, message);
        reader.report(span, found.help("write it as TOML 1.0 has it"));
        reader.refused.get_or_insert_with(|| "it is TOML 1.1".to_owned());
    }
    let hooks = root.entry("hooks")?;
    let Some(list) = hooks.node.as_array() else {
        let kind = hooks.node.kind_with_article();
        let message = format!("`hooks` takes an array of tables, found {kind}");
        let found = finding_without_location(Code::WrongType, message);
        reader.report(hooks.node.span, found.help(SHAPE));
        reader.refused.get_or_insert_with(|| "its `hooks` is no array".to_owned());
        return None;
    };
    let mut names: Vec<&str> = Vec::new();
    for node in list {
        let name = node.get("name").and_then(Node::as_str);
        let is_repeated = name.is_some_and(|name| names.contains(&name));
        let off = is_repeated.then(|| repeated_name_off(reader, node)).flatten();
        names.extend(name);
        let event = node.get("type").and_then(Node::as_str).unwrap_or_default();
        let row = ROWS.iter().find(|row| row.name == event);
        let matcher = node.get("match").and_then(Node::as_str);
        let scope = Scope::of_listed_entry(reader, (event, row), matcher, off);
        read_entry(reader, node, &scope);
    }
    None
}

/// Reports a name that an earlier entry has. Mistral Vibe drops the later entry; with exact reading,
/// it is disarmed (VI-7).
fn repeated_name_off(reader: &mut Reader<'_>, node: &Node) -> Option<Off> {
    let span = node.entry("name").map_or(node.span, |entry| entry.node.span);
    let message = "an entry above has this name: Mistral Vibe drops this one";
    let found = finding_without_location(Code::DuplicateKeys, message);
    let found = found.with_severity(Severity::Error);
    let exact = reader.source.compat == Compat::Exact;
    let help = if exact { "give it another name" } else { "here it runs; give it another name" };
    reader.report(span, found.help(help));
    exact.then(|| Off::new("an entry above has its name", "VI-7"))
}

/// Reads one entry. One that Mistral Vibe drops never runs (VI-4).
fn read_entry(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a table", Code::EntryNotObject) {
        return;
    }
    FIELDS.report_unknown_fields(reader, node, &[]);
    let mut faults: Vec<String> = Vec::new();
    let name = groups::read_required_text(reader, node, "name");
    faults.extend(name.err().map(|fault| fault.to_string()));
    faults.extend(report_event_fault(reader, node, scope));
    faults.extend(report_match_fault(reader, node, scope));
    faults.extend(report_strict_fault(reader, node, scope));
    let run = match groups::read_required_text(reader, node, "command") {
        Ok(text) => {
            let run = Run::from_shell_line(text);
            groups::lint_command(reader, node, &run, &["command"]);
            run
        }
        Err(fault) => {
            faults.push(fault.to_string());
            unusable_run(fault.to_string())
        }
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, &scope.matcher, scope, run);
    hook.condition = Some(&scope.matcher)
        .filter(|text| !text.trim().is_empty() && *text != "*")
        .map(|text| matching::match_condition(text, reader.source.compat));
    hook.timeout = read_timeout(reader, node);
    hook.on_failure = read_strict(node).map(|strict| match strict {
        true => OnFailure::Block,
        false => OnFailure::Continue,
    });
    let dropped = faults.into_iter().next().map(|because| Off::new(because, "VI-4"));
    hook.arming = Off::arming_from_reason(scope.off.clone().or(dropped));
    reader.read.hooks.push(hook);
}

/// Reports the event of an entry, if Mistral Vibe drops the entry for it; returns why.
fn report_event_fault(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Option<String> {
    let Some(entry) = node.entry("type") else {
        let message = "the entry has no `type`: Mistral Vibe drops it";
        let found = finding_without_location(Code::MissingEvent, message);
        reader.report(node.span, found.help("add `type = \"pre_tool\"`"));
        return Some("it has no `type`".to_owned());
    };
    if entry.node.as_str().is_none() {
        reader.findings.read_text(Some(entry));
        return Some("its `type` is not a string".to_owned());
    }
    if scope.row.is_some() {
        return None;
    }
    let fault = format!("Mistral Vibe has no event `{}`", scope.name);
    let found = finding_without_location(Code::UnknownEvent, fault.clone());
    let near = nearest_word(&scope.name, ROWS.iter().map(|row| &*row.name));
    let own = ROWS.iter().find(|row| row.event == scope.name.as_str()).map(|row| &*row.name);
    let old = OLD_EVENTS.iter().find(|(name, _)| *name == scope.name).map(|(_, now)| *now);
    let help = match old.or(own).or(near) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "its events are `pre_tool`, `post_tool` and `post_agent`".to_owned(),
    };
    let found = found.with_severity(Severity::Error).label("never fires").help(help);
    reader.report(entry.node.span, found);
    Some(fault)
}

/// Reports the pattern of an entry; returns why Mistral Vibe drops the entry for it.
fn report_match_fault(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Option<String> {
    let entry = node.entry("match")?;
    let Some(text) = reader.findings.read_text(Some(entry)) else {
        return Some("its `match` is not a string".to_owned());
    };
    if text.trim().is_empty() {
        let message = "`match` is blank: Mistral Vibe drops the entry";
        let found = finding_without_location(Code::InvalidMatcher, message);
        reader.report(entry.node.span, found.help("leave it out to match everything"));
        return Some("its `match` is blank".to_owned());
    }
    if let Some(found) = pattern_finding(text, scope) {
        reader.report(entry.node.span, found);
    }
    None
}

/// Returns what is wrong with a pattern that is not blank.
fn pattern_finding(text: &str, scope: &Scope) -> Option<Diagnostic> {
    if let Some(why) = matching::match_fault(text) {
        let message = format!("`match` is not a valid regular expression: {why}");
        let found = finding_without_location(Code::InvalidMatcher, message);
        return Some(found.help("Mistral Vibe matches nothing; here the failure policy decides"));
    }
    if scope.name == "post_agent" {
        return None;
    }
    let spec = matching::parse_match(text);
    if matching::matches_known_tool(&spec) {
        return None;
    }
    if let Some(tool) = matching::tool_of_neutral_name(&spec) {
        let neutral = tool.neutral;
        let message =
            format!("Mistral Vibe has no tool `{neutral}`: only Tenterhook runs this hook");
        let found = finding_without_location(Code::ForeignToolNameInMatcher, message);
        let own = tool.own.get(1).or(tool.own.first()).unwrap_or(&neutral);
        return Some(found.help(format!("Mistral Vibe calls it `{own}`")));
    }
    if let Some((old, now)) = OLD_TOOLS.iter().find(|(old, _)| *old == text) {
        let message = format!("Mistral Vibe 3 has no tool `{old}`");
        let found = finding_without_location(Code::DeadMatcher, message).label("never runs");
        return Some(found.help(format!("what it did is done by `{now}`")));
    }
    (text.contains('|') && !text.starts_with("re:")).then(|| {
        let message = format!("`{text}` is a glob, in which `|` is a character of the name");
        let help = format!("write `re:{text}` to match one of several names");
        finding_without_location(Code::DeadMatcher, message).label("never runs").help(help)
    })
}

/// Reports `strict` at the end of a turn; returns why Mistral Vibe drops the entry for it.
fn report_strict_fault(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Option<String> {
    let entry = node.entry("strict")?;
    if entry.node.as_bool().is_none() {
        reader.findings.read_flag(Some(entry));
    }
    if read_strict(node) != Some(true) || scope.name != "post_agent" {
        return None;
    }
    let message = "`strict` is for `pre_tool` and `post_tool`: Mistral Vibe drops this entry";
    let found = finding_without_location(Code::NoEffect, message);
    let found = found.with_severity(Severity::Error);
    reader.report(entry.key_span, found.label("never runs").help("leave it out"));
    Some("it has `strict` on `post_agent`".to_owned())
}

/// Reads `strict`: whether a failure denies. Mistral Vibe takes some words and 1 for `true`.
fn read_strict(node: &Node) -> Option<bool> {
    let value = node.get("strict")?;
    let word = value.as_str().map(str::to_ascii_lowercase);
    let is_yes = |word: &String| matches!(&**word, "true" | "t" | "yes" | "y" | "on" | "1");
    Some(
        value.as_bool() == Some(true)
            || value.as_u64() == Some(1)
            || word.is_some_and(|w| is_yes(&w)),
    )
}

/// Reads `timeout`, in seconds. With 0 and less, a hook of Mistral Vibe always times out; here the
/// default counts (VI-8).
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field: &Entry = node.entry("timeout")?;
    let Some(number) = field.node.as_f64() else {
        reader.findings.report_wrong_type(field, "a number of seconds");
        return None;
    };
    if number <= 0.0 {
        let message =
            "a timeout of zero leaves no time to run: in Mistral Vibe, the hook always fails";
        let found = finding_without_location(Code::ZeroTimeout, message);
        reader.report(field.node.span, found.help("here the default counts, 60 seconds"));
        return None;
    }
    reader.findings.report_excessive_seconds(field, number);
    seconds_to_duration(number)
}
