//! How is Gemini CLI driven?

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Event, Files, HookAnswer, Mode, Setting, Tool, described_command_input, first_of_names,
    grouped_hooks_config, no_setup_command, to_strings, user_config_path,
};
use crate::model::Wire;

pub(super) const GEMINI: Agent = Agent {
    name: agents::GEMINI.name,
    title: agents::GEMINI.title,
    package: first_of_names(agents::GEMINI.packages),
    version: "0.61.0",
    program: first_of_names(agents::GEMINI.programs),
    open: true,
    wire: Wire::Gemini,
    shell: Tool { name: "run_shell_command", input: described_command_input },
    delegate: None,
    mcp: Some("mcp_probe_ping"),
    no: "deny",
    events: ["BeforeTool", "AfterTool", "BeforeAgent", "SessionStart", "AfterAgent"],
    answer: hook_output,
    files: config_files,
    env: environment_variables,
    args: command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    beside: &[],
};

fn hook_output(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    let specific = |fields: Value| json!({ "hookSpecificOutput": fields });
    let value = match (event, answer_kind) {
        (Event::Session, HookAnswer::Deny) => return None,
        (_, HookAnswer::Deny) => json!({ "decision": "deny", "reason": text }),
        (Event::Before, HookAnswer::Allow) => json!({ "decision": "allow", "reason": text }),
        (Event::Before, HookAnswer::Ask) => json!({ "decision": "ask", "reason": text }),
        (Event::Before, HookAnswer::Rewrite) => {
            specific(json!({ "tool_input": described_command_input(text) }))
        }
        (Event::Stop, HookAnswer::Context)
        | (_, HookAnswer::Allow | HookAnswer::Ask | HookAnswer::Rewrite) => return None,
        (_, HookAnswer::Context) => specific(json!({ "additionalContext": text })),
    };
    Some(value.to_string())
}

fn config_files(setting: &Setting<'_>) -> Files {
    // Its timeouts are in milliseconds.
    let entry = |hook: &super::Registered| json!({ "type": "command", "name": "probe", "command": hook.command, "timeout": hook.timeout * 1000 });
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "telemetry": { "enabled": false },
        // From its 30th turn on it asks a model whether it is in a loop, and waits minutes for one that answers otherwise than it wants.
        "model": { "disableLoopDetection": true },
        "mcpServers": { "probe": { "command": "sh", "args": [setting.mcp_script_path()], "trust": true } },
        "hooks": grouped_hooks_config(&GEMINI, setting.hooks, entry, Some("*")),
    });
    vec![(user_config_path(setting, &agents::GEMINI), settings.to_string())]
}

fn environment_variables(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("GOOGLE_GEMINI_BASE_URL", setting.url.to_owned()),
        ("GEMINI_API_KEY", "x".to_owned()),
        // It would start itself a second time, with more memory.
        ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
    ]
}

fn command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    // A fixed model skips its routing calls.
    let mut args =
        to_strings(&["-m", "gemini-2.5-pro", "-p", prompt, "--skip-trust", "--approval-mode"]);
    args.extend(match setting.mode {
        Mode::Bypass => to_strings(&["yolo"]),
        Mode::Default => to_strings(&["default", "--allowed-tools", "run_shell_command"]),
    });
    args
}
