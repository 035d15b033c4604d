//! Reads the hook files of Droid (DR-1 to DR-12): what a handler runs, and on which terms. Opens no
//! file.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::vocabulary;
use crate::diagnostic::{Code, Severity};
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::field::seconds_to_duration;
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups::{self, Groups};
use crate::dialect::kit::lint::{Lints, foreign_syntax_finding, javascript_fault};
use crate::dialect::{DialectId, Subject};
use crate::event::Event;
use crate::hook::{Compat, Hook, Layer, Run};
use crate::matcher::{Condition, Matcher, MatcherSpec, Picked};
use crate::source::{ReadConfig, Source, Switch};
use crate::syntax::{Entry, Format, Node};

static FILE: File = File {
    own_keys: &["preserveRiskLevel"],
    rules: Rules::with_one_rule("DR-4"),
    shape: r#"write `{"PreToolUse": [{"matcher": "Execute", "hooks": [{"type": "command", "command": "..."}]}]}`"#,
    beside: &["hooks", SWITCH, "showHookOutput"],
    takes_comments: true,
    command_filter: Some("commandRegex"),
    find: find_events_table,
    lints: Some(&LINTS),
    ..File::new(
        "Droid",
        DialectId::DROID,
        || &vocabulary::ROWS,
        |reader, node, scope| GROUPS.read_group(reader, node, scope),
    )
};

/// The key that switches hooks off.
const SWITCH: &str = "hooksDisabled";

/// What the lints need to know of Droid, whose matchers know only its own names of tools (DR-10).
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["Skill", "TaskOutput", "TaskStop", "ToolSearch", "GenerateDroid", "AskUser"],
        &["ExitSpecMode", "CreateAutomation", "EditAutomation", "DeleteAutomation"],
    ],
    mcp: "SERVER___TOOL",
    variables: &[
        "FACTORY_PROJECT_DIR",
        "DROID_PROJECT_DIR",
        "CLAUDE_PROJECT_DIR",
        "DROID_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_ROOT",
        "FACTORY_HOME_OVERRIDE",
    ],
    paths: &[
        "FACTORY_PROJECT_DIR",
        "DROID_PROJECT_DIR",
        "CLAUDE_PROJECT_DIR",
        "DROID_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_ROOT",
    ],
    never_set: &["FACTORY_TOOL_INPUT", "FACTORY_TOOL_NAME", "DROID_TOOL_INPUT", "DROID_TOOL_NAME"],
    project: Some("$FACTORY_PROJECT_DIR"),
    ..Lints::new("Droid")
};

static GROUPS: Groups = Groups {
    types: &[("command", "command")],
    default_type: None,
    more: &["commandRegex"],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &["type", "command", "timeout", "preserveRiskLevel"],
        foreign: &[],
    },
    is_empty_matcher: |_| false,
    matcher: check_matcher,
    run: |_, _, _, text| Ok(Run::from_shell_line(text)),
    read_options: read_options_into_hook,
};

/// Reads the hooks of a config file of Droid.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// Finds the table of events: the root of a `hooks.json`, else the key `hooks` of the settings
/// (DR-2). Reports the switch.
fn find_events_table<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    let wrapped = root.entry("hooks");
    let is_hook_file = Path::new(&*reader.source.name).ends_with("hooks.json");
    let events = if is_hook_file { Some(root) } else { wrapped.map(|entry| &entry.node) };
    if let Some(wrapped) = wrapped.filter(|_| is_hook_file) {
        let message =
            "`hooks` is not an event: the events stand at the root of Droid's `hooks.json`";
        let found = finding_without_location(Code::UnknownEvent, message)
            .with_severity(Severity::Error)
            .label("never read")
            .help(FILE.shape);
        reader.report(wrapped.key_span, found);
        let off = Off::new("it stands in `hooks`, where Droid looks for no hook", "DR-2");
        reader.read_hooks(&wrapped.node, Some(off));
    }
    if let Some(entry) = events.and_then(|events| events.entry(SWITCH)) {
        read_switch(reader, entry);
    }
    events
}

/// Reads `hooksDisabled`; a project's switches off no hook here (DR-5).
fn read_switch(reader: &mut Reader<'_>, entry: &Entry) {
    if entry.node.as_bool() != Some(true) {
        return;
    }
    let found = if reader.source.layer == Layer::Project {
        let message = "`hooksDisabled` of a project switches every hook off in Droid; here the user's hooks run";
        finding_without_location(Code::SwitchIgnored, message)
            .help("leave it out: `tenterhook status` names a project that has it")
    } else {
        reader.read.switches.push(Switch::DisableAll);
        finding_without_location(Code::HooksDisabled, "`hooksDisabled` switches every hook off")
    };
    reader.report(entry.key_span, found);
}

/// Reads a matcher: `*` or a regular expression that may match anywhere in the subject. Droid skips
/// the group of an invalid one.
fn parse_matcher(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    if matches!(text, "" | "*") {
        return (MatcherSpec::Any, None);
    }
    let regex = MatcherSpec::Regex(text.to_owned());
    match (javascript_fault(text), compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        // The invalid expression stays, so that the hook fails on every event (S-3).
        (why, _) => (regex, why),
    }
}

/// Describes what becomes of a group whose expression Droid cannot compile.
fn help_for_invalid_expression(text: &str) -> &'static str {
    if Matcher::new(MatcherSpec::Regex(text.to_owned())).compile().is_ok() {
        return "Droid skips the group; here its hooks run";
    }
    "Droid skips the group; here the hook's failure policy decides each time"
}

fn check_matcher(reader: &mut Reader<'_>, entry: &Entry, scope: &Scope) {
    let read = parse_matcher(&scope.matcher, reader.source.compat);
    let help = help_for_invalid_expression(&scope.matcher);
    groups::report_matcher_faults(reader, entry, scope, &["", "*"], read, help);
}

/// Reports a `commandRegex` that Droid cannot compile, or that it compares with no command (DR-11).
fn check_command_filter(reader: &mut Reader<'_>, node: &Node, scope: &Scope, filter: &str) {
    if let Some(why) = parse_matcher(filter, reader.source.compat).1 {
        let message = format!("`commandRegex` is not a valid regular expression: {why}");
        let found = finding_without_location(Code::InvalidMatcher, message);
        reader.report(node.span, found.help("Droid skips the group; here its hooks run"));
    } else if let Some(found) = foreign_syntax_finding("Droid", filter) {
        reader.report(node.span, found);
    }
    let is_about_tools = scope.row.is_some_and(|row| matches!(row.subject, Subject::Tool(_)));
    let matcher = Matcher::new(parse_matcher(&scope.matcher, reader.source.compat).0);
    // A matcher that does not compile has its own finding.
    let finds = |tool| matcher.matches(Some(tool)).unwrap_or(true);
    if scope.row.is_some() && !(is_about_tools && (finds("Execute") || finds("Bash"))) {
        let message = "`commandRegex` is compared with the command of `Execute`, which this group is never about";
        let found = finding_without_location(Code::DeadMatcher, message).label("never runs");
        reader.report(node.span, found.help("leave `commandRegex` out, or match `Execute`"));
    }
}

fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    let compat = reader.source.compat;
    hook.matcher = Matcher::new(parse_matcher(&scope.matcher, compat).0);
    let filter = scope.command_filter.as_deref().filter(|filter| !filter.is_empty());
    if let Some(filter) = filter {
        check_command_filter(reader, node, scope, filter);
    }
    hook.condition = filter.map(|filter| command_condition(filter, compat));
    hook.timeout = read_timeout(reader, node);
    Ok(())
}

/// Creates the condition of a `commandRegex`: the event has a command, and the expression is found
/// in it (DR-11).
fn command_condition(text: &str, compat: Compat) -> Condition {
    let matcher = Arc::new(Matcher::new(parse_matcher(text, compat).0));
    Condition::custom(format!("commandRegex: {text}"), move |event: &Event| {
        let command =
            event.payload.get("tool_input").and_then(|input| input.get("command")?.as_str());
        match command.map(|command| matcher.matches(Some(command))) {
            None => Picked::No("the event has no command".to_owned()),
            Some(Ok(true)) => Picked::Exactly,
            Some(Ok(false)) => Picked::No("the command does not match `commandRegex`".to_owned()),
            // Droid's own expressions have no limits: what is too much for ours may restrain.
            Some(Err(why)) => Picked::Widely(why.to_string()),
        }
    })
}

/// Reads a timeout in seconds; 0 is the default, as for Droid.
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout")?;
    let number = reader.findings.read_seconds(field)?;
    seconds_to_duration(number).filter(|timeout| !timeout.is_zero())
}
