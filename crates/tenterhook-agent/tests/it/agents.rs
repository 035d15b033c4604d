//! Subagents, their worktrees, and tasks in the background.

use serde_json::Value;

use crate::fixture::Fixture;

const SEE: &str = r#"
[hook.see]
on = ["TaskCreated", "TaskCompleted", "SubagentStart", "SubagentStop", "PreToolUse", "WorktreeCreate", "WorktreeRemove"]
shell = "cat >> events.jsonl; echo >> events.jsonl"
cwd = "."
"#;

/// What a hook kept in a file, an event a line.
fn records_of(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Tool events fire inside subagents (ruling 25), and say which agent it is.
#[test]
fn a_subagent_passes_the_same_hooks() {
    let script = r#"
[[reply]]
on = "delegate"
call = [{ tool = "Task", input = { description = "look", prompt = "look inside", subagent_type = "scout" } }]
[[reply]]
on = "look inside"
call = [{ tool = "Read", input = { file_path = "script.toml" } }]
[[reply]]
on = "[[reply]]"
text = "seen"
[[reply]]
on = "seen"
text = "all done"
"#;
    let fixture = Fixture::new(SEE, script);
    let run = fixture.ask("delegate", &[]);
    assert_eq!(
        run.events(),
        [
            "PreToolUse",
            "TaskCreated",
            "SubagentStart",
            "PreToolUse",
            "SubagentStop",
            "TaskCompleted"
        ]
    );
    let texts: Vec<_> =
        run.of_kind("reply").iter().map(|value| value["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["seen", "all done"]);
    assert!(fixture.text("events.jsonl").contains("scout"));
}

/// A command in the background wakes the agent when it ends.
#[test]
fn a_task_in_the_background_wakes_the_agent_when_it_ends() {
    let script = r#"
[[reply]]
on = "build"
call = [{ tool = "Bash", input = { command = "until test -e go; do sleep 0.01; done; echo built", run_in_background = true } }]
[[reply]]
on = "runs in the background"
text = "waiting"
[[reply]]
on = "built"
text = "it is built"
"#;
    let fixture = Fixture::new(SEE, script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("build");
    run.wait("the first answer", |line| line["text"] == "waiting");
    run.wait_for("turn_ended");
    fixture.sandbox.write("go", "").unwrap();
    run.wait("the answer to the task", |line| line["text"] == "it is built");
    run.end();
    assert_eq!(run.events(), ["PreToolUse", "TaskCreated", "TaskCompleted"]);
    let records = records_of(&fixture.text("events.jsonl"));
    for key in ["task_id", "task_subject"] {
        assert_eq!(records[1]["data"][key], records[2]["data"][key]);
    }
    assert_eq!(records[1]["data"]["task_id"], records[0]["tool"]["id"]);
}

/// `TestTaskLifecycleHandler`: a task that a hook refuses is not begun, and one that a hook keeps open says why.
#[test]
fn a_task_in_the_background_is_refused_or_does_not_count() {
    let script = r#"
record = "requests.jsonl"
[[reply]]
call = [{ tool = "Bash", input = { command = "touch begun", run_in_background = true } }]
[[reply]]
repeat = true
text = "waiting"
"#;
    let hook =
        |on: &str| format!("[hook.no]\non = \"{on}\"\nshell = \"echo 'not today' >&2; exit 2\"\n");
    let fixture = Fixture::new(&hook("TaskCreated"), script);
    let run = fixture.ask("build", &["--allow", "Bash(*)"]);
    let result = run.of_kind("tool_result")[0];
    assert!(
        result["is_error"] == true && result["text"].as_str().unwrap().contains("not today"),
        "{result}"
    );
    assert!(!fixture.sandbox.project().join("begun").exists());

    let fixture = Fixture::new(&hook("TaskCompleted"), script);
    let mut run = fixture.start(&["--allow", "Bash(*)"]);
    run.prompt("build");
    run.wait_many("turn", 2, |message| message["type"] == "turn_ended");
    run.end();
    assert!(fixture.sandbox.project().join("begun").exists());
    assert!(fixture.text("requests.jsonl").contains("A hook keeps the task open: not today"));
}

/// `hook_context_snapshots_redirected_cwd`: inside a task that works in a worktree, hooks receive that path and start there.
#[test]
fn hooks_of_a_task_see_where_it_works() {
    let script = r#"
[[reply]]
on = "delegate"
call = [{ tool = "Task", input = { description = "look", prompt = "look inside", isolation = "worktree" } }]
[[reply]]
on = "look inside"
call = [{ tool = "Bash", input = { command = "pwd" } }]
[[reply]]
text = "seen"
[[reply]]
text = "all done"
"#;
    let hooks = "[hook.see]\non = \"PreToolUse\"\nshell = \"cat >> $HOME/calls.jsonl; echo >> $HOME/calls.jsonl; pwd >> $HOME/where.txt\"\n";
    let fixture = Fixture::new(hooks, script);
    super::gates::repository(&fixture);
    let run = fixture.ask("delegate", &["--allow", "Bash(*)"]);
    let results = run.of_kind("tool_result");
    let inside = results.iter().find(|tool_result| tool_result["tool"] == "Bash").unwrap()["text"]
        .as_str()
        .unwrap();
    let calls = records_of(&fixture.text("../home/calls.jsonl"));
    let project = fixture.sandbox.project().display().to_string();
    assert_eq!(calls[0]["session"]["cwd"], project);
    assert_eq!(calls[1]["session"]["cwd"], inside.trim());
    assert_ne!(inside.trim(), project);
    assert_eq!(calls[1]["session"]["project"], project, "hooks of the project are found there");
    assert_eq!(fixture.text("../home/where.txt"), format!("{project}\n{inside}\n"));
}
