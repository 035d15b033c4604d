//! How is Claude Code driven? Its licence is proprietary: it is installed only where a person asks for it.

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Files, Mode, Setting, Tool, claude_says, described, first, groups, home, nothing,
    seconds, strings, user_file,
};
use crate::model::Wire;

pub(super) const CLAUDE: Agent = Agent {
    name: agents::CLAUDE.name,
    title: agents::CLAUDE.title,
    package: first(agents::CLAUDE.packages),
    version: "2.1.330",
    program: first(agents::CLAUDE.programs),
    open: false,
    wire: Wire::Messages,
    shell: Tool { name: "Bash", input: described },
    delegate: Some(Tool { name: "Agent", input: delegate }),
    mcp: Some("mcp__probe__ping"),
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: |event, answer_kind, text| claude_says(event, answer_kind, text, described),
    files,
    env,
    args,
    before: nothing,
};

fn delegate(prompt: &str) -> Value {
    json!({ "description": "probe", "prompt": prompt, "subagent_type": "general-purpose" })
}

fn files(setting: &Setting<'_>) -> Files {
    let settings = json!({
        "permissions": { "allow": ["Bash", "Agent", "mcp__probe__ping"] },
        "hooks": groups(&CLAUDE, setting.hooks, seconds, Some("*")),
    });
    let project = setting.fixture.project().display().to_string();
    let state = json!({
        "hasCompletedOnboarding": true,
        "projects": { project: { "hasTrustDialogAccepted": true } },
    });
    let server = json!({ "mcpServers": { "probe": { "command": "sh", "args": [setting.mcp()] } } });
    vec![
        (user_file(setting, &agents::CLAUDE), settings.to_string()),
        (home(setting, ".claude.json"), state.to_string()),
        (home(setting, "mcp.json"), server.to_string()),
    ]
}

fn env(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("ANTHROPIC_BASE_URL", setting.url.to_owned()),
        ("ANTHROPIC_API_KEY", "sk-ant-x".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        // Its own word that it may skip permissions also as root: here everything is scratch.
        ("IS_SANDBOX", "1".to_owned()),
    ]
}

fn args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let servers = home(setting, "mcp.json").display().to_string();
    let mut args = strings(&["-p", prompt, "--mcp-config", &servers]);
    if setting.mode == Mode::Bypass {
        args.push("--dangerously-skip-permissions".to_owned());
    }
    args
}
