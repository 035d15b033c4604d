//! Subagents, their worktrees, and tasks in the background.

use crate::room::Room;

const SEE: &str = r#"
[hook.see]
on = ["TaskCreated", "TaskCompleted", "SubagentStart", "SubagentStop", "PreToolUse", "WorktreeCreate", "WorktreeRemove"]
shell = "cat >> events.jsonl"
cwd = "."
"#;

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
    let room = Room::new(SEE, script);
    let run = room.ask("delegate", &[]);
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
    let said: Vec<_> = run.of("reply").iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["seen", "all done"]);
    assert!(room.text("events.jsonl").contains("scout"));
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
    let room = Room::new(SEE, script);
    let mut run = room.start(&["--allow", "Bash(*)"]);
    run.prompt("build");
    run.wait("the first answer", |line| line["text"] == "waiting");
    run.wait_for("turn_ended");
    room.sandbox.write("go", "").unwrap();
    run.wait("the answer to the task", |line| line["text"] == "it is built");
    run.end();
}
