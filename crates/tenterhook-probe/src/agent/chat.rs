//! How are the agents driven that speak Chat Completions and run commands as hooks: Copilot CLI, Goose, Qwen Code?

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Event, Files, HookAnswer, Mode, Setting, Tool, claude_hook_output, command_input,
    described_command_input, first_of_names, grouped_hooks_config, hook_entry_with_timeout_seconds,
    no_setup_command, path_in_home, to_strings, user_config_path,
};
use crate::model::Wire;

pub(super) const COPILOT: Agent = Agent {
    name: agents::COPILOT.name,
    title: agents::COPILOT.title,
    package: first_of_names(agents::COPILOT.packages),
    version: "1.0.102",
    program: first_of_names(agents::COPILOT.programs),
    open: false,
    wire: Wire::Chat,
    shell: Tool { name: "bash", input: described_command_input },
    delegate: Some(Tool { name: "task", input: copilot_subagent_input }),
    mcp: Some("probe-ping"),
    no: "deny",
    events: ["preToolUse", "postToolUse", "userPromptSubmitted", "sessionStart", "agentStop"],
    answer: copilot_hook_output,
    files: copilot_config_files,
    env: copilot_environment,
    args: copilot_command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    beside: &[],
};

fn copilot_subagent_input(prompt: &str) -> Value {
    json!({ "name": "probe", "description": "probe", "prompt": prompt, "agent_type": "general-purpose", "mode": "sync" })
}

fn copilot_hook_output(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    let decision =
        |word: &str| json!({ "permissionDecision": word, "permissionDecisionReason": text });
    let value = match (event, answer_kind) {
        (Event::Before, HookAnswer::Deny) => decision("deny"),
        (Event::Before, HookAnswer::Ask) => decision("ask"),
        (Event::Before, HookAnswer::Allow) => decision("allow"),
        (Event::Before, HookAnswer::Rewrite) => {
            json!({ "modifiedArgs": described_command_input(text) })
        }
        (Event::Stop | Event::Prompt | Event::After, HookAnswer::Deny) => {
            json!({ "decision": "block", "reason": text })
        }
        (Event::Stop, HookAnswer::Context) => return None,
        (_, HookAnswer::Context) => json!({ "additionalContext": text }),
        _ => return None,
    };
    Some(value.to_string())
}

fn copilot_config_files(setting: &Setting<'_>) -> Files {
    let mut table = serde_json::Map::new();
    for hook in setting.hooks {
        let Some(name) = COPILOT.event_name(hook.event) else { continue };
        let entry = json!({ "type": "command", "bash": hook.command, "timeoutSec": hook.timeout });
        table.insert(name.to_owned(), json!([entry]));
    }
    let hooks = json!({ "version": 1, "hooks": table });
    let server = json!({ "mcpServers": { "probe": { "type": "local", "command": "sh", "args": [setting.mcp_script_path()], "tools": ["*"] } } });
    let mut files = vec![(path_in_home(setting, ".copilot/mcp-config.json"), server.to_string())];
    if !setting.hooks.is_empty() {
        files.push((path_in_home(setting, ".copilot/hooks/probe.json"), hooks.to_string()));
    }
    files
}

fn copilot_environment(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
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

fn copilot_command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mut args = to_strings(&["-p", prompt, "--no-color"]);
    match setting.mode {
        Mode::Bypass => args.push("--allow-all-tools".to_owned()),
        Mode::Default => {
            args.extend(to_strings(&[
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
    shell: Tool { name: "shell", input: command_input },
    delegate: Some(Tool { name: "delegate", input: |prompt| json!({ "instructions": prompt }) }),
    // An extension is called by the first word of its command.
    mcp: Some("sh__ping"),
    no: "block",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: goose_hook_output,
    files: goose_config_files,
    env: goose_environment,
    args: goose_command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    beside: &[],
};

fn goose_hook_output(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    match (event, answer_kind) {
        (_, HookAnswer::Deny) => Some(json!({ "decision": "block", "reason": text }).to_string()),
        (Event::Before, HookAnswer::Allow) => Some(json!({ "decision": "allow" }).to_string()),
        // Answers that goose does not honour are tried in Claude Code's form.
        _ => claude_hook_output(event, answer_kind, text, command_input),
    }
}

fn goose_config_files(setting: &Setting<'_>) -> Files {
    if setting.hooks.is_empty() {
        return Vec::new();
    }
    let hooks = json!({ "hooks": grouped_hooks_config(&GOOSE, setting.hooks, hook_entry_with_timeout_seconds, None) });
    vec![(path_in_home(setting, ".agents/plugins/probe/hooks/hooks.json"), hooks.to_string())]
}

fn goose_environment(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
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

fn goose_command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let server = format!("sh {}", setting.mcp_script_path());
    to_strings(&[
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
    package: first_of_names(agents::QWEN.packages),
    version: "0.24.4",
    program: first_of_names(agents::QWEN.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "run_shell_command", input: qwen_shell_input },
    delegate: Some(Tool { name: "agent", input: qwen_subagent_input }),
    mcp: Some("mcp__probe__ping"),
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: |event, answer_kind, text| {
        claude_hook_output(event, answer_kind, text, qwen_shell_input)
    },
    files: qwen_config_files,
    env: qwen_environment,
    args: qwen_command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    beside: &[],
};

fn qwen_shell_input(line: &str) -> Value {
    json!({ "command": line, "description": "probe", "is_background": false })
}

fn qwen_subagent_input(prompt: &str) -> Value {
    json!({ "description": "probe", "prompt": prompt, "subagent_type": "general-purpose" })
}

fn qwen_config_files(setting: &Setting<'_>) -> Files {
    let settings = json!({
        "security": { "auth": { "selectedType": "openai" } },
        "telemetry": { "enabled": false },
        "permissions": { "allow": ["run_shell_command", "agent", "mcp__probe__ping"] },
        "mcpServers": { "probe": { "command": "sh", "args": [setting.mcp_script_path()], "trust": true } },
        "hooks": grouped_hooks_config(&QWEN, setting.hooks, hook_entry_with_timeout_seconds, Some("*")),
    });
    vec![(user_config_path(setting, &agents::QWEN), settings.to_string())]
}

fn qwen_environment(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_API_KEY", "x".to_owned()),
        ("OPENAI_BASE_URL", format!("{}/v1", setting.url)),
        ("OPENAI_MODEL", "qwen3-coder".to_owned()),
    ]
}

fn qwen_command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mut args = to_strings(&["-p", prompt]);
    if setting.mode == Mode::Bypass {
        args.extend(to_strings(&["--approval-mode", "yolo"]));
    }
    args
}

pub(super) const DROID: Agent = Agent {
    name: agents::DROID.name,
    title: agents::DROID.title,
    package: "@factory/cli-linux-x64",
    version: "0.225.2",
    program: first_of_names(agents::DROID.programs),
    open: false,
    wire: Wire::Chat,
    shell: Tool { name: "Execute", input: droid_shell_input },
    // A subagent of Droid needs its daemon.
    delegate: None,
    mcp: None,
    no: "deny",
    // `droid exec` calls no hook for a prompt.
    events: ["PreToolUse", "PostToolUse", "", "SessionStart", "Stop"],
    answer: |event, answer_kind, text| {
        claude_hook_output(event, answer_kind, text, droid_shell_input)
    },
    files: droid_config_files,
    env: droid_environment,
    args: droid_command_args,
    before: no_setup_command,
    plugin_ways: &[],
    beside: &[],
    later_plugin: None,
};

fn droid_shell_input(line: &str) -> Value {
    json!({ "command": line, "summary": "probe", "riskLevel": "low", "riskLevelReason": "probe", "timeout": 20 })
}

fn droid_config_files(setting: &Setting<'_>) -> Files {
    let model = json!({
        "model": "probe", "displayName": "probe", "baseUrl": format!("{}/v1", setting.url), "apiKey": "x",
        "provider": "generic-chat-completion-api", "maxOutputTokens": 8000,
    });
    let settings = json!({ "customModels": [model], "cloudSessionSync": false });
    let hooks =
        grouped_hooks_config(&DROID, setting.hooks, hook_entry_with_timeout_seconds, Some("*"));
    let path = user_config_path(setting, &agents::DROID);
    let mut files = vec![(path.with_file_name("settings.json"), settings.to_string())];
    if !setting.hooks.is_empty() {
        files.push((path, hooks.to_string()));
    }
    files
}

fn droid_environment(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    let url = || setting.url.to_owned();
    vec![
        ("FACTORY_API_KEY", "fk-x".to_owned()),
        ("FACTORY_API_BASE_URL", url()),
        ("FACTORY_APP_BASE_URL", url()),
        ("FACTORY_TELEMETRY_INGEST_BASE_URL", url()),
        ("FACTORY_WORKOS_BASE_URL", url()),
        ("FACTORY_DISABLE_KEYRING", "1".to_owned()),
        ("FACTORY_DROID_AUTO_UPDATE_ENABLED", "false".to_owned()),
    ]
}

fn droid_command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mode: &[&str] = match setting.mode {
        Mode::Bypass => &["--skip-permissions-unsafe"],
        Mode::Default => &["--auto", "low"],
    };
    to_strings(&[&["exec"], mode, &["-m", "custom:probe", prompt]].concat())
}

pub(super) const HERMES: Agent = Agent {
    name: agents::HERMES.name,
    title: agents::HERMES.title,
    package: "pypi:hermes-agent",
    version: "0.19.0",
    program: first_of_names(agents::HERMES.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "terminal", input: command_input },
    delegate: Some(Tool { name: "delegate_task", input: |prompt| json!({ "goal": prompt }) }),
    // Servers need a further package.
    mcp: None,
    no: "block",
    events: ["pre_tool_call", "post_tool_call", "pre_llm_call", "on_session_start", "pre_verify"],
    answer: hermes_hook_output,
    files: hermes_config_files,
    env: hermes_environment,
    args: hermes_command_args,
    before: no_setup_command,
    plugin_ways: &[],
    beside: &[],
    later_plugin: None,
};

fn hermes_hook_output(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    match (event, answer_kind) {
        (_, HookAnswer::Deny) => Some(json!({ "decision": "block", "reason": text }).to_string()),
        (Event::Prompt, HookAnswer::Context) => Some(json!({ "context": text }).to_string()),
        // Answers that Hermes does not honour are tried in Claude Code's form.
        _ => claude_hook_output(event, answer_kind, text, command_input),
    }
}

/// Returns the config with its hooks. A JSON text is a YAML text.
fn hermes_config_files(setting: &Setting<'_>) -> Files {
    let mut hooks = serde_json::Map::new();
    for hook in setting.hooks {
        let Some(name) = HERMES.event_name(hook.event) else { continue };
        // No shell reads it.
        let command = format!("sh -c '{}'", hook.command.replace('\'', r"'\''"));
        hooks.insert(name.to_owned(), json!([{ "command": command, "timeout": hook.timeout }]));
    }
    let config = json!({
        "model": { "default": "probe", "provider": "custom", "base_url": format!("{}/v1", setting.url), "api_key": "x" },
        "hooks": hooks,
        // The hooks of the play are no hooks of Tenterhook, which enters its own as approved.
        "hooks_auto_accept": !setting.hooks.is_empty(),
    });
    vec![(user_config_path(setting, &agents::HERMES), format!("{config:#}\n"))]
}

fn hermes_environment(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_API_KEY", "x".to_owned()),
        ("OPENAI_BASE_URL", format!("{}/v1", setting.url)),
        // Its other requests, such as a look for a newer version, go nowhere.
        ("HTTPS_PROXY", "http://127.0.0.1:9".to_owned()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
    ]
}

fn hermes_command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mut args = to_strings(&["-z", prompt]);
    if setting.mode == Mode::Bypass {
        args.insert(0, "--yolo".to_owned());
    }
    args
}
