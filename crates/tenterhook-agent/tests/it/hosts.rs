//! Which hooks there are, where they work, and what a person is told of them.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

use serde_json::{Value, json};

use crate::room::{Room, Run};

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
        let room = Room::new("", HELLO);
        room.sandbox
            .write(".reasonix/settings.json", &settings("echo project >> $HOME/ran.txt"))
            .unwrap();
        room.sandbox
            .write("~/.reasonix/settings.json", &settings("echo user >> $HOME/ran.txt"))
            .unwrap();
        let elsewhere = room.sandbox.write("~/chat/keep", "").unwrap();
        let place =
            if at_home { room.sandbox.home() } else { elsewhere.parent().unwrap().to_owned() };
        let script = format!("scripted:{}", room.sandbox.project().join("script.toml").display());
        let mut chat = room.command();
        let status =
            chat.current_dir(place).args(["--model", &script, "-p", "hi"]).output().unwrap().status;
        assert!(status.success());
        assert_eq!(room.text("../home/ran.txt"), "user\n");
    }
}

/// loop: no hooks is no event; the list may be swapped while the session goes on; a hook is told where the agent works and
/// starts there, unless its entry says another directory.
#[test]
fn hooks_are_swapped_and_start_where_the_agent_works() {
    let room = Room::new("", HELLO);
    room.sandbox.write("sub/keep", "").unwrap();
    room.sandbox.write(".reasonix/settings.json", "{}").unwrap();
    let mut run = room.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    assert!(run.events().is_empty());
    let says = "cat >> $HOME/told.jsonl; pwd >> $HOME/where.txt";
    let reload = |run: &mut Run, entry: Value| {
        room.swap(".reasonix/settings.json", &reasonix("TurnStart", entry));
        assert!(page(run, "/hooks reload").starts_with("1 hook is loaded"));
        run.prompt("hi");
        run.wait_for("turn_ended");
    };
    reload(&mut run, json!({"command": says}));
    reload(&mut run, json!({"command": says, "cwd": "sub"}));
    run.end();
    assert_eq!(run.events(), ["TurnStart", "TurnStart"]);
    let project = room.sandbox.project().canonicalize().unwrap().display().to_string();
    assert_eq!(room.text("../home/where.txt"), format!("{project}\n{project}/sub\n"));
    let text = room.text("../home/told.jsonl");
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let cwd = std::path::Path::new(line["cwd"].as_str().unwrap());
        assert_eq!(cwd.canonicalize().unwrap(), std::path::Path::new(&project), "{line}");
    }
    assert_eq!(text.lines().count(), 2);
}

/// `hooks_command_lists_registered_chains`, IG-S8: `/hooks` and `/hooks list` say the same, a reload shows an edit, a broken
/// file keeps the hooks that were good and says what is wrong, and a word that is none is answered with those that are.
#[test]
fn hooks_are_listed_and_reloaded_at_a_word() {
    let file = |words: &[&str]| {
        let entries: Vec<_> = words
            .iter()
            .map(|text| json!({"argv": ["sh", "-c", format!("echo {text} >> ran.txt")], "sandbox": false}))
            .collect();
        json!({"hooks": {"UserPromptSubmit": entries}}).to_string()
    };
    let room = Room::new("", HELLO);
    let mut run = room.start(&[]);
    assert_eq!(page(&mut run, "/hooks"), "No hooks are configured.");
    room.swap("~/.ignis/hooks.json", &file(&["one"]));
    assert!(page(&mut run, "/hooks reload").starts_with("1 hook is loaded"));
    let listed = page(&mut run, "/hooks");
    assert_eq!(listed, page(&mut run, "/hooks list"));
    assert!(
        listed.contains("UserPromptSubmit")
            && listed.contains("echo one")
            && listed.contains(".ignis/hooks.json:"),
        "{listed}"
    );
    room.swap("~/.ignis/hooks.json", &file(&["one", "two"]));
    assert!(page(&mut run, "/hooks reload").starts_with("2 hooks are loaded"));
    assert!(page(&mut run, "/hooks").contains("echo two"));
    room.swap("~/.ignis/hooks.json", "{\"hooks\": {");
    let text = page(&mut run, "/hooks reload");
    assert!(text.starts_with("2 hooks are loaded") && text.contains("error"), "{text}");
    run.prompt("hi");
    run.wait_for("turn_ended");
    assert!(room.text("ran.txt").contains("one\ntwo\n"), "the last good hooks run");
    run.prompt("/hooks bogus");
    let usage = run.wait("usage", |message| {
        message["type"] == "notice" && message["text"].as_str().unwrap().contains("bogus")
    });
    for word in ["list", "events", "explain", "reload", "enable", "disable"] {
        assert!(usage["text"].as_str().unwrap().contains(word), "{usage}");
    }
    run.end();
}

/// `TestScopeConfigSource`, `TestConfigSourceFromFilePath`: a file of hooks that changed is told with whose it is.
#[test]
fn a_changed_file_of_hooks_is_told_with_whose_it_is() {
    let hooks = "[hook.see]\non = \"ConfigChange\"\nshell = \"cat >> $HOME/changes.jsonl; echo >> $HOME/changes.jsonl\"\n";
    let room = Room::new(hooks, HELLO);
    let mut run = room.start(&[]);
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
        let path = room.swap(file, "{}");
        wanted.push((path.display().to_string(), source.to_owned()));
        run.wait("change", |message| {
            message["type"] == "hooks" && message["event"] == "ConfigChange"
        });
    }
    run.end();
    let told = room.text("../home/changes.jsonl");
    let told = told
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told: Vec<_> = told
        .map(|value| {
            let text = |key: &str| value["data"][key].as_str().unwrap().to_owned();
            (text("file_path"), text("source"))
        })
        .collect();
    assert_eq!(told, wanted);
}
