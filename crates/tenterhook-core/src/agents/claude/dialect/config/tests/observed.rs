//! Done when: all observed matchers and rules in one file select what the agent was seen to select, cell by cell.

use serde_json::{Value, json};

use crate::config::{Added, load};
use crate::dialect::{DialectId, Roots};
use crate::hook::Compat;
use crate::source::Source;
use crate::{plan, settle::View};

/// The agent was run in a project below `/tmp`, which one of its rules names.
fn cells(compat: Compat) -> Vec<String> {
    let observed = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../conformance/observed/claude-code-matching.json"
    ));
    let observed: Value =
        serde_json::from_str(&observed.replace("{project}", "/tmp/p")).expect("JSON");
    let rules = observed["rules"].as_array().expect("rules");
    let groups = rules.iter().map(|rule| {
        let mut group = json!({"hooks": [{"type": "command", "command": "true"}]});
        match (rule["field"].as_str(), &rule["value"]) {
            (_, Value::Null) => {}
            (Some("matcher"), value) => group["matcher"] = value.clone(),
            (_, value) => group["hooks"][0]["if"] = value.clone(),
        }
        group
    });
    let text = json!({"hooks": {"PreToolUse": groups.collect::<Vec<_>>()}}).to_string();
    let mut source = Source::from_text("settings.json", DialectId::CLAUDE, &text, "/tmp/p/.claude");
    source.project = "/tmp/p".into();
    source.compat = compat;
    let ruleset = load(&[source], &Added::default(), None).ruleset;
    let mut wrong = Vec::new();
    for (at, call) in observed["calls"].as_array().expect("calls").iter().enumerate() {
        let event = json!({
            "session_id": "s", "transcript_path": "/t", "cwd": "/tmp/p", "tool_name": call["tool"],
            "hook_event_name": "PreToolUse", "tool_input": call["input"],
        });
        let event = event.as_object().expect("an object");
        let dialect = DialectId::CLAUDE.dialect();
        let event = dialect.decode_event(event, &Roots::default()).expect("an event");
        let explained = plan::explain(&ruleset, &View::default(), &event);
        assert_eq!(explained.len(), rules.len());
        for (rule, (_, because)) in rules.iter().zip(explained) {
            let fires = rule["fires_on"].as_array().is_some_and(|on| on.contains(&at.into()));
            if because.selected != fires {
                wrong.push(format!("{} on call {at}: {}", rule["value"], because.because));
            }
        }
    }
    wrong
}

#[test]
fn followed_exactly_every_cell_agrees() {
    assert_eq!(cells(Compat::Exact), [""; 0]);
}

#[test]
fn guarded_only_the_rule_about_wrappers_selects_more() {
    let more = cells(Compat::Guarded);
    assert!(!more.is_empty());
    for cell in more {
        assert!(cell.contains("cannot allow: the command stands"), "{cell}");
    }
}
