//! Reads the hooks in the settings of Auggie (AU-1 to AU-10). Opens no file.

use std::time::Duration;

use super::vocabulary;
use crate::diagnostic::Code;
use crate::dialect::DialectId;
use crate::dialect::hook_file::OWN_TOOLS_ALONE;
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::field::SHORT;
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::{self, Groups};
use crate::dialect::kit::lint::Lints;
use crate::hook::{Command, Hook, Inherit, Invocation, Run, Shell};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node};

static FILE: File = File {
    rules: Rules::with_one_rule("AU-3"),
    takes_comments: true,
    is_javascript: true,
    lints: Some(&LINTS),
    shape: r#"write `{"hooks": {"PreToolUse": [{"matcher": "launch-process", "hooks": [{"type": "command", "command": "..."}]}]}}`"#,
    ..File::new(
        "Auggie",
        DialectId::AUGMENT,
        || &vocabulary::ROWS,
        |reader, node, scope| GROUPS.read_group(reader, node, scope),
    )
};

/// What the lints need to know of Auggie: the names of tools in its code.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["read-process", "write-process", "kill-process", "list-processes", "read-terminal"],
        &["codebase-retrieval", "view_tasklist", "reorganize_tasklist", "update_tasks"],
        &["add_tasks", "diagnostics", "open-browser", "render-mermaid", "remember"],
    ],
    mcp: "mcp:TOOL_SERVER",
    variables: &[
        "AUGMENT_PROJECT_DIR",
        "AUGMENT_CONVERSATION_ID",
        "AUGMENT_HOOK_EVENT",
        "AUGMENT_TOOL_NAME",
    ],
    paths: &["AUGMENT_PROJECT_DIR"],
    never_set: &["CLAUDE_PROJECT_DIR"],
    has_args: true,
    project: Some("$AUGMENT_PROJECT_DIR"),
    ..Lints::new("Auggie")
};

static GROUPS: Groups = Groups {
    types: &[("command", "command")],
    default_type: None,
    more: &["metadata"],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &["type", "command", "args", "timeout"],
        foreign: &[],
    },
    is_empty_matcher: |_| false,
    matcher: check_matcher,
    run: read_run,
    read_options: read_options_into_hook,
};

/// Reads the hooks of a config file of Auggie.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// Reads what a handler runs: a line for a shell, or a program with its arguments (AU-7).
fn read_run(
    reader: &mut Reader<'_>,
    node: &Node,
    _: &str,
    text: String,
) -> Result<Run, EntryFault> {
    let args = reader.non_null_entry(node, "args").map(|entry| {
        let items = entry.node.as_array().unwrap_or_default().iter();
        items.filter_map(Node::as_str).map(str::to_owned).collect::<Vec<_>>()
    });
    let invocation = match args.filter(|args| !args.is_empty()) {
        Some(args) => Invocation::Argv { program: text, args },
        None => Invocation::Shell { text, shell: Shell::Sh },
    };
    Ok(Run::Command(Command::new(invocation, Inherit::All)))
}

/// Reads a matcher (AU-10). `mcp:` selects tools of MCP servers, and any other expression none of
/// them.
fn parse_matcher(text: &str) -> (MatcherSpec, Option<String>) {
    if matches!(text, "" | ".*") {
        return (MatcherSpec::Any, None);
    }
    if text.starts_with("mcp:") {
        return (MatcherSpec::Regex("^mcp__".to_owned()), None);
    }
    let why = Matcher::new(MatcherSpec::Regex(text.to_owned())).compile().err();
    match why {
        // The invalid expression stays, so that the hook fails on every event (S-3).
        Some(why) => (MatcherSpec::Regex(text.to_owned()), Some(why.to_string())),
        None => {
            let (before, behind) = OWN_TOOLS_ALONE;
            (MatcherSpec::Regex(format!("{before}{text}{behind}")), None)
        }
    }
}

fn check_matcher(reader: &mut Reader<'_>, entry: &Entry, scope: &Scope) {
    let (spec, broken) = parse_matcher(&scope.matcher);
    // For an invalid one Auggie drops all hooks of the event, which is reported with it (AU-6).
    if broken.is_none() {
        let own = match spec {
            MatcherSpec::Any => spec,
            _ => MatcherSpec::Regex(scope.matcher.clone()),
        };
        groups::report_matcher_faults(reader, entry, scope, &["", ".*"], (own, None), "");
    }
}

fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    hook.matcher = Matcher::new(parse_matcher(&scope.matcher).0);
    hook.timeout = read_timeout(reader, node);
    Ok(())
}

/// Reads a timeout in milliseconds.
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout")?;
    reader.findings.read_timeout_in_millis(field, SHORT)
}
