//! The way of a prompt.

use serde_json::json;

use crate::room::Room;

const BLOCK: &str = r#"
[hook.no-secrets]
on = "UserPromptSubmit"
shell = '''if grep -q secret; then echo "no secrets here" >&2; exit 2; fi'''
"#;

/// A blocked prompt leaves nothing: no turn, no call of the model, no history; its text comes back.
#[test]
fn a_blocked_prompt_leaves_nothing_and_the_queue_goes_on() {
    let room = Room::new(BLOCK, "[[reply]]\ntext = \"hello\"\n");
    let mut run = room.start(&[]);
    run.prompt("tell the secret");
    let refused = run.wait_for("refused");
    assert_eq!(refused["text"], "tell the secret");
    assert_eq!(refused["reason"], "no secrets here");
    run.prompt("say hello");
    assert_eq!(run.wait_for("reply")["text"], "hello", "the model was not asked before");
    run.end();
    assert!(run.of("prompt").iter().all(|it| it["text"] == "say hello"));
    let loading: Vec<_> = run.of("loading").iter().map(|it| it["loading"].clone()).collect();
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
    let room = Room::new(hooks, "[[reply]]\non = \"[hooked] hello\"\ntext = \"heard it\"\n");
    let mut run = room.start(&[]);
    run.prompt("hello");
    assert_eq!(run.wait_for("prompt")["text"], "[hooked] hello");
    assert_eq!(run.wait_for("reply")["text"], "heard it");
    run.end();
    assert!(room.text("committed.jsonl").contains("[hooked] hello"));
}

/// Steering passes the same hooks, exactly once; a blocked steer is dropped with a warning, and the turn goes on.
#[test]
fn steering_is_judged_once_and_a_blocked_steer_is_dropped() {
    let hooks = format!(
        "{BLOCK}\n[hook.count]\non = \"UserPromptSubmit\"\nshell = \"cat >> seen.jsonl\"\n\
         [hook.hold]\non = \"PostToolUse\"\nshell = \"until test -e go; do sleep 0.01; done\"\n"
    );
    let script = r#"
[[reply]]
text = "working"
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
on = "faster"
text = "done"
"#;
    let room = Room::new(&hooks, script);
    let mut run = room.start(&[]);
    run.prompt("work");
    run.wait_for("tool");
    run.prompt("the secret way");
    assert_eq!(run.wait_for("refused")["text"], "the secret way");
    run.prompt("faster");
    run.wait("the steer", |line| line["type"] == "prompt" && line["text"] == "faster");
    room.sandbox.write("go", "").unwrap();
    run.wait("the answer to the steer", |line| line["text"] == "done");
    run.end();
    assert_eq!(run.of("warn").len(), 1);
    assert_eq!(room.text("seen.jsonl").lines().count(), 3, "each text once");
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
    let room = Room::new(hooks, script);
    room.sandbox.write("a.txt", "content of a").unwrap();
    room.sandbox.write("b.txt", "content of b").unwrap();
    room.sandbox.write(".claude/commands/hello.md", "---\nx: y\n---\ngreet $ARGUMENTS").unwrap();
    room.sandbox.write(".claude/commands/deploy.md", "deploy $ARGUMENTS").unwrap();
    let mut run = room.start(&[]);
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
