//! Compares the dialect with the observed behaviour of Droid 0.225.2.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::DROID;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Layer, Run};
use crate::matcher::Picked;
use crate::source::{ReadConfig, Source, Switch};

fn read_file(name: &str, layer: Layer, text: &str) -> ReadConfig {
    let source = Source::from_text(name, DialectId::DROID, text, "/h/.factory");
    DROID.read_config(&Source { layer, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    DROID.decode_event(fields.as_object().expect("an object"), &Roots::default()).expect("an event")
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"session_id": "s", "transcript_path": "/h/.factory/sessions/s.jsonl", "cwd": "/p",
        "permission_mode": "auto-low", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
}

/// DR-20, DR-21, DR-30: an observed payload is neutral here and comes out as it was, with the
/// variables of the project.
#[test]
fn observed_payloads_round_trip_unchanged() {
    let execute = json!({"command": "ls", "summary": "x", "riskLevel": "low", "timeout": 20});
    let edit = json!({"file_path": "/p/a", "old_str": "a", "new_str": "b", "change_all": true});
    for (tool, input, neutral) in [
        ("Execute", execute, "Bash"),
        ("Edit", edit, "Edit"),
        ("github___create_issue", json!({"title": "x"}), "mcp__github__create_issue"),
    ] {
        let given = call(tool, &input);
        let event = decode_event(&given);
        assert_eq!(event.text("tool_name"), Some(neutral));
        let envelope = DROID.encode_event(&event);
        let written: Value = serde_json::from_slice(&envelope.body).expect("JSON");
        assert_eq!(written, given);
        let names: Vec<_> = envelope.env.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"]);
    }
}

/// DR-1, DR-2: files are known by their path, and the root of a `hooks.json` holds the events.
#[test]
fn files_are_recognized_by_their_path_alone() {
    for (path, fit) in [
        ("/h/.factory/hooks.json", Fit::Certain),
        ("/h/.factory/hooks/hooks.json", Fit::Certain),
        ("/etc/factory/settings.json", Fit::Certain),
        ("/h/.factory/settings.local.json", Fit::No),
        ("/h/hooks.json", Fit::No),
    ] {
        assert_eq!(DROID.recognize_config_file(Path::new(path), None), fit, "{path}");
    }
}

/// DR-5: the switch counts but in a project.
#[test]
fn switch_of_a_project_switches_no_hook_off() {
    let text = r#"{"hooksDisabled": true, "showHookOutput": false}"#;
    let user = read_file("/h/.factory/hooks.json", Layer::User, text);
    assert!(matches!(user.switches.as_slice(), [Switch::DisableAll]));
    assert_eq!(codes(&user), ["hooks-disabled"]);
    let project = read_file("/p/.factory/hooks.json", Layer::Project, text);
    assert!(project.switches.is_empty());
    assert_eq!(codes(&project), ["switch-not-heard"]);
}

/// DR-4, DR-7, DR-8, DR-11: the fields of a group and of a handler.
#[test]
fn fields_of_groups_and_handlers_are_read() {
    let text = r#"{ // comments are allowed
        "PreToolUse": [{"matcher": "Execute", "commandRegex": "^git ", "hooks": [
            {"type": "command", "command": "a", "timeout": 5, "preserveRiskLevel": true},
            {"type": "command", "command": "b", "timeout": 0}
        ]}]}"#;
    let read = read_file("/h/.factory/hooks.json", Layer::User, text);
    assert_eq!(codes(&read), [""; 0]);
    let [first, second] = read.hooks.as_slice() else { panic!("two hooks") };
    assert!(matches!(first.run, Run::Command(_)));
    assert_eq!((first.timeout, second.timeout), (Some(Duration::from_secs(5)), None));
    let picks = |command: &str| {
        let event = decode_event(&call("Execute", &json!({"command": command})));
        let condition = first.condition.as_ref().expect("a condition");
        condition
            .pick(&crate::matcher::MatchContext::for_event(&event), crate::hook::Compat::Guarded)
    };
    assert_eq!(picks("git push"), Picked::Exactly);
    assert!(matches!(picks("ls"), Picked::No(_)));
}

/// DR-11: an invalid `commandRegex` is reported, and its hook runs unless Droid is followed exactly.
#[test]
fn invalid_command_expression_is_reported_and_its_hook_runs() {
    let text = r#"{"PreToolUse": [{"commandRegex": "(", "hooks": [{"type": "command", "command": "a"}]}]}"#;
    let read = read_file("/h/.factory/hooks.json", Layer::User, text);
    assert_eq!(codes(&read), ["invalid-matcher"]);
    let event = decode_event(&call("Execute", &json!({"command": "ls"})));
    let context = crate::matcher::MatchContext::for_event(&event);
    let condition = read.hooks[0].condition.as_ref().expect("a condition");
    let picked = condition.pick(&context, crate::hook::Compat::Guarded);
    assert!(matches!(picked, Picked::Widely(_)), "{picked:?}");
}

/// DR-10 to DR-12: groups that Droid never runs are reported, and those that it runs are not.
#[test]
fn groups_that_droid_never_runs_are_reported() {
    let handler = r#""hooks": [{"type": "command", "command": "a"}]"#;
    for (event, group, expected) in [
        ("PreToolUse", r#""matcher": "(?i)execute""#, "invalid-matcher"),
        ("PreToolUse", r#""matcher": "\\AExecute""#, "invalid-matcher"),
        ("PreToolUse", r#""commandRegex": "(?i)^git""#, "invalid-matcher"),
        ("PreToolUse", r#""commandRegex": "git\\z""#, "invalid-matcher"),
        ("PreToolUse", r#""matcher": "mcp__.*""#, "dead-matcher"),
        ("PreToolUse", r#""matcher": "^mcp__github__.*$""#, "dead-matcher"),
        ("PreToolUse", r#""matcher": "Read", "commandRegex": "^git""#, "dead-matcher"),
        ("Stop", r#""commandRegex": "^git""#, "dead-matcher"),
        ("PreToolUse", r#""matcher": "Execute|mcp__.*""#, ""),
        ("PreToolUse", r#""matcher": "github___.*""#, ""),
        ("PreToolUse", r#""matcher": "Read|Execute", "commandRegex": "^git""#, ""),
        ("PostToolUse", r#""matcher": "*", "commandRegex": "^git""#, ""),
        ("PreToolUse", r#""commandRegex": """#, ""),
    ] {
        let text = format!(r#"{{"{event}": [{{{group}, {handler}}}]}}"#);
        let read = read_file("/h/.factory/hooks.json", Layer::User, &text);
        assert_eq!(codes(&read).first().copied().unwrap_or_default(), expected, "{text}");
    }
    let text = format!(r#"{{"PreToolUse": [{{"when": 1, {handler}}}]}}"#);
    let read = read_file("/h/.factory/hooks.json", Layer::User, &text);
    let help = read.diagnostics[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("`commandRegex`"), "{help}");
}

/// DR-6: the values for which Droid 0.225.2 ran no hook of the file, and values beside which it ran
/// them.
#[test]
fn values_for_which_droid_drops_the_file_are_refused() {
    let refused = |text: &str| {
        let read = read_file("/h/.factory/hooks.json", Layer::User, text);
        read.diagnostics.iter().any(|found| found.message.contains("refuses the whole file"))
    };
    for entry in [
        r#"{"hooks": [{"type": "prompt", "prompt": "x"}]}"#,
        r#"{"hooks": [{"type": "command"}]}"#,
        r#"{"hooks": [{"type": "command", "command": "a", "timeout": "30"}]}"#,
        r#"{"hooks": [{"type": "command", "command": "a", "timeout": null}]}"#,
        r#"{"commandRegex": 1, "hooks": []}"#,
        r#"{"matcher": null, "hooks": []}"#,
        r#"{"matcher": "Execute"}"#,
    ] {
        assert!(refused(&format!(r#"{{"Stop": [{entry}]}}"#)), "{entry}");
    }
    assert!(refused(r#"{"hooksDisabled": "no"}"#));
    for entry in [
        r#"{"hooks": [{"type": "command", "command": "a", "timeout": -1, "more": 1}]}"#,
        r#"{"hooks": [], "more": 1}"#,
    ] {
        assert!(!refused(&format!(r#"{{"Stop": [{entry}], "Other": 1}}"#)), "{entry}");
    }
}
