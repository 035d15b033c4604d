//! Statements about a settings file apply to the hooks that `install --adopt` moved out of it, and none is lost.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{CliOutput, Fixture};

const SETTINGS: &str = "home/.claude/settings.json";
const CONFIG: &str = "home/.config/tenterhook/tenterhook.toml";

/// A user whose hook of Claude Code fails with exit 1, with a statement about its file.
fn fixture(key: &str, words: &str) -> Fixture {
    let fixture = Fixture::new();
    let hook =
        json!({"type": "command", "command": "echo x >> $HOME/ran; echo broken >&2; exit 1"});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    fixture.write(SETTINGS, &format!("{settings:#}\n"));
    fixture.write(CONFIG, &format!("# mine\n[source.\"{key}\"] # all of them\n{words} # why\n"));
    fixture
}

/// What Claude Code is answered before a command.
fn call(fixture: &Fixture) -> CliOutput {
    let event = json!({
        "session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t",
    });
    fixture.run(&["hook", "--agent", "claude", "--event", "PreToolUse"], &event.to_string())
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// BR-78: a gate that blocks on failure does so behind the bridge, and both files are what they were after `uninstall`.
#[test]
fn on_failure_of_the_file_holds_for_the_hooks_that_were_moved() {
    for key in ["~/.claude/settings.json", "{home}/.claude/settings.json"] {
        let fixture = fixture("~/.claude/settings.json", "on_failure = \"block\"");
        let key = key.replace("{home}", &fixture.path("home").to_string_lossy());
        let config = format!("# mine\n[source.\"{key}\"] # all\non_failure = \"block\" # why\n");
        fixture.write(CONFIG, &config);
        let settings = fs::read_to_string(fixture.path(SETTINGS)).unwrap();
        let output = fixture.run(&["install", "claude", "--adopt"], "");
        assert_eq!(output.code, 0, "{}", output.all());
        let stderr = joined(&output.stderr);
        let note =
            "of `~/.claude/settings.json` holds for the moved hooks, too: on_failure = \"block\"";
        assert!(stderr.contains(note), "{stderr}");
        let reply = call(&fixture);
        assert!(reply.stdout.contains("\"permissionDecision\":\"deny\""), "{}", reply.all());
        let listed = fixture.run(&["list", "--format", "json"], "").stdout;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let hooks = listed["hooks"].as_array().unwrap();
        let moved = hooks.iter().find(|hook| hook["armed"] == true).expect("the moved hook");
        assert_eq!(moved["on_failure"], "block", "{moved:#}");
        assert!(moved["source"].as_str().unwrap().ends_with("adopted/claude.json"), "{moved:#}");
        let check = fixture.run(&["check"], "");
        assert!(!check.all().contains("which is not among what is read"), "{}", check.all());
        fixture.forget_agents();
        assert_eq!(fixture.run(&["uninstall", "claude"], "").code, 0);
        assert_eq!(fs::read_to_string(fixture.path(CONFIG)).unwrap(), config);
        assert_eq!(fs::read_to_string(fixture.path(SETTINGS)).unwrap(), settings);
        assert!(!fixture.path("home/.config/tenterhook/adopted").exists());
        assert_eq!(fixture.run(&["fire", "Bash", "ls"], "").code, 2, "as before the adoption");
    }
}

/// Whether a file is there, at the latest after half a minute.
fn appears(path: &Path) -> bool {
    let until = Instant::now() + Duration::from_secs(30);
    while !path.exists() && Instant::now() < until {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    path.exists()
}

/// BR-78: a file on trial, a file that is off and a file in the sandbox stay so.
#[test]
fn each_word_about_the_file_holds_for_the_hooks_that_were_moved() {
    let key = "~/.claude/settings.json";
    for (words, expected) in [
        ("on_failure = \"block\"\nmode = \"shadow\"", ("mode", json!("shadow"))),
        ("enabled = false", ("rule", json!("C-15"))),
        ("on_failure = \"ask\"", ("on_failure", json!("ask"))),
    ] {
        let fixture = fixture(key, words);
        assert_eq!(fixture.run(&["install", "claude", "--adopt"], "").code, 0);
        let reply = call(&fixture);
        assert!(!reply.stdout.contains("\"deny\""), "{words}: {}", reply.all());
        let listed = fixture.run(&["list", "--format", "json"], "").stdout;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let is_moved =
            |hook: &&Value| hook["source"].as_str().unwrap().ends_with("adopted/claude.json");
        let moved = listed["hooks"].as_array().unwrap().iter().find(is_moved).unwrap();
        assert_eq!(moved[expected.0], expected.1, "{words}: {moved:#}");
        // A shadow hook runs after the agent has its reply.
        let runs = words != "enabled = false";
        assert_eq!(runs && appears(&fixture.path("home/ran")), runs, "{words}");
        assert!(runs || !fixture.path("home/ran").exists(), "{words}");
    }
    let fixture = fixture(key, "sandbox = \"strict\"\non_broken = \"continue\"");
    assert_eq!(fixture.run(&["install", "claude", "--adopt"], "").code, 0);
    let explained = fixture.run(&["explain", "Bash", "ls"], "").stdout;
    assert!(joined(&explained).contains("sandbox strict"), "{explained}");
    fixture.write("home/.config/tenterhook/adopted/claude.json", "{\"hooks\": {\"PreToolUse\": [{");
    let reply = call(&fixture);
    assert!(!reply.stdout.contains("\"deny\""), "on_broken: {}", reply.all());
    assert!(!reply.stdout.contains("\"ask\""), "on_broken: {}", reply.all());
}

/// BR-78: a lost note of where the hooks came from loses no word.
#[test]
fn moved_hooks_without_their_origin_are_governed_as_the_usual_settings() {
    let fixture = fixture("~/.claude/settings.json", "on_failure = \"block\"");
    let settings = fs::read_to_string(fixture.path(SETTINGS)).unwrap();
    assert_eq!(fixture.run(&["install", "claude", "--adopt"], "").code, 0);
    fs::remove_file(fixture.path("home/.config/tenterhook/adopted/claude.from")).unwrap();
    let reply = call(&fixture);
    assert!(reply.stdout.contains("\"permissionDecision\":\"deny\""), "{}", reply.all());
    fixture.forget_agents();
    assert_eq!(fixture.run(&["uninstall", "claude"], "").code, 0);
    assert_eq!(fs::read_to_string(fixture.path(SETTINGS)).unwrap(), settings);
}

/// BR-78: a statement about another home's settings does not apply to hooks that came from this one.
#[test]
fn words_about_another_home_do_not_hold_for_moved_hooks() {
    let fixture = fixture("~/.claude/settings.json", "enabled = false");
    let text = fs::read_to_string(fixture.path(SETTINGS)).unwrap();
    fixture.write("home/work/settings.json", &text);
    let output =
        fixture.shell("CLAUDE_CONFIG_DIR=\"$HOME/work\" tenterhook install --adopt claude");
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(!output.stderr.contains("holds for the moved hooks"), "{}", output.stderr);
    call(&fixture);
    assert!(fixture.path("home/ran").exists());
    fixture.forget_agents();
    assert_eq!(
        fixture.shell("CLAUDE_CONFIG_DIR=\"$HOME/work\" tenterhook uninstall claude").code,
        0
    );
    assert_eq!(fs::read_to_string(fixture.path("home/work/settings.json")).unwrap(), text);
}
