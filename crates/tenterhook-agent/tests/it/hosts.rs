//! The list of hooks, where they work, and the person's view of them.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

use serde_json::{Value, json};

use crate::fixture::{Fixture, Run};

const HELLO: &str = "[[reply]]\nrepeat = true\ntext = \"hello\"\n";

fn page(run: &mut Run, command: &str) -> String {
    run.prompt(command);
    run.wait_for("page")["text"].as_str().unwrap().to_owned()
}

fn reasonix(event: &str, entry: Value) -> String {
    json!({"hooks": {event: [entry]}}).to_string()
}

/// loadHooks `projectRoot omitted`: where there is no project, the user's hooks run alone, and once, even where the agent is
/// started in the very directory that they stand in.
#[test]
fn without_a_project_the_users_hooks_run_once() {
    let settings = |line: &str| reasonix("TurnStart", json!({"command": line}));
    for at_home in [false, true] {
        let fixture = Fixture::new("", HELLO);
        fixture
            .sandbox
            .write(".reasonix/settings.json", &settings("echo project >> $HOME/ran.txt"))
            .unwrap();
        fixture
            .sandbox
            .write("~/.reasonix/settings.json", &settings("echo user >> $HOME/ran.txt"))
            .unwrap();
        let elsewhere = fixture.sandbox.write("~/chat/keep", "").unwrap();
        let place =
            if at_home { fixture.sandbox.home() } else { elsewhere.parent().unwrap().to_owned() };
        let script =
            format!("scripted:{}", fixture.sandbox.project().join("script.toml").display());
        let mut chat = fixture.command();
        let status =
            chat.current_dir(place).args(["--model", &script, "-p", "hi"]).output().unwrap().status;
        assert!(status.success());
        assert_eq!(fixture.text("../home/ran.txt"), "user\n");
    }
}

/// loop: no hooks is no event; the list may be swapped while the session goes on; a hook receives where the agent works and
/// starts there, unless its entry says another directory.
#[test]
fn hooks_are_swapped_and_start_where_the_agent_works() {
    let fixture = Fixture::new("", HELLO);
    fixture.sandbox.write("sub/keep", "").unwrap();
    fixture.sandbox.write(".reasonix/settings.json", "{}").unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    assert!(run.events().is_empty());
    let says = "cat >> $HOME/seen.jsonl; pwd >> $HOME/where.txt";
    let reload = |run: &mut Run, entry: Value| {
        fixture.swap(".reasonix/settings.json", &reasonix("TurnStart", entry));
        assert!(page(run, "/hooks reload").starts_with("1 hook is loaded"));
        run.prompt("hi");
        run.wait_for("turn_ended");
    };
    reload(&mut run, json!({"command": says}));
    reload(&mut run, json!({"command": says, "cwd": "sub"}));
    run.end();
    assert_eq!(run.events(), ["TurnStart", "TurnStart"]);
    let project = fixture.sandbox.project().canonicalize().unwrap().display().to_string();
    assert_eq!(fixture.text("../home/where.txt"), format!("{project}\n{project}/sub\n"));
    let text = fixture.text("../home/seen.jsonl");
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let cwd = std::path::Path::new(line["cwd"].as_str().unwrap());
        assert_eq!(cwd.canonicalize().unwrap(), std::path::Path::new(&project), "{line}");
    }
    assert_eq!(text.lines().count(), 2);
}

/// `hooks_command_lists_registered_chains`, IG-S8: `/hooks` and `/hooks list` say the same, a reload shows an edit, a broken
/// file keeps the hooks that were good and says what is wrong, and an unknown subcommand is answered with the known ones.
#[test]
fn hooks_are_listed_and_reloaded_at_a_word() {
    let file = |words: &[&str]| {
        let entries: Vec<_> = words
            .iter()
            .map(|text| json!({"argv": ["sh", "-c", format!("echo {text} >> ran.txt")], "sandbox": false}))
            .collect();
        json!({"hooks": {"UserPromptSubmit": entries}}).to_string()
    };
    let fixture = Fixture::new("", HELLO);
    let mut run = fixture.start(&[]);
    assert_eq!(page(&mut run, "/hooks"), "No hooks are configured.");
    fixture.swap("~/.ignis/hooks.json", &file(&["one"]));
    assert!(page(&mut run, "/hooks reload").starts_with("1 hook is loaded"));
    let listed = page(&mut run, "/hooks");
    assert_eq!(listed, page(&mut run, "/hooks list"));
    assert!(
        listed.contains("UserPromptSubmit")
            && listed.contains("echo one")
            && listed.contains(".ignis/hooks.json:"),
        "{listed}"
    );
    fixture.swap("~/.ignis/hooks.json", &file(&["one", "two"]));
    assert!(page(&mut run, "/hooks reload").starts_with("2 hooks are loaded"));
    assert!(page(&mut run, "/hooks").contains("echo two"));
    fixture.swap("~/.ignis/hooks.json", "{\"hooks\": {");
    let text = page(&mut run, "/hooks reload");
    assert!(text.starts_with("2 hooks are loaded") && text.contains("error"), "{text}");
    run.prompt("hi");
    run.wait_for("turn_ended");
    assert!(fixture.text("ran.txt").contains("one\ntwo\n"), "the last good hooks run");
    run.prompt("/hooks bogus");
    let usage = run.wait("usage", |message| {
        message["type"] == "notice" && message["text"].as_str().unwrap().contains("bogus")
    });
    for word in ["list", "events", "explain", "reload", "enable", "disable"] {
        assert!(usage["text"].as_str().unwrap().contains(word), "{usage}");
    }
    run.end();
}

/// `TestScopeConfigSource`, `TestConfigSourceFromFilePath`: a changed file of hooks is reported with its owner.
#[test]
fn changed_hook_file_is_reported_with_its_owner() {
    let hooks = "[hook.see]\non = \"ConfigChange\"\nshell = \"cat >> $HOME/changes.jsonl; echo >> $HOME/changes.jsonl\"\n";
    let fixture = Fixture::new(hooks, HELLO);
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    let files = [
        ("~/.claude/settings.json", "user_settings"),
        (".claude/settings.json", "project_settings"),
        (".claude/settings.local.json", "local_settings"),
        ("~/.gen/settings.json", "user_settings"),
        (".gen/settings.json", "project_settings"),
        ("~/.ignis/hooks.json", "user_settings"),
        (".reasonix/settings.json", "project_settings"),
    ];
    let mut wanted = Vec::new();
    for (file, source) in files {
        let path = fixture.swap(file, "{}");
        wanted.push((path.display().to_string(), source.to_owned()));
        run.wait("change", |message| {
            message["type"] == "hooks" && message["event"] == "ConfigChange"
        });
    }
    run.end();
    let changes = fixture.text("../home/changes.jsonl");
    let changes = changes
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let changes: Vec<_> = changes
        .map(|value| {
            let text = |key: &str| value["data"][key].as_str().unwrap().to_owned();
            (text("file_path"), text("source"))
        })
        .collect();
    assert_eq!(changes, wanted);
}
