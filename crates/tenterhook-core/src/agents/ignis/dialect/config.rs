//! Reads `hooks.json` (I-1 to I-4): an entry is one program and its options (I-30 to I-41). The
//! agent refuses to start if anything is wrong; here only the faulty entry is rejected (Ruling 22).

mod program_fault;

use std::path::Path;
use std::time::Duration;

use super::events::{self, AFTER_FAILURE};
use crate::diagnostic::{Code, Severity, Span};
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, Fields, unusable_run};
use crate::dialect::kit::field::{SHORT, strings_of_array};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::Lints;
pub(crate) use crate::dialect::variables::is_variable_name;
use crate::dialect::{DialectId, Subject};
use crate::event::EventName;
use crate::hook::{Command, Compat, Hook, HookId, Inherit, Invocation, Run, Sandbox};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node};
use program_fault::ProgramFault;

/// The format of the file.
static FILE: File = File {
    items: "entries",
    shape: r#"write `{"hooks": {"UserPromptSubmit": [{"command": "..."}]}}`"#,
    rules: Rules { misplaced: "I-2", shadowed: "I-3", item: "I-31", ..Rules::with_one_rule("I-4") },
    // One file serves several versions of the agent.
    is_open: true,
    is_strict: true,
    runs_doubled: true,
    lints: Some(&LINTS),
    ..File::new("ignis", DialectId::IGNIS, || events::ROWS, read_hook_entry)
};

/// What the lints need to know of ignis, whose hooks run without a shell.
pub(super) static LINTS: Lints = Lints::new("ignis");

/// The fields of an entry.
const FIELDS: Fields = Fields {
    whose: "an entry of ignis",
    code: Code::UnknownHandlerField,
    known: &["command", "argv", "timeout_ms", "env", "sandbox", "matcher"],
    foreign: &[
        ("timeout", "it is called `timeout_ms` here, in milliseconds"),
        ("timeoutsecs", "it is called `timeout_ms` here, in milliseconds"),
        ("timeoutms", "it is called `timeout_ms` here"),
        ("args", "write the program and its arguments in `argv`"),
        ("type", "leave it out: an entry is always a program"),
        ("cwd", "a hook starts where the agent works"),
    ],
};

/// A command with one of these characters was meant for a shell.
const SHELL_CHARS: &[char] = &['|', '&', ';', '<', '>', '$', '`', '*', '"', '\''];

/// Reads the hooks of a config file of ignis.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

fn read_hook_entry(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "an entry", Code::EntryNotObject) {
        return;
    }
    if node.get("hooks").is_some_and(|hooks| hooks.as_array().is_some()) {
        let message = "this is a group of Claude Code; an entry of ignis is one program";
        let found = finding_without_location(Code::EntryIsGroup, message).label("rejected");
        let help = "write each handler as a separate entry: `{\"command\": \"...\"}`";
        return reader.report(node.span, found.help(help));
    }
    FIELDS.report_unknown_fields(reader, node, &[]);
    let started = read_invocation(reader, node);
    let program = match &started {
        Ok(Invocation::Argv { program, .. }) => Path::new(program).file_stem(),
        _ => None,
    };
    let program =
        program.map_or_else(|| "rejected".into(), |program| program.to_string_lossy().into_owned());
    let (run, off) = match started {
        Ok(invocation) => {
            let pass = read_inherited_variables(reader, node);
            (Run::Command(Command { pass, ..Command::new(invocation, Inherit::Listed) }), None)
        }
        Err(fault) => {
            let because = format!("it is rejected: {fault}");
            (unusable_run(&*because), Some(Off::new(because, FILE.rules.item)))
        }
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, &program, scope, run);
    hook.on_failure = reader.source.on_failure;
    hook.phase = events::hook_phase(scope.row);
    hook.timeout = read_timeout(reader, node);
    hook.sandbox = read_sandbox(reader, node);
    hook.matcher = Matcher::new(read_matcher(reader, node, scope));
    hook.arming = Off::arming_from_reason(scope.off.clone().or(off));
    // A `PostToolUse` hook also runs after a failed call, which is a separate neutral event.
    let after = (hook.event.as_str() == "PostToolUse").then(|| Hook {
        id: HookId::new(format!("{}@{AFTER_FAILURE}", hook.id)),
        event: EventName::from(AFTER_FAILURE),
        ..hook.clone()
    });
    reader.read.hooks.push(hook);
    reader.read.hooks.extend(after);
}

/// Reads the program from exactly one of `command` and `argv`; the error says why the entry is
/// rejected.
fn read_invocation(reader: &mut Reader<'_>, node: &Node) -> Result<Invocation, ProgramFault> {
    let words = match (reader.non_null_entry(node, "command"), reader.non_null_entry(node, "argv"))
    {
        (Some(field), None) => split_command_into_words(reader, field)?,
        (None, Some(field)) => read_argv(reader, field)?,
        (Some(_), Some(argv)) => {
            return Err(report_rejected_entry(reader, argv.key_span, ProgramFault::CommandAndArgv));
        }
        (None, None) => {
            return Err(report_rejected_entry(reader, node.span, ProgramFault::NoProgram));
        }
    };
    let mut words = words.into_iter();
    let program = expand_home_in_program(reader.source, words.next().unwrap_or_default());
    Ok(Invocation::Argv { program, args: words.collect() })
}

/// Reports why an entry is rejected.
fn report_rejected_entry(reader: &mut Reader<'_>, span: Span, fault: ProgramFault) -> ProgramFault {
    let help = "write `\"command\": \"PROGRAM ARGUMENTS\"`, or `\"argv\": [\"PROGRAM\", ...]` \
                where a word has spaces";
    reader.report(
        span,
        finding_without_location(fault.finding_code(), fault.to_string())
            .label("rejected")
            .help(help),
    );
    fault
}

/// Splits `command` at white space into words: there is no shell, and quotes have no meaning
/// (I-32).
fn split_command_into_words(
    reader: &mut Reader<'_>,
    field: &Entry,
) -> Result<Vec<String>, ProgramFault> {
    let span = field.node.span;
    let Some(text) = field.node.as_str() else {
        let fault = ProgramFault::CommandNotString { found: field.node.kind_with_article() };
        return Err(report_rejected_entry(reader, span, fault));
    };
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        return Err(report_rejected_entry(reader, span, ProgramFault::EmptyCommand));
    }
    let special = words.iter().flat_map(|word| word.chars()).find(|c| SHELL_CHARS.contains(c));
    let tilde = words.iter().skip(1).any(|word| word.starts_with("~/")).then_some('~');
    if let Some(special) = special.or(tilde) {
        let message = format!(
            "no shell reads `command`: it is split at white space, and `{special}` means nothing"
        );
        let help = "write `\"argv\": [\"sh\", \"-c\", \"...\"]` for a shell line";
        reader
            .report(span, finding_without_location(Code::CommandWithoutShell, message).help(help));
    }
    Ok(words)
}

fn read_argv(reader: &mut Reader<'_>, field: &Entry) -> Result<Vec<String>, ProgramFault> {
    let fault = match strings_of_array(&field.node) {
        None => ProgramFault::ArgvNotStrings,
        Some(words) => match words.first() {
            None => ProgramFault::EmptyArgv,
            Some(program) if program.trim().is_empty() => ProgramFault::BlankProgram,
            Some(_) => return Ok(words),
        },
    };
    Err(report_rejected_entry(reader, field.node.span, fault))
}

/// Expands `~/` at the start of the program; arguments are not expanded (I-33).
fn expand_home_in_program(source: &Source, program: String) -> String {
    match program.strip_prefix("~/") {
        Some(rest) if !source.home.as_os_str().is_empty() => {
            source.home.join(rest).to_string_lossy().into_owned()
        }
        _ => program,
    }
}

/// The variables that the hook inherits in addition to the short list (I-36).
fn read_inherited_variables(reader: &mut Reader<'_>, node: &Node) -> Vec<String> {
    let Some(field) = reader.non_null_entry(node, "env") else { return Vec::new() };
    let Some(items) = field.node.as_array() else {
        let message =
            format!("`env` takes an array of names, found {}", field.node.kind_with_article());
        let help = "name the variables that the hook may see: `\"env\": [\"API_KEY\"]`";
        reader.report(
            field.node.span,
            finding_without_location(Code::WrongFieldType, message).help(help),
        );
        return Vec::new();
    };
    let mut names = Vec::with_capacity(items.len());
    for item in items {
        match item.as_str().filter(|text| is_variable_name(text)) {
            Some(name) => names.push(name.to_owned()),
            None => {
                let shown = item.as_str().unwrap_or_else(|| item.kind_with_article());
                let message = format!("`{}` cannot name a variable", shown.escape_default());
                let help = "write only the name, in letters, digits and `_`, without a value";
                reader.report(
                    item.span,
                    finding_without_location(Code::BadVariable, message).help(help),
                );
            }
        }
    }
    names
}

/// Reads the timeout in whole milliseconds (I-35).
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout_ms")?;
    match field.node.as_u64() {
        None => {
            reader.findings.report_wrong_type(field, "a whole number of milliseconds");
            None
        }
        Some(0) => {
            let message = "a timeout of zero leaves no time to run: in ignis the hook always fails";
            let found = finding_without_location(Code::TimeoutIsZero, message)
                .help("here the default applies");
            reader.report(field.node.span, found);
            (reader.source.compat == Compat::Exact).then_some(Duration::ZERO)
        }
        Some(_) => reader.findings.read_timeout_in_millis(field, SHORT),
    }
}

/// Reads the sandbox of the hook: that of the agent, unless the entry turns it off (I-37).
fn read_sandbox(reader: &mut Reader<'_>, node: &Node) -> Sandbox {
    let Some(field) = reader.non_null_entry(node, "sandbox") else { return Sandbox::Unsaid };
    match field.node.as_bool() {
        Some(false) => return Sandbox::Off,
        Some(true) => {}
        None => {
            let message = format!(
                "`sandbox` takes `true` or `false`, found {}",
                field.node.kind_with_article()
            );
            let found = finding_without_location(Code::WrongFieldType, message)
                .help("this is read as `true`");
            reader.report(field.node.span, found);
        }
    }
    Sandbox::Unsaid
}

/// Reads the matcher of a tool event: a name, or a prefix followed by `*` (I-38).
fn read_matcher(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> MatcherSpec {
    let Some(field) = reader.non_null_entry(node, "matcher") else { return MatcherSpec::Any };
    let Some(text) = field.node.as_str().map(str::trim) else {
        let message = format!("`matcher` takes a string, found {}", field.node.kind_with_article());
        let found = finding_without_location(Code::MatcherNotString, message)
            .help("this runs on every tool");
        reader.report(field.node.span, found);
        return MatcherSpec::Any;
    };
    let about_tool = scope.row.is_some_and(|row| matches!(row.subject, Subject::Tool(_)));
    if !about_tool && !text.is_empty() {
        let message = format!("`{}` is about no tool, so `matcher` is ignored", scope.name);
        reader.report(field.key_span, finding_without_location(Code::MatcherIgnored, message));
        return MatcherSpec::Any;
    }
    if text.is_empty() || text == "*" {
        return MatcherSpec::Any;
    }
    let stem = text.strip_suffix('*');
    let is_expression = stem.unwrap_or(text).contains(['*', '|', '(', '[', '.', '^', '$', '?']);
    if is_expression {
        let message = format!(
            "`{text}` is read as a name, or a prefix and `*`; no other character is special"
        );
        let found = finding_without_location(Code::MatcherIsExpression, message)
            .with_severity(Severity::Advice);
        reader.report(field.node.span, found.help("write an entry for each tool"));
    }
    let spec = match stem {
        Some(stem) => MatcherSpec::Regex(format!("^{}", regex::escape(stem))),
        None => MatcherSpec::Words(vec![text.to_owned()]),
    };
    if !is_expression {
        groups::lint_matcher_text(reader, field, scope, text, &spec);
    }
    spec
}
