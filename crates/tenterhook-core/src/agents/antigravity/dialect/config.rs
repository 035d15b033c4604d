//! Reads the `hooks.json` of Antigravity (AY-1 to AY-10): named hooks, with groups for events about
//! tools and handlers for the others. Opens no file.

use std::time::Duration;

use super::vocabulary;
use crate::agents::antigravity::GROUPED;
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::field::{Case, seconds_to_duration};
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::{self, Groups};
use crate::dialect::kit::lint::Lints;
use crate::hook::{Command, Compat, Hook, Inherit, Invocation, Run, Shell};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node};

static FILE: File = File {
    rules: Rules::with_one_rule("AY-4"),
    shape: r#"write `{"NAME": {"PreToolUse": [{"matcher": "run_command", "hooks": [{"type": "command", "command": "..."}]}]}}`"#,
    items: "groups or handlers",
    case: Case::Ignored,
    is_event: |written, name| written.eq_ignore_ascii_case(name),
    is_named: true,
    beside: &["enabled"],
    lints: Some(&LINTS),
    ..File::new("Antigravity", DialectId::ANTIGRAVITY, || &vocabulary::ROWS, read_item)
};

/// What the lints need to know of Antigravity: names of its tools in public documents.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["view_content_chunk", "read_resource", "list_resources"],
        &["send_command_input", "command_status", "manage_task"],
        &["browser_click_element", "browser_press_key", "browser_scroll"],
        &["generate_image", "ask_question", "ask_permission", "schedule"],
    ],
    mcp: "mcp_SERVER_TOOL",
    never_set: &["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "GEMINI_PROJECT_DIR"],
    ..Lints::new("Antigravity")
};

static GROUPS: Groups = Groups {
    types: &[("command", "command")],
    default_type: Some("command"),
    more: &[],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &["type", "command", "prompt", "model", "timeout"],
        foreign: &[],
    },
    is_empty_matcher: |_| false,
    matcher: check_matcher,
    run: |reader, _, _, text| {
        let invocation = Invocation::Shell { text, shell: Shell::Sh };
        let cwd = Some(reader.source.directory.clone());
        Ok(Run::Command(Command { cwd, ..Command::new(invocation, Inherit::All) }))
    },
    read_options: read_options_into_hook,
};

/// Reads the hooks of a config file of Antigravity.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// Reads one item of an event: a group on events about tools, else a handler. On an unknown event,
/// the item shows which it is.
fn read_item(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    let is_group = match scope.row {
        Some(row) => GROUPED.contains(&&*row.name),
        None => node.get("hooks").is_some(),
    };
    match is_group {
        true => GROUPS.read_group(reader, node, scope),
        false => GROUPS.read_handler(reader, node, scope),
    }
}

/// Reads a matcher: empty, `*`, or a regular expression that may match anywhere in the name of the
/// tool. What Antigravity does with an invalid one is not known.
fn parse_matcher(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    if matches!(text, "" | "*") {
        return (MatcherSpec::Any, None);
    }
    let regex = MatcherSpec::Regex(text.to_owned());
    match (Matcher::new(regex.clone()).compile().err().map(|why| why.to_string()), compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        (why, _) => (regex, why),
    }
}

fn check_matcher(reader: &mut Reader<'_>, entry: &Entry, scope: &Scope) {
    let read = parse_matcher(&scope.matcher, reader.source.compat);
    let help = "here the hook's failure policy decides each time";
    groups::report_matcher_faults(reader, entry, scope, &["", "*"], read, help);
}

fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    hook.matcher = Matcher::new(parse_matcher(&scope.matcher, reader.source.compat).0);
    hook.timeout = read_timeout(reader, node);
    Ok(())
}

/// Reads a timeout in seconds; 0 and a negative number are read as none.
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout")?;
    let seconds = field.node.as_f64()?;
    reader.findings.report_excessive_seconds(field, seconds);
    seconds_to_duration(seconds).filter(|timeout| !timeout.is_zero())
}
