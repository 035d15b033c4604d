//! What hooks may use beside their event, in the agent: MCP servers, and files of the session.

use tenterhook_testkit::case::server_that_says;

use crate::fixture::{Fixture, WRITE};

const GATE: &str = r#"
[hook.gate]
on = "PreToolUse"
mcp = { server = "policy", tool = "judge" }
"#;

/// A hook calls the servers in its own file, and those that Claude Code would connect from here.
#[test]
fn a_hook_calls_a_tool_of_a_configured_server() {
    let native = format!("{GATE}[mcp.policy]\nrun = [\"sh\", \"policy.sh\"]\n");
    let project = r#"{"mcpServers": {"policy": {"command": "sh", "args": ["policy.sh"]}}}"#;
    let server = server_that_says(r#"{"decision":"deny","reason":"the server says no"}"#);
    for (hooks, file) in [(native.as_str(), None), (GATE, Some(project))] {
        let fixture = Fixture::new(hooks, WRITE);
        fixture.sandbox.write("policy.sh", &server).unwrap();
        if let Some(text) = file {
            fixture.sandbox.write(".mcp.json", text).unwrap();
        }
        let run = fixture.ask("write", &["--permission-mode", "bypassPermissions"]);
        let result = run.of_kind("tool_result")[0];
        assert!(result["text"].as_str().unwrap().contains("the server says no"), "{result}");
        assert_eq!(fixture.text("out.txt"), "");
        assert!(run.of_kind("warn").is_empty(), "{:?}", run.of_kind("warn"));
    }
}

/// What a hook writes into its file of variables is there for the tools that follow, and the file is gone with the session.
#[test]
fn the_variables_of_a_hook_reach_the_shell() {
    let script = r#"
[[reply]]
call = [{ tool = "Bash", input = { command = "echo \"$GREETING\" > greeted" } }]
[[reply]]
text = "done"
"#;
    let fixture = Fixture::new("", script);
    let settings = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command",
        "command": "echo \"$CLAUDE_ENV_FILE\" > place; echo 'export GREETING=hello' >> \"$CLAUDE_ENV_FILE\""}]}]}}"#;
    fixture.sandbox.write(".claude/settings.json", settings).unwrap();
    fixture.ask("greet", &["--permission-mode", "bypassPermissions"]);
    assert_eq!(fixture.text("greeted"), "hello\n");
    let place = fixture.text("place");
    assert!(!place.trim().is_empty() && !std::path::Path::new(place.trim()).exists(), "{place}");
    let directory = std::path::Path::new(place.trim()).parent().unwrap();
    assert!(!directory.exists(), "{}", directory.display());
}
