//! The way of a prompt.

use serde_json::{Value, json};

use crate::fixture::Fixture;

const HELLO: &str = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"hello\"\n";

/// A hook of ignis on prompts.
fn ignis(line: &str) -> String {
    json!({"hooks": {"UserPromptSubmit": [{"argv": ["sh", "-c", line], "sandbox": false}]}})
        .to_string()
}

const BLOCK: &str = r#"
[hook.no-secrets]
on = "UserPromptSubmit"
shell = '''if grep -q secret; then echo "no secrets here" >&2; exit 2; fi'''
"#;

/// A blocked prompt leaves nothing: no turn, no call of the model, no history; its text comes back.
#[test]
fn a_blocked_prompt_leaves_nothing_and_the_queue_goes_on() {
    let fixture = Fixture::new(BLOCK, "[[reply]]\ntext = \"hello\"\n");
    let mut run = fixture.start(&[]);
    run.prompt("tell the secret");
    let refused = run.wait_for("refused");
    assert_eq!(refused["text"], "tell the secret");
    assert_eq!(refused["reason"], "no secrets here");
    run.prompt("say hello");
    assert_eq!(run.wait_for("reply")["text"], "hello", "the model was not asked before");
    run.end();
    assert!(run.of_kind("prompt").iter().all(|prompt| prompt["text"] == "say hello"));
    let loading: Vec<_> =
        run.of_kind("loading").iter().map(|value| value["loading"].clone()).collect();
    assert_eq!(loading, [json!(true), json!(false)]);
}

/// The final text is the only one that anybody uses.
#[test]
fn a_rewritten_prompt_is_the_only_text() {
    let hooks = r#"
[hook.shout]
on = "UserPromptSubmit"
phase = "rewrite"
shell = '''echo '{"prompt": "[hooked] hello"}' '''
[hook.keeps]
on = "UserPromptCommitted"
shell = "cat >> committed.jsonl"
"#;
    let fixture = Fixture::new(hooks, "[[reply]]\non = \"[hooked] hello\"\ntext = \"got it\"\n");
    let mut run = fixture.start(&[]);
    run.prompt("hello");
    assert_eq!(run.wait_for("prompt")["text"], "[hooked] hello");
    assert_eq!(run.wait_for("reply")["text"], "got it");
    run.end();
    assert!(fixture.text("committed.jsonl").contains("[hooked] hello"));
}

/// Steering passes the same hooks, exactly once; a blocked steer is dropped with a warning, and the turn goes on.
#[test]
fn steering_is_judged_once_and_a_blocked_steer_is_dropped() {
    let hooks = format!(
        "{BLOCK}\n[hook.count]\non = \"UserPromptSubmit\"\nshell = \"cat >> seen.jsonl\"\n\
         [hook.hold]\non = \"PostToolUse\"\nshell = \"until test -e go; do sleep 0.01; done\"\n"
    );
    let script = r#"
record = "requests.jsonl"
[[reply]]
text = "working"
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
on = "faster"
text = "done"
"#;
    let fixture = Fixture::new(&hooks, script);
    let mut run = fixture.start(&[]);
    run.prompt("work");
    let transcript = run.wait_for("session")["transcript_path"].as_str().unwrap().to_owned();
    run.wait_for("tool");
    run.prompt("the secret way");
    assert_eq!(run.wait_for("refused")["text"], "the secret way");
    run.prompt("faster");
    run.wait("the steer", |line| line["type"] == "prompt" && line["text"] == "faster");
    fixture.sandbox.write("go", "").unwrap();
    run.wait("the answer to the steer", |line| line["text"] == "done");
    run.end();
    assert_eq!(run.of_kind("warn").len(), 1);
    assert_eq!(fixture.text("seen.jsonl").lines().count(), 3, "each text once");
    for kept in [fixture.text("requests.jsonl"), std::fs::read_to_string(transcript).unwrap()] {
        assert!(kept.contains("faster") && !kept.contains("the secret way"), "{kept}");
    }
}

/// Mentions and commands are looked up in the final text, and a command may be refused when it becomes a prompt.
#[test]
fn mentions_and_commands_belong_to_the_final_text() {
    let hooks = r#"
[hook.redirect]
on = "UserPromptSubmit"
phase = "rewrite"
shell = '''sed -n 's/.*"prompt":"use @a.txt".*/{"prompt": "use @b.txt"}/p' '''
[hook.no-deploys]
on = "UserPromptExpansion"
match = "deploy"
shell = "echo 'not on a Friday' >&2; exit 2"
"#;
    let script = "[[reply]]\non = \"content of b\"\ntext = \"b it is\"\n[[reply]]\non = \"greet Ann\"\ntext = \"hi Ann\"\n";
    let fixture = Fixture::new(hooks, script);
    fixture.sandbox.write("a.txt", "content of a").unwrap();
    fixture.sandbox.write("b.txt", "content of b").unwrap();
    fixture.sandbox.write(".claude/commands/hello.md", "---\nx: y\n---\ngreet $ARGUMENTS").unwrap();
    fixture.sandbox.write(".claude/commands/deploy.md", "deploy $ARGUMENTS").unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("use @a.txt");
    assert_eq!(run.wait_for("reply")["text"], "b it is");
    run.wait_for("turn_ended");
    run.prompt("/hello Ann");
    assert_eq!(run.wait_for("reply")["text"], "hi Ann");
    run.wait_for("turn_ended");
    run.prompt("/deploy prod");
    assert_eq!(run.wait_for("refused")["reason"], "not on a Friday");
    run.end();
}

/// IG-S4: nothing of a prompt is stored, announced or sent before its hooks have agreed; then all three happen with the
/// text that they made of it.
#[test]
fn a_prompt_is_kept_when_its_hooks_have_agreed() {
    let fixture = Fixture::new(
        "[hook.seen]\non = \"UserPromptCommitted\"\nshell = \"cat >> seen.jsonl\"\n",
        HELLO,
    );
    let line = "touch asked; until test -e go; do sleep 0.01; done; echo '{\"hookSpecificOutput\": {\"updatedInput\": \"the final text\"}}'";
    fixture.sandbox.write("~/.ignis/hooks.json", &ignis(line)).unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("the first text");
    let transcript = run.wait_for("session")["transcript_path"].as_str().unwrap().to_owned();
    let kept = || Fixture::conversation(&transcript);
    fixture.until("the hook to be asked", || fixture.sandbox.project().join("asked").exists());
    assert!(!kept().contains("\"message\""), "{}", kept());
    assert_eq!(fixture.text("requests.jsonl") + &fixture.text("seen.jsonl"), "");
    fixture.sandbox.write("go", "").unwrap();
    run.wait_for("turn_ended");
    run.end();
    for text in [kept(), fixture.text("requests.jsonl"), fixture.text("seen.jsonl")] {
        assert!(text.contains("the final text") && !text.contains("the first text"), "{text}");
    }
    assert_eq!(run.of_kind("prompt")[0]["text"], "the final text");
}

/// `inject_runs_through_user_prompt_submit_hook_chain`: history has the prompt and the steer as their hooks made them.
#[test]
fn history_has_every_message_as_its_hooks_made_it() {
    let hooks =
        "[hook.hold]\non = \"PostToolUse\"\nshell = \"until test -e go; do sleep 0.01; done\"\n";
    let script = r#"
record = "requests.jsonl"
[[reply]]
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
text = "done"
"#;
    let fixture = Fixture::new(hooks, script);
    let shout = r#"printf '{"hookSpecificOutput": {"updatedInput": "%s"}}' "$(sed 's/.*"prompt":"\([^"]*\)".*/\1/' | tr a-z A-Z)""#;
    fixture.sandbox.write("~/.ignis/hooks.json", &ignis(shout)).unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("hi there");
    run.wait_for("tool");
    run.prompt("steer me");
    run.wait("the steer", |line| line["type"] == "prompt" && line["text"] == "STEER ME");
    fixture.sandbox.write("go", "").unwrap();
    run.end();
    let last = fixture.text("requests.jsonl").lines().last().unwrap().to_owned();
    let last: Value = serde_json::from_str(&last).unwrap();
    let users =
        last["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    let users: Vec<_> = users.map(|user| user["text"].as_str().unwrap()).collect();
    assert_eq!(users, ["HI THERE", "STEER ME"]);
}
