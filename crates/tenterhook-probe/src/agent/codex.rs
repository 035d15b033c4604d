//! How is Codex CLI driven?

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Files, Mode, Setting, Tool, claude_hook_output, command_input, first_of_names,
    grouped_hooks_config, hook_entry_with_timeout_seconds, no_setup_command, path_in_home,
    path_to_string, to_strings, user_config_path,
};
use crate::model::Wire;

pub(super) const CODEX: Agent = Agent {
    name: agents::CODEX.name,
    title: agents::CODEX.title,
    package: first_of_names(agents::CODEX.packages),
    version: "0.169.0",
    program: first_of_names(agents::CODEX.programs),
    open: true,
    wire: Wire::Responses,
    shell: Tool { name: "exec_command", input: |line| json!({ "cmd": line }) },
    delegate: Some(Tool { name: "multi_agent_v1/spawn_agent", input: subagent_input }),
    mcp: Some("mcp__probe/ping"),
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: |event, answer_kind, text| claude_hook_output(event, answer_kind, text, command_input),
    files: config_files,
    env: environment_variables,
    args: command_args,
    before: no_setup_command,
    plugin_ways: &[],
    later_plugin: None,
    beside: &[],
};

fn subagent_input(prompt: &str) -> Value {
    json!({ "message": prompt })
}

fn config_files(setting: &Setting<'_>) -> Files {
    let hooks = json!({ "hooks": grouped_hooks_config(&CODEX, setting.hooks, hook_entry_with_timeout_seconds, Some("*")) });
    let config = format!(
        "model = \"m1\"\nmodel_provider = \"mock\"\n\
         [model_providers.mock]\nname = \"mock\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n\
         [features]\nhooks = true\nmulti_agent = true\n\
         [mcp_servers.probe]\ncommand = \"sh\"\nargs = [\"{}\"]\n",
        setting.url,
        setting.mcp_script_path(),
    );
    let mut files =
        vec![(path_in_home(setting, agents::CODEX.installation.home).join("config.toml"), config)];
    if !setting.hooks.is_empty() {
        files.push((user_config_path(setting, &agents::CODEX), hooks.to_string()));
    }
    files
}

fn environment_variables(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    let installation = &agents::CODEX.installation;
    let home = path_to_string(&path_in_home(setting, installation.home));
    let mut env = vec![("MOCK_KEY", "x".to_owned())];
    env.extend(installation.home_variable.map(|variable| (variable, home)));
    env
}

fn command_args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    // A home that is made for one run has trusted nothing: without this, its hooks are skipped in silence.
    let mut args =
        to_strings(&["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
    args.extend(to_strings(match setting.mode {
        Mode::Bypass => &["--dangerously-bypass-approvals-and-sandbox"],
        Mode::Default => &["--sandbox", "workspace-write"],
    }));
    args.push(prompt.to_owned());
    args
}
