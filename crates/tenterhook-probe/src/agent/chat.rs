//! How are the agents driven that speak Chat Completions and run commands as hooks: Copilot CLI, Goose, Qwen Code?

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Event, Files, HookAnswer, Mode, Setting, Tool, claude_says, described, first, groups,
    home, line, nothing, seconds, strings, user_file,
};
use crate::model::Wire;

pub(super) const COPILOT: Agent = Agent {
    name: agents::COPILOT.name,
    title: agents::COPILOT.title,
    package: first(agents::COPILOT.packages),
    version: "1.0.102",
    program: first(agents::COPILOT.programs),
    open: false,
    wire: Wire::Chat,
    shell: Tool { name: "bash", input: described },
    delegate: Some(Tool { name: "task", input: copilot_task }),
    mcp: Some("probe-ping"),
    no: "deny",
    events: ["preToolUse", "postToolUse", "userPromptSubmitted", "sessionStart", "agentStop"],
    answer: copilot_says,
    files: copilot_files,
    env: copilot_env,
    args: copilot_args,
    before: nothing,
};

fn copilot_task(prompt: &str) -> Value {
    json!({ "name": "probe", "description": "probe", "prompt": prompt, "agent_type": "general-purpose", "mode": "sync" })
}

fn copilot_says(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    let decision =
        |word: &str| json!({ "permissionDecision": word, "permissionDecisionReason": text });
    let value = match (event, answer_kind) {
        (Event::Before, HookAnswer::Deny) => decision("deny"),
        (Event::Before, HookAnswer::Ask) => decision("ask"),
        (Event::Before, HookAnswer::Allow) => decision("allow"),
        (Event::Before, HookAnswer::Rewrite) => json!({ "modifiedArgs": described(text) }),
        (Event::Stop | Event::Prompt | Event::After, HookAnswer::Deny) => {
            json!({ "decision": "block", "reason": text })
        }
        (Event::Stop, HookAnswer::Context) => return None,
        (_, HookAnswer::Context) => json!({ "additionalContext": text }),
        _ => return None,
    };
    Some(value.to_string())
}

fn copilot_files(setting: &Setting<'_>) -> Files {
    let mut table = serde_json::Map::new();
    for hook in setting.hooks {
        let Some(name) = COPILOT.event(hook.event) else { continue };
        let entry = json!({ "type": "command", "bash": hook.command, "timeoutSec": hook.timeout });
        table.insert(name.to_owned(), json!([entry]));
    }
    let hooks = json!({ "version": 1, "hooks": table });
    let server = json!({ "mcpServers": { "probe": { "type": "local", "command": "sh", "args": [setting.mcp()], "tools": ["*"] } } });
    let mut files = vec![(home(setting, ".copilot/mcp-config.json"), server.to_string())];
    if !setting.hooks.is_empty() {
        files.push((home(setting, ".copilot/hooks/probe.json"), hooks.to_string()));
    }
    files
}

fn copilot_env(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    let mut env = vec![
        ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", setting.url)),
        ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
        ("COPILOT_PROVIDER_API_KEY", "x".to_owned()),
        ("COPILOT_MODEL", "gpt-5".to_owned()),
        ("COPILOT_OFFLINE", "true".to_owned()),
    ];
    if setting.mode == Mode::Bypass {
        env.push(("COPILOT_ALLOW_ALL", "true".to_owned()));
    }
    env
}

fn copilot_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mut args = strings(&["-p", prompt, "--no-color"]);
    match setting.mode {
        Mode::Bypass => args.push("--allow-all-tools".to_owned()),
        Mode::Default => {
            args.extend(strings(&[
                "--allow-tool",
                "shell",
                "--allow-tool",
                "probe",
                "--allow-tool",
                "task",
            ]));
        }
    }
    args
}

pub(super) const GOOSE: Agent = Agent {
    name: agents::GOOSE.name,
    title: agents::GOOSE.title,
    package: "@aaif/goose-binary-linux-x64",
    version: "1.52.0",
    program: "goose-binary-linux-x64",
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "shell", input: line },
    delegate: Some(Tool { name: "delegate", input: |prompt| json!({ "instructions": prompt }) }),
    // An extension is called by the first word of its command.
    mcp: Some("sh__ping"),
    no: "block",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: goose_says,
    files: goose_files,
    env: goose_env,
    args: goose_args,
    before: nothing,
};

fn goose_says(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    match (event, answer_kind) {
        (_, HookAnswer::Deny) => Some(json!({ "decision": "block", "reason": text }).to_string()),
        (Event::Before, HookAnswer::Allow) => Some(json!({ "decision": "allow" }).to_string()),
        // Answers that goose does not honour are tried in Claude Code's form.
        _ => claude_says(event, answer_kind, text, line),
    }
}

fn goose_files(setting: &Setting<'_>) -> Files {
    if setting.hooks.is_empty() {
        return Vec::new();
    }
    let hooks = json!({ "hooks": groups(&GOOSE, setting.hooks, seconds, None) });
    vec![(home(setting, ".agents/plugins/probe/hooks/hooks.json"), hooks.to_string())]
}

fn goose_env(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    let pairs = [
        ("GOOSE_PROVIDER", "openai"),
        ("GOOSE_MODEL", "gpt-4o"),
        ("OPENAI_HOST", setting.url),
        ("OPENAI_API_KEY", "x"),
        ("GOOSE_DISABLE_KEYRING", "1"),
        ("GOOSE_MODE", "auto"),
    ];
    pairs.map(|(key, value)| (key, value.to_owned())).to_vec()
}

fn goose_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let server = format!("sh {}", setting.mcp());
    strings(&[
        "run",
        "--no-session",
        "--with-builtin",
        "developer",
        "--with-extension",
        &server,
        "-t",
        prompt,
    ])
}

pub(super) const QWEN: Agent = Agent {
    name: agents::QWEN.name,
    title: agents::QWEN.title,
    package: first(agents::QWEN.packages),
    version: "0.24.4",
    program: first(agents::QWEN.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "run_shell_command", input: qwen_shell },
    delegate: Some(Tool { name: "agent", input: qwen_task }),
    mcp: Some("mcp__probe__ping"),
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: |event, answer_kind, text| claude_says(event, answer_kind, text, qwen_shell),
    files: qwen_files,
    env: qwen_env,
    args: qwen_args,
    before: nothing,
};

fn qwen_shell(line: &str) -> Value {
    json!({ "command": line, "description": "probe", "is_background": false })
}

fn qwen_task(prompt: &str) -> Value {
    json!({ "description": "probe", "prompt": prompt, "subagent_type": "general-purpose" })
}

fn qwen_files(setting: &Setting<'_>) -> Files {
    let settings = json!({
        "security": { "auth": { "selectedType": "openai" } },
        "telemetry": { "enabled": false },
        "permissions": { "allow": ["run_shell_command", "agent", "mcp__probe__ping"] },
        "mcpServers": { "probe": { "command": "sh", "args": [setting.mcp()], "trust": true } },
        "hooks": groups(&QWEN, setting.hooks, seconds, Some("*")),
    });
    vec![(user_file(setting, &agents::QWEN), settings.to_string())]
}

fn qwen_env(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_API_KEY", "x".to_owned()),
        ("OPENAI_BASE_URL", format!("{}/v1", setting.url)),
        ("OPENAI_MODEL", "qwen3-coder".to_owned()),
    ]
}

fn qwen_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mut args = strings(&["-p", prompt]);
    if setting.mode == Mode::Bypass {
        args.extend(strings(&["--approval-mode", "yolo"]));
    }
    args
}
