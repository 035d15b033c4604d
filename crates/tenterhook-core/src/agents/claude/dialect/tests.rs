//! What the dialect of Claude Code reads and writes, held against what the real agent did.

mod answers;
mod near_misses;
mod observed;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::events::{EVENTS, ROWS};
use super::*;
use crate::answer::Power;
use crate::dialect::{EventFault, Roots, Subject};
use crate::event::{Event, Surroundings};
use crate::hook::OnFailure;

fn conformance(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(path)
}

fn json(path: &Path) -> Map<String, Value> {
    let text = std::fs::read_to_string(path).expect("the file is part of the repository");
    serde_json::from_str(&text).expect("it is an object")
}

fn decode(fields: Value) -> Result<Event, EventFault> {
    let Value::Object(fields) = fields else { panic!("an object") };
    let roots = Roots { cwd: "/p".into(), home: "/home/u".into(), ..Roots::default() };
    CLAUDE.decode_event(&fields, &roots)
}

#[test]
fn every_observed_payload_comes_back_in_its_own_order() {
    let mut count = 0;
    for entry in std::fs::read_dir(conformance("observed/payloads/claude-code")).expect("payloads")
    {
        let path = entry.expect("entry").path();
        let given = json(&path);
        let event = CLAUDE.decode_event(&given, &Roots::default()).expect("readable");
        let row = CLAUDE.event_row(&event.name).expect("a row");
        if row.subject != Subject::None {
            assert!(row.subject.matcher_text(&event).is_some(), "{}: no subject", path.display());
        }
        let envelope = CLAUDE.encode_event(&event);
        assert_eq!(envelope.body.last(), Some(&b'\n'));
        let back: Value = serde_json::from_slice(&envelope.body).expect("json");
        // As text, because maps compare without their order.
        assert_eq!(back.to_string(), Value::Object(given).to_string(), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 22);
}

#[test]
fn the_table_has_every_event_once() {
    let names: std::collections::BTreeSet<_> = EVENTS.iter().map(|spec| spec.name).collect();
    assert_eq!((names.len(), EVENTS.len(), ROWS.len()), (34, 34, 34));
    for row in ROWS.iter() {
        assert!(!row.when.is_empty() && row.name == row.event);
        let gate = row.failure == OnFailure::Block;
        assert_eq!(gate, row.name == "WorktreeCreate", "only there a failure fails the action");
    }
    let powers = |name: &str| ROWS.iter().find(|row| row.name == name).expect(name).powers;
    assert!(powers("PreToolUse").has(Power::Defer) && !powers("PreModelSwitch").has(Power::Defer));
    assert!(!powers("SessionStart").has(Power::Stop) && powers("SessionStart").has(Power::Env));
    assert!(
        powers("TeammateIdle").has(Power::Deny) && powers("PermissionRequest").has(Power::Deny)
    );
    for observer in
        ["Notification", "SessionStart", "PostCompact", "PermissionDenied", "SessionEnd"]
    {
        assert!(!powers(observer).has(Power::Deny), "{observer}");
    }
}

#[test]
fn an_unreadable_event_says_what_was_expected() {
    let message = |fields| decode(fields).expect_err("unreadable").to_string();
    let nameless = message(serde_json::json!({"event": "PreToolUse", "tool": "Bash"}));
    assert!(nameless.contains("`hook_event_name`") && nameless.contains("`event`, `tool`"));
    assert!(message(serde_json::json!({})).contains("no fields"));
    let toolless = message(serde_json::json!({"hook_event_name": "PreToolUse"}));
    assert!(toolless.contains("`tool_name`"), "{toolless}");
    assert!(message(serde_json::json!({"hook_event_name": 1})).contains("a number"));
    assert!(
        message(serde_json::json!({"hook_event_name": "Stop", "cwd": []})).contains("an array")
    );
}

#[test]
fn what_an_event_lacks_comes_from_the_roots_and_custom_events_pass() {
    let event = decode(serde_json::json!({"hook_event_name": "deploy.before", "target": "prod",
        "effort": {"level": "low"}, "agent_id": "a"}))
    .expect("readable");
    assert_eq!(event.within.cwd, Path::new("/p"));
    assert_eq!(event.text("target"), Some("prod"));
    assert!(event.within.facts.contains_key("agent_id"));
    let envelope = CLAUDE.encode_event(&event);
    let variable = |name: &str| {
        envelope.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    };
    assert_eq!(variable("CLAUDE_PROJECT_DIR"), Some("/p"));
    assert_eq!((variable("CLAUDE_EFFORT"), variable("CLAUDECODE")), (Some("low"), Some("1")));
    assert_eq!((variable("CLAUDE_CODE_SESSION_ID"), envelope.env_file), (None, None));
    let body: Value = serde_json::from_slice(&envelope.body).expect("json");
    assert_eq!(body["hook_event_name"], "deploy.before");
    for (name, file) in [("SessionStart", true), ("CwdChanged", true), ("Stop", false)] {
        let event = Event::new(name, Surroundings::default());
        assert_eq!(CLAUDE.encode_event(&event).env_file.is_some(), file, "{name}");
    }
}
