//! The entries with which agents call Tenterhook: no command fires them, and no table lists them among the user's hooks.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{Fixture, installable_agents};

/// A home in which one hook counts its runs, and every agent calls.
fn installed() -> Fixture {
    let fixture = Fixture::new();
    let hook =
        "[hook.count]\non = \"PreToolUse\"\nmatch = \"Bash\"\nshell = \"echo x >> $HOME/ran\"\n";
    fixture.write("home/.config/tenterhook/tenterhook.toml", hook);
    let said =
        fixture.run(&[&["install", "--experimental"], &installable_agents()[..]].concat(), "");
    assert_eq!(said.code, 0, "{}", said.all());
    fixture
}

fn runs(fixture: &Fixture) -> usize {
    fs::read_to_string(fixture.path("home/ran")).unwrap_or_default().lines().count()
}

fn records(fixture: &Fixture) -> usize {
    let output = fixture.run(&["log", "--format", "json"], "");
    output.stdout.matches("\"begun\"").count()
}

/// BR-31: a hook runs once, and one firing is on record, however many agents call.
#[test]
fn fire_after_install_runs_each_hook_once() {
    let fixture = installed();
    let output = fixture.run(&["fire", "Bash", "ls"], "");
    assert_eq!((output.code, runs(&fixture)), (0, 1), "{}", output.all());
    assert!(!output.stdout.contains("settings.json"), "{}", output.stdout);
    assert_eq!(records(&fixture), 1);
    let event = json!({"id": 1, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "session_id": "s", "cwd": "/"});
    let output = fixture.run(&["fire", "--stream"], &format!("{event}\n"));
    assert_eq!(runs(&fixture), 2, "{}", output.all());
}

/// BR-31: `test --canaries` fires through no agent.
#[test]
fn canaries_after_install_run_each_hook_as_often_as_before() {
    let fixture = installed();
    fixture.run(&["test", "--canaries"], "");
    let with = runs(&fixture);
    assert!(with > 0);
    assert_eq!(fixture.run(&["uninstall", "--all"], "").code, 0);
    fs::remove_file(fixture.path("home/ran")).unwrap();
    fixture.run(&["test", "--canaries"], "");
    assert_eq!(runs(&fixture), with);
}

/// BR-31, BR-122: what the user asks is which of their hooks run; our entries are counted in one line.
#[test]
fn explain_and_list_count_own_entries_in_one_line() {
    let fixture = installed();
    let explained = fixture.run(&["explain", "Bash", "ls"], "").stdout;
    let rows = |text: &str| text.lines().filter(|line| line.contains(" it is for ")).count();
    assert_eq!(rows(&explained), 0, "{explained}");
    assert!(explained.contains("1 of 1 hook runs"), "{explained}");
    assert!(explained.contains("that call Tenterhook itself (BR-31)"), "{explained}");
    let listed = fixture.run(&["list"], "").stdout;
    assert!(listed.contains("\n1 hook\n"), "{listed}");
    let block = listed.split("~/.claude/settings.json").nth(1).unwrap_or_default();
    let lines: Vec<&str> = block.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let [line] = lines.as_slice() else { panic!("{listed}") };
    assert!(line.contains("entries of Tenterhook itself, skipped (BR-31)"), "{listed}");
    let checked = fixture.run(&["check"], "").stdout;
    assert!(checked.contains("with 1 hook"), "{checked}");
    assert!(!checked.contains("never run"), "{checked}");
    let json: Value =
        serde_json::from_str(&fixture.run(&["list", "--format", "json"], "").stdout).unwrap();
    let own = json["hooks"].as_array().unwrap().iter().filter(|hook| hook["rule"] == "BR-31");
    assert!(own.count() > 50, "{json:#}");
}

/// BR-31: an entry of a repository that looks like ours is not run, and gives the repository nothing.
#[test]
fn entry_of_an_unapproved_repository_that_looks_like_ours_never_runs() {
    let fixture = Fixture::new().unapproved();
    let line = "tenterhook hook --agent claude --event PreToolUse; echo x >> $HOME/ran";
    let settings =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}});
    fixture.write("project/.claude/settings.json", &settings.to_string());
    let output = fixture.run(&["fire", "Bash", "ls"], "");
    assert_eq!((output.code, runs(&fixture)), (0, 0), "{}", output.all());
    assert!(!output.stdout.contains("allow"), "{}", output.stdout);
}
