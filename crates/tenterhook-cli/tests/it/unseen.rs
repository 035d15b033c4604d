//! Events that no hook can see, or that may be read in two ways: E-10 of `docs/spec/events.md`.

use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema};

/// An event before a tool call in the form of each dialect, with `{}` where the input stands.
const BEFORE: &[(&str, &str)] = &[
    ("native", r#"{"event": "PreToolUse", "tool": {"name": "Bash", "input": {}}}"#),
    ("claude", r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}"#),
    ("gen", r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}"#),
    ("ignis", r#"{"hook_event_name": "PreToolUse", "toolName": "bash", "toolInput": {}}"#),
    ("codewhale", r#"{"event": "tool_call_before", "tool_name": "exec_shell", "tool_args": {}}"#),
    ("reasonix", r#"{"event": "PreToolUse", "toolName": "bash", "toolArgs": {}}"#),
];

/// An event after which nothing can be held up.
const AFTER: &[(&str, &str)] = &[
    ("native", r#"{"event": "SessionEnd", "data": {}}"#),
    ("claude", r#"{"hook_event_name": "SessionEnd", "data": {}}"#),
    ("gen", r#"{"hook_event_name": "SessionEnd", "data": {}}"#),
    ("codewhale", r#"{"event": "session_end", "data": {}}"#),
    ("reasonix", r#"{"event": "SessionEnd", "data": {}}"#),
];

const TWICE: &str = r#"{"command": "git push", "command": "ls"}"#;

fn fire(fixture: &Fixture, dialect: &str, event: &str, code: i32) -> Value {
    let value = fixture.json(&["fire", "--format", "json", "--dialect", dialect], event, code);
    fits_schema("outcome", &value);
    value
}

fn stream(fixture: &Fixture, dialect: &str, event: &str) -> Value {
    let said = fixture.run(&["fire", "--stream", "--dialect", dialect], &format!("{event}\n"));
    serde_json::from_str(said.stdout.lines().next().unwrap_or_default()).unwrap_or_default()
}

fn denied(value: &Value, code: &str, names: &str) {
    let text = |at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or_default();
    let is_blocked = value.get("blocked") == Some(&json!(true));
    assert_eq!((text("/decision"), is_blocked), ("deny", true), "{value}");
    assert_eq!(text("/faults/0/code"), code, "{value}");
    let message = text("/faults/0/message");
    assert!(message.contains(names), "{message}: {names}");
}

/// E-10, E-9.
#[test]
fn a_key_that_stands_twice_denies_in_every_dialect() {
    let fixture = Fixture::with_settings("{}");
    for (dialect, event) in BEFORE {
        let twice = event.replace("{}", TWICE);
        denied(&fire(&fixture, dialect, &twice, 2), "doubled-key", "command` occurs twice");
        denied(&stream(&fixture, dialect, &twice), "doubled-key", "command` occurs twice");
        let other = event.replacen('{', "{\"x\": {\"y\": 1, \"y\": 1}, ", 1);
        denied(
            &fire(&fixture, dialect, &other, 2),
            match *dialect {
                // It knows all of its keys.
                "native" => "unreadable-event",
                _ => "doubled-key",
            },
            match *dialect {
                "native" => "`x`",
                _ => "`x.y` occurs twice",
            },
        );
        let once = event.replace("{}", r#"{"command": "ls", "x": {"command": "ls"}}"#);
        assert_eq!(fire(&fixture, dialect, &once, 0)["faults"], json!([]), "{dialect}");
    }
    for (dialect, key) in [("codewhale", "tool_args"), ("reasonix", "toolArgs")] {
        let event =
            BEFORE.iter().find(|pair| pair.0 == dialect).map(|pair| pair.1).unwrap_or_default();
        let twice = event.replace("{}", &json!(TWICE).to_string());
        let names = format!("`command` stands twice in `{key}`");
        denied(&fire(&fixture, dialect, &twice, 2), "unreadable-event", &names);
    }
}

/// E-10, E-30.
#[test]
fn a_key_that_stands_twice_where_nothing_is_at_stake_is_a_fault() {
    let fixture = Fixture::with_settings("{}");
    for (dialect, event) in AFTER {
        let twice = event.replace("{}", r#"{"a": 1, "a": 2}"#);
        for value in [fire(&fixture, dialect, &twice, 0), stream(&fixture, dialect, &twice)] {
            assert_eq!(value["decision"], Value::Null, "{dialect}: {value}");
            assert_eq!(value["faults"][0]["code"], "doubled-key", "{dialect}: {value}");
        }
    }
    // Which event it is, is what is in doubt.
    let renamed = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "hook_event_name": "SessionEnd"}"#;
    denied(&fire(&fixture, "claude", renamed, 2), "doubled-key", "`hook_event_name`");
    // Only a config may know it.
    let own = r#"{"event": "deploy.before", "data": {"a": 1, "a": 1}}"#;
    denied(&fire(&fixture, "native", own, 2), "doubled-key", "`data.a`");
}

/// E-10.
#[test]
fn what_no_hook_can_see_is_denied() {
    let fixture = Fixture::with_settings("{}");
    let deep = format!("{}1{}", "{\"a\":".repeat(2_000), "}".repeat(2_000));
    for (dialect, event) in BEFORE {
        let lists = event.replace("{}", "{\"command\": \"ls\"}");
        let torn = lists.strip_suffix('}').unwrap_or_default();
        let doubled = format!("{lists} {lists}");
        let nameless = lists.replace("\"PreToolUse\"", "7").replace("\"tool_call_before\"", "7");
        let unnamed = lists.replace("\"Bash\"", "7").replace("\"bash\"", "7");
        let unnamed = unnamed.replace("\"exec_shell\"", "7");
        for text in
            ["", " \n", "{", "[]", "7", "null", "{}", torn, &doubled, &nameless, &unnamed, &deep]
        {
            denied(&fire(&fixture, dialect, text, 2), "unreadable-event", "");
        }
    }
    let page = fixture.run(&["fire"], "");
    assert_eq!(page.code, 2, "{}", page.all());
    assert!(page.stdout.contains("BLOCKED") && page.stderr.contains("is empty"), "{}", page.all());
    // What nothing can hold up any more is an error, as before.
    let late = r#"{"hook_event_name": "SessionEnd", "session_id": 7}"#;
    let output = fixture.run(&["fire"], late);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.all());
}
