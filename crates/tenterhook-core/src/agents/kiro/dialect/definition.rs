//! Reads the hooks in an agent's definition, which the command line 2.x runs (KR-2, KR-6, KR-11).
//! Opens no file.

use super::vocabulary::{DEFINITION_ROWS, DEFINITION_TOOLS};
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::kit::entry::{self, Fields};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::Lints;
use crate::dialect::tools::find_tool_by_own_name;
use crate::hook::{Command, Inherit, Invocation, Run, Shell};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

static FILE: File = File {
    rules: Rules::with_one_rule("KR-6"),
    items: "hooks",
    lints: Some(&LINTS),
    shape: r#"write `{"hooks": {"preToolUse": [{"matcher": "execute_bash", "command": "..."}]}}`"#,
    ..File::new("Kiro", DialectId::KIRO_AGENT, || &DEFINITION_ROWS, read_hook)
};

/// What the lints need to know of the command line 2.x: its other tools.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["use_aws", "introspect", "knowledge", "thinking", "todo_list", "report_issue"],
        &["code", "delegate"],
    ],
    mcp: "@SERVER/TOOL",
    variables: &["USER_PROMPT"],
    never_set: &["CLAUDE_PROJECT_DIR"],
    ..Lints::new("Kiro")
};

const FIELDS: Fields = Fields {
    whose: "a hook",
    code: Code::UnknownEntryField,
    known: &[
        "command",
        "matcher",
        "timeout_ms",
        "max_output_size",
        "cache_ttl_seconds",
        "only_when_turn_complete",
    ],
    foreign: &[
        ("timeout", "write `timeout_ms`, in milliseconds"),
        ("hooks", "write `command` beside `matcher`: Kiro has no groups"),
    ],
};

/// A timeout below this many milliseconds was probably meant in seconds.
const LEAST_MILLIS: f64 = 100.0;

/// Reads the hooks of an agent's definition.
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
    let (run, broken) = match groups::read_required_text(reader, node, "command") {
        Ok(text) => {
            let invocation = Invocation::Shell { text, shell: Shell::Bash };
            let run = Run::Command(Command::new(invocation, Inherit::All));
            groups::lint_command(reader, node, &run, &["command"]);
            (run, None)
        }
        Err(fault) => {
            (entry::unusable_run(fault.to_string()), Some(Off::new(fault.to_string(), "KR-6")))
        }
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, &scope.matcher, &scope, run);
    hook.matcher = Matcher::new(parse_matcher(&scope.matcher));
    hook.timeout = reader
        .non_null_entry(node, "timeout_ms")
        .and_then(|field| reader.findings.read_timeout_in_millis(field, LEAST_MILLIS));
    hook.arming = Off::arming_from_reason(scope.off.clone().or(broken));
    reader.read.hooks.push(hook);
}

/// Reads a matcher (KR-11): a name or an alias of a tool, a glob, or tools of an MCP server behind
/// `@`.
fn parse_matcher(text: &str) -> MatcherSpec {
    match text {
        "" | "*" => return MatcherSpec::Any,
        "@builtin" => return MatcherSpec::Regex("^(?!mcp__)".to_owned()),
        _ => {}
    }
    if let Some(rest) = text.strip_prefix('@') {
        let (server, tool) = rest.split_once('/').unwrap_or((rest, "*"));
        let name = format!("^mcp__{}__{}$", regex_of_glob(server), regex_of_glob(tool));
        return MatcherSpec::Regex(name);
    }
    if text.contains(['*', '?']) {
        return MatcherSpec::Regex(format!("^{}$", regex_of_glob(text)));
    }
    let tool = find_tool_by_own_name(DEFINITION_TOOLS, text).and_then(|tool| tool.own.first());
    MatcherSpec::Words(vec![tool.map_or(text, |name| *name).to_owned()])
}

/// Returns the regular expression of a glob with `*` and `?`.
fn regex_of_glob(glob: &str) -> String {
    let regex = |char: char| match char {
        '*' => ".*".to_owned(),
        '?' => ".".to_owned(),
        char if char.is_alphanumeric() || char == '_' => char.to_string(),
        char => format!("\\x{{{:x}}}", u32::from(char)),
    };
    glob.chars().map(regex).collect()
}
