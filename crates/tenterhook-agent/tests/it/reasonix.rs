//! What the seed of Reasonix says of a host: hooks of its settings, unmodified, in this agent.

use serde_json::json;

use crate::room::Room;

/// Ruling 33: `PostToolUse` of Reasonix comes after success only, and exit 0 of its gate is no consent.
#[test]
fn only_a_call_that_succeeded_is_told_to_reasonix() {
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
    let room = Room::new("", script);
    let settings = r#"{"hooks": {
        "PreToolUse": [{"command": "exit 0"}],
        "PostToolUse": [{"command": "cat >> after.jsonl; echo >> after.jsonl"}]}}"#;
    room.sandbox.write(".reasonix/settings.json", settings).unwrap();
    let mut run = room.start(&[]);
    run.prompt("read");
    // Silence is no consent: the third call is asked about.
    let ask = run.wait_for("ask");
    assert_eq!(ask["tool"], "Write");
    run.say(json!({"type": "decide", "id": ask["id"], "allow": false}));
    run.end();
    let failed: Vec<_> =
        run.of("tool_result").iter().map(|tool_result| tool_result["is_error"] == true).collect();
    assert_eq!(failed, [false, true, true]);
    let after = room.text("after.jsonl");
    let texts: Vec<_> = after.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(texts.len(), 1, "{after}");
    assert!(texts[0].contains("script.toml"));
}
