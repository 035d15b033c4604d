//! Background hooks behind an agent: they delay no call, and what they leave comes with a later event of the session.
#![cfg(unix)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{CliOutput, Fixture};

const SETTINGS: &str = "home/.claude/settings.json";

/// A shell line that goes on once the test releases it.
fn after_release(fixture: &Fixture, rest: &str) -> String {
    let file = fixture.path("go");
    format!("while [ ! -e {} ]; do sleep 0.01; done; {rest}", file.display())
}

fn hook(command: &str, field: &str) -> Value {
    json!({ "type": "command", "command": command, field: true })
}

fn configure(fixture: &Fixture, hooks: &Value) {
    fixture.write(SETTINGS, &json!({ "hooks": hooks }).to_string());
}

fn payload(event: &str, fields: &Value) -> String {
    let mut payload = json!({ "hook_event_name": event, "session_id": "s-1", "cwd": "/",
        "tool_name": "Bash", "tool_use_id": "call-1", "tool_input": { "command": "ls" },
        "tool_response": "x", "prompt": "go on", "stop_hook_active": false });
    payload.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap_or_default());
    payload.to_string()
}

fn fire_with(fixture: &Fixture, agent: &str, event: &str, fields: &Value) -> CliOutput {
    let args = ["hook", "--agent", agent, "--event", event, "--within", "30s"];
    fixture.run(&args, &payload(event, fields))
}

fn fire(fixture: &Fixture, event: &str) -> CliOutput {
    fire_with(fixture, "codex", event, &Value::Null)
}

/// Returns the lines of `log` about steps that ended late, once there are as many.
fn late_steps(fixture: &Fixture, count: usize) -> Vec<Value> {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let output = fixture.run(&["log", "--format", "json"], "");
        let lines = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        let late: Vec<Value> = lines.filter(|line: &Value| line["kind"] == "late").collect();
        if late.len() >= count {
            return late;
        }
        assert!(Instant::now() < end, "not on record: {late:#?}");
        std::thread::yield_now();
    }
}

fn release(fixture: &Fixture) {
    fixture.write("go", "");
}

/// BR-158: a background hook that runs longer than the reply may take denies nothing.
#[test]
fn background_hook_does_not_delay_a_call() {
    let fixture = Fixture::new();
    let slow = after_release(&fixture, "echo done");
    configure(
        &fixture,
        &json!({ "PreToolUse": [{ "hooks": [hook(&slow, "async")] }],
        "UserPromptSubmit": [{ "hooks": [hook(&slow, "asyncRewake")] }] }),
    );
    for event in ["PreToolUse", "UserPromptSubmit"] {
        let output = fire(&fixture, event);
        assert_eq!((output.code, &*output.stdout, &*output.stderr), (0, "", ""), "{event}");
    }
    release(&fixture);
    for step in late_steps(&fixture, 2) {
        assert_eq!(step["hooks"][0]["ended"], "exit 0, detached");
    }
}

/// BR-159: as context of the next prompt, once, with the message to the user.
#[test]
fn context_of_a_background_hook_comes_with_the_next_prompt() {
    let fixture = Fixture::new();
    let answer = json!({ "systemMessage": "for the user",
        "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": "for the model" } });
    let answers = format!("echo '{answer}'");
    configure(&fixture, &json!({ "PostToolUse": [{ "hooks": [hook(&answers, "async")] }] }));
    assert_eq!(fire(&fixture, "PostToolUse").stdout, "");
    assert_eq!(late_steps(&fixture, 1)[0]["delivery"], "waiting");
    assert!(fixture.run(&["log"], "").stdout.contains("waits for the session's next event"));
    let output = fire_with(&fixture, "codex", "UserPromptSubmit", &json!({ "session_id": "s-2" }));
    assert_eq!(output.stdout, "", "another session");
    assert_eq!(fire(&fixture, "Stop").stdout, "", "nothing objects");
    let reply: Value = serde_json::from_str(&fire(&fixture, "UserPromptSubmit").stdout).unwrap();
    assert_eq!(reply["systemMessage"], "for the user");
    let context = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("for the model"), "{context}");
    assert_eq!(fire(&fixture, "UserPromptSubmit").stdout, "", "once");
    assert_eq!(late_steps(&fixture, 1)[0]["delivery"], "delivered");
}

/// BR-159: at the end of the turn, an objection keeps the agent at work.
#[test]
fn objection_of_a_waking_hook_denies_the_end_of_the_turn() {
    let fixture = Fixture::new();
    let objects = "echo 'the tests fail' >&2; exit 2";
    configure(&fixture, &json!({ "PostToolUse": [{ "hooks": [hook(objects, "asyncRewake")] }] }));
    fire(&fixture, "PostToolUse");
    late_steps(&fixture, 1);
    let reply: Value = serde_json::from_str(&fire(&fixture, "Stop").stdout).unwrap();
    assert_eq!(reply, json!({ "decision": "block", "reason": "the tests fail" }));
    assert_eq!(fire(&fixture, "Stop").stdout, "", "once");
}

/// BR-159: an agent may drop the texts with what is denied.
#[test]
fn event_that_is_denied_carries_no_result() {
    let fixture = Fixture::new();
    let deny = json!({ "type": "command", "command": "exit 2" });
    configure(
        &fixture,
        &json!({ "UserPromptSubmit": [{ "hooks": [deny] }],
        "SessionStart": [{ "hooks": [hook("echo '# rules'", "async")] }] }),
    );
    fire_with(&fixture, "codex", "SessionStart", &json!({ "source": "startup" }));
    late_steps(&fixture, 1);
    let denied = fire(&fixture, "UserPromptSubmit").stdout;
    assert!(denied.contains("block") && !denied.contains("# rules"), "{denied}");
    assert_eq!(late_steps(&fixture, 1)[0]["delivery"], "waiting");
    assert!(fire(&fixture, "PostToolUse").stdout.contains("# rules"));
}

/// BR-161.
#[test]
fn result_for_the_main_agent_does_not_reach_a_subagent() {
    let fixture = Fixture::new();
    let objects = "echo objection >&2; exit 2";
    configure(&fixture, &json!({ "PostToolUse": [{ "hooks": [hook(objects, "asyncRewake")] }] }));
    fire(&fixture, "PostToolUse");
    late_steps(&fixture, 1);
    let subagent = json!({ "agent_id": "a-1", "agent_type": "general" });
    let reply = fire_with(&fixture, "codex", "PreToolUse", &subagent);
    assert_eq!(reply.stdout, "");
    assert!(fire(&fixture, "PreToolUse").stdout.contains("objection"));
    fire_with(&fixture, "codex", "PostToolUse", &subagent);
    late_steps(&fixture, 2);
    let other = json!({ "agent_id": "a-2", "agent_type": "general" });
    assert_eq!(fire_with(&fixture, "codex", "PreToolUse", &other).stdout, "");
    assert!(fire(&fixture, "Stop").stdout.contains("objection"), "its caller reads it");
}

/// BR-160: a session that ends without a further event, and a hook that ends after its session.
#[test]
fn result_that_reaches_no_agent_is_a_fault() {
    let fixture = Fixture::new();
    let slow = after_release(&fixture, "echo objection >&2; exit 2");
    let quick = hook("echo objection >&2; exit 2", "asyncRewake");
    configure(
        &fixture,
        &json!({ "PostToolUse": [{ "hooks": [quick, hook(&slow, "asyncRewake")] }] }),
    );
    let config = fixture.path(SETTINGS).display().to_string();
    let args = ["hook", "--agent", "claude", "--event", "PostToolUse", "--config", &config];
    fixture.run(&args, &payload("PostToolUse", &Value::Null));
    late_steps(&fixture, 1);
    let ends = fire_with(&fixture, "claude", "SessionEnd", &json!({ "reason": "other" }));
    assert_eq!((ends.code, &*ends.stdout), (0, ""));
    release(&fixture);
    let words: Vec<Value> =
        late_steps(&fixture, 2).iter().map(|step| step["faults"].clone()).collect();
    assert_eq!(words, [json!([]), json!(["undelivered"])]);
    let log = fixture.run(&["log", "--event", "SessionEnd"], "").stdout;
    assert!(log.contains("undelivered"), "{log}");
}

/// BR-160: Goose takes no text but a reason for not ending its turn.
#[test]
fn agent_without_context_gets_only_objections() {
    let fixture = Fixture::new();
    let hooks = [hook("echo note", "async"), hook("echo objection >&2; exit 2", "asyncRewake")];
    configure(&fixture, &json!({ "SessionStart": [{ "hooks": hooks }] }));
    let fire = |event: &str| {
        let payload = json!({ "event": event, "session_id": "s-1", "working_dir": "/" });
        fixture.run(&["hook", "--agent", "goose", "--event", event], &payload.to_string())
    };
    fire("SessionStart");
    let steps = late_steps(&fixture, 2);
    let mut found: Vec<_> = steps.iter().map(|step| step["delivery"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, ["undelivered", "waiting"]);
    assert!(fire("Stop").stdout.contains("objection"));
}

/// BR-160: without a session nothing can wait.
#[test]
fn result_without_a_session_is_a_fault() {
    let fixture = Fixture::new();
    configure(
        &fixture,
        &json!({ "PostToolUse": [{ "hooks": [hook("echo x >&2; exit 2", "asyncRewake")] }] }),
    );
    fire_with(&fixture, "codex", "PostToolUse", &json!({ "session_id": "" }));
    assert_eq!(late_steps(&fixture, 1)[0]["faults"], json!(["undelivered"]));
}

/// BR-158: without a record, too.
#[test]
fn background_hook_runs_without_a_record() {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", "[record]\nenabled = false\n");
    configure(
        &fixture,
        &json!({ "PostToolUse": [{ "hooks": [hook("echo x >&2; exit 2", "asyncRewake")] }] }),
    );
    fire(&fixture, "PostToolUse");
    let end = Instant::now() + Duration::from_secs(60);
    while !fire(&fixture, "Stop").stdout.contains("block") {
        assert!(Instant::now() < end, "no result was delivered");
    }
}

/// BR-158.
#[test]
fn session_has_at_most_16_background_processes() {
    let fixture = Fixture::new();
    let slow = after_release(&fixture, "exit 0");
    configure(&fixture, &json!({ "PreToolUse": [{ "hooks": [hook(&slow, "async")] }] }));
    for _ in 0..16 {
        assert_eq!(fire(&fixture, "PreToolUse").stdout, "");
    }
    let full = fire(&fixture, "PreToolUse");
    assert!(full.stdout.contains("16 background processes"), "{}", full.stdout);
    assert_eq!(late_steps(&fixture, 1)[0]["faults"], json!(["background-full"]));
    release(&fixture);
    late_steps(&fixture, 17);
}

/// BR-159, G-43: a hook of Gen behind Claude Code.
#[test]
fn waking_hook_of_gen_keeps_claude_at_work() {
    let fixture = Fixture::new();
    let hooks = [hook("echo 'lint fails' >&2; exit 2", "asyncRewake"), hook("echo '{}'", "async")];
    let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": hooks }] } });
    fixture.write("home/.gen/settings.json", &settings.to_string());
    let claude = json!({ "prompt_id": "p-1" });
    assert_eq!(fire_with(&fixture, "claude", "PreToolUse", &claude).stdout, "");
    late_steps(&fixture, 2);
    let reply = fire_with(&fixture, "claude", "Stop", &claude).stdout;
    assert!(reply.contains("lint fails"), "{reply}");
}

/// BR-166: nothing of the hook outlives its killed process, and the next event reports it, once.
#[cfg(target_os = "linux")]
#[test]
fn hook_of_a_killed_background_process_ends_and_is_reported() {
    let fixture = Fixture::new();
    let (parent, sleeper) = (fixture.path("parent"), fixture.path("sleeper"));
    let runs = format!(
        "sleep 600 & echo $! > {}; echo $PPID > {}.new; mv {}.new {}; wait",
        sleeper.display(),
        parent.display(),
        parent.display(),
        parent.display()
    );
    configure(&fixture, &json!({ "PostToolUse": [{ "hooks": [hook(&runs, "async")] }] }));
    fire(&fixture, "PostToolUse");
    let end = Instant::now() + Duration::from_secs(60);
    while !parent.exists() {
        assert!(Instant::now() < end, "the hook did not start");
        std::thread::yield_now();
    }
    let process = std::fs::read_to_string(&sleeper).unwrap();
    assert_eq!(fixture.shell(&format!("kill -9 $(cat {})", parent.display())).code, 0);
    let stat = format!("/proc/{}/stat", process.trim());
    while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z")) {
        assert!(Instant::now() < end, "what the hook started lives on");
        std::thread::yield_now();
    }
    let report = || {
        fire(&fixture, "UserPromptSubmit");
        let log = fixture.run(&["log", "--format", "json"], "").stdout;
        log.matches("\"undelivered\"").count()
    };
    let found = report();
    assert!(found > 0, "{}", fixture.run(&["log", "--format", "json"], "").stdout);
    assert_eq!(report(), found, "once");
}
