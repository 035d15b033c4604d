//! Under which names are events shown, and which events does a name mean that a person gives? (E-12, E-13)

use serde_json::Value;

use crate::fixture::{Fixture, fits_schema};

/// Reasonix has its own `Stop`, beside the one that others call so.
const REASONIX: &str = r#"{"hooks": {
  "Stop": [{"command": "./log.sh"}],
  "TurnEnd": [{"command": "./gate.sh"}]
}}"#;

const CLAUDE: &str = r#"{"hooks": {
  "Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]
}}"#;

const CODEWHALE: &str = "[[hooks.hooks]]\nevent = \"message_submit\"\ncommand = \"./say.sh\"\n\n\
    [[hooks.hooks]]\nevent = \"turn_end\"\ncommand = \"./end.sh\"\n";

fn reasonix() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("home/.reasonix/settings.json", REASONIX);
    fixture
}

fn shown(fixture: &Fixture, args: &[&str]) -> String {
    let output = fixture.run(args, "");
    assert_eq!(output.code, 0, "{}", output.all());
    output.stdout
}

/// E-12.
#[test]
fn list_and_review_show_an_event_under_its_own_name() {
    let fixture = reasonix();
    fixture.write("home/.codewhale/config.toml", CODEWHALE);
    let list = shown(&fixture, &["list"]);
    for label in [
        "Stop (TurnComplete)",
        "TurnEnd (Stop)",
        "message_submit (UserPromptSubmit)",
        "turn_end (TurnComplete)",
    ] {
        // Where the table is narrow, the neutral name stands in the next line.
        for word in label.split(' ') {
            assert!(list.contains(word), "{word} is not in\n{list}");
        }
    }
    let list = fixture.json(&["list", "--format", "json"], "", 0);
    fits_schema("list", &list);
    let names = |hook: &Value| (hook["own_event"].clone(), hook["event"].clone());
    let names: Vec<_> = list["hooks"].as_array().unwrap().iter().map(names).collect();
    assert!(names.contains(&("Stop".into(), "TurnComplete".into())), "{names:?}");
    assert!(names.contains(&("turn_end".into(), "TurnComplete".into())), "{names:?}");
    let checked = fixture.json(&["check", "--format", "json"], "", 1);
    fits_schema("check", &checked);

    let fixture = Fixture::new().unapproved();
    fixture.write("project/.reasonix/settings.json", REASONIX);
    let review = fixture.run(&["trust"], "").stdout;
    for label in ["on Stop (TurnComplete)", "on TurnEnd (Stop)"] {
        assert!(review.contains(label), "{label} is not in\n{review}");
    }
}

/// E-13.
#[test]
fn name_that_one_dialect_has_here_means_its_event() {
    let fixture = reasonix();
    for args in [&["explain", "Stop"][..], &["explain", "--dialect", "reasonix", "Stop"]] {
        let text = shown(&fixture, args);
        assert!(text.starts_with("Stop (TurnComplete)\n"), "{text}");
        assert!(text.contains("runs  log.sh"), "{text}");
        assert!(text.contains("it is for `TurnEnd (Stop)`"), "{text}");
    }
    let text = shown(&fixture, &["explain", "TurnEnd"]);
    assert!(text.starts_with("TurnEnd (Stop)\n") && text.contains("runs  gate.sh"), "{text}");
}

/// E-12, E-13.
#[test]
fn name_that_two_dialects_have_here_means_both_events() {
    let fixture = reasonix();
    fixture.write("home/.claude/settings.json", CLAUDE);
    let text = shown(&fixture, &["explain", "Stop"]);
    assert!(text.starts_with("Stop, Stop (TurnComplete)\n"), "{text}");
    for (hook, label) in
        [("done.sh", " Stop\n"), ("gate.sh", "TurnEnd (Stop)"), ("log.sh", "Stop (TurnComplete)")]
    {
        let row = text.split("\n\n").find(|row| row.contains(hook)).unwrap_or_default();
        assert!(row.contains("runs") && row.contains(label), "{hook} as {label}:\n{text}");
    }
    let json = fixture.json(&["explain", "--format", "json", "Stop"], "", 0);
    fits_schema("explain", &json);
    let hooks = json["hooks"].as_array().unwrap();
    assert!(hooks.iter().all(|hook| hook["selected"] == true), "{json:#}");
    let text = shown(&fixture, &["explain", "--dialect", "claude", "Stop"]);
    assert!(
        text.starts_with("Stop\n") && text.contains("it is for `Stop (TurnComplete)`"),
        "{text}"
    );
}

/// E-13: a name that no dialect has here is still any dialect's.
#[test]
fn name_of_a_dialect_without_hooks_here_is_known() {
    let fixture = reasonix();
    let text = shown(&fixture, &["explain", "message_submit", "hello"]);
    assert!(text.starts_with("message_submit (UserPromptSubmit)  \"hello\"\n"), "{text}");
}

/// E-12.
#[test]
fn fire_heads_its_page_with_the_name_in_the_dialect_of_the_event() {
    let fixture = Fixture::new();
    fixture.write("home/.codewhale/config.toml", CODEWHALE);
    fixture.write("project/end.sh", "#!/bin/sh\ncat >/dev/null\n");
    let text = fixture.run(&["fire", "--dialect", "codewhale", "turn_end"], "").stdout;
    assert!(text.starts_with("turn_end (TurnComplete)\n"), "{text}");
    let log = fixture.run(&["log", "--event", "turn_end"], "").stdout;
    assert!(log.contains("TurnComplete"), "{log}");
}
