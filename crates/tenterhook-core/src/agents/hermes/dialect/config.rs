//! Reads the hooks of Hermes's `config.yaml` (HE-1 to HE-10): what an entry runs, for which tools,
//! and for how long. Opens no file.

use std::time::Duration;

use super::command::split_command;
use super::reply::GATE;
use super::{LONGEST_TIMEOUT, TIMEOUT, vocabulary};
use crate::diagnostic::{Code, Severity};
use crate::dialect::DialectId;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, EntryFault, Fields};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::Lints;
use crate::hook::script::ENDINGS;
use crate::hook::{Command, Inherit, Invocation, OnFailure, Run};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

static FILE: File = File {
    items: "hooks",
    shape: "write `hooks:`, below it `  pre_tool_call:`, and below that `    - command: \"...\"`",
    rules: Rules::with_one_rule("HE-3"),
    takes_comments: true,
    takes_mark: true,
    beside: &["output_spill", "outbound"],
    lints: Some(&LINTS),
    ..File::new("Hermes", DialectId::HERMES, || &vocabulary::ROWS, read_hook)
};

/// What the lints need to know of Hermes: further tools of `toolsets.py` in 0.19.0, and
/// behind them those that later releases added (0.21.3, commit 00067189).
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["execute_code", "read_terminal", "close_terminal", "vision_analyze"],
        &["image_generate", "skills_list", "skill_view", "skill_manage", "text_to_speech"],
        &["browser_navigate", "browser_snapshot", "browser_click", "browser_type"],
        &["browser_scroll", "browser_back", "browser_press", "browser_get_images"],
        &["browser_vision", "browser_console", "browser_cdp", "browser_dialog", "memory"],
        &["session_search", "clarify", "computer_use", "send_message"],
        &["ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"],
        &["kanban_show", "kanban_list", "kanban_complete", "kanban_block", "kanban_heartbeat"],
        &["kanban_comment", "kanban_create", "kanban_link", "kanban_unblock", "kanban_attach"],
        &["kanban_attach_url", "kanban_attachments", "video_analyze", "video_generate"],
        &["browser_exec", "kanban_request_review"],
        &["kanban_request_changes", "x_search", "xai_video_edit", "xai_video_extend"],
        &["desktop_project", "desktop_preview", "drive_preview", "annotate_preview"],
        &["read_window_below", "focus_pane", "react_to_message", "setup_mcp"],
        &["workflow"],
    ],
    variables: &["HERMES_HOME", "HERMES_SESSION_ID"],
    paths: &["HERMES_HOME"],
    never_set: &["HERMES_TOOL_NAME", "HERMES_TOOL_INPUT", "HERMES_PROJECT_DIR"],
    ..Lints::new("Hermes")
};

const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &["command", "matcher", "timeout", "fail_closed", "failClosed"],
    foreign: &[("type", "leave it out: every hook is a command")],
};

/// Events that test a matcher.
const MATCHED: &[&str] = &[GATE, "post_tool_call"];

/// Words that have a meaning only for a shell.
const SHELL_WORDS: &[&str] = &["|", "||", "&&", "&", ";", ">", ">>", "<", "2>&1", "2>/dev/null"];

/// Reads the hooks of a config file of Hermes.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Yaml)
}

fn read_hook(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
        return;
    }
    FIELDS.report_unknown_fields(reader, node, &[]);
    let (run, broken) = match read_run(reader, node) {
        Ok(run) => (run, None),
        Err(fault) => {
            (entry::unusable_run(fault.to_string()), Some(Off::new(fault.to_string(), "HE-7")))
        }
    };
    let matcher = read_matcher(reader, node, scope);
    let name = scope.row.map_or(scope.name.as_str(), |row| &*row.name);
    let mut hook = entry::new_hook(reader, node, name, &matcher.0, scope, run);
    hook.matcher = Matcher::new(matcher.1);
    hook.timeout = read_timeout(reader, node);
    if name == GATE && is_fail_closed(reader, node) {
        hook.on_failure = Some(OnFailure::Block);
    }
    hook.arming = Off::arming_from_reason(scope.off.clone().or(broken));
    reader.read.hooks.push(hook);
}

/// Reads the command, which no shell runs (HE-7). Hermes replaces `${NAME}` in every text of its
/// config.
fn read_run(reader: &mut Reader<'_>, node: &Node) -> Result<Run, EntryFault> {
    let text = groups::read_required_text(reader, node, "command")?;
    let span = node.get("command").map_or(node.span, |command| command.span);
    let Some(words) = split_command(text.trim(), &reader.source.home) else {
        let fault = EntryFault::WrongType { key: "command", expected: "closed quotes" };
        let message = "a quote in `command` is not closed: Hermes runs nothing, and the call runs";
        let found = finding_without_location(Code::CommandWithoutShell, message)
            .with_severity(Severity::Error);
        reader.report(span, found.help("close the quote"));
        return Err(fault);
    };
    if let Some(word) = words.iter().find(|word| SHELL_WORDS.contains(&word.as_str())) {
        let message = format!("no shell reads `command`: `{word}` is an argument like any other");
        let found = finding_without_location(Code::CommandWithoutShell, message);
        reader.report(span, found.help("write `command: sh -c '...'` for a shell line"));
    } else if let Some(word) = find_bare_variable(&words) {
        let message = format!("no shell reads `command`: `{word}` stays as written");
        let found = finding_without_location(Code::CommandWithoutShell, message);
        reader.report(span, found.help("write `sh -c '...'`; Hermes itself replaces `${NAME}`"));
    }
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let invocation = Invocation::Argv { program, args: words.collect() };
    Ok(Run::Command(Command { expands: true, ..Command::new(invocation, Inherit::All) }))
}

/// Returns an argument that begins with `$NAME`, which only a shell would replace, if it is no
/// script: a missing script has its own finding. A text behind `-c` is for a shell.
fn find_bare_variable(words: &[String]) -> Option<&String> {
    let is_line = |word: &String| matches!(&**word, "-c" | "-lc" | "-ec");
    let args = words.get(1..).unwrap_or_default().iter().take_while(|word| !is_line(word));
    let begins_with_name = |word: &&String| {
        let name = word.strip_prefix('$').and_then(|name| name.chars().next());
        name.is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
    };
    let is_script = |word: &&String| ENDINGS.iter().any(|ending| word.ends_with(ending));
    args.into_iter().filter(|word| !is_script(word)).find(begins_with_name)
}

/// Reads the matcher and its text: a regular expression for the whole name of a tool; one that is
/// not valid is a name (HE-10).
fn read_matcher(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> (String, MatcherSpec) {
    let Some(field) = reader.non_null_entry(node, "matcher") else {
        return (String::new(), MatcherSpec::Any);
    };
    let text = reader.findings.read_text(Some(field)).unwrap_or_default().trim().to_owned();
    if text.is_empty() {
        return (text, MatcherSpec::Any);
    }
    if scope.row.is_some() && !MATCHED.contains(&scope.name.as_str()) {
        let message = format!("`{}` ignores its matcher: this runs every time", scope.name);
        let found = finding_without_location(Code::MatcherIgnored, message);
        reader.report(field.node.span, found.help("remove it, and test in the program"));
        return (String::new(), MatcherSpec::Any);
    }
    let whole = MatcherSpec::Regex(format!("^(?:{text})$"));
    if let Err(why) = Matcher::new(MatcherSpec::Regex(text.clone())).compile() {
        let message = format!("the matcher is not a valid regular expression: {why}");
        let found = finding_without_location(Code::InvalidMatcher, message);
        reader.report(field.node.span, found.help("Hermes takes it for the name of a tool"));
        return (text.clone(), MatcherSpec::Words(vec![text]));
    }
    groups::lint_matcher_text(reader, field, scope, &text, &whole);
    (text, whole)
}

/// Returns `true` if a failure of the hook denies; `fail_closed` wins over `failClosed` (HE-9).
fn is_fail_closed(reader: &mut Reader<'_>, node: &Node) -> bool {
    let key = if node.entry("fail_closed").is_some() { "fail_closed" } else { "failClosed" };
    reader.read_flag(node, key)
}

/// Reads the timeout in seconds, at most [`LONGEST_TIMEOUT`] (HE-8).
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout")?;
    let Some(timeout) = reader.findings.read_timeout_in_seconds(field) else {
        return Some(TIMEOUT);
    };
    Some(timeout.min(LONGEST_TIMEOUT))
}
