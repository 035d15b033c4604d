//! Reads the hook files of Cursor (CU-1 to CU-12): an event has a list of hooks. Opens no file.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use super::action::{self, Action};
use super::vocabulary;
use crate::diagnostic::{Code, Severity};
use crate::dialect::DialectId;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, EntryFault, Fields};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::{Lints, javascript_fault};
use crate::dialect::{EventRow, Subject};
use crate::event::Event;
use crate::hook::{Compat, OnFailure, Run};
use crate::matcher::{Condition, Matcher, MatcherSpec, Picked};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node, find_text_with_comment, parse_by_format};

static FILE: File = File {
    own_keys: &["loop_limit"],
    items: "hooks",
    shape: r#"write `{"version": 1, "hooks": {"preToolUse": [{"command": "..."}]}}`"#,
    rules: Rules::with_one_rule("CU-6"),
    takes_comments: true,
    lints: Some(&LINTS),
    find: find_events_table,
    ..File::new("Cursor", DialectId::CURSOR, all_event_rows, read_hook)
};

/// Returns the events of both tables.
pub(super) fn all_event_rows() -> &'static [EventRow] {
    static ROWS: LazyLock<Vec<EventRow>> =
        LazyLock::new(|| vocabulary::ROWS.iter().chain(action::ROWS.iter()).cloned().collect());
    &ROWS
}

/// What the lints need to know of Cursor, whose matchers know only its own names of tools (CU-10).
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["Delete", "WriteShellStdin", "ReadLints", "ListMcpResources", "FetchMcpResource"],
        &["ComputerUse", "RecordScreen"],
    ],
    mcp: "MCP:TOOL",
    variables: &[
        "CURSOR_PROJECT_DIR",
        "CURSOR_VERSION",
        "CURSOR_USER_EMAIL",
        "CURSOR_TRANSCRIPT_PATH",
        "CURSOR_PLUGIN_ROOT",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_PLUGIN_ROOT",
    ],
    paths: &[
        "CURSOR_PROJECT_DIR",
        "CLAUDE_PROJECT_DIR",
        "CURSOR_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_ROOT",
    ],
    never_set: &["CURSOR_TOOL_INPUT", "CURSOR_TOOL_NAME"],
    project: Some("$CURSOR_PROJECT_DIR"),
    ..Lints::new("Cursor")
};

const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &[
        "type",
        "command",
        "prompt",
        "model",
        "matcher",
        "timeout",
        "loop_limit",
        "failClosed",
    ],
    foreign: &[("async", "Cursor waits for every hook: start the work in the background yourself")],
};

/// Reads the hooks of a config file of Cursor.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// Finds the table of events, and reports a text that Cursor takes for a comment (CU-5).
fn find_events_table<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    // The spans of a file with a lost part are those of its rest.
    let text = &*reader.source.text;
    let is_whole = parse_by_format(text, Format::Json).root.as_ref() == Some(root);
    if let Some(span) = find_text_with_comment(root, text).filter(|_| is_whole) {
        let message = "Cursor takes `//` and `/* */` for a comment, also within a text, and drops \
            the whole file";
        let found = finding_without_location(Code::NotStrictJson, message)
            .with_severity(Severity::Error)
            .label("cut here");
        reader.report(span, found.help("write `\\/\\/` for `//`, or move the text into a script"));
        reader.refused.get_or_insert_with(|| "it cuts a text at `//`".to_owned());
    }
    root.get("hooks")
}

/// Reads one hook.
fn read_hook(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
        return;
    }
    if scope.off.is_none() {
        FIELDS.report_unknown_fields(reader, node, &["name", "description"]);
    }
    let matcher = reader.read_text(node, "matcher").unwrap_or_default();
    let scope = Scope { matcher, ..scope.clone() };
    let (run, broken) = match read_run(reader, node) {
        Ok(run) => {
            groups::lint_command(reader, node, &run, &["command"]);
            (run, None)
        }
        Err(fault) => {
            (entry::unusable_run(fault.to_string()), Some(Off::new(fault.to_string(), "CU-6")))
        }
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, &scope.matcher, &scope, run);
    hook.own_event = scope.row.and_then(|row| match &row.name {
        Cow::Borrowed(name) => Some(*name),
        Cow::Owned(_) => None,
    });
    let spec = read_matcher(reader, node, &scope);
    match Action::of_event(&scope.name) {
        Some(action) => {
            hook.dialect = DialectId::CURSOR_ACTION;
            hook.matcher = Matcher::new(action.matcher());
            hook.condition =
                (spec != MatcherSpec::Any).then(|| action_condition(action, &scope, spec));
        }
        None => hook.matcher = Matcher::new(spec),
    }
    let timeout = reader.non_null_entry(node, "timeout");
    hook.timeout = timeout.and_then(|field| reader.findings.read_timeout_in_seconds(field));
    if reader.read_flag(node, "failClosed") {
        hook.on_failure = Some(OnFailure::Block);
    }
    hook.arming = Off::arming_from_reason(scope.off.clone().or(broken));
    reader.read.hooks.push(hook);
}

/// Reads what a hook runs (CU-7).
fn read_run(reader: &mut Reader<'_>, node: &Node) -> Result<Run, EntryFault> {
    if reader.read_text(node, "type").as_deref() == Some("prompt") {
        let fault = EntryFault::SentToAgent { name: "prompt" };
        let found = finding_without_location(Code::HandlerTypeNotAccepted, fault.to_string())
            .label("never runs here");
        reader.report(node.span, found.help("use a `command` hook"));
        return Err(fault);
    }
    match reader.read_text(node, "command").filter(|text| !text.trim().is_empty()) {
        Some(text) => Ok(Run::from_shell_line(text)),
        None => {
            let found = finding_without_location(
                Code::HandlerMissingField,
                "the hook has no `command`, and Cursor drops the whole file",
            );
            reader.report(node.span, found.help("add `\"command\": \"...\"`"));
            reader.refused.get_or_insert_with(|| "a hook has no `command`".to_owned());
            Err(EntryFault::MissingField { key: "command" })
        }
    }
}

/// Reads a matcher: a regular expression that may match anywhere in the subject (CU-10).
fn read_matcher(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> MatcherSpec {
    let text = scope.matcher.as_str();
    let Some(field) = node.entry("matcher").filter(|_| !matches!(text, "" | "*")) else {
        return MatcherSpec::Any;
    };
    if scope.row.is_some_and(|row| row.subject == Subject::None) {
        let message = format!("`{}` has no subject: here this runs every time", scope.name);
        let found = finding_without_location(Code::MatcherIgnored, message);
        reader.report(field.node.span, found.help("remove it, and test in the program"));
        return MatcherSpec::Any;
    }
    let spec = MatcherSpec::Regex(text.to_owned());
    if let Some(why) = javascript_fault(text) {
        let message = format!("the matcher is not a valid regular expression: {why}");
        let found = finding_without_location(Code::InvalidMatcher, message);
        let is_valid_here = Matcher::new(spec.clone()).compile().is_ok();
        let help = match is_valid_here {
            true => "Cursor drops the whole file; here the hook runs",
            false => {
                "Cursor drops the whole file; here the hook's failure policy decides each time"
            }
        };
        reader.report(field.node.span, found.help(help));
        reader.refused.get_or_insert_with(|| format!("a matcher is not valid: {why}"));
        let is_exact = reader.source.compat == Compat::Exact;
        return if is_exact { MatcherSpec::Never(why) } else { spec };
    }
    if Action::of_event(&scope.name).is_none() {
        groups::lint_matcher(reader, field, scope, &spec);
    }
    spec
}

/// Creates the condition of a hook of an action: the matcher is found in what Cursor compares it
/// with, the command or the name of the tool (CU-11).
fn action_condition(action: Action, scope: &Scope, spec: MatcherSpec) -> Condition {
    let matcher = Arc::new(Matcher::new(spec));
    let label = format!("{}: {}", scope.name, scope.matcher);
    Condition::custom(label, move |event: &Event| {
        let tool = event.text("tool_name").unwrap_or_default();
        let subject = subject_of_call(action, tool, event);
        match matcher.matches(Some(&subject)) {
            Ok(true) => Picked::Exactly,
            Ok(false) => Picked::No("the matcher does not match".to_owned()),
            // Cursor's own expressions have no limits: what is too much for ours may restrain.
            Err(why) => Picked::Widely(why.to_string()),
        }
    })
}

/// Returns what Cursor compares a matcher of an action with.
fn subject_of_call(action: Action, tool: &str, event: &Event) -> String {
    match action {
        Action::Shell => {
            let command = event.payload.get("tool_input").and_then(|input| input.get("command"));
            command.and_then(|command| command.as_str()).unwrap_or_default().to_owned()
        }
        Action::Mcp => vocabulary::own_name_of_mcp_tool(tool).unwrap_or_default(),
        Action::Read => "Read".to_owned(),
        Action::Edit => "Write".to_owned(),
    }
}
