//! Reads `hooks.json`, and the hooks of a `config.toml` or `requirements.toml` (CX-4 to CX-9):
//! events, and the fields of handlers.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{events, matcher};
use crate::diagnostic::Code;
use crate::dialect::DialectId;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::field::seconds_to_duration;
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::{self, Groups};
use crate::dialect::kit::lint::Lints;
use crate::hook::{Command, Hook, Inherit, Invocation, Layer, McpTool, Run, Shell, Wait};
use crate::matcher::Matcher;
use crate::source::{ReadConfig, Source, Switch};
use crate::syntax::{Entry, Format, Node};

/// The format of its files.
static FILE: File = File {
    rules: Rules::with_one_rule("CX-5"),
    beside: &["state", "managed_dir", "windows_managed_dir"],
    find: find_hooks_table,
    runs_doubled: true,
    lints: Some(&LINTS),
    ..File::new(
        "Codex",
        DialectId::CODEX,
        || &events::ROWS,
        |reader, node, scope| GROUPS.read_group(reader, node, scope),
    )
};

/// What the lints need to know of Codex: the tools about which 0.169.0 asked hooks in a run, and
/// those that depend on its features. It asks about no `write_stdin`.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["Bash", "update_plan", "view_image", "web_search", "js_repl", "request_user_input"],
        &["get_goal", "create_goal", "update_goal"],
        &["multi_agent_v1send_input", "multi_agent_v1wait_agent"],
        &["multi_agent_v1close_agent", "multi_agent_v1resume_agent"],
    ],
    variables: &[
        "CODEX_HOME",
        "PLUGIN_ROOT",
        "PLUGIN_DATA",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_DATA",
    ],
    paths: &["PLUGIN_ROOT", "PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"],
    never_set: &["CODEX_PLUGIN_ROOT", "CODEX_PROJECT_DIR", "CODEX_TOOL_INPUT", "CODEX_TOOL_NAME"],
    ..Lints::new("Codex")
};

/// The format of its groups.
static GROUPS: Groups = Groups {
    types: &[
        ("command", "command"),
        ("mcp_tool", "server"),
        ("prompt", "prompt"),
        ("agent", "prompt"),
    ],
    default_type: None,
    more: &[],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &[
            "type",
            "command",
            "commandWindows",
            "command_windows",
            "timeout",
            "async",
            "statusMessage",
            "additionalContextLimit",
            "server",
            "tool",
            "input",
            "prompt",
            "model",
        ],
        foreign: &[],
    },
    is_empty_matcher: |_| false,
    matcher: check_matcher,
    run: read_run,
    read_options: read_options_into_hook,
};

/// The keys of a `hooks.json`.
const ROOT: &[&str] = &["description", "hooks"];

/// The longest timeout of a hook on `SessionEnd`.
const LONGEST_SESSION_END: Duration = Duration::from_secs(3);

/// Reads the hooks of a config file of Codex CLI.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    let is_toml = Path::new(&*source.name).extension().is_some_and(|extension| extension == "toml");
    file::read_config(&FILE, source, if is_toml { Format::Toml } else { Format::Json })
}

fn find_hooks_table<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    match reader.format {
        Format::Toml => read_hook_switches(reader, root),
        _ => report_unknown_keys(reader, root),
    }
    root.get("hooks")
}

/// Reports unknown top-level keys, for which the agent refuses the whole `hooks.json` (CX-5).
fn report_unknown_keys(reader: &mut Reader<'_>, root: &Node) {
    for entry in root.entries().iter().filter(|entry| !ROOT.contains(&entry.key.as_str())) {
        let key = &entry.key;
        // An event outside of `hooks` has a separate finding.
        if events::ROWS.iter().any(|row| row.name == *key) {
            reader.refused.get_or_insert_with(|| format!("it has the key `{key}`"));
            continue;
        }
        let message =
            format!("Codex refuses the whole file for its key `{key}`; its hooks run here");
        let found = finding_without_location(Code::UnknownKey, message)
            .help("leave it out: it reads `description` and `hooks`");
        reader.report(entry.key_span, found);
        reader.refused.get_or_insert_with(|| format!("it has the key `{key}`"));
    }
}

/// Reads `[features] hooks = false`, and the organization's `allow_managed_hooks_only` (CX-6).
fn read_hook_switches(reader: &mut Reader<'_>, root: &Node) {
    let off = root.get("features").and_then(|features| features.entry("hooks"));
    if let Some(entry) = off.filter(|entry| entry.node.as_bool() == Some(false)) {
        reader.read.switches.push(Switch::DisableAll);
        let message = "`features.hooks` switches every hook off that is not managed";
        reader.report(entry.key_span, finding_without_location(Code::HooksDisabled, message));
    }
    let only = root.get("allow_managed_hooks_only").and_then(Node::as_bool) == Some(true);
    if only && reader.source.layer == Layer::Managed {
        reader.read.switches.push(Switch::ManagedOnly(crate::source::Whose::Own));
    }
}

/// Reports an invalid matcher of a group.
fn check_matcher(reader: &mut Reader<'_>, entry: &Entry, scope: &Scope) {
    let read = matcher::parse_matcher(&scope.matcher, reader.source.compat);
    let help = "Codex skips the group; here the hook's failure policy decides each time";
    groups::report_matcher_faults(reader, entry, scope, &["", "*"], read, help);
}

/// Reads what a handler of a type runs (CX-7).
fn read_run(
    reader: &mut Reader<'_>,
    node: &Node,
    kind: &str,
    text: String,
) -> Result<Run, EntryFault> {
    match kind {
        "mcp_tool" => read_mcp_tool(reader, node, text).map(Run::McpTool),
        "prompt" | "agent" => {
            let name = kind.to_owned();
            groups::report_type_that_never_runs(
                reader,
                node,
                EntryFault::SkippedType { agent: "Codex", name },
            )
        }
        _ => {
            let windows = ["commandWindows", "command_windows"];
            let windows = windows.iter().find_map(|key| reader.read_text(node, key));
            let text = windows.filter(|_| cfg!(windows)).unwrap_or(text);
            let invocation = Invocation::Shell { text, shell: Shell::Login };
            let env = plugin_variables(reader.source);
            Ok(Run::Command(Command { env, ..Command::new(invocation, Inherit::All) }))
        }
    }
}

fn read_mcp_tool(
    reader: &mut Reader<'_>,
    node: &Node,
    server: String,
) -> Result<McpTool, EntryFault> {
    let tool = groups::read_required_text(reader, node, "tool")?;
    let field = reader.non_null_entry(node, "input");
    match field.map(|field| (field, field.node.to_json())) {
        None => Ok(McpTool { server, tool, input: Map::new() }),
        Some((_, Value::Object(input))) => Ok(McpTool { server, tool, input }),
        Some((field, _)) => {
            reader.findings.report_wrong_type(field, "an object");
            Err(EntryFault::WrongType { key: "input", expected: "an object" })
        }
    }
}

/// The variables of a plugin's root and data directory, with the agent's names and those that
/// scripts for Claude Code expect (CX-8).
fn plugin_variables(source: &Source) -> Vec<(String, String)> {
    let Some(plugin) = &source.plugin else { return Vec::new() };
    let named = |(name, path): (&str, &Path)| {
        let text = path.to_string_lossy();
        ["PLUGIN", "CLAUDE_PLUGIN"].map(|prefix| (format!("{prefix}_{name}"), text.to_string()))
    };
    [("ROOT", &*plugin.root), ("DATA", &*plugin.data)].into_iter().flat_map(named).collect()
}

/// Reads the matcher, the timeout, and whether the event waits (CX-9, CX-10).
fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    hook.matcher = Matcher::new(matcher::parse_matcher(&scope.matcher, reader.source.compat).0);
    hook.wait = if reader.read_flag(node, "async") { Wait::Detached } else { Wait::Attached };
    hook.timeout = read_timeout(reader, node, scope);
    hook.status = reader.read_text(node, "statusMessage").filter(|text| !text.is_empty());
    Ok(())
}

/// Reads a timeout in seconds, at least one; on `SessionEnd` at most three.
fn read_timeout(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout")?;
    let number = reader.findings.read_seconds(field)?;
    if number < 1.0 {
        let message = "`timeout` is 0: Codex gives the hook one second";
        let found = finding_without_location(Code::TimeoutIsZero, message);
        let help = "write the seconds that it needs, or leave it out";
        reader.report(field.node.span, found.help(help));
    }
    let timeout = seconds_to_duration(number).unwrap_or_default().max(Duration::from_secs(1));
    let is_session_end = scope.event_name().as_str() == "SessionEnd";
    Some(if is_session_end { timeout.min(LONGEST_SESSION_END) } else { timeout })
}
