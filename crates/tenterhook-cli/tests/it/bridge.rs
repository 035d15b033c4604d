//! `hook`: an agent calls and gets a reply in its format. The tables in `conformance/bridge` test the exact replies.

use serde_json::{Value, json};

use crate::fixture::Fixture;

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

/// A fixture whose user has these hooks.
fn fixture(file: &str, event: &str, command: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write(&format!("home/{file}"), &settings(event, command));
    fixture
}

fn reason(stdout: &str) -> String {
    let reply: Value = serde_json::from_str(stdout).unwrap();
    let output = reply.get("hookSpecificOutput").unwrap();
    assert_eq!(output.get("permissionDecision").unwrap(), "deny", "{stdout}");
    output.get("permissionDecisionReason").and_then(Value::as_str).unwrap().to_owned()
}

/// The reason without the line that names what the user can do.
fn own_reason(stdout: &str) -> String {
    let reason = reason(stdout);
    let own = reason.split("\nThe user, ").next().unwrap_or_default();
    own.split(" [tenterhook explain ").next().unwrap_or_default().to_owned()
}

/// A call of an agent that has exited when the person answers: this test is the parent of both.
#[cfg(target_os = "linux")]
fn call_of_codex(fixture: &Fixture, command: &str) -> String {
    fixture.write("event.json", &bash(command));
    let line = format!("timeout 20 tenterhook {} <../event.json; true", CODEX.join(" "));
    fixture.shell(&line).stdout
}

/// BR-125.
#[cfg(target_os = "linux")]
#[test]
fn denial_names_commands_that_explain_it_and_let_the_call_pass_once() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "echo 'not here' >&2; exit 2");
    let call = |command: &str| call_of_codex(&fixture, command);
    let why = reason(&call("ls"));
    let code = why.split("allow once ").nth(1).and_then(|part| part.get(..6)).unwrap();
    let first = format!("not here [tenterhook explain {code}]\nThe user, in a separate terminal: ");
    assert!(why.starts_with(&first), "{why}");
    assert!(why.contains(&format!("`tenterhook explain {code}` to see why")), "{why}");
    let log = fixture.run(&["log"], "").stdout;
    assert!(log.contains(code), "{log}");
    let explained = fixture.run(&["explain", code], "").all();
    assert!(explained.contains("deny") && explained.contains("PreToolUse"), "{explained}");
    let refused = fixture.run(&["allow", "once", code], "");
    assert_ne!(refused.code, 0, "only a person may: {}", refused.all());
    let allowed = fixture.at_terminal(&["allow", "once", code]);
    assert_eq!(allowed.code, 0, "{}", allowed.all());
    assert_eq!(own_reason(&call("ls -l")), "not here", "another call");
    let passed = call("ls");
    assert!(!passed.contains("deny") && passed.contains("allowed this call once"), "{passed}");
    assert_eq!(own_reason(&call("ls")), "not here", "once");
    let log = fixture.run(&["log", "--format", "json"], "").stdout;
    let last =
        |at: usize| -> Value { serde_json::from_str(log.lines().rev().nth(at).unwrap()).unwrap() };
    assert_eq!((&last(0)["decision"], &last(0)["code"]), (&json!("deny"), &json!(code)));
    assert_eq!((&last(1)["decision"], &last(1)["code"]), (&json!("silent"), &Value::Null));
    // The record says why the call passed.
    assert_eq!(last(1)["exemption"], "allowed once", "{log}");
    let passed = last(1)["seq"].to_string();
    let page = fixture.run(&["explain", "--record", &passed], "").stdout;
    assert!(page.contains("  allowed once after "), "{page}");
    assert!(page.contains("deny, allowed once"), "{page}");
    assert_eq!(fixture.run(&["log"], "").stdout.matches("  allowed once  ").count(), 1);
    let stats = fixture.run(&["log", "--stats", "--format", "json"], "").stdout;
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(
        (&stats["hooks"][0]["fired"], &stats["hooks"][0]["denials"]),
        (&json!(4), &json!(3))
    );
    // A person reads the outcome of `fire`.
    let fired = fixture.run(&["fire", "Bash", "ls"], "").all();
    assert!(!fired.contains("allow once"), "{fired}");
    // Its code is on record, but no agent waits for the call.
    fixture.run(&["fire", "Bash", "ls -a"], "");
    let log = fixture.run(&["log", "--format", "json"], "").stdout;
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let refused = fixture.at_terminal(&["allow", "once", last["code"].as_str().unwrap()]);
    let text = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = "is not an agent's: `tenterhook fire` only tried it";
    assert!(refused.code == 1 && text.contains(wanted), "{}", refused.all());
}

/// BR-125, SP-21: one allowance covers self-protection and the user's own gates.
#[cfg(target_os = "linux")]
#[test]
fn allowance_covers_built_in_rules_with_own_gates() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "echo 'not here' >&2; exit 2");
    let call = || call_of_codex(&fixture, "rm -rf ~/.codex");
    let why = reason(&call());
    let code = why.split("allow once ").nth(1).and_then(|part| part.get(..6)).unwrap();
    assert_eq!(fixture.at_terminal(&["allow", "once", code]).code, 0);
    let passed = call();
    assert!(!passed.contains("deny"), "{passed}");
    assert!(call().contains("deny"), "once");
}

/// BR-1: a hook of Claude Code answers Codex, by exit code 2 and by a near miss.
#[test]
fn a_hook_of_one_agent_answers_another() {
    for command in [
        "echo 'not here' >&2; exit 2",
        r#"echo log; echo '{"decision":"block","reason":"not here"}'"#,
    ] {
        let fixture = fixture(".claude/settings.json", "PreToolUse", command);
        let output = fixture.run(CODEX, &bash("ls"));
        assert_eq!(
            (output.code, &*own_reason(&output.stdout)),
            (0, "not here"),
            "{}",
            output.stderr
        );
    }
}

/// BR-10, BR-110: a reply without a reader is lost, and silence would allow the call.
#[test]
fn reply_without_reader_denies_by_exit_code() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "echo 'not here' >&2; exit 2");
    fixture.write("project/call.json", &bash("ls"));
    let hook = "tenterhook hook --agent codex --event";
    for (line, code) in [
        (format!("{hook} PreToolUse <call.json >/dev/full"), 2),
        (format!("{hook} PreToolUse <call.json >&-"), 2),
        (format!("{hook} PreToolUse <call.json >/dev/null"), 2),
        (format!("{hook} PreToolUse </dev/null >/dev/full"), 2),
        (format!("{hook} PreToolUse <call.json"), 0),
    ] {
        let output = fixture.shell(&line);
        assert_eq!(output.code, code, "{line}: {}", output.all());
        if code == 2 {
            assert!(output.stderr.contains("the reply "), "{line}: {}", output.stderr);
        }
    }
}

/// BR-2, BR-11: what hooks print stands nowhere but in a reply, and no page for people does.
#[test]
fn the_reply_stands_alone() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "echo looks good; exit 1");
    let output = fixture.run(CODEX, &bash("ls"));
    let message =
        r#"{"systemMessage":"tenterhook: hook `echo looks good; exit 1`: it exited with code 1"}"#;
    assert_eq!((output.code, output.stdout.trim()), (0, message));
    let output = fixture.run(CODEX, &bash("ls"));
    assert_eq!((output.code, output.stdout.as_str()), (0, ""), "it is shown once a session");
    assert!(output.stderr.contains("it exited with code 1"), "{}", output.stderr);
    let output = Fixture::new().run(CODEX, &bash("ls"));
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
}

/// BR-10.
#[test]
fn what_goes_wrong_is_a_denial_in_the_agents_words() {
    let fixture = Fixture::new();
    for (what, stdin) in [
        ("nothing", ""),
        ("half an object", r#"{"hook_event_name": "PreToolUse""#),
        ("no object", "[1]"),
        ("two events", r#"{"hook_event_name": "Stop", "hook_event_name": "PreToolUse"}"#),
        ("no tool", r#"{"hook_event_name": "PreToolUse"}"#),
        ("no text", "\u{0}\u{1}"),
    ] {
        for agent in ["claude", "codex"] {
            let output = fixture.run(&["hook", "--agent", agent, "--event", "PreToolUse"], stdin);
            assert_eq!(output.code, 0, "{agent}: {what}");
            assert!(reason(&output.stdout).contains("no hook could see it"), "{what}");
        }
    }
    let missing = [CODEX, &["--config", "none.json"]].concat();
    let wrong = [CODEX, &["--unheard-of"]].concat();
    let late = [CODEX, &["--within", "soon"]].concat();
    for args in [missing, wrong, late] {
        let output = fixture.run(&args, &bash("ls"));
        assert_eq!(output.code, 0, "{args:?}");
        assert!(reason(&output.stdout).starts_with("blocked"), "{args:?}");
    }
    for args in [&["hook"][..], &["hook", "--agent", "unknown", "--event", "PreToolUse"]] {
        let output = fixture.run(args, &bash("ls"));
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}");
        assert!(output.stderr.contains("error:"), "{}", output.stderr);
    }
}

/// BR-10: a denied end of a turn would never end.
#[test]
fn nothing_at_stake_is_silence() {
    let fixture = Fixture::new();
    for event in ["Stop", "SessionEnd", "PostToolUse"] {
        let args = ["hook", "--agent", "codex", "--event", event];
        let output = fixture.run(&args, "{");
        assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{event}");
        assert!(output.stderr.contains("error:"), "{event}: {}", output.stderr);
        let output = fixture.run(&[&args[..], &["--unheard-of"]].concat(), "");
        assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{event}");
    }
}

/// BR-12: a hook that takes longer, and an event that never ends.
#[test]
fn a_reply_comes_within_its_time() {
    let slow = fixture(".claude/settings.json", "PreToolUse", "sleep 30");
    slow.write("home/.config/tenterhook/tenterhook.toml", ON_FAILURE);
    let args = [CODEX, &["--within", "1s"]].concat();
    let began = std::time::Instant::now();
    let output = slow.run(&args, &bash("ls"));
    assert!(reason(&output.stdout).contains("gave no answer"), "{}", output.stdout);
    slow.write("event.json", &bash("ls"));
    let line = format!("{{ cat ../event.json; sleep 4; }} | tenterhook {}", args.join(" "));
    // The reader of a pipe is gone before who writes to it.
    let output = slow.shell(&format!("({line}) & wait $!; true"));
    assert!(reason(&output.stdout).contains("within 1s"), "{}", output.stdout);
    assert!(began.elapsed().as_secs() < 60, "the reply does not wait for hooks");
}

/// BR-10, BR-13: the event that arrived decides what is at stake, even if the program cannot go on.
#[cfg(target_os = "linux")]
#[test]
fn the_last_word_is_about_the_event_that_came() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "kill -ABRT $PPID; sleep 30");
    let claimed = ["hook", "--agent", "codex", "--event", "PostToolUse"];
    let output = fixture.run(&claimed, &bash("ls"));
    assert!(reason(&output.stdout).contains("a signal ended it"), "{}", output.all());
}

const ON_FAILURE: &str = "[source.\"~/.claude/settings.json\"]\non_failure = \"block\"\n";

/// BR-30.
#[test]
fn the_agents_own_hooks_are_left_to_it() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "echo 'not here' >&2; exit 2");
    let args = ["hook", "--agent", "claude", "--event", "PreToolUse"];
    let output = fixture.run(&args, &bash("ls"));
    assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{}", output.stderr);
    let file = fixture.path("home/.claude/settings.json").display().to_string();
    let output = fixture.run(&[&args[..], &["--config", &file]].concat(), &bash("ls"));
    assert_eq!(own_reason(&output.stdout), "not here");
}

/// BR-31: however it is called, and nothing else is taken for it.
#[test]
fn an_entry_that_is_this_program_is_not_fired() {
    for own in [
        "tenterhook hook --agent claude --event PreToolUse; echo ours >&2; exit 2",
        "/opt/x/tenterhook hook --agent claude --event PreToolUse || { echo ours >&2; exit 2; }",
        "npx tenterhook hook --agent codex --event PreToolUse; exit 2",
        "env A=1 'tenterhook' hook --agent codex --event PreToolUse; exit 2",
    ] {
        let fixture = fixture(".claude/settings.json", "PreToolUse", own);
        let output = fixture.run(CODEX, &bash("ls"));
        assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{own}: {}", output.stderr);
    }
    for other in [
        "echo no >&2; exit 2 # tenterhook hook",
        "echo no tenterhook hook >&2; exit 2",
        "echo no >&2; tenterhook check; exit 2",
        "./absent/tenterhook fire 2>/dev/null; echo no >&2; exit 2",
    ] {
        let fixture = fixture(".claude/settings.json", "PreToolUse", other);
        let output = fixture.run(CODEX, &bash("ls"));
        assert!(reason(&output.stdout).starts_with("no"), "{other}");
    }
}

/// BR-5: a person says so outside of the agent, for one call and once.
#[cfg(target_os = "linux")]
#[test]
fn a_person_lets_pass_what_codex_cannot_ask_about() {
    let ask = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}'"#;
    let fixture = fixture(".claude/settings.json", "PreToolUse", ask);
    fixture.write("event.json", &bash("ls"));
    // The agent is gone when the person comes: this test is the parent of both.
    let call = || {
        fixture.shell(&format!("timeout 20 tenterhook {} <../event.json; true", CODEX.join(" ")))
    };
    let why = reason(&call().stdout);
    assert!(why.starts_with("sure?"), "{why}");
    let code = why.split("allow once ").nth(1).and_then(|part| part.get(..6)).unwrap();
    let allowed = fixture.at_terminal(&["allow", "once", code]);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    let passed = call().stdout;
    assert!(passed.contains("allowed this call once") && !passed.contains("deny"), "{passed}");
    assert!(reason(&call().stdout).starts_with("sure?"), "once is not twice");
}

/// BR-40: a gate at the end of a turn gives way after eight denials, in as many processes.
#[test]
fn a_gate_at_the_end_gives_way_behind_codex() {
    let fixture = fixture(".claude/settings.json", "Stop", "echo 'run the tests' >&2; exit 2");
    let stop = |session: &str| {
        let event = json!({"session_id": session, "cwd": "/", "hook_event_name": "Stop"});
        fixture.run(&["hook", "--agent", "codex", "--event", "Stop"], &event.to_string()).stdout
    };
    for _ in 0..8 {
        assert_eq!(stop("a"), "{\"decision\":\"block\",\"reason\":\"run the tests\"}\n");
    }
    assert!(stop("a").contains("denied 9 times in a row"), "it gives way");
    assert!(stop("a").contains("block") && stop("b").contains("block"));
}

/// BR-42: if denials cannot be counted, a turn ends.
#[test]
fn stop_gate_without_session_state_gives_way() {
    let fixture = fixture(".claude/settings.json", "Stop", "echo 'run the tests' >&2; exit 2");
    fixture.write("home/.local/state/tenterhook/sessions", "a file in the place");
    let event = json!({"session_id": "s", "cwd": "/", "hook_event_name": "Stop"}).to_string();
    let output = fixture.run(&["hook", "--agent", "codex", "--event", "Stop"], &event);
    assert!(!output.stdout.contains("block"), "{}", output.stdout);
    assert!(output.stdout.contains("run the tests"), "the reason is shown: {}", output.stdout);
}

/// The calls of every agent, and how a denial reads there.
pub(crate) const CALLS: &[(&str, &str, &str, &str)] = &[
    (
        "claude",
        "PreToolUse",
        r#"{"session_id":"s","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","prompt_id":"p","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#""permissionDecision":"deny""#,
    ),
    (
        "codex",
        "PreToolUse",
        r#"{"session_id":"s","turn_id":"t","model":"m","transcript_path":null,"cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#""permissionDecision":"deny""#,
    ),
    (
        "copilot",
        "preToolUse",
        r#"{"sessionId":"s","timestamp":1,"cwd":"/","toolName":"bash","toolArgs":{"command":"ls"}}"#,
        r#"{"permissionDecision":"deny""#,
    ),
    (
        "copilot-pascal",
        "PreToolUse",
        r#"{"session_id":"s","timestamp":"2026-11-21T20:24:35.471Z","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#"{"hookSpecificOutput""#,
    ),
    (
        "gemini",
        "BeforeTool",
        r#"{"session_id":"s","transcript_path":"/t","timestamp":"2026-11-21T20:24:35.471Z","cwd":"/","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
        r#"{"decision":"deny""#,
    ),
    (
        "qwen",
        "PreToolUse",
        r#"{"session_id":"s","transcript_path":"/t","timestamp":"2026-11-21T20:24:35.471Z","cwd":"/","permission_mode":"yolo","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
        r#""permissionDecision":"deny""#,
    ),
    (
        "goose",
        "PreToolUse",
        r#"{"event":"PreToolUse","session_id":"s","matcher_context":"shell","tool_name":"shell","tool_input":{"command":"ls"},"working_dir":"/"}"#,
        r#"{"decision":"block""#,
    ),
    (
        "cline",
        "PreToolUse",
        r#"{"clineVersion":"","taskId":"s","workspaceRoots":["/"],"hookName":"tool_call","tool_call":{"id":"c","name":"run_commands","input":{"commands":["ls"]}}}"#,
        "HOOK_CONTROL\t{\"overrideInput\"",
    ),
    (
        "opencode",
        "PreToolUse",
        r#"{"agent":"opencode","hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"bash","tool_input":{"command":"ls"}}"#,
        r#"{"decision":"deny""#,
    ),
    (
        "kilo",
        "PreToolUse",
        r#"{"agent":"kilo","hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"background_process","tool_input":{"action":"start","command":"ls"}}"#,
        r#"{"decision":"deny""#,
    ),
    (
        "pi",
        "PreToolUse",
        r#"{"agent":"pi","hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"bash","tool_input":{"command":"ls"}}"#,
        r#"{"decision":"deny""#,
    ),
    (
        "amp",
        "PreToolUse",
        r#"{"agent":"amp","hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"shell_command","tool_input":{"command":"ls"}}"#,
        r#"{"decision":"deny""#,
    ),
    (
        "openclaw",
        "PreToolUse",
        r#"{"agent":"openclaw","hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"exec","tool_input":{"command":"ls"}}"#,
        r#"{"decision":"deny""#,
    ),
];

pub(crate) const GATE: &str = "[hook.gate]\non = \"PreToolUse\"\nif = \"Bash(ls)\"\nshell = \"echo 'not here' >&2; exit 2\"\n";

/// BR-13.
#[test]
fn call_is_answered_in_the_format_of_its_agent_not_of_the_named_one() {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", GATE);
    for (agent, event, call, denial) in CALLS {
        for (claimed, own, ..) in CALLS {
            let output = fixture.run(&["hook", "--agent", claimed, "--event", own], call);
            let is_denied = output.stdout.starts_with(denial) || output.stdout.contains(denial);
            assert!(
                is_denied && output.stdout.contains("not here"),
                "{agent} as {claimed}: {}",
                output.all()
            );
            assert_eq!(output.code, 0, "{agent} as {claimed}");
            let name = |text: &str| text.split('-').next().unwrap().to_owned();
            let certain = name(agent) != name(claimed);
            let warns = output.stderr.contains("the arguments say `--agent");
            let quiet = *agent == "gemini";
            assert_eq!(warns, certain && !quiet, "{agent} as {claimed}: {}", output.stderr);
        }
        // An unreadable event is answered in the format that the arguments name.
        let output = fixture.run(&["hook", "--agent", agent, "--event", event], "{");
        assert!(output.stdout.contains("no hook could see it"), "{agent}: {}", output.all());
        let starts = denial.starts_with('{') || denial.starts_with('H');
        let cancels = output.stdout.starts_with("HOOK_CONTROL\t{\"cancel\":true");
        assert!(
            !starts || output.stdout.starts_with(denial) || cancels,
            "{agent}: {}",
            output.stdout
        );
    }
}

/// BR-9: a hook of Claude Code that fails goes on there, and denies behind an agent in which it would.
#[test]
fn no_hook_is_weaker_behind_an_agent() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "exit 3");
    for (agent, event, call, _) in CALLS.iter().filter(|call| !["claude"].contains(&call.0)) {
        let output = fixture.run(&["hook", "--agent", agent, "--event", event], call);
        let denies = output.stdout.contains("gave no answer");
        assert_eq!(denies, ["copilot", "copilot-pascal", "gemini"].contains(agent), "{agent}");
    }
    fixture
        .write("home/.config/tenterhook/tenterhook.toml", &ON_FAILURE.replace("block", "continue"));
    for (agent, event, call, _) in CALLS.iter().filter(|call| call.0.starts_with("copilot")) {
        let output = fixture.run(&["hook", "--agent", agent, "--event", event], call);
        assert!(!output.stdout.contains("deny"), "the user says otherwise: {}", output.stdout);
    }
}

/// BR-24: an empty prompt is not recorded as the user's, and a first stop is not a second one.
#[test]
fn what_qwen_says_wrongly_is_mended() {
    let fixture = Fixture::new();
    fixture.write("home/.claude/settings.json", &json!({"hooks": {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "exit 2"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "grep -q 'stop_hook_active\":true' || { echo again >&2; exit 2; }"}]}],
    }}).to_string());
    let call = |event: &str, more: Value| {
        let mut call = json!({"session_id": "s", "transcript_path": "/t", "timestamp": "2026",
            "cwd": "/", "permission_mode": "yolo", "hook_event_name": event});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fixture.run(&["hook", "--agent", "qwen", "--event", event], &call.to_string()).stdout
    };
    assert_eq!(call("UserPromptSubmit", json!({"prompt": ""})), "");
    assert!(call("UserPromptSubmit", json!({"prompt": "hi"})).contains("block"));
    assert!(call("Stop", json!({"stop_hook_active": true})).contains("again"));
    assert_eq!(call("Stop", json!({"stop_hook_active": false})), "", "it was put off before");
}

/// BR-14.
#[test]
fn hook_receives_what_a_reply_can_express() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "cat >&2; exit 2");
    let output = fixture.run(CODEX, &bash("ls"));
    let read: Value = serde_json::from_str(&own_reason(&output.stdout)).unwrap();
    let wanted = json!({"agent": "codex", "can": ["deny", "rewrite input", "context", "message"], "unhooked": []});
    assert_eq!(read.get("host"), Some(&wanted));
}

/// BR-30, BR-31: `explain` says whose a hook is.
#[test]
fn explain_says_which_hooks_the_agent_runs_itself() {
    let fixture = fixture(".claude/settings.json", "PreToolUse", "true");
    fixture
        .write("home/.codex/hooks.json", &settings("PreToolUse", "tenterhook hook --agent codex"));
    let text = fixture.run(&["explain", "--agent", "claude", "Bash", "ls"], "").stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Claude Code loads this file itself"), "{words}");
    assert!(words.contains("1 entry in 1 file that calls Tenterhook itself (BR-31)"), "{words}");
}

/// BR-1: a gate of Reasonix at the end of a turn, behind Qwen Code.
#[test]
fn a_gate_with_directives_answers_qwen() {
    let fixture = Fixture::new();
    let gate = "printf '@@INJECT: run the tests\\n'; exit 2";
    let text = json!({"hooks": {"TurnEnd": [{"command": gate}]}}).to_string();
    fixture.write("home/.reasonix/settings.json", &text);
    let stop = r#"{"session_id":"s","transcript_path":"/t","timestamp":"2026","cwd":"/","permission_mode":"yolo","hook_event_name":"Stop"}"#;
    let output = fixture.run(&["hook", "--agent", "qwen", "--event", "Stop"], stop);
    assert!(output.stdout.contains(r#""decision":"block""#), "{}", output.all());
    assert!(output.stdout.contains("run the tests"), "{}", output.all());
}

/// BR-4: a transform of CodeWhale, as far as Claude Code supports it.
#[test]
fn a_transform_of_prompts_answers_claude_code() {
    let fixture = Fixture::new();
    for (program, message) in [
        (r#"printf '{"text":"fix it\\nin French"}'"#, r#""additionalContext":"in French""#),
        (r#"printf '{"text":"other words"}'"#, r"Send this instead:\nother words"),
    ] {
        let entry = format!("event = \"message_submit\"\ncommand = '''{program}'''\n");
        let text = format!("[hooks]\nenabled = true\n[[hooks.hooks]]\n{entry}");
        fixture.write("home/.codewhale/config.toml", &text);
        let prompt = r#"{"session_id":"s","transcript_path":"/t","prompt_id":"p","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"fix it"}"#;
        let output =
            fixture.run(&["hook", "--agent", "claude", "--event", "UserPromptSubmit"], prompt);
        assert!(output.stdout.contains(message), "{}", output.all());
    }
}
