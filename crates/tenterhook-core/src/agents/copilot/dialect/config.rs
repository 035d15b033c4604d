//! Reads the files of Copilot CLI (CP-1 to CP-12): an event has a list of hooks and of groups of
//! hooks.

use std::time::Duration;

use super::vocabulary;
use crate::diagnostic::Code;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, EntryFault, Fields};
use crate::dialect::kit::field::strings_of_array;
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::lint::{self, Lints};
use crate::dialect::kit::shape::Shape;
use crate::dialect::kit::{groups, request};
use crate::dialect::{DialectId, EventRow, Subject};
use crate::hook::{Command, Compat, Inherit, Invocation, Run, Shell};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source, Switch};
use crate::syntax::{Format, Node};

static FILE: File = File {
    items: "hooks",
    shape: r#"write `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "..."}]}}`"#,
    rules: Rules::with_one_rule("CP-4"),
    tells_empty: false,
    is_javascript: true,
    find: find_hooks_object,
    lints: Some(&LINTS),
    ..File::new("Copilot CLI", DialectId::COPILOT, || &BOTH, read_group_or_hook)
};

/// What the lints need to know of Copilot CLI: the tools of a request of 1.0.102, and those that
/// depend on the platform, the mode and the model.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["apply_patch", "read_bash", "write_bash", "stop_bash", "list_bash", "str_replace_editor"],
        &["read_powershell", "write_powershell", "stop_powershell", "list_powershell", "rg"],
        &["fetch_copilot_cli_documentation", "report_intent", "update_todo", "store_memory"],
        &["exit_plan_mode", "list_agents", "lsp", "read_agent", "skill", "sql", "write_agent"],
        &["session_store_sql"],
    ],
    mcp: "SERVER-TOOL",
    variables: &["COPILOT_CLI", "COPILOT_HOME", "COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    paths: &["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    never_set: &["COPILOT_TOOL_INPUT", "COPILOT_TOOL_NAME"],
    project: Some("$COPILOT_PROJECT_DIR"),
    ..Lints::new("Copilot CLI")
};

/// The events in both spellings.
static BOTH: std::sync::LazyLock<Vec<EventRow>> = std::sync::LazyLock::new(|| {
    vocabulary::ROWS.iter().chain(vocabulary::PASCAL_ROWS.iter()).cloned().collect()
});

/// A file of hooks. Copilot CLI 1.0.102 refuses all of it if a known event is no list.
pub(super) const ACCEPTED: Shape =
    Shape::KeysIfObject(&[("hooks", Shape::Events(|| &BOTH, &Shape::List))]);

/// An entry. Copilot CLI 1.0.102 skips one with any other value, and runs the others (played).
const ENTRY: Shape =
    Shape::Keys(&[("matcher", Shape::Text), ("timeoutSec", Shape::AboveZero)], &[]);

const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &[
        "type",
        "bash",
        "powershell",
        "command",
        "exec",
        "args",
        "cwd",
        "env",
        "timeoutSec",
        "timeout",
        "matcher",
        "url",
        "headers",
        "allowedEnvVars",
        "prompt",
        // Fields of VS Code, which reads the same files.
        "windows",
        "linux",
        "osx",
        "description",
        "comment",
    ],
    foreign: &[
        ("timeoutms", "write `timeoutSec`, in seconds"),
        ("async", "the agent waits for every hook: start the work in the background yourself"),
    ],
};

/// Reads the hooks of a config file of Copilot CLI.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

fn find_hooks_object<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    let off = root.entry("disableAllHooks").filter(|entry| entry.node.as_bool() == Some(true));
    if let Some(entry) = off {
        reader.read.switches.push(Switch::DisableAll);
        let message = "`disableAllHooks` switches every hook off that is not managed";
        reader.report(entry.key_span, finding_without_location(Code::HooksDisabled, message));
    }
    root.get("hooks")
}

/// Whether the event has Claude Code's name.
fn is_pascal_case_event(scope: &Scope) -> bool {
    scope.name.starts_with(|c: char| c.is_ascii_uppercase())
}

fn read_group_or_hook(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
        return;
    }
    match node.get("hooks").and_then(Node::as_array) {
        Some(hooks) => read_group(reader, node, hooks, scope),
        None => read_hook(reader, node, scope),
    }
}

/// Reads a group, which the agent also reads under an event with its own name (CP-4).
fn read_group(reader: &mut Reader<'_>, node: &Node, hooks: &[Node], scope: &Scope) {
    let mut inner = scope.clone();
    inner.matcher = reader.read_text(node, "matcher").unwrap_or_default();
    report_null_matcher(reader, node);
    if let Some(entry) = node.entry("matcher") {
        let spec = parse_matcher_text(&inner.matcher, is_pascal_case_event(scope));
        groups::lint_matcher(reader, entry, &inner, &spec);
    }
    for node in hooks {
        if reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
            read_hook(reader, node, &inner);
        }
    }
}

fn read_hook(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if scope.off.is_none() {
        FIELDS.report_unknown_fields(reader, node, &["name", "statusMessage"]);
    }
    let own = reader.read_text(node, "matcher");
    report_null_matcher(reader, node);
    let scope = Scope { matcher: own.unwrap_or_else(|| scope.matcher.clone()), ..scope.clone() };
    let (run, broken) = match read_run(reader, node) {
        Ok(run) => {
            let keys = LINES.iter().map(|(key, _)| *key).collect::<Vec<_>>();
            groups::lint_command(reader, node, &run, &keys);
            (run, None)
        }
        Err(fault) => {
            (entry::unusable_run(fault.to_string()), Some(Off::new(fault.to_string(), "CP-6")))
        }
    };
    let (spec, skipped) = read_matcher(reader, node, &scope);
    let mut hook = entry::new_hook(reader, node, &scope.name, &scope.matcher, &scope, run);
    if is_pascal_case_event(&scope) {
        hook.dialect = DialectId::COPILOT_PASCAL;
    }
    hook.matcher = Matcher::new(spec);
    hook.timeout = read_timeout(reader, node);
    let skipped = skipped.or_else(|| report_skipped_entry(reader, node));
    hook.arming = Off::arming_from_reason(scope.off.clone().or(broken).or(skipped));
    reader.read.hooks.push(hook);
}

/// Reports the value for which the agent skips an entry. With exact reading, returns why the hook
/// is off (CP-6).
fn report_skipped_entry(reader: &mut Reader<'_>, node: &Node) -> Option<Off> {
    let value = ENTRY.find_refused_value(node)?;
    let skips = "Copilot CLI skips the hook";
    if reader.source.compat == Compat::Exact {
        reader.findings.report_refused_value(&value, skips);
        return Some(Off::new(format!("{skips}: {}", value.sentence()), "CP-6"));
    }
    reader.findings.report_refused_value(&value, &format!("{skips}; it runs here"));
    None
}

/// Reports a matcher that is `null`.
fn report_null_matcher(reader: &mut Reader<'_>, node: &Node) {
    if let Some(entry) = node.entry("matcher").filter(|entry| entry.node.is_null()) {
        reader.report(entry.node.span, lint::empty_matcher_finding("null"));
    }
}

/// Reads what an entry runs (CP-6).
fn read_run(reader: &mut Reader<'_>, node: &Node) -> Result<Run, EntryFault> {
    let kind = reader.read_text(node, "type");
    match kind.as_deref() {
        Some("http") => match reader.read_text(node, "url") {
            Some(url) => Ok(Run::Http(request::read_http_request(reader, node, url))),
            None => Err(report_missing_field(reader, node, "url")),
        },
        Some("prompt") => {
            let fault = EntryFault::SentToAgent { name: "prompt" };
            let found = finding_without_location(Code::HandlerTypeNotAccepted, fault.to_string())
                .label("never runs");
            reader.report(node.span, found.help("use a `command` hook"));
            Err(fault)
        }
        None | Some("command" | "") => read_command(reader, node),
        Some(other) => {
            let fault = EntryFault::UnknownType { noun: "hook", name: other.to_owned() };
            let found = finding_without_location(Code::UnknownHandlerType, fault.to_string());
            reader.report(node.span, found.help("the types are command, http, prompt"));
            Err(fault)
        }
    }
}

/// The keys of a command line, each with its shell. The first key in the entry wins.
const LINES: &[(&str, Shell)] = if cfg!(windows) {
    &[("powershell", Shell::PowerShell), ("windows", Shell::PowerShell), ("command", Shell::Sh)]
} else if cfg!(target_os = "macos") {
    &[("bash", Shell::Bash), ("osx", Shell::Bash), ("command", Shell::Bash)]
} else {
    &[("bash", Shell::Bash), ("linux", Shell::Bash), ("command", Shell::Bash)]
};

fn read_command(reader: &mut Reader<'_>, node: &Node) -> Result<Run, EntryFault> {
    let line = LINES.iter().find_map(|(key, shell)| {
        let text = reader.read_text(node, key).filter(|text| !text.trim().is_empty())?;
        Some(Invocation::Shell { text, shell: *shell })
    });
    let program = reader.read_text(node, "exec").filter(|text| !text.trim().is_empty());
    let args = reader.non_null_entry(node, "args").map(|entry| strings_of_array(&entry.node));
    let invocation = match (program, args, line) {
        (Some(program), None | Some(Some(_)), _) => {
            let args =
                reader.non_null_entry(node, "args").and_then(|entry| strings_of_array(&entry.node));
            Invocation::Argv { program, args: args.unwrap_or_default() }
        }
        (Some(_), Some(None), _) => {
            if let Some(field) = reader.non_null_entry(node, "args") {
                reader.findings.report_wrong_type(field, "an array of strings");
            }
            return Err(EntryFault::WrongType { key: "args", expected: "an array of strings" });
        }
        (None, _, Some(line)) => line,
        (None, _, None) => return Err(report_missing_field(reader, node, "bash")),
    };
    let (env, cwd) = (entry::read_env(reader, node), entry::read_cwd(reader, node));
    Ok(Run::Command(Command { env, cwd, ..Command::new(invocation, Inherit::All) }))
}

fn report_missing_field(reader: &mut Reader<'_>, node: &Node, key: &'static str) -> EntryFault {
    let message = format!("the hook has no `{key}`");
    let found =
        finding_without_location(Code::HandlerMissingField, message).label("never runs here");
    reader.report(node.span, found.help(format!("add `\"{key}\": \"...\"`")));
    EntryFault::MissingField { key }
}

/// Reads the matcher, and returns the reason if the agent skips the entry for it. An expression
/// must match the whole name; `*` is invalid in the camel-case form (CP-10).
fn read_matcher(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> (MatcherSpec, Option<Off>) {
    let text = scope.matcher.as_str();
    let Some(field) = node.entry("matcher").filter(|_| !text.is_empty()) else {
        return (parse_matcher_text(text, is_pascal_case_event(scope)), None);
    };
    if scope.row.is_some_and(|row| row.subject == Subject::None) {
        let message = format!("`{}` ignores its matcher: this runs every time", scope.name);
        let found = finding_without_location(Code::MatcherIgnored, message);
        reader.report(field.node.span, found.help("remove it, and test in the program"));
        return (MatcherSpec::Any, None);
    }
    let spec = parse_matcher_text(text, is_pascal_case_event(scope));
    let why = match text {
        "*" if !is_pascal_case_event(scope) => Some("`*` repeats nothing".to_owned()),
        _ => Matcher::new(spec.clone()).compile().err().map(|why| why.to_string()),
    };
    let Some(why) = why else {
        groups::lint_matcher(reader, field, scope, &spec);
        return (spec, None);
    };
    let exact = reader.source.compat == Compat::Exact;
    let here = if text == "*" { "here it runs on all" } else { "here its failure policy decides" };
    let message = format!("the matcher is not a valid regular expression: {why}");
    let found = finding_without_location(Code::InvalidMatcher, message);
    reader.report(field.node.span, found.help(format!("Copilot CLI skips the hook; {here}")));
    let because = "its matcher is not a valid expression, and Copilot CLI skips it";
    (spec, exact.then(|| Off::new(because, "CP-10")))
}

fn parse_matcher_text(text: &str, pascal: bool) -> MatcherSpec {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '|');
    match text {
        "" | "*" => MatcherSpec::Any,
        _ if pascal && text.chars().all(plain) => {
            MatcherSpec::Words(text.split('|').map(str::to_owned).collect())
        }
        // Anchors may make a broken expression valid.
        _ if Matcher::new(MatcherSpec::Regex(text.to_owned())).compile().is_err() => {
            MatcherSpec::Regex(text.to_owned())
        }
        _ => MatcherSpec::Regex(format!("^(?:{text})$")),
    }
}

/// Reads a timeout in seconds.
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader
        .non_null_entry(node, "timeoutSec")
        .or_else(|| reader.non_null_entry(node, "timeout"))?;
    reader.findings.read_timeout_in_seconds(field)
}
