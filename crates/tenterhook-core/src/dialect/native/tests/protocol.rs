//! The forms of the native protocol: the input of a hook, its answer, and the outcome for the host.

use serde_json::{Value, json};

use super::{read, read_stdout, report, *};
use crate::hook::Compat;

/// V-7.
#[test]
fn events_survive_the_way_out_and_back() {
    let roots = Roots { home: "/home/u".into(), ..Roots::default() };
    let form = json!({
        "v": 1, "event": "PreToolUse",
        "session": {"id": "s", "cwd": "/p/sub", "project": "/p", "transcript": null, "permission_mode": "plan"},
        "tool": {"name": "Bash", "kind": "shell", "input": {"command": "ls"}, "id": "t1"},
        "data": {"x": 1}
    });
    let event =
        NATIVE.decode_event(form.as_object().expect("an object"), &roots).expect("an event");
    assert_eq!(event.tool().map(|tool| tool.name), Some("Bash"));
    assert_eq!(event.within.facts.get("permission_mode"), Some(&json!("plan")));
    let envelope = NATIVE.encode_event(&event);
    let again: Value = serde_json::from_slice(&envelope.body).expect("json");
    assert_eq!(again, form);
    assert_eq!(envelope.env_file, None);
    let start = NATIVE.encode_event(&Event::new("SessionStart", event.within));
    assert_eq!(start.env_file, Some("TENTERHOOK_ENV_FILE"));
}

/// V-7.
#[test]
fn an_event_of_another_form_is_refused_with_words() {
    let refused = |form: Value| {
        let form = form.as_object().expect("an object").clone();
        NATIVE.decode_event(&form, &Roots::default()).expect_err("refused").to_string()
    };
    assert!(refused(json!({"hook_event_name": "Stop"})).contains("Claude Code"));
    assert!(refused(json!({"v": 2, "event": "Stop"})).contains("version 1"));
    assert!(refused(json!({"event": "Stop", "promt": "x"})).contains("did you mean `prompt`"));
    assert!(refused(json!({"session": {}})).contains("no `event`"));
}

/// V-26.
#[test]
fn a_whole_answer_is_read() {
    let answer = read_stdout(
        r#"{"v":1,"decision":"allow","reason":"r","context":["a","b"],"message":"m","input":{"x":1},
            "stop":"enough","env":{"A":"1"},"watch":[],"permissions":[{}],"retry":true,"first_message":"hi",
            "output":[1],"prompt":"p","extra":{"k":1}}"#,
    );
    assert_eq!((answer.restraint, answer.failure.clone()), (Restraint::Allow, None));
    assert_eq!(answer.effects.context, ["a", "b"]);
    assert_eq!(answer.effects.messages, ["m"]);
    assert_eq!(answer.effects.updated_input, Some(json!({"x": 1})));
    assert_eq!(answer.effects.stop.and_then(|stop| stop.reason).as_deref(), Some("enough"));
    assert_eq!(answer.effects.watch_paths, Some(Vec::new()));
    assert_eq!(answer.effects.retry, Some(true));
}

/// V-20.
#[test]
fn exit_codes_say_what_the_protocol_says() {
    assert_eq!(read(End::Exited(0), "", "log"), Answer::default());
    let denied = read(End::Exited(2), "", "no\n");
    assert_eq!((denied.restraint, denied.reason.as_deref()), (Restraint::Deny, Some("no")));
    let failed = read(End::Exited(1), "", "boom");
    assert_eq!(
        failed.failure.map(|failure| failure.message),
        Some("it exited with code 1: boom".into())
    );
    let slipped = read(End::Exited(1), r#"{"decision":"deny","reason":"r"}"#, "");
    assert_eq!((slipped.restraint, slipped.slips[0].kind), (Restraint::Deny, SlipKind::WrongExit));
    let against = read(End::Exited(2), r#"{"decision":"allow"}"#, "");
    assert_eq!((against.restraint, against.remarks.len()), (Restraint::Deny, 1));
    let late = read(End::TimedOut, r#"{"decision":"deny","reason":"r"}"#, "");
    assert_eq!((late.restraint, late.reason.as_deref()), (Restraint::Deny, Some("r")));
    assert!(late.failure.is_some());
    assert!(
        read(End::TimedOut, r#"{"decision":"allow","context":"x"}"#, "").effects.context.is_empty()
    );
}

/// V-27.
#[test]
fn an_unknown_key_is_a_remark_and_the_rest_stands() {
    let answer = read_stdout(r#"{"context":"c","severity":1}"#);
    assert_eq!(answer.effects.context, ["c"]);
    assert_eq!(answer.remarks[0].code.name(), "unknown-field");
    assert!(answer.remarks[0].message.contains("extra"));
}

/// V-28.
#[test]
fn a_hook_goes_to_the_background_by_its_first_line() {
    assert!(NATIVE.is_detach_line(br#"{"background": true}"#, Compat::Guarded));
    assert!(
        !NATIVE.is_detach_line(br#"{"background": true, "decision": "deny"}"#, Compat::Guarded)
    );
    let answer = read_stdout("{\"background\":true}\n{\"context\":\"late\"}");
    assert!(answer.detached);
    assert_eq!(answer.effects.context, ["late"]);
}

/// V-9.
#[test]
fn an_env_file_becomes_variables_and_the_answer_wins() {
    let mut report = report(End::Exited(0), r#"{"env":{"A":"answer"}}"#, "");
    report.env_file = Some("export A=\"file\"\nB='x y'\n# c\nnot a pair\n".into());
    let env = answer::read_answer(gate(), &report, false).effects.env;
    assert_eq!(Value::Object(env), json!({"A": "answer", "B": "x y"}));
}

/// V-41.
#[test]
fn an_outcome_has_every_key() {
    let value = encode_outcome(&crate::Outcome::without_answer());
    let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
    #[rustfmt::skip]
    assert_eq!(keys, ["blocked", "decision", "reason", "updated_input", "updated_prompt", "updated_output",
        "additional_context", "system_messages", "stop", "updated_permissions", "watch_paths", "initial_user_message",
        "retry", "env", "extra", "faults", "steps"]);
}
