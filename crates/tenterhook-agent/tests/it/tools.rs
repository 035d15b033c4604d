//! Tools and permissions.

use serde_json::json;

use crate::room::Room;

const WRITE: &str = r#"
[[reply]]
call = [{ tool = "Write", input = { file_path = "out.txt", content = "one" } }]
[[reply]]
text = "done"
"#;

/// No tool passes without `PreToolUse`; its denial reaches the model.
#[test]
fn a_denied_call_does_not_run_and_the_model_reads_why() {
    let hooks = "[hook.no]\non = \"PreToolUse\"\nshell = \"echo 'not today' >&2; exit 2\"\n";
    let room = Room::new(hooks, WRITE);
    let run = room.ask("write", &["--permission-mode", "bypassPermissions"]);
    assert_eq!(room.text("out.txt"), "");
    let result = run.of("tool_result")[0];
    assert_eq!(result["is_error"], true);
    assert!(result["text"].as_str().unwrap().contains("not today"));
}

/// What a hook writes into the arguments is what runs, and is held to the schema.
#[test]
fn rewritten_arguments_run_and_must_fit_the_schema() {
    let hook = |input: &str| {
        format!(
            "[hook.w]\non = \"PreToolUse\"\nphase = \"rewrite\"\nshell = '''echo '{{\"input\": {input}}}' '''\n"
        )
    };
    let room = Room::new(&hook(r#"{"file_path": "out.txt", "content": "two"}"#), WRITE);
    room.ask("write", &["--permission-mode", "acceptEdits"]);
    assert_eq!(room.text("out.txt"), "two");
    let room = Room::new(&hook(r#"{"file_path": 5, "content": "two"}"#), WRITE);
    let run = room.ask("write", &["--permission-mode", "acceptEdits"]);
    assert_eq!(room.text("out.txt"), "");
    assert!(run.of("tool_result")[0]["text"].as_str().unwrap().contains("file_path"));
}

/// A hook's consent waives a routine question, and never a deny rule (ruling 17).
#[test]
fn consent_of_a_hook_waives_a_question_and_no_rule() {
    let hooks =
        "[hook.yes]\non = \"PreToolUse\"\nshell = '''echo '{\"decision\": \"allow\"}' '''\n";
    let room = Room::new(hooks, WRITE);
    room.ask("write", &[]);
    assert_eq!(room.text("out.txt"), "one");
    let room = Room::new(hooks, WRITE);
    room.ask("write", &["--deny", "Write(*)"]);
    assert_eq!(room.text("out.txt"), "");
}

/// The question opens while `PermissionRequest` runs; the first answer wins, a late one is dropped (ruling 16).
#[test]
fn the_first_answer_to_a_question_wins() {
    let hooks = r#"
[hook.slow]
on = "PermissionRequest"
timeout = "1m"
shell = '''touch asked; until test -e go; do sleep 0.01; done; echo '{"decision": "deny", "reason": "late"}' '''
"#;
    let room = Room::new(hooks, WRITE);
    let mut run = room.start(&[]);
    run.prompt("write");
    let ask = run.wait_for("ask");
    run.say(json!({"type": "decide", "id": ask["id"], "allow": true}));
    assert_eq!(run.wait_for("tool_result")["is_error"], false);
    room.sandbox.write("go", "").unwrap();
    run.end();
    assert_eq!(room.text("out.txt"), "one");
}

/// The tools that look and change, by what they do.
#[test]
fn files_are_found_searched_and_edited() {
    let script = r#"
[[reply]]
call = [
  { tool = "Glob", input = { pattern = "src/**/*.rs" } },
  { tool = "Grep", input = { pattern = "fn m\\w+", glob = "*.rs" } },
  { tool = "Edit", input = { file_path = "src/a.rs", old_string = "main", new_string = "start" } },
  { tool = "Edit", input = { file_path = "src/a.rs", old_string = "absent", new_string = "x" } },
  { tool = "Nothing", input = {} },
]
[[reply]]
text = "done"
"#;
    let room = Room::new("", script);
    room.sandbox.write("src/a.rs", "fn main() {}\n").unwrap();
    room.sandbox.write("b.rs", "fn other() {}\n").unwrap();
    let run = room.ask("go", &["--permission-mode", "acceptEdits"]);
    let texts: Vec<_> =
        run.of("tool_result").iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(texts[..3], ["src/a.rs", "src/a.rs:1:fn main() {}", "replaced 1 in `src/a.rs`"]);
    assert!(texts[3].contains("does not stand"), "{texts:?}");
    assert!(texts[4].contains("no tool `Nothing`"), "{texts:?}");
    assert_eq!(room.text("src/a.rs"), "fn start() {}\n");
}
