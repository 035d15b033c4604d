//! Every event that the agent says it fires is fired by a live call site, and no tool runs beside the hooks.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::room::Room;

/// What `/hooks events` says of each event that the agent fires: the values that matchers can meet, and whether somebody must
/// be there.
fn table() -> BTreeMap<String, (BTreeSet<String>, bool)> {
    let room = Room::new("", "");
    let mut run = room.start(&[]);
    run.prompt("/hooks events");
    let page = run.wait_for("page")["text"].as_str().unwrap().to_owned();
    run.end();
    let mut table = BTreeMap::new();
    let mut last = String::new();
    for line in page.lines() {
        match line.trim_start().split_once(": ") {
            _ if !line.starts_with(' ') => {
                last = line.split(' ').next().unwrap().to_owned();
                table.insert(last.clone(), (BTreeSet::new(), false));
            }
            Some(("matched on", values)) => {
                table.get_mut(&last).unwrap().0 = values.split(", ").map(str::to_owned).collect();
            }
            _ if line.contains("never fires") => drop(table.remove(&last)),
            _ if line.contains("somebody can answer") => table.get_mut(&last).unwrap().1 = true,
            _ => {}
        }
    }
    table
}

/// A hook on every event.
fn everywhere(table: &BTreeMap<String, (BTreeSet<String>, bool)>) -> String {
    let names: Vec<_> = table.keys().map(|it| format!("\"{it}\"")).collect();
    format!(
        "[hook.see]\non = [{}]\nshell = \"cat >> $HOME/events.jsonl; echo >> $HOME/events.jsonl\"\n\
         [hook.look]\non = \"SessionStart\"\nshell = '''echo '{{\"watch\": [\"watched.txt\"]}}' '''\n",
        names.join(", ")
    )
}

const WORK: &str = r#"
[[reply]]
on = "everything"
text = "at once"
call = [
  { tool = "Read", input = { file_path = "sub/a.txt" } },
  { tool = "Write", input = { file_path = "watched.txt", content = "x" } },
  { tool = "Edit", input = { file_path = "sub/a.txt", old_string = "a", new_string = "b" } },
  { tool = "Glob", input = { pattern = "*.txt" } },
  { tool = "Grep", input = { pattern = "x" } },
  { tool = "Bash", input = { command = "true" } },
  { tool = "Bash", input = { command = "false" } },
  { tool = "Bash", input = { command = "exit 3" } },
  { tool = "Task", input = { description = "look", prompt = "look inside", isolation = "worktree" } },
]
[[reply]]
on = "look inside"
text = "seen"
[[reply]]
on = "Sum up"
repeat = true
text = "much was said"
[[reply]]
on = "rate_limit"
error = "rate_limit"
[[reply]]
repeat = true
text = "done"
"#;

/// The files that the work needs.
fn furnished(hooks: &str) -> Room {
    let room = Room::new(hooks, WORK);
    for (name, text) in [
        ("sub/a.txt", "a"),
        ("sub/AGENTS.md", "be brief"),
        ("AGENTS.md", "@more.md"),
        ("more.md", "be exact"),
        (".claude/rules/texts.md", "---\npaths: sub/*.txt\n---\nquote"),
        (".claude/commands/hello.md", "say $ARGUMENTS"),
    ] {
        room.sandbox.write(name, text).unwrap();
    }
    super::gates::repository(&room);
    room
}

/// Which events were fired in a room, and with which values of their subjects.
fn fired(room: &Room) -> BTreeMap<String, BTreeSet<String>> {
    let mut fired: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let text = room.text("../home/events.jsonl");
    for line in text.lines().filter(|line| !line.is_empty()) {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        let values = fired.entry(line["event"].as_str().unwrap().to_owned()).or_default();
        let keys = ["source", "trigger", "reason", "load_reason", "notification_type", "mode"];
        values.extend(keys.iter().filter_map(|key| line["data"][key].as_str().map(str::to_owned)));
    }
    fired
}

/// Everything that a person can do with lines of JSON.
fn attended(hooks: &str) -> BTreeMap<String, BTreeSet<String>> {
    let room = furnished(hooks);
    let mut run = room.start(&[
        "--init",
        "--allow",
        "Bash(*)",
        "--deny",
        "Bash(exit 3)",
        "--idle-after",
        "0.2",
        "--notify-after",
        "0.05",
    ]);
    let transcript = run.wait_for("session")["transcript_path"].as_str().unwrap().to_owned();
    let rings = |line: &Value| line["type"] == "hooks" && line["event"] == "Notification";
    run.prompt("everything");
    for _ in 0..2 {
        let ask = run.wait_for("ask");
        run.wait("call about the question", rings);
        run.say(json!({"type": "decide", "id": ask["id"], "allow": true}));
    }
    run.wait_for("turn_ended");
    run.wait("call about the silence", rings);
    for prompt in ["rate_limit", "/hello you"] {
        run.prompt(prompt);
        run.wait_for("turn_ended");
    }
    for command in [
        "/permissions plan",
        "/model scripted:script.toml",
        "/add-dir ../home",
        "/cd sub",
        "/cd ..",
    ] {
        run.prompt(command);
        run.wait_for("page");
    }
    let changed = |line: &Value| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("changed")
    };
    for file in ["~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"]
    {
        room.sandbox.write(file, "{}").unwrap();
        run.wait("change", changed);
    }
    run.prompt("/compact");
    run.wait("compaction", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("compacted")
    });
    run.prompt(&"long ".repeat(130_000));
    run.wait("compaction", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("compacted")
    });
    run.wait_for("turn_ended");
    run.prompt("/clear");
    run.prompt(&format!("/resume {transcript}"));
    run.wait_for("page");
    run.say(json!({"type": "quit"}));
    run.end();
    fired(&room)
}

/// One prompt on the command line.
fn printed(hooks: &str) -> BTreeMap<String, BTreeSet<String>> {
    let room = furnished(hooks);
    let status = room
        .command()
        .args([
            "--maintenance",
            "--model",
            "scripted:script.toml",
            "--permission-mode",
            "acceptEdits",
        ])
        .args(["--allow", "Bash(*)", "--deny", "Bash(exit 3)", "--print", "everything"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    fired(&room)
}

/// X3.15, ruling 21: the union of what is fired is the table, event by event and value by value.
#[test]
fn every_event_of_the_table_has_a_live_call_site() {
    let table = table();
    let hooks = everywhere(&table);
    let (attended, printed) = (attended(&hooks), printed(&hooks));
    let both: BTreeSet<_> = attended.keys().chain(printed.keys()).collect();
    assert_eq!(both, table.keys().collect::<BTreeSet<_>>());
    for event in [
        "Setup",
        "SessionStart",
        "InstructionsLoaded",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
        "ConfigChange",
        "Notification",
    ] {
        let mut values: BTreeSet<String> = [&attended, &printed]
            .iter()
            .filter_map(|it| it.get(event))
            .flatten()
            .cloned()
            .collect();
        values.retain(|it| {
            event != "SessionEnd"
                || it != "prompt_input_exit"
                || attended["SessionEnd"].contains(it)
        });
        assert_eq!(values, table[event].0, "{event}");
    }
    // What one prompt can bring about is fired for it just the same.
    let of_prompt = [
        "Setup",
        "SessionStart",
        "InstructionsLoaded",
        "UserPromptSubmit",
        "UserPromptCommitted",
        "TurnStart",
        "PreModelCall",
        "PostModelCall",
        "MessageDisplay",
        "PreToolUse",
        "PermissionDenied",
        "ShellEnv",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "TaskCreated",
        "SubagentStart",
        "SubagentStop",
        "TaskCompleted",
        "WorktreeCreate",
        "WorktreeRemove",
        "Stop",
        "TurnComplete",
        "SessionEnd",
    ];
    for event in of_prompt {
        assert!(printed.contains_key(event), "{event}");
    }
    for (event, (_, attended)) in &table {
        assert!(!attended || !printed.contains_key(event), "{event} needs somebody who is there");
    }
}

/// No tool call passes without `PreToolUse`: tools run on a permit, and one file makes permits, behind that event.
#[test]
fn only_the_pipeline_makes_permits() {
    let mut left = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let (mut makes, mut runs) = (BTreeSet::new(), BTreeSet::new());
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code.map(str::to_owned) {
                if line.contains("Permit {")
                    && !line.contains("struct Permit")
                    && !line.contains("impl Permit")
                {
                    makes.insert(name.clone());
                }
                if line.contains("tool.run(") {
                    runs.insert(name.clone());
                }
            }
        }
    }
    assert_eq!(makes, BTreeSet::from(["permission.rs".to_owned()]));
    assert_eq!(
        runs,
        BTreeSet::from(["tool.rs".to_owned()]),
        "`tool::run` alone, which takes a permit"
    );
}
