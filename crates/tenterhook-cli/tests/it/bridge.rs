//! `hook`: an agent calls, and is told in its own words. What exactly is told is the tables' of `conformance/bridge`.

use serde_json::{Value, json};

use crate::room::Room;

const CODEX: &[&str] = &["hook", "--agent", "codex", "--event", "PreToolUse"];

fn bash(command: &str) -> String {
    json!({
        "session_id": "s", "transcript_path": null, "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1",
    })
    .to_string()
}

fn settings(event: &str, command: &str) -> String {
    let hook = json!({"type": "command", "command": command, "timeout": 20});
    json!({"hooks": {event: [{"hooks": [hook]}]}}).to_string()
}

/// A room whose user has these hooks.
fn room(file: &str, event: &str, command: &str) -> Room {
    let room = Room::new();
    room.write(&format!("home/{file}"), &settings(event, command));
    room
}

fn reason(stdout: &str) -> String {
    let reply: Value = serde_json::from_str(stdout).unwrap();
    let output = reply.get("hookSpecificOutput").unwrap();
    assert_eq!(output.get("permissionDecision").unwrap(), "deny", "{stdout}");
    output.get("permissionDecisionReason").and_then(Value::as_str).unwrap().to_owned()
}

/// BR-1: a hook of Claude Code answers Codex, by exit code 2 and by a near miss.
#[test]
fn a_hook_of_one_agent_answers_another() {
    for command in [
        "echo 'not here' >&2; exit 2",
        r#"echo log; echo '{"decision":"block","reason":"not here"}'"#,
    ] {
        let room = room(".claude/settings.json", "PreToolUse", command);
        let said = room.run(CODEX, &bash("ls"));
        assert_eq!((said.code, &*reason(&said.stdout)), (0, "not here"), "{}", said.stderr);
    }
}

/// BR-2, BR-11: what hooks print stands nowhere but in a reply, and no page for people does.
#[test]
fn the_reply_stands_alone() {
    let room = room(".claude/settings.json", "PreToolUse", "echo looks good; exit 1");
    let said = room.run(CODEX, &bash("ls"));
    let message =
        r#"{"systemMessage":"tenterhook: hook `user:PreToolUse:*:1`: it exited with code 1"}"#;
    assert_eq!((said.code, said.stdout.trim()), (0, message));
    let said = room.run(CODEX, &bash("ls"));
    assert_eq!((said.code, said.stdout.as_str()), (0, ""), "it is told once a session");
    assert!(said.stderr.contains("it exited with code 1"), "{}", said.stderr);
    let said = Room::new().run(CODEX, &bash("ls"));
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (0, "", ""));
}

/// BR-10.
#[test]
fn what_goes_wrong_is_a_denial_in_the_agents_words() {
    let room = Room::new();
    for (what, stdin) in [
        ("nothing", ""),
        ("half an object", r#"{"hook_event_name": "PreToolUse""#),
        ("no object", "[1]"),
        ("two events", r#"{"hook_event_name": "Stop", "hook_event_name": "PreToolUse"}"#),
        ("no tool", r#"{"hook_event_name": "PreToolUse"}"#),
        ("no text", "\u{0}\u{1}"),
    ] {
        for agent in ["claude", "codex"] {
            let said = room.run(&["hook", "--agent", agent, "--event", "PreToolUse"], stdin);
            assert_eq!(said.code, 0, "{agent}: {what}");
            assert!(reason(&said.stdout).contains("no hook could see it"), "{what}");
        }
    }
    let missing = [CODEX, &["--config", "none.json"]].concat();
    let wrong = [CODEX, &["--unheard-of"]].concat();
    let late = [CODEX, &["--within", "soon"]].concat();
    for args in [missing, wrong, late] {
        let said = room.run(&args, &bash("ls"));
        assert_eq!(said.code, 0, "{args:?}");
        assert!(reason(&said.stdout).starts_with("blocked"), "{args:?}");
    }
    for args in [&["hook"][..], &["hook", "--agent", "nobody", "--event", "PreToolUse"]] {
        let said = room.run(args, &bash("ls"));
        assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{args:?}");
        assert!(said.stderr.contains("error:"), "{}", said.stderr);
    }
}

/// BR-10: a denied end of a turn would never end.
#[test]
fn nothing_at_stake_is_silence() {
    let room = Room::new();
    for event in ["Stop", "SessionEnd", "PostToolUse"] {
        let args = ["hook", "--agent", "codex", "--event", event];
        let said = room.run(&args, "{");
        assert_eq!((said.code, said.stdout.as_str()), (0, ""), "{event}");
        assert!(said.stderr.contains("error:"), "{event}: {}", said.stderr);
        let said = room.run(&[&args[..], &["--unheard-of"]].concat(), "");
        assert_eq!((said.code, said.stdout.as_str()), (0, ""), "{event}");
    }
}

/// BR-12: a hook that takes longer, and an event that never ends.
#[test]
fn a_reply_comes_within_its_time() {
    let slow = room(".claude/settings.json", "PreToolUse", "sleep 30");
    slow.write("home/.config/tenterhook/tenterhook.toml", ON_FAILURE);
    let args = [CODEX, &["--within", "1s"]].concat();
    let began = std::time::Instant::now();
    let said = slow.run(&args, &bash("ls"));
    assert!(reason(&said.stdout).contains("gave no answer"), "{}", said.stdout);
    slow.write("event.json", &bash("ls"));
    let line = format!("{{ cat ../event.json; sleep 4; }} | tenterhook {}", args.join(" "));
    // The reader of a pipe is gone before who writes to it.
    let said = slow.shell(&format!("({line}) & wait $!; true"));
    assert!(reason(&said.stdout).contains("within 1s"), "{}", said.stdout);
    assert!(began.elapsed().as_secs() < 60, "the reply waits for nobody");
}

const ON_FAILURE: &str = "[source.\"~/.claude/settings.json\"]\non_failure = \"block\"\n";

/// BR-30.
#[test]
fn the_agents_own_hooks_are_left_to_it() {
    let room = room(".claude/settings.json", "PreToolUse", "echo 'not here' >&2; exit 2");
    let args = ["hook", "--agent", "claude", "--event", "PreToolUse"];
    let said = room.run(&args, &bash("ls"));
    assert_eq!((said.code, said.stdout.as_str()), (0, ""), "{}", said.stderr);
    let file = room.path("home/.claude/settings.json").display().to_string();
    let said = room.run(&[&args[..], &["--config", &file]].concat(), &bash("ls"));
    assert_eq!(reason(&said.stdout), "not here");
}

/// BR-31: however it is called, and nothing else is taken for it.
#[test]
fn an_entry_that_is_this_program_is_not_fired() {
    for own in [
        "tenterhook hook --agent claude --event PreToolUse; echo ours >&2; exit 2",
        "/opt/x/tenterhook hook --agent claude --event PreToolUse || { echo ours >&2; exit 2; }",
        "npx tenterhook fire; exit 2",
        "env A=1 'tenterhook' fire; exit 2",
    ] {
        let room = room(".claude/settings.json", "PreToolUse", own);
        let said = room.run(CODEX, &bash("ls"));
        assert_eq!((said.code, said.stdout.as_str()), (0, ""), "{own}: {}", said.stderr);
    }
    for other in [
        "echo no >&2; exit 2 # tenterhook hook",
        "echo no tenterhook hook >&2; exit 2",
        "echo no >&2; tenterhook check; exit 2",
    ] {
        let room = room(".claude/settings.json", "PreToolUse", other);
        let said = room.run(CODEX, &bash("ls"));
        assert!(reason(&said.stdout).starts_with("no"), "{other}");
    }
}

/// BR-5: a person says so outside of the agent, for one call and once.
#[cfg(target_os = "linux")]
#[test]
fn a_person_lets_pass_what_codex_cannot_ask_about() {
    let ask = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}'"#;
    let room = room(".claude/settings.json", "PreToolUse", ask);
    room.write("event.json", &bash("ls"));
    // The agent is gone when the person comes: this test is the parent of both.
    let call =
        || room.shell(&format!("timeout 20 tenterhook {} <../event.json; true", CODEX.join(" ")));
    let why = reason(&call().stdout);
    assert!(why.starts_with("sure?"), "{why}");
    let code = why.split("allow once ").nth(1).and_then(|it| it.get(..6)).unwrap();
    let allowed = room.at_terminal(&["allow", "once", code]);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    let passed = call().stdout;
    assert!(passed.contains("allowed this call once") && !passed.contains("deny"), "{passed}");
    assert!(reason(&call().stdout).starts_with("sure?"), "once is not twice");
}

/// BR-40: a gate at the end of a turn gives way after eight denials, in as many processes.
#[test]
fn a_gate_at_the_end_gives_way_behind_codex() {
    let room = room(".claude/settings.json", "Stop", "echo 'run the tests' >&2; exit 2");
    let stop = |session: &str| {
        let event = json!({"session_id": session, "cwd": "/", "hook_event_name": "Stop"});
        room.run(&["hook", "--agent", "codex", "--event", "Stop"], &event.to_string()).stdout
    };
    for _ in 0..8 {
        assert_eq!(stop("a"), "{\"decision\":\"block\",\"reason\":\"run the tests\"}\n");
    }
    assert!(stop("a").contains("denied 9 times in a row"), "it gives way");
    assert!(stop("a").contains("block") && stop("b").contains("block"));
}

/// BR-42: where nobody can count, a turn ends.
#[test]
fn a_gate_at_the_end_that_nobody_can_count_gives_way() {
    let room = room(".claude/settings.json", "Stop", "echo 'run the tests' >&2; exit 2");
    room.write("home/.local/state/tenterhook/sessions", "a file in the place");
    let event = json!({"session_id": "s", "cwd": "/", "hook_event_name": "Stop"}).to_string();
    let said = room.run(&["hook", "--agent", "codex", "--event", "Stop"], &event);
    assert!(!said.stdout.contains("block"), "{}", said.stdout);
    assert!(said.stdout.contains("run the tests"), "the reason is told: {}", said.stdout);
}
