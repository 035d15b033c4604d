//! When somebody is asked about a call, who that is, and what an answer means for the next call.

use serde_json::{Value, json};

use crate::fixture::Fixture;

fn calls(tool: &str, inputs: &[Value]) -> String {
    let reply = |input: &Value| {
        let input =
            input.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {value}"));
        let input = input.collect::<Vec<_>>().join(", ");
        format!("[[reply]]\ncall = [{{ tool = \"{tool}\", input = {{ {input} }} }}]\n")
    };
    inputs.iter().map(reply).collect::<String>() + "[[reply]]\ntext = \"done\"\n"
}

fn runs(line: &str) -> String {
    calls("Bash", &[json!({"command": line})])
}

fn writes(file: &str) -> String {
    calls("Write", &[json!({"file_path": file, "content": "x"})])
}

/// `TestResolveHookAllow`, ruling 17, pretool_hook `AllowOverridesPermissionPrompt` and `AllowStillGatedWhenNotHonored`: the
/// consent of a hook counts where no rule and no safety check has something to say.
#[test]
fn consent_of_a_hook_counts_where_nothing_else_speaks() {
    #[derive(Debug, PartialEq)]
    enum Came {
        Ran,
        Asked,
        Refused,
    }
    let hooks =
        "[hook.yes]\non = \"PreToolUse\"\nshell = '''echo '{\"decision\": \"allow\"}' '''\n";
    for (script, args, came) in [
        (runs("true"), &[][..], Came::Ran),
        (writes("a.txt"), &[], Came::Ran),
        (runs("true"), &["--deny", "Bash(true)"], Came::Refused),
        (
            runs("true"),
            &["--deny", "Bash(true)", "--permission-mode", "bypassPermissions"],
            Came::Refused,
        ),
        (runs("true"), &["--ask", "Bash(true)"], Came::Asked),
        (runs("true"), &["--ask", "Bash(true)", "--allow", "Bash(true)"], Came::Asked),
        (runs("true"), &["--permission-mode", "plan"], Came::Refused),
        (writes("../a.txt"), &[], Came::Asked),
        (writes(".git/config"), &["--permission-mode", "acceptEdits"], Came::Asked),
        (writes(".mcp.json"), &["--permission-mode", "bypassPermissions"], Came::Asked),
        // Self-protection denies and does not ask.
        (writes("tenterhook.toml"), &["--permission-mode", "bypassPermissions"], Came::Refused),
    ] {
        let fixture = Fixture::new(hooks, &script);
        let run = fixture.ask("work", args);
        let met = match run.of_kind("tool_result")[0]["is_error"] == false {
            true => Came::Ran,
            false if run.of_kind("ask").is_empty() => Came::Refused,
            false => Came::Asked,
        };
        assert_eq!(met, came, "{script}{args:?}");
    }
    let fixture = Fixture::new("", &runs("true"));
    assert_eq!(
        fixture.ask("work", &[]).of_kind("ask").len(),
        1,
        "without the hook the user is asked"
    );
}

/// pretool_hook `AskForcesPermissionPrompt`: a hook may have the user asked about what would run without a question, in every
/// mode, and the user reads why; consent of another hook does not answer.
#[test]
fn a_hook_may_have_the_user_asked_about_anything() {
    let hooks = r#"
[hook.careful]
on = "PreToolUse"
shell = '''echo '{"decision": "ask", "reason": "the file is private"}' '''
[hook.careless]
on = ["PreToolUse", "PermissionRequest"]
shell = '''echo '{"decision": "allow"}' '''
"#;
    for mode in ["default", "acceptEdits", "bypassPermissions"] {
        let fixture = Fixture::new(hooks, &calls("Read", &[json!({"file_path": "script.toml"})]));
        let mut run = fixture.start(&["--permission-mode", mode]);
        run.prompt("read");
        let ask = run.wait_for("ask");
        assert!(ask["reason"].as_str().unwrap().contains("the file is private"), "{ask}");
        // The other hook has consented by now, which is ignored.
        let warning = run.wait_for("warn");
        assert!(warning["reason"].as_str().unwrap().contains("the question is yours"), "{warning}");
        run.send_line(
            json!({"type": "decide", "id": ask["id"], "allow": false, "reason": "keep out"}),
        );
        let result = run.wait_for("tool_result");
        assert!(result["text"].as_str().unwrap().contains("keep out"), "{result}");
        run.end();
    }
}

/// `PermissionHookShowsPendingApprovalModal`: a hook that has no opinion leaves the question open, and the user decides.
#[test]
fn a_hook_without_an_opinion_leaves_the_question_open() {
    let hooks = "[hook.shrugs]\non = \"PermissionRequest\"\nshell = \"true\"\n";
    let fixture = Fixture::new(hooks, &writes("a.txt"));
    let mut run = fixture.start(&[]);
    run.prompt("write");
    let ask = run.wait_for("ask");
    run.wait("the end of the hook", |message| {
        message["type"] == "hooks" && message["event"] == "PermissionRequest"
    });
    assert_eq!(fixture.text("a.txt"), "");
    run.send_line(json!({"type": "decide", "id": ask["id"], "allow": true}));
    assert_eq!(run.wait_for("tool_result")["is_error"], false);
    run.end();
    assert!(run.of_kind("ask_void").len() <= 1);
    assert_eq!(fixture.text("a.txt"), "x");
}

/// `TestBuildRule`: the rule that a consent builds is about this very call, or about what the suggestion for hooks says, and
/// a different next call is asked about.
#[test]
fn a_consent_for_always_is_about_the_call_that_was_shown() {
    let bash = |line: &str| json!({"command": line});
    let write = |file: &str| json!({"file_path": file, "content": "x"});
    let rows = [
        ("Bash", [bash("echo a"), bash("echo a"), bash("echo a; echo b")]),
        ("Bash", [bash("git status"), bash("git status"), bash("git push")]),
        ("Bash", [bash("echo 'a b'"), bash("echo 'a b'"), bash("echo a b")]),
        ("Bash", [bash("ls *"), bash("ls *"), bash("ls a")]),
        ("Write", [write("a.txt"), write("a.txt"), write("b.txt")]),
    ];
    for (tool, inputs) in rows {
        let fixture = Fixture::new("", &calls(tool, &inputs));
        let mut run = fixture.start(&[]);
        run.prompt("work");
        let ask = run.wait_for("ask");
        run.send_line(json!({"type": "decide", "id": ask["id"], "allow": true, "always": true}));
        run.wait_many("result", 2, |message| message["type"] == "tool_result");
        run.end();
        let asked: Vec<_> = run.of_kind("ask").iter().map(|value| value["input"].clone()).collect();
        assert_eq!(asked, [inputs[0].clone(), inputs[2].clone()], "{tool}");
    }
}

/// `TestBuildRule`: a hook that takes the suggestion it was handed agrees to that command, and to no other.
#[test]
fn the_suggestion_for_hooks_is_a_rule_about_this_command() {
    let hooks = r#"
[hook.takes]
on = "PermissionRequest"
once = true
shell = '''printf '{"decision": "allow", "permissions": %s}' "$(sed 's/.*"permission_suggestions":\(\[[^]]*\][^]]*\]\).*/\1/')" '''
"#;
    let inputs = ["echo a", "echo a", "echo b"].map(|line| json!({"command": line}));
    let fixture = Fixture::new(hooks, &calls("Bash", &inputs));
    let run = fixture.ask("work", &[]);
    let ran: Vec<_> = run
        .of_kind("tool_result")
        .iter()
        .map(|tool_result| tool_result["is_error"] == false)
        .collect();
    assert_eq!(ran, [true, true, false], "{:#?}", run.received);
    assert!(run.of_kind("warn").is_empty(), "{:?}", run.of_kind("warn"));
}
