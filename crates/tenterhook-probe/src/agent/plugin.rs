//! How are the agents driven whose hooks are not entries of a config: OpenCode and Kilo (plugins), and Cline (a file for each event)?

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Event, Files, HookAnswer, Mode, Setting, Tool, described_command_input, first_of_names,
    no_setup_command, path_in_home, path_to_string, to_strings,
};
use crate::model::Wire;
use crate::way::OPENCODE_WAYS;

pub(super) const OPENCODE: Agent = Agent {
    name: agents::OPENCODE.name,
    title: agents::OPENCODE.title,
    package: first_of_names(agents::OPENCODE.packages),
    version: "1.18.33",
    program: first_of_names(agents::OPENCODE.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "bash", input: described_command_input },
    delegate: Some(Tool { name: "task", input: subagent_input }),
    mcp: Some("probe_ping"),
    no: "deny",
    events: ["tool.execute.before", "tool.execute.after", "chat.message", "", ""],
    answer: |_, _, _| None,
    files: |setting| {
        opencode_config_files(setting, agents::OPENCODE.name, ".config/opencode/plugin")
    },
    env: |setting| opencode_environment(setting, OPENCODE_SWITCHES),
    args: opencode_args,
    before: no_setup_command,
    plugin_ways: OPENCODE_WAYS,
    later_plugin: Some((".config/opencode/plugin/zz-later.js", LATER)),
    beside: &[],
};

/// A fork of OpenCode, from the package of its binary: the registry lacks those of the newest `@kilocode/cli`.
pub(super) const KILO: Agent = Agent {
    name: agents::KILO.name,
    title: agents::KILO.title,
    package: "@kilocode/cli-linux-x64",
    version: "7.7.9",
    program: first_of_names(agents::KILO.programs),
    files: |setting| opencode_config_files(setting, agents::KILO.name, ".config/kilo/plugin"),
    env: |setting| {
        let mut env = opencode_environment(setting, KILO_SWITCHES);
        // Without these, it waits for its gateway before the first request.
        env.extend([
            ("KILO_API_URL", setting.url.to_owned()),
            ("KILO_DISABLE_SESSION_INGEST", "true".to_owned()),
            ("KILO_TELEMETRY_LEVEL", "off".to_owned()),
            ("HTTPS_PROXY", "http://127.0.0.1:9".to_owned()),
            ("NO_PROXY", "127.0.0.1".to_owned()),
        ]);
        env
    },
    later_plugin: Some((".config/kilo/plugin/zz-later.js", LATER)),
    ..OPENCODE
};

const LATER: &str = r#"export default { id: "later", server: async () => ({
  "tool.execute.before": async (call, output) => { output.args.command = "touch marks/new.changed-later" },
}) }
"#;

fn opencode_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mut args = to_strings(&["run", "--print-logs", "--log-level", "ERROR", prompt]);
    if setting.mode == Mode::Bypass {
        args.push("--auto".to_owned());
    }
    args
}

fn subagent_input(prompt: &str) -> Value {
    json!({ "description": "probe", "prompt": prompt, "subagent_type": "general" })
}

/// A plugin that does what the way in JavaScript says which the call names: what its author can write by hand.
const PLUGIN: &str = r#"import { appendFileSync, readFileSync } from "fs"
const here = "@HERE@"
const does = event => async (input, output) => {
  const way = (/WAY-([a-z0-9-]*)-END/.exec(JSON.stringify([input, output])) || [, "any"])[1]
  appendFileSync(`${here}/fired/${event}.${way}`, "x\n")
  let code
  try { code = readFileSync(`${here}/ways/${event}.${way}.js`, "utf8") } catch { return }
  return await new Function("input", "output", `return (async () => { ${code} })()`)(input, output)
}
export default { id: "probe", server: async () => ({
  "tool.execute.before": does("Before"), "tool.execute.after": does("After"), "chat.message": does("Prompt"),
}) }
"#;

/// Returns the config of an agent with OpenCode's plugins: `name` names its settings.
fn opencode_config_files(setting: &Setting<'_>, name: &str, plugins: &str) -> Files {
    let config = json!({
        "model": "mock/m1", "small_model": "mock/m1", "autoupdate": false, "share": "disabled",
        "provider": { "mock": {
            "npm": "@ai-sdk/openai-compatible", "name": "Mock",
            "options": { "baseURL": format!("{}/v1", setting.url), "apiKey": "x" },
            "models": { "m1": { "name": "m1", "tool_call": true, "limit": { "context": 100_000, "output": 8000 } } },
        } },
        "permission": { "bash": "allow", "edit": "allow" },
        "mcp": { "probe": { "type": "local", "command": ["sh", setting.mcp_script_path()], "enabled": true } },
    });
    // A project's settings are in a file that is named for the agent.
    let settings = setting.fixture.project_dir().join(format!("{name}.json"));
    let mut files = vec![(settings, config.to_string())];
    if !setting.hooks.is_empty() {
        let plugin = PLUGIN.replace("@HERE@", &path_to_string(&setting.fixture.path_of("hook")));
        files.push((path_in_home(setting, &format!("{plugins}/probe.js")), plugin));
    }
    files
}

/// Variables that stop an agent from looking for updates and lists of models.
type Switches = [&'static str; 2];

const OPENCODE_SWITCHES: Switches =
    ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH"];
const KILO_SWITCHES: Switches = ["KILO_DISABLE_AUTOUPDATE", "KILO_DISABLE_MODELS_FETCH"];

fn opencode_environment(
    setting: &Setting<'_>,
    [no_updates, no_models]: Switches,
) -> Vec<(&'static str, String)> {
    let place = |name: &str| path_to_string(&path_in_home(setting, name));
    vec![
        ("npm_config_offline", "true".to_owned()),
        (no_updates, "true".to_owned()),
        (no_models, "true".to_owned()),
        ("XDG_CONFIG_HOME", place(".config")),
        ("XDG_DATA_HOME", place(".local/share")),
        ("XDG_CACHE_HOME", place(".cache")),
        ("XDG_STATE_HOME", place(".local/state")),
    ]
}

pub(super) const CLINE: Agent = Agent {
    name: agents::CLINE.name,
    title: agents::CLINE.title,
    package: agents::CLINE.name,
    version: "3.0.65",
    program: first_of_names(agents::CLINE.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "run_commands", input: |line| json!({ "commands": [line] }) },
    delegate: None,
    mcp: None,
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskComplete"],
    answer: cline_hook_output,
    files: cline_config_files,
    env: |_| Vec::new(),
    args: |_, prompt| to_strings(&["--json", prompt]),
    before: |setting| {
        let url = format!("{}/v1", setting.url);
        Some(to_strings(&["auth", "-p", "openai", "-k", "x", "-m", "m1", "-b", &url]))
    },
    plugin_ways: &[],
    later_plugin: None,
    beside: &[],
};

fn cline_hook_output(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    let value = match (event, answer_kind) {
        (_, HookAnswer::Deny) => json!({ "cancel": true, "errorMessage": text }),
        (Event::Before, HookAnswer::Rewrite) => json!({ "overrideInput": { "commands": [text] } }),
        (Event::Before, HookAnswer::Ask) => json!({ "review": true }),
        (Event::Before | Event::After | Event::Prompt, HookAnswer::Context) => {
            json!({ "contextModification": text })
        }
        _ => return None,
    };
    Some(value.to_string())
}

fn cline_config_files(setting: &Setting<'_>) -> Files {
    let hooks = setting.hooks.iter().filter_map(|hook| {
        let name = CLINE.event_name(hook.event)?;
        Some((
            path_in_home(setting, &format!(".cline/hooks/{name}")),
            format!("#!/bin/sh\nexec {}\n", hook.command),
        ))
    });
    hooks.collect()
}
