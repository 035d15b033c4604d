//! Reads the hook files of Kiro (KR-1 to KR-10): a list of hooks, each with a trigger and an action.
//! Opens no file.

use std::path::Path;

use super::vocabulary::{DEFINITION_ROWS, ROWS};
use crate::diagnostic::{Code, Severity};
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, EntryFault, Fields};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::Lints;
use crate::dialect::{DialectId, EventRow};
use crate::hook::{Command, Compat, Inherit, Invocation, Run, Shell};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

const SHAPE: &str = r#"write `{"version": "v1", "hooks": [{"name": "...", "trigger": "PreToolUse", "action": {"type": "command", "command": "..."}}]}`"#;

static FILE: File = File {
    own_keys: &["description", "confirm", "maxOutputSize", "cacheTtlSeconds"],
    rules: Rules::with_one_rule("KR-3"),
    items: "hooks",
    shape: SHAPE,
    lints: Some(&LINTS),
    find: read_entries,
    ..File::new("Kiro", DialectId::KIRO, || &ROWS, read_entry)
};

/// What the lints need to know of the agent engine: the names of other tools (awslabs/aidlc-workflows
/// at 0342e52).
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["delete_file", "control_bash_process", "list_processes", "get_process_output"],
        &[
            "orchestrate_subagent",
            "subagent_response",
            "disclose_context",
            "todo_list",
            "knowledge",
            "switch_to_execution",
        ],
    ],
    mcp: "mcp_SERVER_TOOL",
    never_set: &["CLAUDE_PROJECT_DIR", "KIRO_FILE_PATH", "KIRO_WORKSPACE_ROOT"],
    ..Lints::new("Kiro")
};

const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &[
        "name",
        "description",
        "trigger",
        "matcher",
        "action",
        "timeout",
        "enabled",
        "confirm",
        "maxOutputSize",
        "cacheTtlSeconds",
    ],
    foreign: &[
        ("command", "write `\"action\": {\"type\": \"command\", \"command\": \"...\"}`"),
        ("event", "write `trigger`"),
        ("timeoutms", "write `timeout`, in seconds"),
    ],
};

/// The shell of a command.
const SHELL: Shell = if cfg!(windows) { Shell::PowerShell } else { Shell::Sh };

/// Reads the hooks of a hook file.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// Reads the list of hooks. It also stands in a definition that Kiro migrated, where no `version` is
/// needed (KR-5).
fn read_entries<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    let is_definition = super::is_json_in(Path::new(&*reader.source.name), super::AGENTS);
    if let Some(old) = root.entry("when") {
        let message = "`when` is of the format before Kiro 1.0, which no version runs since";
        let found = finding_without_location(Code::NoEffect, message);
        let found = found.with_severity(Severity::Error);
        reader.report(old.key_span, found.label("never runs").help(SHAPE));
        return None;
    }
    let hooks = root.entry("hooks")?;
    let Some(list) = hooks.node.as_array() else {
        let kind = hooks.node.kind_with_article();
        let message = format!("`hooks` takes an array, found {kind}");
        let found = finding_without_location(Code::WrongType, message);
        reader.report(hooks.node.span, found.help(SHAPE));
        reader.refused.get_or_insert_with(|| "its `hooks` is no array".to_owned());
        return None;
    };
    let version = root.get("version").and_then(Node::as_str);
    if version != Some("v1") && !is_definition {
        let span = root.entry("version").map_or(root.span, |entry| entry.node.span);
        let message = "`version` is not \"v1\": Kiro reads no hook of this file";
        let found = finding_without_location(Code::NoEffect, message);
        reader.report(span, found.with_severity(Severity::Error).help(SHAPE));
        reader.refused.get_or_insert_with(|| "its `version` is not \"v1\"".to_owned());
    }
    for node in list {
        let trigger = node.get("trigger").and_then(Node::as_str).unwrap_or_default();
        let row = row_of_trigger(trigger, is_definition);
        let enabled = node.get("enabled").and_then(Node::as_bool) != Some(false);
        let off = (!enabled).then(|| Off::new("it is not `enabled`", "KR-3"));
        let matcher = node.get("matcher").and_then(Node::as_str);
        let scope = Scope::of_listed_entry(reader, (trigger, row), matcher, off);
        read_entry(reader, node, &scope);
    }
    None
}

/// Returns the row of a trigger. In a definition, the names of 2.x are read, too.
fn row_of_trigger(trigger: &str, is_definition: bool) -> Option<&'static EventRow> {
    let find = |name: &str| ROWS.iter().find(|row| row.name == name);
    let older = || {
        let old = DEFINITION_ROWS.iter().find(|row| row.name == trigger)?;
        ROWS.iter().find(|row| row.event == old.event)
    };
    find(trigger).or_else(|| older().filter(|_| is_definition))
}

/// Reads one hook.
fn read_entry(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
        return;
    }
    if scope.off.is_none() {
        FIELDS.report_unknown_fields(reader, node, &[]);
    }
    let mut faults: Vec<String> = Vec::new();
    let name = groups::read_required_text(reader, node, "name");
    faults.extend(name.err().map(|fault| fault.to_string()));
    faults.extend(report_trigger_fault(reader, node, scope));
    if let Some(entry) = node.entry("matcher") {
        let read = parse_matcher(&scope.matcher, reader.source.compat);
        let help = "here the hook's failure policy decides each time";
        groups::report_matcher_faults(reader, entry, scope, &["", "*"], read, help);
    }
    let text_for_model = report_text_for_model(reader, node);
    let run = match &text_for_model {
        Some(off) => entry::unusable_run(&*off.because),
        None => read_action(reader, node).unwrap_or_else(|fault| {
            faults.push(fault.to_string());
            entry::unusable_run(fault.to_string())
        }),
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, &scope.matcher, scope, run);
    hook.matcher = Matcher::new(parse_matcher(&scope.matcher, reader.source.compat).0);
    hook.timeout = reader
        .non_null_entry(node, "timeout")
        .and_then(|field| reader.findings.read_timeout_in_seconds(field));
    let broken = faults.into_iter().next().map(|because| Off::new(because, "KR-3"));
    hook.arming = Off::arming_from_reason(scope.off.clone().or(broken).or(text_for_model));
    reader.read.hooks.push(hook);
}

/// Reports an action that gives the model a text and runs nothing; returns why it never runs here
/// (KR-4).
fn report_text_for_model(reader: &mut Reader<'_>, node: &Node) -> Option<Off> {
    let kind = node.get("action").and_then(|action| action.entry("type"))?;
    (kind.node.as_str() == Some("agent")).then(|| {
        let because = "`agent` gives a text to Kiro's model, and runs nothing";
        let found = finding_without_location(Code::HandlerTypeNotAccepted, because);
        reader.report(kind.node.span, found.with_severity(Severity::Advice));
        Off::new(because, "KR-4")
    })
}

/// Reports the trigger of a hook, if it never fires; returns why.
fn report_trigger_fault(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Option<String> {
    if scope.row.is_some() {
        return None;
    }
    let Some(entry) = node.entry("trigger") else {
        let found = finding_without_location(Code::MissingEvent, "the hook has no `trigger`");
        reader.report(node.span, found.help("add `\"trigger\": \"PreToolUse\"`"));
        return Some("it has no `trigger`".to_owned());
    };
    if entry.node.as_str().is_none() {
        reader.findings.read_text(Some(entry));
        return Some("its `trigger` is not a string".to_owned());
    }
    let off = reader.report_unknown_event(&scope.name, entry.node.span);
    off.map(|off| off.because.to_string())
}

/// Reads what a hook runs (KR-4).
fn read_action(reader: &mut Reader<'_>, node: &Node) -> Result<Run, EntryFault> {
    let Some(action) = node.entry("action").filter(|entry| entry.node.as_object().is_some()) else {
        let message = "the hook has no `action`";
        let found = finding_without_location(Code::HandlerMissingField, message);
        reader.report(node.span, found.label("never runs").help(SHAPE));
        return Err(EntryFault::MissingField { key: "action" });
    };
    let action = &action.node;
    let text = groups::read_required_text(reader, action, "command")?;
    let invocation = Invocation::Shell { text, shell: SHELL };
    let run = Run::Command(Command::new(invocation, Inherit::All));
    groups::lint_command(reader, action, &run, &["command"]);
    Ok(run)
}

/// Reads a matcher: a regular expression that may match anywhere in the name of the tool.
fn parse_matcher(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    if ["", "*"].contains(&text) {
        return (MatcherSpec::Any, None);
    }
    let regex = MatcherSpec::Regex(text.to_owned());
    match (Matcher::new(regex.clone()).compile().err().map(|why| why.to_string()), compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        (why, _) => (regex, why),
    }
}
