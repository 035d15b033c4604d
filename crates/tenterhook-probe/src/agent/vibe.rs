//! How is Mistral Vibe driven, whose hooks stand in a TOML file?

use std::fmt::Write as _;

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Event, Files, HookAnswer, Mode, Setting, Tool, command_input, first_of_names,
    no_setup_command, to_strings, user_config_path,
};
use crate::model::Wire;

pub(super) const VIBE: Agent = Agent {
    name: agents::VIBE.name,
    title: agents::VIBE.title,
    package: "pypi:mistral-vibe",
    version: "3.0.3",
    program: first_of_names(agents::VIBE.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "bash", input: command_input },
    delegate: Some(Tool { name: "run_typescript", input: subagent_input }),
    mcp: None,
    no: "deny",
    // It calls no hook for a prompt or a session.
    events: ["pre_tool", "post_tool", "", "", "post_agent"],
    answer: hook_output,
    files: config_files,
    env: |_| vec![("MOCK_KEY", "x".to_owned())],
    args: command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    // The version that it requires is gone.
    beside: &["certifi"],
};

/// Returns the input of a call that starts a subagent, which only code of the model can do.
fn subagent_input(prompt: &str) -> Value {
    let start = json!({ "name": "probe", "message": prompt });
    json!({ "code": format!("async function main() {{ await tools.agents.spawn({start}) }}") })
}

fn hook_output(event: Event, answer_kind: HookAnswer, text: &str) -> Option<String> {
    let specific = |fields: Value| json!({ "hook_specific_output": fields });
    let value = match (event, answer_kind) {
        (Event::Prompt | Event::Session, _) => return None,
        (_, HookAnswer::Deny) => json!({ "decision": "deny", "reason": text }),
        (Event::Before, HookAnswer::Allow) => json!({ "decision": "allow", "reason": text }),
        (Event::Before, HookAnswer::Ask) => json!({ "decision": "ask", "reason": text }),
        (Event::Before, HookAnswer::Rewrite) => {
            specific(json!({ "tool_input": command_input(text) }))
        }
        (Event::After, HookAnswer::Context) => specific(json!({ "additional_context": text })),
        _ => return None,
    };
    Some(value.to_string())
}

fn config_files(setting: &Setting<'_>) -> Files {
    let config = format!(
        "active_model = \"m1\"
enable_update_checks = false
enable_telemetry = false
[[providers]]
name = \"mock\"
api_base = \"{}/v1\"
api_key_env_var = \"MOCK_KEY\"
api_style = \"openai\"
backend = \"generic\"
[[models]]
name = \"m1\"
provider = \"mock\"
alias = \"m1\"
[tools.bash]
permission = \"always\"
",
        setting.url
    );
    let path = user_config_path(setting, &agents::VIBE);
    let mut files = vec![(path.with_file_name("config.toml"), config)];
    let mut hooks = String::new();
    for hook in setting.hooks {
        let Some(event) = VIBE.event_name(hook.event) else { continue };
        let _ = writeln!(
            hooks,
            "[[hooks]]\nname = \"probe-{event}\"\ntype = \"{event}\"\ncommand = {}\ntimeout = {}",
            json!(hook.command),
            hook.timeout
        );
    }
    if !hooks.is_empty() {
        files.push((path, hooks));
    }
    files
}

fn command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    let mut args = to_strings(&["-p", prompt]);
    if setting.mode == Mode::Bypass {
        args.push("--auto-approve".to_owned());
    }
    args
}
