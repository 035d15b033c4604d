//! What hooks may answer to a question, and what they may change with it (rulings 16 and 17).

use serde_json::Value;

use crate::fixture::Fixture;

const WRITES: &str = r#"
[[reply]]
call = [{ tool = "Write", input = { file_path = "one.txt", content = "x" } }]
[[reply]]
call = [{ tool = "Write", input = { file_path = "two.txt", content = "x" } }]
[[reply]]
text = "done"
"#;

fn answers(answer: &str) -> String {
    format!(
        "[hook.yes]\non = \"PermissionRequest\"\nonce = true\nshell = '''cat >> asked.jsonl; echo '{answer}' '''\n\
         [hook.mode]\non = \"ModeChange\"\nshell = \"cat >> mode.jsonl\"\n"
    )
}

/// The mode and rules that a hook sets hold for the session; a change that would loosen a guard is refused, with a message.
#[test]
fn a_hook_that_answers_may_change_permissions() {
    for (change, second) in [
        (r#"{"type": "setMode", "mode": "acceptEdits", "destination": "session"}"#, true),
        (
            r#"{"type": "addRules", "rules": [{"toolName": "Write", "ruleContent": "two.txt"}], "behavior": "allow", "destination": "session"}"#,
            true,
        ),
        (r#"{"type": "addRules", "rules": [{"toolName": "Write"}], "behavior": "allow"}"#, true),
        (
            r#"{"type": "addRules", "rules": [{"toolName": "Write", "ruleContent": "two.txt"}], "behavior": "deny"}"#,
            false,
        ),
        (r#"{"type": "setMode", "mode": "bypassPermissions"}"#, false),
        (r#"{"type": "addDirectories", "directories": ["/"]}"#, false),
        (r#"{"type": "bogus"}"#, false),
    ] {
        let answer = format!(r#"{{"decision": "allow", "permissions": [{change}]}}"#);
        let fixture = Fixture::new(&answers(&answer), WRITES);
        let mut run = fixture.start(&[]);
        run.prompt("write");
        // The question of the second call, if there is one, is closed with the input, and that is a no.
        run.wait("the first result", |line| line["type"] == "tool_result");
        run.end();
        let results: Vec<_> = run
            .of_kind("tool_result")
            .iter()
            .map(|tool_result| tool_result["is_error"] == false)
            .collect();
        assert_eq!(results, [true, second], "{change}");
        assert_eq!(
            fixture.text("mode.jsonl").contains("acceptEdits"),
            change.contains("acceptEdits")
        );
        let refused =
            ["bypass", "addDirectories", "bogus"].iter().any(|text| change.contains(text));
        assert_eq!(!run.of_kind("warn").is_empty(), refused, "{change}");
    }
}

/// A hook answers a routine question; that of a rule, or of a safety check, is the user's.
#[test]
fn the_question_of_a_rule_is_the_users() {
    let yes = answers(r#"{"decision": "allow"}"#);
    let outside = "[[reply]]\ncall = [{ tool = \"Write\", input = { file_path = \"../out.txt\", content = \"x\" } }]\n[[reply]]\ntext = \"done\"\n";
    for (script, args, written) in [
        (WRITES, &[][..], true),
        (WRITES, &["--ask", "Write(*)"], false),
        (outside, &[], false),
        (outside, &["--permission-mode", "bypassPermissions"], false),
    ] {
        let fixture = Fixture::new(&yes, script);
        let run = fixture.ask("write", args);
        assert_eq!(run.of_kind("tool_result")[0]["is_error"] == false, written, "{args:?}");
        assert!(!fixture.text("asked.jsonl").is_empty());
    }
}

/// A link is followed before a place is judged, and what is outside the project is looked at only with consent.
#[cfg(unix)]
#[test]
fn a_link_leads_out_of_the_project() {
    let calls = [
        (r#"{ tool = "Write", input = { file_path = "out/new.txt", content = "x" } }"#, false),
        (r#"{ tool = "Read", input = { file_path = "out/old.txt" } }"#, true),
        (r#"{ tool = "Grep", input = { pattern = "x", path = ".." } }"#, true),
        (r#"{ tool = "Read", input = { file_path = "inside.txt" } }"#, true),
    ];
    for (hooks, consents) in [(answers(r#"{"decision": "allow"}"#), true), (String::new(), false)] {
        for (call, may_be_waived) in calls {
            let script = format!("[[reply]]\ncall = [{call}]\n[[reply]]\ntext = \"done\"\n");
            let fixture = Fixture::new(&hooks, &script);
            let elsewhere = tempfile::tempdir().unwrap();
            std::fs::write(elsewhere.path().join("old.txt"), "old").unwrap();
            fixture.sandbox.write("inside.txt", "inside").unwrap();
            std::os::unix::fs::symlink(elsewhere.path(), fixture.sandbox.project().join("out"))
                .unwrap();
            let run = fixture.ask("go", &[]);
            let ran = run.of_kind("tool_result")[0]["is_error"] == false;
            assert_eq!(ran, call.contains("inside") || (consents && may_be_waived), "{call}");
            assert!(!elsewhere.path().join("new.txt").exists());
        }
    }
}

/// What a hook makes of a call when it consents is judged by the rules like any other call.
#[test]
fn a_call_that_consent_rewrote_is_judged_again() {
    let yes =
        answers(r#"{"decision": "allow", "input": {"file_path": "secret.txt", "content": "x"}}"#);
    for (args, file) in [(&[][..], "secret.txt"), (&["--deny", "Write(secret.txt)"], "")] {
        let fixture = Fixture::new(&yes, WRITES);
        let run = fixture.ask("write", args);
        assert_eq!(run.of_kind("tool_result")[0]["is_error"], Value::Bool(file.is_empty()));
        assert_eq!(fixture.text("secret.txt").is_empty(), file.is_empty());
        assert_eq!(fixture.text("one.txt"), "", "the call as it was is gone");
    }
}

/// `PermissionDeniedRetryAppendsDenialResult`: the model reads that it may try again.
#[test]
fn a_hook_may_let_the_model_try_again() {
    let hooks = r#"
[hook.retry]
on = "PermissionDenied"
shell = '''cat >> denied.jsonl; echo '{"retry": true, "context": "write to two.txt"}' '''
"#;
    let fixture = Fixture::new(hooks, WRITES);
    let run =
        fixture.ask("write", &["--permission-mode", "acceptEdits", "--deny", "Write(one.txt)"]);
    let results = run.of_kind("tool_result");
    assert!(results[0]["text"].as_str().unwrap().contains("may try it again"), "{results:?}");
    assert_eq!(results[1]["is_error"], false);
    assert!(fixture.text("denied.jsonl").contains("one.txt"));
    let fixture = Fixture::new("", WRITES);
    let run =
        fixture.ask("write", &["--permission-mode", "acceptEdits", "--deny", "Write(one.txt)"]);
    assert!(!run.of_kind("tool_result")[0]["text"].as_str().unwrap().contains("again"));
}

/// What a tool gave may be replaced, by text or by anything else; the model reads that alone, and hooks the original.
#[test]
fn the_output_of_a_tool_may_be_replaced() {
    for (output, read) in [
        (r#""[redacted]""#, "[redacted]"),
        (r#"{"lines": [1, 2], "ok": true}"#, r#"{"lines":[1,2],"ok":true}"#),
        ("[1]", "[1]"),
        ("false", "false"),
    ] {
        let hooks = format!(
            "[hook.hide]\non = \"PostToolUse\"\nshell = '''cat >> seen.jsonl; echo '{{\"output\": {output}}}' '''\n"
        );
        let script = "record = \"requests.jsonl\"\n[[reply]]\ncall = [{ tool = \"Read\", input = { file_path = \"key.txt\" } }]\n[[reply]]\ntext = \"done\"\n";
        let fixture = Fixture::new(&hooks, script);
        fixture.sandbox.write("key.txt", "the-key").unwrap();
        let run = fixture.ask("read", &[]);
        assert_eq!(run.of_kind("tool_result")[0]["text"], read);
        assert!(fixture.text("seen.jsonl").contains("the-key"));
        assert!(!fixture.text("requests.jsonl").contains("the-key"));
    }
}
