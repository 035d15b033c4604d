//! Calls of Claude Code that something keeps from their gates, and lines of skills: BR-90 to BR-96 of `docs/spec/bridge.md`, RC-10.

use serde_json::{Value, json};

use crate::fixture::{CliOutput, Fixture, fits_schema};

const GATE: &str = "[hook.push]\non = 'PreToolUse'\nwhen = 'call.commands.exists(c, c.runs(\"git push\"))'\ndeny = 'not here'\n";

fn guarded() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", GATE);
    fixture
}

fn claude(fixture: &Fixture, event: &str, fields: Value) -> CliOutput {
    let mut payload = json!({"session_id": "s", "transcript_path": fixture.path("home/t.jsonl"), "cwd": fixture.path("project"),
        "prompt_id": "p", "permission_mode": "default", "hook_event_name": event});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    fixture.run(&["hook", "--agent", "claude", "--event", event], &payload.to_string())
}

fn bash(fixture: &Fixture, event: &str, id: &str, command: &str) -> CliOutput {
    let fields = json!({"tool_name": "Bash", "tool_input": {"command": command, "description": "d"},
        "tool_response": {"stdout": ""}, "tool_use_id": id, "duration_ms": 1});
    claude(fixture, event, fields)
}

/// BR-90, BR-91: the exact denial, also where no hook could be asked.
#[test]
fn line_of_a_skill_is_denied_exactly() {
    let fixture = guarded();
    let line = |command: &str| {
        let fields = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_0:preamble-0",
            "command_name": "look", "command_source": "projectSettings", "invoked_by": "user"});
        claude(&fixture, "PreSkillShellCommand", fields)
    };
    let denied = |said: &CliOutput| {
        let reply: Value = serde_json::from_str(&said.stdout).unwrap();
        let output = &reply["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "PreSkillShellCommand", "{}", said.stdout);
        assert_eq!((said.code, output["permissionDecision"].as_str()), (0, Some("deny")));
        let reason = output["permissionDecisionReason"].as_str().unwrap();
        reason.split(" [tenterhook explain ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(denied(&line("git fetch && git push -f")), "not here");
    let fine = line("git status");
    assert_eq!((fine.code, fine.stdout.as_str()), (0, ""), "{}", fine.stderr);
    // Self-protection judges the line, too.
    denied(&line("rm -rf ~/.config/tenterhook"));
    let args = ["hook", "--agent", "claude", "--event", "PreSkillShellCommand"];
    denied(&fixture.run(&args, "{"));
    denied(&fixture.run(&[&args[..], &["--nonsense"]].concat(), "{}"));
}

/// BR-93 to BR-96.
#[test]
fn silenced_call_is_reported_at_once_and_on_record() {
    let fixture = guarded();
    bash(&fixture, "PreToolUse", "toolu_a", "ls");
    let fine = bash(&fixture, "PostToolUse", "toolu_a", "ls");
    assert_eq!(fine.stdout, "", "{}", fine.stderr);
    bash(&fixture, "PreToolUse", "toolu_c", "git push");
    bash(&fixture, "PreToolUse", "toolu_d", "true");
    for (id, command, code) in [
        ("toolu_b", "touch x", "silenced-call"),
        ("toolu_c", "git push", "overruled-denial"),
        ("toolu_d", "git push -f", "masked-call"),
    ] {
        let found = bash(&fixture, "PostToolUse", id, command);
        let reply: Value = serde_json::from_str(&found.stdout).unwrap();
        let message = reply["systemMessage"].as_str().unwrap();
        assert!(message.contains(id) && message.contains(command), "{message}");
        let log = fixture.run(&["log", "--format", "json", "--event", "PostToolUse"], "");
        assert!(log.stdout.contains(code), "{code}: {}", log.stdout);
    }
}

/// RC-10.
#[test]
fn calls_that_were_kept_from_their_gates_have_their_cause() {
    let fixture = guarded();
    let calls = [
        ("toolu_a", "ls", "ls", None),
        ("toolu_b", "", "touch x", Some("silenced")),
        ("toolu_c", "git push", "git push", Some("overruled")),
        ("toolu_d", "true", "git push -f", Some("masked")),
        // The event after it is masked, too.
        ("toolu_e", "true", "rm -r y", Some("masked")),
    ];
    let mut transcript = String::new();
    for (id, shown, ran, _) in calls {
        let line = |role: &str, block: Value| {
            json!({"type": role, "sessionId": "s", "version": "2.1.332", "cwd": "/p", "timestamp": "2026-11-22T13:07:28.0Z",
                "message": {"role": role, "content": [block]}, "permissionDecision": {"decision": "accept", "source": "config"}})
        };
        let input = json!({"command": ran, "description": "d"});
        let wants = line(
            "assistant",
            json!({"type": "tool_use", "id": id, "name": "Bash", "input": input}),
        );
        let result = line(
            "user",
            json!({"type": "tool_result", "tool_use_id": id, "content": "", "is_error": false}),
        );
        transcript.push_str(&format!("{wants}\n{result}\n"));
        if !shown.is_empty() {
            bash(&fixture, "PreToolUse", id, shown);
        }
        bash(&fixture, "PostToolUse", id, if id == "toolu_e" { shown } else { ran });
    }
    fixture.write("home/s.jsonl", &transcript);
    let file = fixture.path("home/s.jsonl");
    let output = fixture.run(&["reconcile", "--format", "json", &file.to_string_lossy()], "");
    let page: Value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("reconcile", &page);
    let gaps = page["gaps"].as_array().unwrap();
    let cause = |id: &str| {
        let has = |gap: &&Value| {
            gap["places"].as_array().unwrap().iter().any(|place| place["call"] == id)
        };
        gaps.iter().find(has).map(|gap| gap["cause"].as_str().unwrap())
    };
    for (id, .., wanted) in calls {
        assert_eq!(cause(id), wanted, "{id}: {}", output.stdout);
    }
}
