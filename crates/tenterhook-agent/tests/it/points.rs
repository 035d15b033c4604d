//! Every event that the agent says it fires is fired by a live call site, and no tool runs beside the hooks.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use tenterhook_testkit::everything::{FILLS, REPLIES, SEE, files};

use crate::fixture::Fixture;

/// What `/hooks events` says of each event that the agent fires: the values that matchers can meet, and whether somebody must
/// be there.
fn table() -> BTreeMap<String, (BTreeSet<String>, bool)> {
    let fixture = Fixture::new("", "");
    let mut run = fixture.start(&[]);
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

/// A hook on every event. Another has a file watched, and a third agrees to a call and changes the mode, where the test
/// wants it.
fn everywhere(table: &BTreeMap<String, (BTreeSet<String>, bool)>) -> String {
    let names: Vec<_> = table.keys().map(|key| format!("\"{key}\"")).collect();
    format!("[hook.see]\non = [{}]\n{SEE}{AGREES}", names.join(", "))
}

const AGREES: &str = r#"
[hook.agrees]
on = "PermissionRequest"
shell = """if test -e agree; then echo '{"decision": "allow", "permissions": [
  {"type": "setMode", "mode": "acceptEdits", "destination": "session"}]}'; fi"""
"#;

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
  { tool = "Bash", input = { command = "sh configure.sh" } },
  { tool = "Bash", input = { command = "until grep -lq FileChanged ~/events/*.json && grep -lq ConfigChange ~/events/*.json; do sleep 0.01; done" } },
  { tool = "Bash", input = { command = "false" } },
  { tool = "Bash", input = { command = "exit 3" } },
  { tool = "Task", input = { description = "look", prompt = "look inside", isolation = "worktree" } },
]
"#;

/// The files that the work needs.
fn furnished(hooks: &str) -> Fixture {
    let fixture = Fixture::new(hooks, &format!("{WORK}{REPLIES}"));
    fixture.allow_writes(&[".claude/settings.local.json"]);
    for (name, text) in files() {
        fixture.sandbox.write(&name, &text).unwrap();
    }
    let configure = "mkdir -p .claude; echo '{}' > .claude/settings.local.json";
    fixture.sandbox.write("configure.sh", configure).unwrap();
    super::gates::repository(&fixture);
    fixture
}

/// The events that a fixture fired, and the values of their subjects.
fn fired(fixture: &Fixture) -> BTreeMap<String, BTreeSet<String>> {
    const KEYS: &[&str] =
        &["source", "trigger", "reason", "load_reason", "notification_type", "mode", "error"];
    let mut fired: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in std::fs::read_dir(fixture.sandbox.home().join("events")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let event: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let values = fired.entry(event["event"].as_str().unwrap().to_owned()).or_default();
        let said = KEYS.iter().filter_map(|key| event["data"][key].as_str());
        values.extend(said.chain(event["tool"]["name"].as_str()).map(str::to_owned));
    }
    fired
}

/// Everything that a person can do with lines of JSON.
fn attended(hooks: &str) -> BTreeMap<String, BTreeSet<String>> {
    let fixture = furnished(hooks);
    let mut run = fixture.start(&[
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
        run.send_line(json!({"type": "decide", "id": ask["id"], "allow": true}));
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
        fixture.sandbox.write(file, "{ }").unwrap();
        run.wait("change", changed);
    }
    run.prompt("/compact");
    run.wait("compaction", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("compacted")
    });
    run.prompt(FILLS);
    run.wait("compaction", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("compacted")
    });
    run.wait_for("turn_ended");
    run.prompt("/clear");
    for command in [&*format!("/resume {transcript}"), "/fork"] {
        run.prompt(command);
        run.wait_for("page");
    }
    run.send_line(json!({"type": "quit"}));
    run.end();
    fired(&fixture)
}

/// One prompt on the command line, time and again.
fn printed(hooks: &str) -> BTreeMap<String, BTreeSet<String>> {
    let fixture = furnished(hooks);
    fixture.sandbox.write("agree", "").unwrap();
    for prompt in ["everything", "rate_limit", "/hello you", FILLS].into_iter().chain([
        "/model scripted:script.toml",
        "/add-dir ../home",
        "/cd sub",
        "/quit",
    ]) {
        let status = fixture
            .command()
            .args(["--maintenance", "--model", "scripted:script.toml", "--print", prompt])
            .args(["--allow", "Bash(*)", "--deny", "Bash(exit 3)"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.success(), prompt != "rate_limit", "{prompt}");
    }
    fired(&fixture)
}

/// X3.15, ruling 21: in each face exactly the events are fired that the table has for it, and of the closed lists every value.
#[test]
fn every_event_of_the_table_has_a_live_call_site() {
    let table = table();
    let hooks = everywhere(&table);
    let (attended, printed) = (attended(&hooks), printed(&hooks));
    let names = |with_attended: bool| {
        let rows = table.iter().filter(|(_, (_, attended))| with_attended || !attended);
        rows.map(|(event, _)| event.clone()).collect::<Vec<_>>()
    };
    assert_eq!(attended.keys().cloned().collect::<Vec<_>>(), names(true), "with somebody there");
    assert_eq!(printed.keys().cloned().collect::<Vec<_>>(), names(false), "without a person");
    for event in [
        "Setup",
        "SessionStart",
        "InstructionsLoaded",
        "PreToolUse",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
        "ConfigChange",
        "Notification",
    ] {
        let both = [&attended, &printed].into_iter().filter_map(|map| map.get(event)).flatten();
        let values: BTreeSet<String> = both.cloned().collect();
        // Tools of servers are called in sessions of `conformance/host`: their names are no closed list.
        let mut closed = table[event].0.clone();
        closed.retain(|text| !text.starts_with("mcp__"));
        assert_eq!(values, closed, "{event}");
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
                if line.contains("tool.run(") || line.contains(".call_server_tool(") {
                    runs.insert(name.clone());
                }
            }
        }
    }
    assert_eq!(makes, BTreeSet::from(["permission.rs".to_owned()]));
    assert_eq!(
        runs,
        BTreeSet::from(["tool.rs".to_owned(), "toolbox.rs".to_owned()]),
        "`tool::run` and `use_tool` alone, which take a permit"
    );
}
