//! The decision procedure of answers (A-10 to A-19), one test a rule, and every field of every
//! event.

use std::time::Duration;

use serde_json::{Value, json};

use super::observed::{event, report, verdict};
use crate::answer::{Answer, Power, Restraint};
use crate::dialect::EventRow;
use crate::dialect::claude::CLAUDE;
use crate::dialect::claude::events::EVENTS;
use crate::dialect::kit::protocol::{Exit2, Field, Universal};
use crate::event::{Event, Surroundings};
use crate::hook::Compat;
use crate::report::{Closed, End, Output, Report, StepOutput};
use crate::verdict::Verdict;

fn plain(name: &str) -> Event {
    Event::new(name, Surroundings::default())
}

fn exact(event: &Event, stdout: &str, stderr: &str, code: i32) -> Verdict {
    verdict(event, &report(stdout, stderr, code), Compat::Exact)
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.faults.iter().map(|fault| fault.code.name()).collect()
}

fn reason(verdict: &Verdict) -> &str {
    verdict.reason.as_ref().map_or("", |reason| reason.text.as_str())
}

fn output(name: &str, fields: Value) -> String {
    let mut fields = fields;
    fields["hookEventName"] = name.into();
    json!({ "hookSpecificOutput": fields }).to_string()
}

/// A-12, A-16, A-17: what a row promises comes out.
#[test]
fn every_field_of_every_event_arrives() {
    let mut seen = 0;
    for spec in EVENTS {
        let event = plain(spec.name).with("tool_name", "mcp__a__b");
        for (key, field) in spec.fields {
            let value = match field {
                Field::Permission(_) => json!("deny"),
                Field::Behavior(_) => {
                    json!({"behavior": "deny", "message": "m", "interrupt": true})
                }
                Field::Action => json!("decline"),
                Field::Retry | Field::ExtraFlag => json!(true),
                Field::Watch => json!(["/a"]),
                Field::Input | Field::ExtraObject => json!({"a": 1}),
                _ => json!("MARK"),
            };
            let verdict = exact(&event, &output(spec.name, json!({ *key: value })), "", 0);
            let title = format!("{} {key}", spec.name);
            assert_eq!(codes(&verdict), Vec::<&str>::new(), "{title}");
            let effects = &verdict.effects;
            let arrived = match field {
                Field::Permission(_) | Field::Denial(_) => verdict.restraint == Restraint::Deny,
                Field::PermissionReason => true,
                Field::Behavior(_) => reason(&verdict) == "m" && effects.extra["interrupt"] == true,
                Field::Context => effects.context == ["MARK"],
                Field::Input => effects.updated_input == Some(value),
                Field::Output | Field::McpOutput | Field::Display => {
                    effects.updated_output == Some(value)
                }
                Field::Watch => effects.watch_paths.as_deref() == Some(&["/a".to_owned()]),
                Field::FirstMessage => effects.initial_user_message.as_deref() == Some("MARK"),
                Field::Retry => effects.retry == Some(true),
                Field::Action => {
                    verdict.restraint == Restraint::Deny && effects.extra[*key] == value
                }
                Field::ExtraText | Field::ExtraFlag | Field::ExtraObject => {
                    effects.extra[*key] == value
                }
            };
            assert!(arrived, "{title}: {verdict:?}");
            seen += 1;
        }
        let json = json!({"systemMessage": "s", "continue": false, "stopReason": "r",
            "terminalSequence": "\u{7}", "suppressOutput": true, "metrics": {"a": 1}});
        let verdict = exact(&event, &json.to_string(), "", 0);
        let effects = &verdict.effects;
        assert_eq!(
            effects.messages.is_empty(),
            spec.universal == Universal::Dropped,
            "{}",
            spec.name
        );
        assert_eq!(effects.stop.is_some(), spec.universal == Universal::All, "{}", spec.name);
        assert_eq!(codes(&verdict).is_empty(), spec.universal == Universal::All, "{}", spec.name);
        for key in ["terminalSequence", "suppressOutput", "metrics"] {
            assert!(effects.extra.contains_key(key), "{} {key}", spec.name);
        }
    }
    assert_eq!(seen, 41);
}

/// A-11.
#[test]
fn exit_2_denies_where_the_event_can_be_denied_and_its_words_are_kept() {
    for spec in EVENTS {
        let gate = spec.powers().has(Power::Deny);
        let verdict = verdict(&plain(spec.name), &report("", "MARK", 2), Compat::Guarded);
        assert_eq!(verdict.restraint == Restraint::Deny, gate, "{}", spec.name);
        assert!(!gate || reason(&verdict) == "MARK", "{}", spec.name);
        assert!(gate || codes(&verdict).contains(&"not-honoured"), "{}", spec.name);
        if spec.exit2 == Exit2::TellsUser {
            assert_eq!(verdict.effects.messages, ["MARK"], "{}", spec.name);
        }
    }
    let tool = event("PreToolUse");
    let denied = exact(&tool, r#"{"decision": "block", "reason": "own"}"#, "err", 2);
    assert_eq!(reason(&denied), "own");
    let rewritten = output("PreToolUse", json!({"updatedInput": {}, "additionalContext": "c"}));
    let denied = exact(&tool, &rewritten, "err", 2);
    assert_eq!((reason(&denied), denied.effects.updated_input.is_some()), ("err", false));
    assert_eq!(denied.effects.context, ["c"]);
    assert_eq!(reason(&exact(&tool, "printed", "", 2)), "printed");
    assert!(reason(&exact(&tool, "", "", 2)).contains("code 2"));
    assert_eq!(exact(&tool, "{broken", "err", 2).restraint, Restraint::Deny);
    let form = output("Elicitation", json!({"action": "accept", "content": {}}));
    let declined = exact(&plain("Elicitation"), &form, "", 2);
    assert_eq!((declined.restraint, declined.effects.extra.len()), (Restraint::Deny, 0));
}

/// A-6, A-7, A-13, A-15.
#[test]
fn what_is_no_answer_has_its_own_code() {
    let tool = event("PreToolUse");
    let ended =
        |end: End| verdict(&tool, &Report::without_output(end, Duration::ZERO), Compat::Guarded);
    for (end, code) in [
        (End::NotStarted { why: "`x`: no such file".to_owned() }, "not-started"),
        (End::TimedOut, "timed-out"),
        (End::Cancelled, "cancelled"),
        (End::Signalled(9), "signalled"),
        (End::Exited(1), "exit-code"),
    ] {
        let verdict = ended(end);
        assert_eq!((codes(&verdict), verdict.restraint), (vec![code], Restraint::Silent));
    }
    for (stdout, code) in [
        ("{\"a\": ", "unreadable-answer"),
        (r#"{"decision": "maybe"}"#, "invalid-answer"),
        (r#"{"systemMessage": null}"#, "invalid-answer"),
        (r#"{"hookSpecificOutput": {"additionalContext": "c"}}"#, "invalid-answer"),
    ] {
        assert_eq!(codes(&exact(&tool, stdout, "", 0)), [code], "{stdout}");
    }
    let hint = exact(&tool, r#"{"decision": "aprove"}"#, "", 0);
    assert!(hint.faults[0].message.contains("did you mean `approve`"), "{:?}", hint.faults);
    let exit = exact(&tool, "", "first\nsecond", 127);
    assert!(exit.faults[0].message.ends_with("127: first"), "{:?}", exit.faults);
}

/// A-10, A-27.
#[test]
fn of_a_repeated_key_the_agent_takes_the_last_and_doubt_takes_the_denial() {
    let tool = event("PreToolUse");
    let twice = |first: &str, last: &str, compat| {
        let stdout = format!(r#"{{"decision": "{first}", "decision": "{last}"}}"#);
        verdict(&tool, &report(&stdout, "", 0), compat).restraint
    };
    assert_eq!(twice("approve", "block", Compat::Exact), Restraint::Deny);
    assert_eq!(twice("block", "approve", Compat::Exact), Restraint::Allow);
    assert_eq!(twice("block", "approve", Compat::Guarded), Restraint::Deny);
    assert_eq!(twice("approve", "approve", Compat::Guarded), Restraint::Silent);
}

/// Cut-off output, or output that a descendant still holds.
fn closed(text: &str, closed: Closed, end: End) -> Report {
    let stdout = Output { bytes: text.into(), dropped: 0, closed };
    let said = StepOutput::Bytes { stdout, stderr: Output::default() };
    Report { said, ..Report::without_output(end, Duration::ZERO) }
}

/// A-9, A-38.
#[test]
fn what_was_said_before_the_end_counts_as_a_denial_and_as_nothing_else() {
    let tool = event("PreToolUse");
    let say = |decision: &str| output("PreToolUse", json!({"permissionDecision": decision}));
    let judged = |decision: &str, how: Closed, end: &End| {
        verdict(&tool, &closed(&say(decision), how, end.clone()), Compat::Guarded)
    };
    for end in [End::Signalled(9), End::TimedOut, End::Cancelled] {
        assert_eq!(judged("deny", Closed::Complete, &end).restraint, Restraint::Deny, "{end:?}");
        assert_eq!(judged("allow", Closed::Complete, &end).restraint, Restraint::Silent, "{end:?}");
    }
    let exited = End::Exited(0);
    assert_eq!(judged("allow", Closed::Leaked, &exited).restraint, Restraint::Allow);
    let truncated = judged("allow", Closed::Truncated, &exited);
    assert_eq!(
        (codes(&truncated), truncated.restraint),
        (vec!["output-too-large"], Restraint::Silent)
    );
    assert_eq!(judged("deny", Closed::Truncated, &exited).restraint, Restraint::Deny);
    // If the system stops reading, the output may be half of a denial: the host's failure asks the
    // user (A-42).
    let broken = judged("allow", Closed::Broken(12), &exited);
    assert_eq!((codes(&broken), broken.restraint), (vec!["out-of-resources"], Restraint::Ask));
    assert_eq!(judged("deny", Closed::Broken(12), &exited).restraint, Restraint::Deny);
    assert_eq!(judged("allow", Closed::Broken(12), &End::Exited(2)).restraint, Restraint::Deny);
}

/// A-18: Claude Code 2.1.332 refuses a call whose new input lacks a field that its tool needs.
#[test]
fn new_input_without_a_needed_field_denies() {
    let call = |tool: &str| plain("PreToolUse").with("tool_name", tool);
    for (tool, input, missing) in [
        ("Bash", json!({"dangerouslyDisableSandbox": true}), Some("command")),
        ("Bash", json!({"command": ["ls"]}), Some("command")),
        ("Write", json!({"file_path": "/a"}), Some("content")),
        ("Edit", json!({"file_path": "/a", "old_string": "b"}), Some("new_string")),
        ("Bash", json!({"command": "ls"}), None),
        ("mcp__a__b", json!({}), None),
    ] {
        let fields = json!({"permissionDecision": "allow", "updatedInput": input});
        let stdout = output("PreToolUse", fields);
        let verdict = exact(&call(tool), &stdout, "", 0);
        let is_denied = verdict.restraint == Restraint::Deny;
        assert_eq!(is_denied, missing.is_some(), "{tool}: {verdict:?}");
        assert_eq!(verdict.effects.updated_input.is_none(), missing.is_some());
        let named = missing.is_none_or(|key| reason(&verdict).contains(&format!("has no `{key}`")));
        assert!(named, "{tool}: {verdict:?}");
    }
}

/// A-18.
#[test]
fn rewritten_output_keeps_the_shape_of_the_tools_own() {
    let tool = event("PostToolUse");
    let rewrite = |event: &Event, key: &str, value: Value| {
        exact(event, &output("PostToolUse", json!({ key: value })), "", 0)
    };
    let text = rewrite(&tool, "updatedToolOutput", json!("MARK"));
    assert_eq!((text.effects.updated_output.clone(), codes(&text)), (None, vec!["not-honoured"]));
    let object = rewrite(&tool, "updatedToolOutput", json!({"stdout": "MARK"}));
    assert!(object.effects.updated_output.is_some());
    let old = rewrite(&tool, "updatedMCPToolOutput", json!("MARK"));
    assert_eq!((old.effects.updated_output.clone(), codes(&old)), (None, vec!["not-honoured"]));
    let mcp = tool.clone().with("tool_name", "mcp__a__b");
    for key in ["updatedToolOutput", "updatedMCPToolOutput"] {
        assert!(rewrite(&mcp, key, json!("MARK")).effects.updated_output.is_some(), "{key}");
    }
}

/// A-14, A-15, A-17.
#[test]
fn events_with_a_rule_of_their_own() {
    let worktree = |stdout: &str, code| exact(&plain("WorktreeCreate"), stdout, "", code);
    let made = worktree("log\n\u{1b}[32m/p/w\u{1b}[0m\n\n", 0);
    assert_eq!(
        (&made.effects.extra["worktreePath"], made.restraint),
        (&json!("/p/w"), Restraint::Silent)
    );
    for (stdout, code) in [("", 0), ("w", 0), ("/p/../w", 0), ("/p/w", 1), ("/p/w", 2)] {
        assert_eq!(worktree(stdout, code).restraint, Restraint::Deny, "{stdout} {code}");
    }
    let late = Report::without_output(End::TimedOut, Duration::ZERO);
    let switch = verdict(&plain("PreModelSwitch"), &late, Compat::Exact);
    assert_eq!((switch.restraint, codes(&switch)), (Restraint::Deny, vec!["timed-out"]));
    let policy = plain("ConfigChange").with("source", "policy_settings");
    for (stdout, code) in
        [("", 2), (r#"{"decision": "block", "reason": "r"}"#, 0), (r#"{"decision": "deny"}"#, 0)]
    {
        let verdict = verdict(&policy, &report(stdout, "r", code), Compat::Guarded);
        assert_eq!(verdict.restraint, Restraint::Silent, "{stdout}");
        assert!(!verdict.faults.is_empty(), "{stdout}");
    }
    assert_eq!(exact(&plain("ConfigChange"), "", "r", 2).restraint, Restraint::Deny);
}

/// A-19.
#[test]
fn a_first_line_sends_the_hook_to_the_background() {
    let detaches = |line: &str, compat| CLAUDE.is_detach_line(line.as_bytes(), compat);
    assert!(detaches("{\"async\": true, \"asyncTimeout\": 5}\n", Compat::Guarded));
    // Followed exactly, the agent goes on whatever else stands beside it.
    let both = "{\"async\": true, \"decision\": \"block\"}";
    assert!(detaches(both, Compat::Exact) && !detaches(both, Compat::Guarded));
    for line in ["", "{\"async\": false}", "{\"async\": \"true\"}", "async", "[{\"async\":true}]"] {
        assert!(!detaches(line, Compat::Exact), "{line}");
    }
    let tool = event("PreToolUse");
    let row = CLAUDE.event_row(&tool.name).expect("row");
    let read = |stdout: &str| CLAUDE.read_answer(&tool, row, &report(stdout, "", 0));
    let answer = read("{\"async\": true}\n{\"systemMessage\": \"done\"}\n");
    assert!(answer.detached && answer.effects.messages == ["done"]);
    let promise = read("{\n\"async\": true\n}");
    assert!(promise.detached && promise.restraint == Restraint::Silent);
}

/// A-19.
#[test]
fn a_hook_that_may_wake_the_agent_objects_on_any_event() {
    let event = plain("Notification");
    let mut row = CLAUDE.event_row(&event.name).expect("row").clone();
    row.powers = row.powers.with(Power::Deny);
    let answer = CLAUDE.read_answer(&event, &row, &report("out", "", 2));
    assert_eq!((answer.restraint, answer.reason.as_deref()), (Restraint::Deny, Some("out")));
    assert!(answer.slips.is_empty());
}

/// A-18, A-81.
#[test]
fn the_env_file_becomes_variables_and_what_needs_a_shell_is_handed_on() {
    let with_file = |text: &str| {
        let file = Report { env_file: Some(text.to_owned()), ..report("context", "", 0) };
        verdict(&event("SessionStart"), &file, Compat::Guarded).effects
    };
    let plain = with_file("export A=1\n");
    assert_eq!((Value::Object(plain.env), plain.extra.len()), (json!({"A": "1"}), 0));
    assert_eq!(plain.context, ["context"]);
    let shell = with_file("export A=1\nexport PATH=\"$PATH:/x\"\n");
    assert_eq!(shell.extra["envFile"], "export A=1\nexport PATH=\"$PATH:/x\"\n");
}

/// A-3.
#[test]
fn a_custom_event_is_answered_as_its_row_permits() {
    let event = plain("deploy.before");
    let deny = |row: &EventRow| {
        let answer: Answer = CLAUDE.read_answer(&event, row, &report("", "no", 2));
        assert_eq!(answer.restraint, Restraint::Deny);
        answer
    };
    let unknown = CLAUDE.row_for_unknown_event(&event.name);
    deny(&unknown);
    // No config declares the event, so its hooks only observe: the denial is dropped and reported.
    let verdict = exact(&event, "", "no", 2);
    assert_eq!(verdict.restraint, Restraint::Silent);
    assert!(codes(&verdict).contains(&"not-honoured"));
}

/// A-5.
#[test]
fn unread_field_is_a_remark_and_the_answer_applies() {
    let tool = event("PreToolUse");
    let json = json!({"foo": 1, "sytemMessage": "x", "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow", "retry": true, "zzz": 1}});
    let verdict = exact(&tool, &json.to_string(), "", 0);
    assert_eq!(verdict.restraint, Restraint::Allow);
    // One remark names them all.
    assert_eq!(codes(&verdict), ["not-honoured", "unknown-field"]);
    let unread = "`hookSpecificOutput.zzz`, `foo` and `sytemMessage` are not read; instead of `sytemMessage` write `systemMessage`";
    assert!(verdict.faults.iter().any(|fault| fault.message == unread), "{:?}", verdict.faults);
    let title = json!({"terminalSequence": "\u{1b}[2J"}).to_string();
    let verdict = exact(&tool, &title, "", 0);
    assert_eq!((codes(&verdict), verdict.effects.extra.len()), (vec!["terminal-sequence"], 0));
}
