//! Homes and repositories in unusual states: none of their files is started or lost, and `status` reports only what is true.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use serde_json::{Value, json};

use crate::fixture::{CliOutput, Fixture, installable_agents};

const SETTINGS: &str = "home/.claude/settings.json";
const COPILOT: &str = "home/.copilot/hooks/tenterhook.json";
const CLINE: &str = "home/.cline/hooks/PreToolUse";

fn text(fixture: &Fixture, file: &str) -> String {
    fs::read_to_string(fixture.path(file)).unwrap()
}

/// The output without line breaks.
fn unbroken(said: &CliOutput) -> String {
    said.all().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Claude Code calls for everything.
fn calling() -> Fixture {
    let fixture = Fixture::new();
    fixture.write(SETTINGS, "{}\n");
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    fixture
}

fn settings(hooks: &Value) -> String {
    format!("{:#}\n", json!({ "hooks": hooks }))
}

fn entry(command: &str) -> Value {
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

/// A program of our name that leaves a mark.
fn spy(fixture: &Fixture, file: &str) {
    let mark = fixture.path("started");
    fixture.write(file, &format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
    fs::set_permissions(fixture.path(file), fs::Permissions::from_mode(0o755)).unwrap();
}

/// BR-76: neither a line nor a program nor a script, at whichever place.
#[test]
fn doctor_starts_nothing_that_a_repository_brings() {
    let hook = "hook --agent claude --event PreToolUse --within 590s";
    for command in [
        format!("./bin/tenterhook {hook}"),
        format!("tenterhook {hook}; ./bin/tenterhook"),
        format!("tenterhook {hook} $(./bin/tenterhook)"),
    ] {
        let fixture = Fixture::new().unapproved();
        spy(&fixture, "project/bin/tenterhook");
        fixture.write(
            "project/.claude/settings.json",
            &settings(&json!({"PreToolUse": entry(&command)})),
        );
        let output = fixture.run(&["doctor", "claude"], "");
        assert!(unbroken(&output).contains("it was not run"), "{}", output.all());
        assert!(!fixture.path("started").exists(), "{command}");
    }
    let fixture = Fixture::new().unapproved();
    spy(&fixture, "project/.clinerules/hooks/PreToolUse");
    let script = text(&fixture, "project/.clinerules/hooks/PreToolUse");
    let script =
        format!("{script}tenterhook hook --agent cline --event PreToolUse --within 110s\n");
    fixture.write("project/.clinerules/hooks/PreToolUse", &script);
    let output = fixture.run(&["doctor", "cline"], "");
    assert!(unbroken(&output).contains("it was not run"), "{}", output.all());
    assert!(!fixture.path("started").exists());
}

/// BR-76: a place of the person's own that a link leads into the project.
#[test]
fn doctor_starts_nothing_where_a_home_is_linked_into_a_repository() {
    let fixture = Fixture::new().unapproved();
    spy(&fixture, "project/bin/tenterhook");
    let command = "./bin/tenterhook hook --agent claude --event PreToolUse --within 590s";
    fixture.write("project/dot/settings.json", &settings(&json!({"PreToolUse": entry(command)})));
    std::os::unix::fs::symlink(fixture.path("project/dot"), fixture.path("home/.claude")).unwrap();
    fixture.run(&["doctor", "claude"], "");
    assert!(!fixture.path("started").exists());
}

/// BR-76: what `install` wrote into a project is tried as before, and needs no approval.
#[test]
fn what_install_wrote_into_a_project_is_tried() {
    let fixture = Fixture::new().unapproved();
    let mut agents = installable_agents();
    // Codex asks for approval; OpenClaw, Hermes and Kimi have no configuration of a project.
    agents.retain(|agent| !["codex", "openclaw", "hermes", "kimi"].contains(agent));
    let install = [&["install", "--experimental", "--scope", "project"], &agents[..]].concat();
    assert_eq!(fixture.run(&install, "").code, 0);
    let output = fixture.shell(&format!("tenterhook doctor --format json {}", agents.join(" ")));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    for row in report["agents"].as_array().unwrap() {
        assert_eq!(row["fired"][0]["passed"], true, "{row:#}");
    }
    assert_eq!((output.code, &report["findings"]), (0, &json!([])), "{report:#}");
}

/// BR-75, BR-118: entries go back to the settings that they are from, and two homes are not mixed.
#[test]
fn hooks_of_two_homes_of_an_agent_stay_apart() {
    let fixture = Fixture::new();
    let before = |name: &str| settings(&json!({"Stop": entry(&format!("echo {name}"))}));
    for name in ["work", "play"] {
        fixture.write(&format!("home/{name}/settings.json"), &before(name));
    }
    let at = |name: &str, what: &str| {
        fixture.shell(&format!("CLAUDE_CONFIG_DIR=\"$HOME/{name}\" tenterhook {what} claude"))
    };
    assert_eq!(at("work", "install --adopt").code, 0);
    let output = at("play", "install --adopt");
    assert!(
        output.code == 1 && unbroken(&output).contains("holds the hooks of"),
        "{}",
        output.all()
    );
    assert_eq!(text(&fixture, "home/play/settings.json"), before("play"), "nothing was changed");
    for command in ["install", "uninstall"] {
        assert_eq!(at("play", command).code, 0);
    }
    assert_eq!(text(&fixture, "home/play/settings.json"), before("play"));
    assert_eq!(at("work", "install --adopt").code, 0, "twice is once");
    assert_eq!(at("work", "uninstall").code, 0);
    assert_eq!(text(&fixture, "home/work/settings.json"), before("work"));
    assert!(!fixture.path("home/.local/state/tenterhook/adopted").exists());
}

/// BR-63, BR-117: removing or rewriting one of our files loses nothing that others wrote into it.
#[test]
fn what_somebody_wrote_into_a_file_of_ours_stays() {
    let with_entry = |text: &str, event: &str, mine: Value| {
        let mut all: Value = serde_json::from_str(text).unwrap();
        all["hooks"][event].as_array_mut().unwrap().push(mine);
        format!("{all:#}\n")
    };
    let mine = json!({"type": "command", "command": "./mine.sh"});
    let goose = "home/.agents/plugins/tenterhook/hooks/hooks.json";
    let fixture = Fixture::new();
    assert_eq!(fixture.run(&["install", "copilot", "goose", "cline"], "").code, 0);
    for (agent, file, edited) in [
        ("copilot", COPILOT, with_entry(&text(&fixture, COPILOT), "preToolUse", mine.clone())),
        ("goose", goose, with_entry(&text(&fixture, goose), "Stop", json!({"hooks": [mine]}))),
        ("cline", CLINE, format!("{}./mine.sh\n", text(&fixture, CLINE))),
    ] {
        let ours = text(&fixture, file);
        fixture.write(file, &edited);
        for what in ["install", "uninstall"] {
            let output = fixture.run(&[what, "cline", "copilot", "goose"], "");
            assert!(
                output.code == 1 && unbroken(&output).contains("./mine.sh"),
                "{agent}: {}",
                output.all()
            );
            assert_eq!(text(&fixture, file), edited, "{agent} {what}");
        }
        // An edited timeout is restored as before.
        fixture.write(file, &ours.replace("600", "6").replace("110s", "1s"));
        assert_eq!(fixture.run(&["install", agent], "").code, 0);
        assert_eq!(text(&fixture, file), ours);
    }
    assert_eq!(fixture.run(&["uninstall", "cline", "copilot", "goose"], "").code, 0);
    assert!(!fixture.path(COPILOT).exists() && !fixture.path(CLINE).exists());
}

/// BR-69: an entry that was moved behind a matcher is asked about less than everything.
#[test]
fn an_entry_behind_a_matcher_covers_nothing() {
    for (file, agent, gate) in [
        (SETTINGS, "claude", "PreToolUse"),
        ("home/.qwen/settings.json", "qwen", "PreToolUse"),
        ("home/.gemini/settings.json", "gemini", "BeforeTool"),
    ] {
        let fixture = Fixture::new();
        fixture.write(file, "{}\n");
        assert_eq!(fixture.run(&["install", agent], "").code, 0);
        for (matcher, covers) in [("Bash", false), ("*", true), ("", true)] {
            let mut all: Value = serde_json::from_str(&text(&fixture, file)).unwrap();
            all["hooks"][gate][0]["matcher"] = json!(matcher);
            fixture.write(file, &format!("{all:#}\n"));
            assert_eq!(fixture.run(&["status"], "").code, i32::from(!covers), "{agent} {matcher}");
        }
        let mut all: Value = serde_json::from_str(&text(&fixture, file)).unwrap();
        all["hooks"][gate][0]["matcher"] = json!("Bash");
        fixture.write(file, &format!("{all:#}\n"));
        let found = fixture.run(&["doctor", agent], "");
        assert!(found.code == 1 && found.stdout.contains("differs from what `install`"));
        assert_eq!(fixture.run(&["install", agent], "").code, 0);
        assert_eq!(fixture.run(&["status"], "").code, 0, "`install` mends it");
        assert_eq!(fixture.run(&["uninstall", agent], "").code, 0);
        assert!(!fixture.path(file).exists(), "nothing else was in it");
    }
}

/// BR-68, BR-63: Codex reads no file behind a byte order mark, and an unreadable file is not approved.
#[test]
fn a_file_that_the_agent_rejects_covers_nothing() {
    let rejected = settings(&json!({"Stop": [{"matcher": ["a"], "hooks": []}]}));
    for (agent, file, text) in [
        ("codex", "home/.codex/hooks.json", "\u{feff}{}"),
        ("gemini", "home/.gemini/settings.json", "\u{feff}{}"),
        ("claude", SETTINGS, &*rejected),
    ] {
        let fixture = Fixture::new();
        fixture.write(file, text);
        let output = fixture.run(&["install", agent], "");
        assert!(
            output.code == 1 && output.stderr.contains("nothing was changed"),
            "{}",
            output.all()
        );
        assert_eq!(self::text(&fixture, file), text);
        // As a version that took it has left it.
        fixture.write(file, "{}");
        assert_eq!(fixture.run(&["install", agent], "").code, 0);
        fixture.write(file, &format!("\u{feff}{}", self::text(&fixture, file)));
        if agent != "claude" {
            assert_eq!(fixture.run(&["status"], "").code, 5, "{agent}: it cannot be read (BR-142)");
        }
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o777
}

/// BR-60, BR-116: a file that others have to read, too, is made as any program makes it; what is the person's alone stays so.
#[test]
fn others_can_read_what_is_written_for_them() {
    let fixture = Fixture::new();
    fixture.write("usual", "");
    let usual = mode(&fixture.path("usual"));
    let mut agents = installable_agents();
    agents.retain(|agent| !["openclaw", "hermes", "kimi"].contains(agent));
    let install = [&["install", "--experimental", "--scope", "project"], &agents[..]].concat();
    assert_eq!(fixture.run(&install, "").code, 0);
    for file in [".claude/settings.json", ".github/hooks/tenterhook.json", ".codex/hooks.json"] {
        assert_eq!(mode(&fixture.path(&format!("project/{file}"))), usual, "{file}");
    }
    fixture.write(SETTINGS, &settings(&json!({"Stop": entry("echo secret")})));
    fs::set_permissions(fixture.path(SETTINGS), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(fixture.run(&["install", "claude", "--adopt"], "").code, 0);
    let kept = [
        "home/.config/tenterhook/adopted/claude.json",
        "home/.local/state/tenterhook/adopted/claude.before",
    ];
    for file in kept.into_iter().chain([SETTINGS]) {
        assert_eq!(mode(&fixture.path(file)), 0o600, "{file}");
    }
}

/// BR-60, BR-116: a file stays its owner's where root writes into it.
#[test]
fn root_takes_no_file_from_its_owner() {
    const NOBODY: u32 = 65534;
    let fixture = Fixture::new();
    fixture.write(SETTINGS, "{}\n");
    let file = fixture.path(SETTINGS);
    if file.metadata().unwrap().uid() != 0 {
        return;
    }
    std::os::unix::fs::chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
    for what in ["install", "uninstall"] {
        assert_eq!(fixture.run(&[what, "claude"], "").code, 0);
        let found = file.metadata().unwrap();
        assert_eq!((found.uid(), found.gid()), (NOBODY, NOBODY), "{what}");
    }
}

/// BR-63: a FIFO in the place of settings is no file, and no command waits for it.
#[test]
fn a_fifo_is_not_waited_for() {
    for (directory, file) in
        [("home/.claude", SETTINGS), ("project/.claude", "project/.claude/settings.json")]
    {
        let fixture = Fixture::new().unapproved();
        for text in ["home/.claude", directory] {
            fs::create_dir_all(fixture.path(text)).unwrap();
        }
        tenterhook_testkit::make_fifo(&fixture.path(file)).unwrap();
        let scope = if directory.starts_with("home") { "user" } else { "project" };
        for (args, code) in [
            (&["status"][..], 5),
            (&["doctor"], 1),
            (&["install", "claude", "--scope", scope], 1),
            (&["uninstall", "claude", "--scope", scope], 1),
        ] {
            let output = fixture.run(args, "");
            assert!(
                output.code == code && unbroken(&output).contains("it is a FIFO"),
                "{args:?} {}",
                output.all()
            );
        }
    }
}

/// BR-69, BR-120: what `doctor` knows of switches, `status` knows, too.
#[test]
fn a_switch_in_any_file_covers_nothing() {
    let fixture = calling();
    assert_eq!(fixture.run(&["status"], "").code, 0);
    fixture.write("project/.claude/settings.local.json", "{\"disableAllHooks\": true}");
    let said = fixture.json(&["status", "--format", "json"], "", 1);
    let row = said.pointer("/agents/0").unwrap();
    let off = json!({"file": ".claude/settings.local.json", "key": "disableAllHooks"});
    assert_eq!((&row["covered"], &row["off"]), (&json!(false), &off), "{row:#}");
    let said = fixture.run(&["install", "claude"], "");
    assert!(
        unbroken(&said).contains("`disableAllHooks` in .claude/settings.local.json"),
        "{}",
        said.all()
    );
    let fixture = Fixture::new();
    for (settings, covered) in [
        ("{\"hooksConfig\": {\"enabled\": false}}", false),
        // Gemini CLI 0.61.0 reads neither.
        ("{\"disableAllHooks\": true}", true),
        ("{\"hooksConfig\": {\"enabled\": true}}", true),
    ] {
        fixture.write("home/.gemini/settings.json", settings);
        assert_eq!(fixture.run(&["install", "gemini"], "").code, 0);
        assert_eq!(fixture.run(&["status"], "").code, i32::from(!covered), "{settings}");
    }
}

/// BR-69, BR-121: in their home, a person's file is not a second one, which somebody should uninstall.
#[test]
fn a_home_is_not_a_project_beside_itself() {
    let fixture = calling();
    for args in [&["status"][..], &["doctor"]] {
        let said = fixture.run_in("home", args, "");
        assert_eq!(said.code, 0, "{}", said.all());
        assert!(
            !unbroken(&said).contains("twice") && !unbroken(&said).contains("another file"),
            "{}",
            said.all()
        );
    }
    let said = fixture.run_in("home", &["status", "--format", "json"], "");
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(said["agents"][0]["files"].as_array().unwrap().len(), 1, "{said:#}");
}

/// H-1: no name in a file of a repository is obeyed by the terminal.
/// BR-69.
#[test]
fn status_says_nothing_to_the_terminal() {
    let fixture = calling().unapproved();
    let command = "'/\u{1b}[2J\u{202e}/tenterhook' hook --agent claude --event PreToolUse";
    fixture
        .write("project/.claude/settings.json", &settings(&json!({"PreToolUse": entry(command)})));
    fixture.write("home/.codex/hooks.json", "{\"\u{202e}\\u001b[2J\": 1}");
    let output = fixture.run(&["--color", "always", "status"], "");
    assert!(output.stdout.contains("tenterhook` is gone"), "{}", output.stdout);
    assert!(
        !output.stdout.contains("\u{1b}[2J") && !output.stdout.contains('\u{202e}'),
        "{}",
        output.stdout
    );
}

/// BR-60, T-31: under a mask that lets the group write, what is made below the state directory is the person's alone.
#[test]
fn the_state_directory_is_the_persons_alone_under_any_mask() {
    let fixture = Fixture::new().unapproved();
    fixture.write(SETTINGS, &settings(&json!({"Stop": entry("true")})));
    let output = fixture.shell("umask 002; tenterhook install claude --adopt && tenterhook doctor");
    assert_eq!(output.code, 0, "{}", output.all());
    let event = "{\"session_id\": \"s\", \"cwd\": \"/\", \"hook_event_name\": \"Stop\"}";
    fixture.write("event", event);
    let line = "tenterhook hook --agent claude --event Stop <\"$HOME/../event\"";
    let output = fixture.shell(&format!("umask 002; {line} && tenterhook log"));
    assert!(output.code == 0 && output.stdout.contains("Stop"), "{}", output.all());
    assert_eq!(mode(&fixture.path("home/.local/state/tenterhook")), 0o700);
    assert_eq!(fixture.run(&["doctor", "--no-fire"], "").code, 0);
}

/// A name that a repository took before leads nowhere.
/// T-19.
#[test]
fn a_pack_is_written_through_no_link() {
    let fixture = Fixture::new().unapproved();
    fixture.write("home/precious", "mine\n");
    let file = "tenterhook.hold-subagents.toml";
    for name in [format!(".{file}.new"), file.to_owned()] {
        let link = fixture.path("project").join(name);
        std::os::unix::fs::symlink(fixture.path("home/precious"), link).unwrap();
    }
    let add = ["rules", "add", "hold-subagents", "--project", "--force"];
    assert_eq!(fixture.run(&add, "").code, 0);
    assert_eq!(text(&fixture, "home/precious"), "mine\n");
    assert!(!fixture.path("project").join(file).is_symlink());
    assert!(text(&fixture, &format!("project/{file}")).contains("[hook."));
}
