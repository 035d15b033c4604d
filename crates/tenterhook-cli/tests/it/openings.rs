//! `hold-subagents`: what an agent starts whose own calls no hook sees is asked about, where a person wants that.

use serde_json::{Value, json};

use crate::fixture::Fixture;

const PACK: &str = "hold-subagents";

/// What the row of Goose leaves open.
const OPEN: &str = "subagents (`delegate`) run no hooks";

fn goose(tool: &str) -> String {
    json!({
        "event": "PreToolUse", "session_id": "s", "matcher_context": tool, "tool_call_id": "c",
        "tool_name": tool, "tool_input": {"instructions": "clean up"}, "working_dir": "/",
    })
    .to_string()
}

fn claude(tool: &str) -> String {
    json!({
        "session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse", "prompt_id": "p",
        "permission_mode": "default", "tool_name": tool, "tool_input": {"description": "x", "prompt": "clean up"},
    })
    .to_string()
}

fn call(fixture: &Fixture, agent: &str, event: &str) -> String {
    let output = fixture.run(&["hook", "--agent", agent, "--event", "PreToolUse"], event);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout
}

/// A home in which Goose calls.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("home/.config/goose/config.yaml", "");
    let output = fixture.run(&["install", "goose"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains(&format!("not covered: {OPEN}; `tenterhook rules add {PACK}`")));
    fixture
}

/// BR-15, BR-16.
#[test]
fn what_no_hook_sees_is_held_where_a_person_wants_it() {
    let fixture = fixture();
    assert_eq!(call(&fixture, "goose", &goose("delegate")), "", "the pack is not added yet");
    assert_eq!(fixture.run(&["rules", "add", PACK], "").code, 0);
    let reply: Value = serde_json::from_str(&call(&fixture, "goose", &goose("delegate"))).unwrap();
    assert_eq!(reply["decision"], "block");
    let reason = reply["reason"].as_str().unwrap();
    assert!(reason.starts_with("A subagent of this agent runs no hooks"), "{reason}");
    assert!(reason.contains("`tenterhook allow once "), "{reason}");
    // Another tool, and an agent whose subagents are hooked.
    assert_eq!(call(&fixture, "goose", &goose("todo")), "");
    assert_eq!(call(&fixture, "claude", &claude("Agent")), "");
}

/// What `status` says of Goose: what is held, and what is open.
fn reports(fixture: &Fixture) -> (String, String) {
    let reports = fixture.json(&["status", "--format", "json"], "", 0);
    let list = |name: &str| reports.pointer(&format!("/agents/0/{name}")).unwrap().to_string();
    (list("held"), list("not_covered"))
}

/// BR-16, BR-123.
#[test]
fn what_is_left_open_is_offered_and_then_said_to_be_held() {
    let fixture = fixture();
    let offered = fixture.run(&["status"], "").stdout;
    assert!(offered.contains(&format!("not covered   {OPEN}\n")), "{offered}");
    assert!(
        offered.contains(&format!("to hold it    `tenterhook rules add {PACK}` asks before")),
        "{offered}"
    );
    assert!(reports(&fixture).1.contains(OPEN) && reports(&fixture).0 == "[]");
    assert_eq!(fixture.run(&["rules", "add", PACK], "").code, 0);
    let held = fixture.run(&["status"], "").stdout;
    assert!(held.contains(&format!("held          {OPEN}: `{PACK}` asks before")), "{held}");
    assert!(!held.contains("to hold it"), "{held}");
    assert!(reports(&fixture).0.contains(OPEN) && !reports(&fixture).1.contains(OPEN));
    // Switched off, and in shadow: nothing is held.
    for entry in [
        format!("[hook.\"{PACK}/start-unhooked\"]\nenabled = false\n"),
        format!("[source.\"tenterhook.{PACK}.toml\"]\nmode = \"shadow\"\n"),
    ] {
        fixture.write("home/.config/tenterhook/tenterhook.toml", &entry);
        assert!(reports(&fixture).1.contains(OPEN), "{entry}");
    }
}
