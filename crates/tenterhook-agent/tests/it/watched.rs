//! Files that change while a session goes on.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

use serde_json::Value;

use crate::fixture::{Fixture, Run};

const HELLO: &str = "[[reply]]\nrepeat = true\ntext = \"hello\"\n";

fn fired(event: &'static str) -> impl Fn(&Value) -> bool {
    move |line| line["type"] == "hooks" && line["event"] == event
}

/// The data of the events that a hook kept in a file.
fn records_in(fixture: &Fixture, file: &str) -> Vec<Value> {
    let text = fixture.text(file);
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str::<Value>(line).unwrap()["data"].clone()).collect()
}

/// Starts, and waits until everything is looked at that is to be.
fn started(fixture: &Fixture) -> Run {
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    run
}

/// `InitRegistersWatchPathsFromSessionStart`, and each answer replaces the list: files come, change and go.
#[test]
fn a_watched_file_comes_changes_and_goes() {
    let hooks = r#"
[hook.look]
on = "SessionStart"
shell = '''echo '{"watch": ["notes/a.txt"]}' '''
[hook.seen]
on = "FileChanged"
shell = "cat >> files.jsonl; echo >> files.jsonl"
[hook.next]
on = "FileChanged"
match = "b.txt"
shell = '''echo '{"watch": ["notes/c.txt"]}' '''
[hook.moved]
on = "CwdChanged"
shell = '''cat >> moved.jsonl; echo '{"watch": ["b.txt"]}' '''
"#;
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = started(&fixture);
    for text in ["one", "another"] {
        fixture.sandbox.write("notes/a.txt", text).unwrap();
        run.wait("change", fired("FileChanged"));
    }
    fixture.sandbox.write("notes/other.txt", "not watched").unwrap();
    std::fs::remove_file(fixture.sandbox.project().join("notes/a.txt")).unwrap();
    run.wait("end of the file", fired("FileChanged"));
    run.prompt("/cd notes");
    run.wait_for("page");
    fixture.sandbox.write("notes/a.txt", "not watched any more").unwrap();
    fixture.sandbox.write("notes/b.txt", "watched now").unwrap();
    run.wait("the other file", fired("FileChanged"));
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.end();
    let texts: Vec<_> = records_in(&fixture, "files.jsonl")
        .iter()
        .map(|value| {
            let path = value["file_path"].as_str().unwrap();
            format!("{} {}", value["event"].as_str().unwrap(), path.rsplit_once('/').unwrap().1)
        })
        .collect();
    assert_eq!(
        texts,
        ["add a.txt", "change a.txt", "unlink a.txt"],
        "hooks start where the agent works"
    );
    let there: Vec<_> = records_in(&fixture, "notes/files.jsonl");
    assert_eq!(there.len(), 1);
    assert!(there[0]["file_path"].as_str().unwrap().ends_with("notes/b.txt"));
    let moved = fixture.text("notes/moved.jsonl");
    assert!(moved.contains("old_cwd") && moved.contains("new_cwd"), "{moved}");
}

/// A change of a file with hooks holds when no hook objects; one that is refused leaves the hooks as they were.
#[test]
fn a_change_of_the_hooks_holds_unless_a_hook_objects() {
    let hooks = |words: &str| {
        format!(
            "[hook.guard]\non = \"ConfigChange\"\nshell = '''cat >> changes.jsonl; echo >> changes.jsonl; if test -e locked; then echo 'not now' >&2; exit 2; fi'''\n\
             [hook.words]\non = \"UserPromptSubmit\"\nshell = \"echo {words} >> words.txt\"\n"
        )
    };
    let fixture = Fixture::new(&hooks("old"), HELLO);
    fixture.sandbox.write(".claude/settings.local.json", "{}").unwrap();
    let mut run = started(&fixture);
    fixture.sandbox.write("locked", "").unwrap();
    fixture.swap("tenterhook.toml", &hooks("refused"));
    run.wait("refusal", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("not now")
    });
    run.prompt("hi");
    run.wait_for("turn_ended");
    std::fs::remove_file(fixture.sandbox.project().join("locked")).unwrap();
    // What runs on is what its person approved before.
    crate::approve::approve(
        &fixture.sandbox,
        Some((&fixture.sandbox.project().join("tenterhook.toml"), &hooks("old"))),
    );
    // Another file may change meanwhile: what was refused stays refused.
    let local = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo local >> words.txt"}]}]}}"#;
    fixture.swap(".claude/settings.local.json", local);
    run.wait("reload", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("loaded")
    });
    run.prompt("hi");
    run.wait_for("turn_ended");
    fixture.swap("tenterhook.toml", &hooks("newer"));
    run.wait("reload", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("loaded")
    });
    run.prompt("hi");
    run.wait_for("turn_ended");
    run.end();
    let text = fixture.text("words.txt");
    let mut words: Vec<_> = text.lines().collect();
    assert_eq!(words[..2], ["old", "old"]);
    words[2..4].sort_unstable();
    words[4..].sort_unstable();
    assert_eq!(words[2..], ["local", "old", "local", "newer"]);
    let sources: Vec<_> = records_in(&fixture, "changes.jsonl")
        .iter()
        .map(|value| value["source"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(sources, ["project_settings", "local_settings", "project_settings"]);
}

/// A directory that is added may be written to like the project, and hooks hear of it.
#[test]
fn a_directory_may_be_added() {
    let hooks = r#"
[hook.seen]
on = "DirectoryAdded"
shell = '''cat >> added.jsonl; echo '{"context": "mind the licence"}' '''
"#;
    let script = "[[reply]]\non = \"mind the licence\"\ncall = [{ tool = \"Write\", input = { file_path = \"../home/more/a.txt\", content = \"x\" } }]\n[[reply]]\ntext = \"done\"\n";
    let fixture = Fixture::new(hooks, script);
    fixture.sandbox.write("~/more/.keep", "").unwrap();
    let mut run = fixture.start(&["--permission-mode", "acceptEdits"]);
    run.prompt("/add-dir ../home/more");
    run.wait_for("page");
    run.prompt("write there");
    run.wait_for("turn_ended");
    run.end();
    assert!(fixture.text("added.jsonl").contains("slash_command"));
    assert_eq!(fixture.text("../home/more/a.txt"), "x");
}

/// The names in the matchers of `FileChanged` are watched where the agent works, in each dialect; those of a reload, too.
#[test]
fn the_names_in_matchers_are_watched() {
    let hooks = |names: &str| {
        format!(
            "[hook.seen]\non = \"FileChanged\"\nmatch = {names}\nshell = \"cat >> $HOME/files.jsonl; echo >> $HOME/files.jsonl\"\n"
        )
    };
    let fixture = Fixture::new(&hooks(r#"["a.txt", "notes"]"#), HELLO);
    fixture.sandbox.write("notes/.keep", "").unwrap();
    let settings = r#"{"hooks": {"FileChanged": [{"matcher": ".env|.envrc", "hooks": [{"type": "command", "command": "cat >> $HOME/env.jsonl"}]}]}}"#;
    fixture.sandbox.write(".claude/settings.json", settings).unwrap();
    let mut run = started(&fixture);
    fixture.sandbox.write("other.txt", "not watched").unwrap();
    fixture.sandbox.write("notes/b.txt", "not watched").unwrap();
    fixture.sandbox.write("a.txt", "one").unwrap();
    run.wait("change", fired("FileChanged"));
    fixture.sandbox.write(".envrc", "export A=1").unwrap();
    run.wait("change", fired("FileChanged"));
    fixture.swap("tenterhook.toml", &hooks("\"b.txt\""));
    run.wait("reload", |line| line["type"] == "notice");
    run.prompt("/hooks reload");
    run.wait_for("page");
    fixture.sandbox.write("a.txt", "not watched any more").unwrap();
    fixture.sandbox.write("b.txt", "two").unwrap();
    run.wait("change", fired("FileChanged"));
    run.prompt("/cd notes");
    run.wait_for("page");
    fixture.sandbox.write("notes/b.txt", "three").unwrap();
    run.wait("change", fired("FileChanged"));
    run.end();
    let names = records_in(&fixture, "../home/files.jsonl");
    let names: Vec<_> = names
        .iter()
        .map(|value| value["file_path"].as_str().unwrap().rsplit_once("project/").unwrap().1)
        .collect();
    assert_eq!(names, ["a.txt", "b.txt", "notes/b.txt"]);
    let env: Value = serde_json::from_str(&fixture.text("../home/env.jsonl")).unwrap();
    assert!(env["file_path"].as_str().unwrap().ends_with("/.envrc"), "{env}");
    assert_eq!(env["event"], "add");
}
