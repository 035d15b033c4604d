//! Reads one settings file of Reasonix: an entry is a command with a matcher and a timeout (RX-11
//! to RX-18). An entry that the agent silently drops becomes a disarmed hook with a reason (RX-15).
//! A field that cannot be read is reported and ignored.

use super::events::{self, Spec};
use super::vocabulary::{FOREIGN_FIELDS, TOOLS};
use crate::diagnostic::Code;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, Fields};
use crate::dialect::kit::field::{SHORT, strings_of_array};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::Lints;
use crate::dialect::{DialectId, Subject};
use crate::event::Event;
use crate::hook::{Command, Compat, Hook, Inherit, Invocation, Phase, Run, Shell, Wait};
use crate::matcher::{Condition, Matcher, MatcherSpec, Picked};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

/// The format of the files.
static FILE: File = File {
    items: "hooks",
    shape: r#"write `{"hooks": {"PreToolUse": [{"match": "bash", "command": "..."}]}}`"#,
    rules: Rules { refused: "RX-16", event: "RX-5", ..Rules::with_one_rule("RX-15") },
    tells_empty: true,
    takes_mark: true,
    lints: Some(&LINTS),
    ..File::new("Reasonix", DialectId::REASONIX, || &events::ROWS, read_hook_entry)
};

/// What the lints need to know of Reasonix.
pub(super) static LINTS: Lints = Lints {
    matcher_key: "match",
    never_set: &["REASONIX_PROJECT_DIR", "REASONIX_TOOL_NAME", "REASONIX_TOOL_ARGS"],
    has_args: true,
    ..Lints::new("Reasonix")
};

/// The fields of an entry; those of the first version come first.
const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &[
        "command",
        "match",
        "description",
        "timeout",
        "cwd",
        "name",
        "args",
        "env",
        "async",
        "payloadFormat",
    ],
    foreign: FOREIGN_FIELDS,
};

/// Names of the matcher in other agents. Reasonix ignores them, so the hook runs on every tool.
const MATCHERS: &[&str] = &["matcher", "matchers", "tool", "tools"];

/// Reads the hooks of a config file of Reasonix.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// The row of the event in the table, if the agent has the event.
fn event_spec(scope: &Scope) -> Option<&'static Spec> {
    events::find_by_name(&scope.name)
}

fn read_hook_entry(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
        return;
    }
    if node.get("hooks").is_some() && node.get("command").is_none() {
        return add_inert_nested_entries(reader, node, scope);
    }
    if scope.off.is_none() {
        report_unknown_fields(reader, node);
    }
    let matcher = read_matcher(reader, node, scope);
    let Some(invocation) = read_invocation(reader, node) else { return };
    let run = Run::Command(Command {
        env: entry::read_env(reader, node),
        // Relative to the project (RX-17).
        cwd: entry::read_cwd(reader, node),
        ..Command::new(invocation, Inherit::All)
    });
    groups::lint_command(reader, node, &run, &["command"]);
    let text = node.get("match").and_then(Node::as_str).unwrap_or_default();
    let mut hook = entry::new_hook(reader, node, &scope.name, text, scope, run);
    hook.matcher = Matcher::new(matcher);
    hook.timeout = reader
        .non_null_entry(node, "timeout")
        .and_then(|entry| reader.findings.read_timeout_in_millis(entry, SHORT));
    if uses_claude_protocol(reader, node) {
        switch_to_claude_protocol(&mut hook, event_spec(scope));
    }
    hook.status = reader.read_text(node, "description");
    // A hook that can neither block nor add anything observes, so it runs whatever others decided.
    let decides = event_spec(scope).is_none_or(Spec::answers_have_effect);
    hook.phase = if decides { Phase::Decide } else { Phase::Observe };
    hook.wait = read_whether_event_waits(reader, node, scope);
    hook.arming = Off::arming_from_reason(scope.off.clone());
    reader.read.hooks.push(hook);
}

/// Reads a group as in Claude Code: each inner entry is listed, but never runs.
fn add_inert_nested_entries(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    let message = "Reasonix has no groups: the entries of an inner `hooks` never run";
    let found = finding_without_location(Code::NestedHooks, message).label("never read");
    reader.report(node.span, found.help("put `match` and `command` into the entry itself"));
    let because = "it is in a group, where Reasonix reads no hooks";
    let off = scope.off.clone().or_else(|| Some(Off::new(because, FILE.rules.misplaced)));
    let inner = Scope { off, ..scope.clone() };
    for entry in node.get("hooks").and_then(Node::as_array).unwrap_or_default() {
        if entry.get("hooks").is_none() {
            read_hook_entry(reader, entry, &inner);
        }
    }
}

fn report_unknown_fields(reader: &mut Reader<'_>, node: &Node) {
    for field in node.entries().iter().filter(|entry| MATCHERS.contains(&entry.key.as_str())) {
        let message = format!("`{}` is ignored, so this runs on every tool", field.key);
        let found =
            finding_without_location(Code::MatcherInsteadOfMatch, message).help("write `match`");
        reader.report(field.key_span, found);
    }
    FIELDS.report_unknown_fields(reader, node, MATCHERS);
}

/// Reads `match`, a pattern anchored at both ends; it is ignored on events that are not about a
/// tool (RX-12, RX-13).
fn read_matcher(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> MatcherSpec {
    let Some(field) = reader.non_null_entry(node, "match") else { return MatcherSpec::Any };
    let span = field.node.span;
    let Some(text) = field.node.as_str() else {
        // A hook can only restrain, so running on every tool is the safe choice (S-2).
        let kind = field.node.kind_with_article();
        let message = format!("`match` takes a string, found {kind}: this runs on every tool");
        reader.report(span, finding_without_location(Code::MatcherNotString, message));
        return MatcherSpec::Any;
    };
    if text.is_empty() || text == "*" {
        return MatcherSpec::Any;
    }
    if !event_spec(scope).is_none_or(Spec::is_tool_event) {
        let message = format!("`{}` ignores `match`: this runs every time", scope.name);
        let found = finding_without_location(Code::MatcherIgnored, message);
        reader.report(field.key_span, found.help("remove it, and test in the program"));
        return MatcherSpec::Any;
    }
    // Compiled without anchors first: `a)|(b` is valid only between the anchors, and escapes them.
    let alone = MatcherSpec::Regex(text.to_owned());
    if let Err(why) = Matcher::new(alone.clone()).compile() {
        let message = format!("`{text}` is not a valid regular expression: {why}");
        let blocks = reader.source.compat == Compat::Guarded
            && event_spec(scope).is_some_and(Spec::is_gate_event);
        let runs = if blocks { "blocks every tool call" } else { "never runs" };
        reader.report(span, finding_without_location(Code::InvalidMatcher, message).label(runs));
        return alone;
    }
    let plain = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    let spec = match text.split('|').all(plain) {
        true => MatcherSpec::Words(text.split('|').map(str::to_owned).collect()),
        false => MatcherSpec::Regex(format!("^(?:{text})$")),
    };
    // The protocol of Claude Code has that agent's names of tools, too.
    if node.get("payloadFormat").is_none() {
        groups::lint_matcher_text(reader, field, scope, text, &spec);
    }
    spec
}

/// `command` is a line for the shell; with `args`, which later versions have, it is a program.
fn read_invocation(reader: &mut Reader<'_>, node: &Node) -> Option<Invocation> {
    let field = reader.non_null_entry(node, "command");
    let text = field.and_then(|field| field.node.as_str()).filter(|text| !text.trim().is_empty());
    let Some(text) = text else {
        let (span, code, message) = match field {
            None => (node.span, Code::MissingCommand, "the hook has no `command`".to_owned()),
            Some(node) if node.node.as_str().is_some() => {
                (node.node.span, Code::EmptyCommand, "`command` is empty".to_owned())
            }
            Some(node) => {
                let message =
                    format!("`command` takes a string, found {}", node.node.kind_with_article());
                (node.node.span, Code::CommandNotString, message)
            }
        };
        let found = finding_without_location(code, message).label("never runs");
        let verb = if field.is_none() { "add" } else { "write" };
        let help = format!("{verb} `\"command\": \"...\"`, a line for a shell");
        reader.report(span, found.help(help));
        return None;
    };
    let shell = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
    let Some(field) = reader.non_null_entry(node, "args") else { return Some(shell) };
    let Some(args) = strings_of_array(&field.node) else {
        let message = "`args` takes an array of strings: the command is given to the shell";
        reader.report(field.node.span, finding_without_location(Code::WrongFieldType, message));
        return Some(shell);
    };
    Some(Invocation::Argv { program: text.to_owned(), args })
}

/// Whether `payloadFormat`, which later versions have, selects the protocol of Claude Code.
fn uses_claude_protocol(reader: &mut Reader<'_>, node: &Node) -> bool {
    let Some(field) = reader.non_null_entry(node, "payloadFormat") else { return false };
    let format = field.node.as_str();
    if !matches!(format, Some("claude" | "" | "reasonix" | "native")) {
        let message = "`payloadFormat` takes `claude`: this hook gets payloads of Reasonix";
        reader.report(field.node.span, finding_without_location(Code::WrongFieldType, message));
    }
    format == Some("claude")
}

/// Reads `async`, which later versions have. The event does not wait for such a hook, so it answers
/// too late to block.
fn read_whether_event_waits(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Wait {
    if !reader.read_flag(node, "async") {
        return Wait::Attached;
    }
    if let (Some(field), true) =
        (reader.non_null_entry(node, "async"), event_spec(scope).is_some_and(Spec::is_gate_event))
    {
        let message = format!("`async` on `{}`: the answer comes too late to block", scope.name);
        let found = finding_without_location(Code::AsyncOnGate, message);
        reader.report(field.key_span, found.help("remove `async` if this hook is to block"));
    }
    Wait::Detached
}

/// Switches the hook to the protocol of Claude Code (RX-34). The timeout and the tool names in
/// `match` stay those of Reasonix.
fn switch_to_claude_protocol(hook: &mut Hook, spec: Option<&Spec>) {
    hook.dialect = DialectId::CLAUDE;
    hook.timeout = hook.timeout.or_else(|| spec.map(Spec::default_timeout));
    // An invalid matcher stays, so that the failure policy decides.
    if *hook.matcher.spec() == MatcherSpec::Any || hook.matcher.compile().is_err() {
        return;
    }
    let matcher = std::mem::replace(&mut hook.matcher, Matcher::any());
    let text = match matcher.spec() {
        MatcherSpec::Words(names) => names.join("|"),
        MatcherSpec::Regex(text) | MatcherSpec::Never(text) => text.clone(),
        MatcherSpec::Any => String::new(),
    };
    hook.condition = Some(Condition::custom(text, move |event: &Event| {
        let tool = Subject::Tool(TOOLS);
        let names = tool.matcher_text(event).into_iter().chain(tool.alternative_names(event));
        match names.into_iter().any(|name| matcher.matches(Some(name)) == Ok(true)) {
            true => Picked::Exactly,
            false => Picked::No("no name of the tool matches".to_owned()),
        }
    }));
}
