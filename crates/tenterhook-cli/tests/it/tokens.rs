//! The tokens of a session, in rules and payloads, from a transcript that grows between calls.

use std::io::Write;

use serde_json::{Value, json};

use crate::fixture::Fixture;

const USER: &str = "home/.config/tenterhook/tenterhook.toml";
const RULE: &str = r#"
[hook.full]
on = "PreToolUse"
when = "usage.context_share > 0.8"
deny = "{usage.context_tokens} tokens, {usage.output_tokens} written"
"#;

fn append(fixture: &Fixture, line: &Value) {
    let path = fixture.path("t.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

fn fire(fixture: &Fixture, agent: &str, event: &str) -> String {
    let payload = json!({ "hook_event_name": event, "session_id": "s-1", "cwd": "/", "prompt": "x",
        "transcript_path": fixture.path("t.jsonl"), "tool_name": "Bash", "tool_use_id": "call-1",
        "tool_input": { "command": "ls" } });
    fixture.run(&["hook", "--agent", agent, "--event", event], &payload.to_string()).stdout
}

fn claude(id: &str, input: u64) -> Value {
    json!({ "type": "assistant", "message": { "id": id,
        "usage": { "input_tokens": 3, "cache_read_input_tokens": input, "output_tokens": 7 } } })
}

/// UG-1, UG-2.
#[test]
fn rule_denies_once_the_context_is_full() {
    let fixture = Fixture::new();
    fixture.write(USER, RULE);
    assert_eq!(fire(&fixture, "claude", "PreToolUse"), "", "there is no transcript");
    append(&fixture, &claude("a", 100_000));
    assert_eq!(fire(&fixture, "claude", "PreToolUse"), "");
    append(&fixture, &claude("b", 170_000));
    let denied = fire(&fixture, "claude", "PreToolUse");
    assert!(denied.contains("170010 tokens, 14 written"), "{denied}");
    std::fs::write(fixture.path("t.jsonl"), "").unwrap();
    assert_eq!(fire(&fixture, "claude", "PreToolUse"), "", "the transcript shrank");
}

/// UG-1.
#[test]
fn window_is_the_one_that_the_agent_names() {
    let fixture = Fixture::new();
    fixture.write(USER, RULE);
    append(
        &fixture,
        &json!({ "type": "event_msg", "payload": { "type": "token_count", "info": {
        "total_token_usage": { "output_tokens": 40 }, "last_token_usage": { "total_tokens": 900 },
        "model_context_window": 1_000 } } }),
    );
    let denied = fire(&fixture, "codex", "PreToolUse");
    assert!(denied.contains("900 tokens, 40 written"), "{denied}");
}

/// UG-4: tokens that are not known are not 0.
#[test]
fn gate_holds_if_the_tokens_are_unknown() {
    let fixture = Fixture::new();
    fixture.write(USER, RULE);
    append(&fixture, &claude("a", 100_000));
    assert_eq!(fire(&fixture, "claude", "PreToolUse"), "");
    std::fs::remove_file(fixture.path("t.jsonl")).unwrap();
    let denied = fire(&fixture, "claude", "PreToolUse");
    let why = "`usage.context_share` is not known of this session";
    assert!(denied.contains("deny") && denied.contains(why), "{denied}");
    // The transcripts of this agent have no tokens.
    let denied = fire(&fixture, "droid", "PreToolUse");
    assert!(denied.contains(why), "{denied}");
    for rule in [
        RULE.replace("\"usage.context_share", "\"host.agent == 'claude' && usage.context_share"),
        format!("{RULE}doubt = \"ignore\"\n"),
        RULE.replace("deny", "context"),
    ] {
        fixture.write(USER, &rule);
        assert_eq!(fire(&fixture, "droid", "PreToolUse"), "", "{rule}");
    }
}

/// UG-3: a program gets the numbers; for a rule that does not name them, nothing is read.
#[test]
fn payload_has_the_tokens() {
    let fixture = Fixture::new();
    append(&fixture, &claude("a", 100_000));
    let saved = fixture.path("seen.json");
    let hook =
        format!("[hook.sees]\non = 'UserPromptSubmit'\nshell = 'cat > {}'\n", saved.display());
    fixture.write(
        USER,
        &format!(
            "{hook}[hook.other]\non = 'PreToolUse'\nwhen = 'tool.name == \"x\"'\ndeny = 'x'\n"
        ),
    );
    fire(&fixture, "claude", "PreToolUse");
    let sessions = fixture.path("home/.local/state/tenterhook/sessions");
    let has_state = || {
        let files = std::fs::read_dir(&sessions).into_iter().flatten().flatten();
        files.into_iter().any(|file| file.path().extension().is_some_and(|end| end == "usage"))
    };
    assert!(!has_state());
    fire(&fixture, "claude", "UserPromptSubmit");
    let seen: Value = serde_json::from_str(&std::fs::read_to_string(saved).unwrap()).unwrap();
    assert_eq!(seen["session"]["usage"]["output_tokens"], 7);
    assert_eq!(seen["session"]["usage"]["context_tokens"], 100_010);
    assert!(has_state());
}

/// BT-1: a recorded session does not say how many tokens it had used at that time.
#[test]
fn backtest_does_not_ask_rules_about_tokens() {
    let fixture = Fixture::new();
    fixture.write("project/rules.toml", RULE);
    let content =
        json!([{ "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "ls" } }]);
    let record = json!({ "type": "assistant", "uuid": "u1", "sessionId": "s", "cwd": "/p",
        "version": "2.1.330", "timestamp": "2026-11-20T09:00:01Z",
        "message": { "role": "assistant", "content": content } });
    fixture.write("project/sessions/s.jsonl", &format!("{record}\n"));
    let output = fixture.run(&["backtest", "native=rules.toml", "--sessions", "sessions"], "");
    let why = "not asked, the tokens of the session at that time are not known";
    let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(why) && !text.contains("deny"), "{}", output.all());
}
