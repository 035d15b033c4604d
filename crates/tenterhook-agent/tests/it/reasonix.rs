//! What the seed of Reasonix says of a host: hooks of its settings, unmodified, in this agent.

use serde_json::json;

use crate::fixture::Fixture;

/// Ruling 33: `PostToolUse` of Reasonix comes after success only, and exit 0 of its gate is no consent.
#[test]
fn reasonix_hooks_see_only_successful_calls() {
    let script = r#"
[[reply]]
call = [
  { tool = "Read", input = { file_path = "script.toml" } },
  { tool = "Read", input = { file_path = "missing.txt" } },
  { tool = "Write", input = { file_path = "out.txt", content = "x" } },
]
[[reply]]
text = "done"
"#;
    let fixture = Fixture::new("", script);
    let settings = r#"{"hooks": {
        "PreToolUse": [{"command": "exit 0"}],
        "PostToolUse": [{"command": "cat >> after.jsonl; echo >> after.jsonl"}]}}"#;
    fixture.sandbox.write(".reasonix/settings.json", settings).unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("read");
    // Silence is no consent: the third call is asked about.
    let ask = run.wait_for("ask");
    assert_eq!(ask["tool"], "Write");
    run.send_line(json!({"type": "decide", "id": ask["id"], "allow": false}));
    run.end();
    let failed: Vec<_> = run
        .of_kind("tool_result")
        .iter()
        .map(|tool_result| tool_result["is_error"] == true)
        .collect();
    assert_eq!(failed, [false, true, true]);
    let after = fixture.text("after.jsonl");
    let texts: Vec<_> = after.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(texts.len(), 1, "{after}");
    assert!(texts[0].contains("script.toml"));
}
