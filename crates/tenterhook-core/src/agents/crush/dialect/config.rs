//! Reads the hooks in a `crush.json` (CR-1 to CR-10). Opens no file.

use std::time::Duration;

use super::vocabulary;
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::kit::entry::{self, Fields, letters_and_digits};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::Lints;
use crate::hook::{Compat, Run};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node};

static FILE: File = File {
    own_keys: &["name"],
    rules: Rules::with_one_rule("CR-3"),
    items: "hooks",
    takes_comments: true,
    lints: Some(&LINTS),
    is_event: |written, name| letters_and_digits(written) == letters_and_digits(name),
    shape: r#"write `{"hooks": {"PreToolUse": [{"matcher": "^bash$", "command": "..."}]}}`"#,
    ..File::new("Crush", DialectId::CRUSH, || &vocabulary::ROWS, read_hook)
};

/// What the lints need to know of Crush: the names of tools in its documents.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["download", "sourcegraph", "todos", "job_output", "job_kill", "agentic_fetch"],
        &["lsp_diagnostics", "lsp_references", "diagnostics", "references"],
    ],
    mcp: "mcp_SERVER_TOOL",
    variables: &[
        "CRUSH",
        "AGENT",
        "AI_AGENT",
        "CRUSH_EVENT",
        "CRUSH_TOOL_NAME",
        "CRUSH_SESSION_ID",
        "CRUSH_CWD",
        "CRUSH_PROJECT_DIR",
        "CRUSH_TOOL_INPUT_COMMAND",
        "CRUSH_TOOL_INPUT_FILE_PATH",
    ],
    paths: &["CRUSH_PROJECT_DIR", "CRUSH_CWD"],
    never_set: &["CLAUDE_PROJECT_DIR"],
    project: Some("$CRUSH_PROJECT_DIR"),
    ..Lints::new("Crush")
};

const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &["name", "matcher", "command", "timeout"],
    foreign: &[("hooks", "write `command` beside `matcher`: Crush has no groups")],
};

/// Reads the hooks of a config file of Crush.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

fn read_hook(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a hook", Code::EntryNotObject) {
        return;
    }
    if scope.off.is_none() {
        FIELDS.report_unknown_fields(reader, node, &[]);
    }
    let text = reader.read_text(node, "matcher").unwrap_or_default();
    let scope = Scope { matcher: text, ..scope.clone() };
    if let Some(entry) = node.entry("matcher") {
        let read = parse_matcher(&scope.matcher, reader.source.compat);
        let help = "here the hook's failure policy decides each time";
        groups::report_matcher_faults(reader, entry, &scope, &[""], read, help);
    }
    let (run, broken) = match groups::read_required_text(reader, node, "command") {
        Ok(text) => {
            let run = Run::from_shell_line(text);
            groups::lint_command(reader, node, &run, &["command"]);
            (run, None)
        }
        Err(fault) => {
            (entry::unusable_run(fault.to_string()), Some(Off::new(fault.to_string(), "CR-3")))
        }
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, &scope.matcher, &scope, run);
    hook.matcher = Matcher::new(parse_matcher(&scope.matcher, reader.source.compat).0);
    hook.timeout = read_timeout(reader, node);
    hook.arming = Off::arming_from_reason(scope.off.clone().or(broken));
    reader.read.hooks.push(hook);
}

/// Reads a matcher: a regular expression that may match anywhere in the name of the tool.
fn parse_matcher(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    if text.is_empty() {
        return (MatcherSpec::Any, None);
    }
    let regex = MatcherSpec::Regex(text.to_owned());
    match (Matcher::new(regex.clone()).compile().err().map(|why| why.to_string()), compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        (why, _) => (regex, why),
    }
}

fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field: Option<&Entry> = reader.non_null_entry(node, "timeout");
    reader.findings.read_timeout_in_seconds(field?)
}
