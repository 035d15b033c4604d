//! How is Codex CLI driven?

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Files, Mode, Setting, Tool, claude_says, first, groups, home, line, nothing, seconds,
    strings, text, user_file,
};
use crate::model::Wire;

pub(super) const CODEX: Agent = Agent {
    name: agents::CODEX.name,
    title: agents::CODEX.title,
    package: first(agents::CODEX.packages),
    version: "0.169.0",
    program: first(agents::CODEX.programs),
    open: true,
    wire: Wire::Responses,
    shell: Tool { name: "exec_command", input: |line| json!({ "cmd": line }) },
    delegate: Some(Tool { name: "multi_agent_v1/spawn_agent", input: delegate }),
    mcp: Some("mcp__probe/ping"),
    no: "deny",
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
    answer: |event, answer_kind, text| claude_says(event, answer_kind, text, line),
    files,
    env,
    args,
    before: nothing,
};

fn delegate(prompt: &str) -> Value {
    json!({ "message": prompt })
}

fn files(setting: &Setting<'_>) -> Files {
    let hooks = json!({ "hooks": groups(&CODEX, setting.hooks, seconds, Some("*")) });
    let config = format!(
        "model = \"m1\"\nmodel_provider = \"mock\"\n\
         [model_providers.mock]\nname = \"mock\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n\
         [features]\nhooks = true\nmulti_agent = true\n\
         [mcp_servers.probe]\ncommand = \"sh\"\nargs = [\"{}\"]\n",
        setting.url,
        setting.mcp(),
    );
    let mut files =
        vec![(home(setting, agents::CODEX.installation.home).join("config.toml"), config)];
    if !setting.hooks.is_empty() {
        files.push((user_file(setting, &agents::CODEX), hooks.to_string()));
    }
    files
}

fn env(setting: &Setting<'_>) -> Vec<(&'static str, String)> {
    let installation = &agents::CODEX.installation;
    let home = text(&home(setting, installation.home));
    let mut env = vec![("MOCK_KEY", "x".to_owned())];
    env.extend(installation.home_variable.map(|variable| (variable, home)));
    env
}

fn args(setting: &Setting<'_>, prompt: &str) -> Vec<String> {
    // A home that is made for one run has trusted nothing: without this, its hooks are skipped in silence.
    let mut args = strings(&["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
    args.extend(strings(match setting.mode {
        Mode::Bypass => &["--dangerously-bypass-approvals-and-sandbox"],
        Mode::Default => &["--sandbox", "workspace-write"],
    }));
    args.push(prompt.to_owned());
    args
}
