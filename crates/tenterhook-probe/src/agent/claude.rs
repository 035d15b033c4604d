//! How is Claude Code driven? Its licence is proprietary: it is installed only where a person asks for it.

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Files, Mode, Setting, Tool, claude_hook_output, described_command_input, first_of_names,
    grouped_hooks_config, hook_entry_with_timeout_seconds, no_setup_command, path_in_home,
    to_strings, user_config_path,
};
use crate::model::Wire;

pub(super) const CLAUDE: Agent = Agent {
    name: agents::CLAUDE.name,
    title: agents::CLAUDE.title,
    package: first_of_names(agents::CLAUDE.packages),
    version: "2.1.330",
    program: first_of_names(agents::CLAUDE.programs),
    open: false,
    wire: Wire::Messages,
    shell: Tool { name: "Bash", input: described_command_input },
    delegate: Some(Tool { name: "Agent", input: subagent_input }),
    mcp: Some("mcp__probe__ping"),
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: |event, answer_kind, text| {
        claude_hook_output(event, answer_kind, text, described_command_input)
    },
    files: config_files,
    env: environment_variables,
    args: command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    beside: &[],
};

fn subagent_input(prompt: &str) -> Value {
    json!({ "description": "probe", "prompt": prompt, "subagent_type": "general-purpose" })
}

fn config_files(setting: &Setting<'_>) -> Files {
    let settings = json!({
        "permissions": { "allow": ["Bash", "Agent", "mcp__probe__ping"] },
        "hooks": grouped_hooks_config(&CLAUDE, setting.hooks, hook_entry_with_timeout_seconds, Some("*")),
    });
    let project = setting.fixture.project_dir().display().to_string();
    let state = json!({
        "hasCompletedOnboarding": true,
        "projects": { project: { "hasTrustDialogAccepted": true } },
    });
    let server = json!({ "mcpServers": { "probe": { "command": "sh", "args": [setting.mcp_script_path()] } } });
    vec![
        (user_config_path(setting, &agents::CLAUDE), settings.to_string()),
        (path_in_home(setting, ".claude.json"), state.to_string()),
        (path_in_home(setting, "mcp.json"), server.to_string()),
    ]
}

fn environment_variables(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("ANTHROPIC_BASE_URL", setting.url.to_owned()),
        ("ANTHROPIC_API_KEY", "sk-ant-x".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        // Its own word that it may skip permissions also as root: here everything is scratch.
        ("IS_SANDBOX", "1".to_owned()),
    ]
}

fn command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let servers = path_in_home(setting, "mcp.json").display().to_string();
    let mut args = to_strings(&["-p", prompt, "--mcp-config", &servers]);
    if setting.mode == Mode::Bypass {
        args.push("--dangerously-skip-permissions".to_owned());
    }
    args
}
