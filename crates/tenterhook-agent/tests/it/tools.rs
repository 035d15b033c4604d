//! Tools and permissions.

use serde_json::{Value, json};

use crate::fixture::{Fixture, WRITE};

/// No tool passes without `PreToolUse`; its denial reaches the model.
#[test]
fn a_denied_call_does_not_run_and_the_model_reads_why() {
    let hooks = "[hook.no]\non = \"PreToolUse\"\nshell = \"echo 'not today' >&2; exit 2\"\n";
    let fixture = Fixture::new(hooks, WRITE);
    let run = fixture.ask("write", &["--permission-mode", "bypassPermissions"]);
    assert_eq!(fixture.text("out.txt"), "");
    let result = run.of_kind("tool_result")[0];
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
    let fixture = Fixture::new(&hook(r#"{"file_path": "out.txt", "content": "two"}"#), WRITE);
    fixture.ask("write", &["--permission-mode", "acceptEdits"]);
    assert_eq!(fixture.text("out.txt"), "two");
    let fixture = Fixture::new(&hook(r#"{"file_path": 5, "content": "two"}"#), WRITE);
    let run = fixture.ask("write", &["--permission-mode", "acceptEdits"]);
    assert_eq!(fixture.text("out.txt"), "");
    assert!(run.of_kind("tool_result")[0]["text"].as_str().unwrap().contains("file_path"));
}

/// A hook's consent waives a routine question, and never a deny rule (ruling 17).
#[test]
fn consent_of_a_hook_waives_a_question_and_no_rule() {
    let hooks =
        "[hook.yes]\non = \"PreToolUse\"\nshell = '''echo '{\"decision\": \"allow\"}' '''\n";
    let fixture = Fixture::new(hooks, WRITE);
    fixture.ask("write", &[]);
    assert_eq!(fixture.text("out.txt"), "one");
    let fixture = Fixture::new(hooks, WRITE);
    fixture.ask("write", &["--deny", "Write(*)"]);
    assert_eq!(fixture.text("out.txt"), "");
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
    let fixture = Fixture::new(hooks, WRITE);
    let mut run = fixture.start(&[]);
    run.prompt("write");
    let ask = run.wait_for("ask");
    run.send_line(json!({"type": "decide", "id": ask["id"], "allow": true}));
    assert_eq!(run.wait_for("tool_result")["is_error"], false);
    fixture.sandbox.write("go", "").unwrap();
    run.end();
    assert_eq!(fixture.text("out.txt"), "one");
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
    let fixture = Fixture::new("", script);
    fixture.sandbox.write("src/a.rs", "fn main() {}\n").unwrap();
    fixture.sandbox.write("b.rs", "fn other() {}\n").unwrap();
    let run = fixture.ask("go", &["--permission-mode", "acceptEdits"]);
    let texts: Vec<_> = run
        .of_kind("tool_result")
        .iter()
        .map(|tool_result| tool_result["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts[..3], ["src/a.rs", "src/a.rs:1:fn main() {}", "replaced 1 in `src/a.rs`"]);
    assert!(texts[3].contains("does not stand"), "{texts:?}");
    assert!(texts[4].contains("no tool `Nothing`"), "{texts:?}");
    assert_eq!(fixture.text("src/a.rs"), "fn start() {}\n");
}

/// What stops a hook of these tests until somebody lets it go on.
const TELLS: &str = r#"
[hook.tells]
on = "PostToolUseFailure"
timeout = "1m"
shell = '''cat >> failed.jsonl; echo >> failed.jsonl; until test -e go; do sleep 0.01; done; echo '{"context": "the lock is left"}' '''
"#;

fn objects(lines: &str) -> Vec<Value> {
    let lines = lines.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A tool that the person stops has failed, and hooks hear of it; the person does not wait for them. What they say of it reaches
/// the model with the next prompt, and is no reason for a turn.
#[test]
fn interrupted_tool_is_reported_to_hooks_in_the_background() {
    let script = r#"
[[reply]]
on = "build"
call = [{ tool = "Bash", input = { command = "sleep 1000" } }]
[[reply]]
on = "the lock is left"
text = "I remove it"
[[reply]]
repeat = true
text = "what now?"
"#;
    let fixture = Fixture::new(TELLS, script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("build");
    run.wait_for("tool");
    run.send_line(json!({"type": "interrupt"}));
    assert_eq!(run.wait_for("tool_result")["text"], "interrupted");
    // The hook is still at it.
    assert_eq!(run.wait_for("turn_ended")["error"], "interrupted");
    fixture.sandbox.write("go", "").unwrap();
    run.wait("the hook", |line| line["type"] == "hooks");
    // Its output need not be there as soon as it has ended.
    let answered = (1..100).find(|_| {
        run.prompt("go on");
        run.wait_for("turn_ended");
        run.received.iter().any(|line| line["text"] == "I remove it")
    });
    run.end();
    let turns = run.of_kind("turn_ended").len();
    assert_eq!(Some(turns), answered.map(|n| n + 1), "it is not a reason for a turn");
    let records = objects(&fixture.text("failed.jsonl"));
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["data"]["is_interrupt"], true);
    assert_eq!(records[0]["tool"]["input"]["command"], "sleep 1000");
}

/// The same where the person leaves, and for the tool of a subagent, which ends with the tool that it is for the main agent.
#[test]
fn who_leaves_interrupts_too() {
    let hooks = "[hook.tells]\non = [\"PostToolUseFailure\", \"SubagentStop\"]\nshell = \"cat >> $HOME/ended.jsonl; echo >> $HOME/ended.jsonl\"\n";
    let script = r#"
[[reply]]
on = "delegate"
call = [{ tool = "Task", input = { description = "look", prompt = "look inside" } }]
[[reply]]
on = "look inside"
call = [{ tool = "Bash", input = { command = "sleep 1000" } }]
"#;
    let fixture = Fixture::new(hooks, script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("delegate");
    run.wait("the tool of the subagent", |line| line["type"] == "tool" && line["tool"] == "Bash");
    run.signal("TERM");
    run.end();
    let events = objects(&fixture.text("../home/ended.jsonl"));
    let mut events: Vec<_> = events
        .iter()
        .map(|value| {
            let by = if value["session"].get("agent_id").is_some() { "sub" } else { "main" };
            format!(
                "{by} {} {} {}",
                value["event"], value["tool"]["name"], value["data"]["is_interrupt"]
            )
        })
        .collect();
    events.sort_unstable();
    let wanted = [
        "main \"PostToolUseFailure\" \"Task\" true",
        "sub \"PostToolUseFailure\" \"Bash\" true",
        "sub \"SubagentStop\" null null",
    ];
    assert_eq!(events, wanted);
}

/// Ruling 33: `PostToolUse` runs after a call that succeeded; a failure has its own event, and a call that was refused has neither.
#[test]
fn only_successful_calls_fire_post_tool_use() {
    let hooks = "[hook.see]\non = [\"PostToolUse\", \"PostToolUseFailure\"]\nshell = \"true\"\n";
    let reply = |line: &str| {
        format!(
            "[[reply]]\ncall = [{{ tool = \"Bash\", input = {{ command = \"{line}\" }} }}]\n[[reply]]\ntext = \"done\"\n"
        )
    };
    for (line, events) in
        [("true", &["PostToolUse"][..]), ("exit 3", &["PostToolUseFailure"]), ("false", &[])]
    {
        let fixture = Fixture::new(hooks, &reply(line));
        let run = fixture.ask("work", &["--allow", "Bash(*)", "--deny", "Bash(false)"]);
        assert_eq!(run.events(), events, "{line}");
    }
}

/// loop: a turn without tools fires no `PreToolUse`, and warns of nothing.
#[test]
fn a_turn_without_tools_fires_no_tool_event() {
    let hooks = "[hook.see]\non = [\"PreToolUse\", \"PostToolUse\", \"PostToolUseFailure\", \"PostToolBatch\"]\nshell = \"true\"\n";
    let run = Fixture::new(hooks, "[[reply]]\ntext = \"hello\"\n").ask("hi", &[]);
    assert_eq!(run.of_kind("reply").len(), 1);
    assert!(run.events().is_empty() && run.of_kind("warn").is_empty(), "{:?}", run.received);
}
