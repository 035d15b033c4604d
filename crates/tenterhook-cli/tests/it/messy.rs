//! Homes as people leave them, and repositories as strangers make them: nothing of theirs is started or lost, and `status` says no more than is so.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use serde_json::{Value, json};

use crate::room::{Room, Said};

const SETTINGS: &str = "home/.claude/settings.json";
const COPILOT: &str = "home/.copilot/hooks/tenterhook.json";
const CLINE: &str = "home/.cline/hooks/PreToolUse";

fn text(room: &Room, file: &str) -> String {
    fs::read_to_string(room.path(file)).unwrap()
}

/// What was said, without the breaks of its lines.
fn words(said: &Said) -> String {
    said.all().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Claude Code calls for everything.
fn calling() -> Room {
    let room = Room::new();
    room.write(SETTINGS, "{}\n");
    assert_eq!(room.run(&["install", "claude"], "").code, 0);
    room
}

fn settings(hooks: &Value) -> String {
    format!("{:#}\n", json!({ "hooks": hooks }))
}

fn entry(command: &str) -> Value {
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

/// A program of our name that leaves a mark.
fn spy(room: &Room, file: &str) {
    let mark = room.path("started");
    room.write(file, &format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
    fs::set_permissions(room.path(file), fs::Permissions::from_mode(0o755)).unwrap();
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
        let room = Room::new().unapproved();
        spy(&room, "project/bin/tenterhook");
        room.write(
            "project/.claude/settings.json",
            &settings(&json!({"PreToolUse": entry(&command)})),
        );
        let output = room.run(&["doctor", "claude"], "");
        assert!(words(&output).contains("nothing of it was started"), "{}", output.all());
        assert!(!room.path("started").exists(), "{command}");
    }
    let room = Room::new().unapproved();
    spy(&room, "project/.clinerules/hooks/PreToolUse");
    let script = text(&room, "project/.clinerules/hooks/PreToolUse");
    let script =
        format!("{script}tenterhook hook --agent cline --event PreToolUse --within 110s\n");
    room.write("project/.clinerules/hooks/PreToolUse", &script);
    let output = room.run(&["doctor", "cline"], "");
    assert!(words(&output).contains("nothing of it was started"), "{}", output.all());
    assert!(!room.path("started").exists());
}

/// BR-76: a place of the person's own that a link leads into the project.
#[test]
fn doctor_starts_nothing_where_a_home_is_linked_into_a_repository() {
    let room = Room::new().unapproved();
    spy(&room, "project/bin/tenterhook");
    let command = "./bin/tenterhook hook --agent claude --event PreToolUse --within 590s";
    room.write("project/dot/settings.json", &settings(&json!({"PreToolUse": entry(command)})));
    std::os::unix::fs::symlink(room.path("project/dot"), room.path("home/.claude")).unwrap();
    room.run(&["doctor", "claude"], "");
    assert!(!room.path("started").exists());
}

/// BR-76: what `install` wrote into a project is tried as before, and needs no approval.
#[test]
fn what_install_wrote_into_a_project_is_tried() {
    let room = Room::new().unapproved();
    let agents = ["claude", "copilot", "opencode", "goose", "qwen", "cline", "gemini"];
    let install = [&["install", "--scope", "project"], &agents[..]].concat();
    assert_eq!(room.run(&install, "").code, 0);
    let output = room.shell(&format!("tenterhook doctor --format json {}", agents.join(" ")));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    for row in report["agents"].as_array().unwrap() {
        assert_eq!(row["fired"][0]["passed"], true, "{row:#}");
    }
    assert_eq!((output.code, &report["findings"]), (0, &json!([])), "{report:#}");
}

/// BR-75, BR-118: entries go back to the settings that they are from, and two homes are not mixed.
#[test]
fn hooks_of_two_homes_of_an_agent_stay_apart() {
    let room = Room::new();
    let before = |name: &str| settings(&json!({"Stop": entry(&format!("echo {name}"))}));
    for name in ["work", "play"] {
        room.write(&format!("home/{name}/settings.json"), &before(name));
    }
    let at = |name: &str, what: &str| {
        room.shell(&format!("CLAUDE_CONFIG_DIR=\"$HOME/{name}\" tenterhook {what} claude"))
    };
    assert_eq!(at("work", "install --adopt").code, 0);
    let output = at("play", "install --adopt");
    assert!(output.code == 1 && words(&output).contains("holds the hooks of"), "{}", output.all());
    assert_eq!(text(&room, "home/play/settings.json"), before("play"), "nothing was changed");
    for command in ["install", "uninstall"] {
        assert_eq!(at("play", command).code, 0);
    }
    assert_eq!(text(&room, "home/play/settings.json"), before("play"));
    assert_eq!(at("work", "install --adopt").code, 0, "twice is once");
    assert_eq!(at("work", "uninstall").code, 0);
    assert_eq!(text(&room, "home/work/settings.json"), before("work"));
    assert!(!room.path("home/.local/state/tenterhook/adopted").exists());
}

/// BR-63, BR-117: whoever takes a file of ours away, or writes it anew, loses nothing that somebody else wrote into it.
#[test]
fn what_somebody_wrote_into_a_file_of_ours_stays() {
    let with_entry = |text: &str, event: &str, mine: Value| {
        let mut all: Value = serde_json::from_str(text).unwrap();
        all["hooks"][event].as_array_mut().unwrap().push(mine);
        format!("{all:#}\n")
    };
    let mine = json!({"type": "command", "command": "./mine.sh"});
    let goose = "home/.agents/plugins/tenterhook/hooks/hooks.json";
    let room = Room::new();
    assert_eq!(room.run(&["install", "copilot", "goose", "cline"], "").code, 0);
    for (agent, file, edited) in [
        ("copilot", COPILOT, with_entry(&text(&room, COPILOT), "preToolUse", mine.clone())),
        ("goose", goose, with_entry(&text(&room, goose), "Stop", json!({"hooks": [mine]}))),
        ("cline", CLINE, format!("{}./mine.sh\n", text(&room, CLINE))),
    ] {
        let ours = text(&room, file);
        room.write(file, &edited);
        for what in ["install", "uninstall"] {
            let output = room.run(&[what, "cline", "copilot", "goose"], "");
            assert!(
                output.code == 1 && words(&output).contains("./mine.sh"),
                "{agent}: {}",
                output.all()
            );
            assert_eq!(text(&room, file), edited, "{agent} {what}");
        }
        // A time-out that somebody changed is mended as before.
        room.write(file, &ours.replace("600", "6").replace("110s", "1s"));
        assert_eq!(room.run(&["install", agent], "").code, 0);
        assert_eq!(text(&room, file), ours);
    }
    assert_eq!(room.run(&["uninstall", "cline", "copilot", "goose"], "").code, 0);
    assert!(!room.path(COPILOT).exists() && !room.path(CLINE).exists());
}

/// BR-69: an entry that was moved behind a matcher is asked about less than everything.
#[test]
fn an_entry_behind_a_matcher_covers_nothing() {
    for (file, agent, gate) in [
        (SETTINGS, "claude", "PreToolUse"),
        ("home/.qwen/settings.json", "qwen", "PreToolUse"),
        ("home/.gemini/settings.json", "gemini", "BeforeTool"),
    ] {
        let room = Room::new();
        room.write(file, "{}\n");
        assert_eq!(room.run(&["install", agent], "").code, 0);
        for (matcher, covers) in [("Bash", false), ("*", true), ("", true)] {
            let mut all: Value = serde_json::from_str(&text(&room, file)).unwrap();
            all["hooks"][gate][0]["matcher"] = json!(matcher);
            room.write(file, &format!("{all:#}\n"));
            assert_eq!(room.run(&["status"], "").code, i32::from(!covers), "{agent} {matcher}");
        }
        let mut all: Value = serde_json::from_str(&text(&room, file)).unwrap();
        all["hooks"][gate][0]["matcher"] = json!("Bash");
        room.write(file, &format!("{all:#}\n"));
        let found = room.run(&["doctor", agent], "");
        assert!(found.code == 1 && found.stdout.contains("not as `install` writes it"));
        assert_eq!(room.run(&["install", agent], "").code, 0);
        assert_eq!(room.run(&["status"], "").code, 0, "`install` mends it");
        assert_eq!(room.run(&["uninstall", agent], "").code, 0);
        assert!(!room.path(file).exists(), "nothing else was in it");
    }
}

/// BR-68, BR-63: Codex reads no file behind a byte order mark, and what cannot be read was approved by nobody.
#[test]
fn a_file_that_the_agent_rejects_covers_nothing() {
    let rejected = settings(&json!({"Stop": [{"matcher": ["a"], "hooks": []}]}));
    for (agent, file, text) in [
        ("codex", "home/.codex/hooks.json", "\u{feff}{}"),
        ("gemini", "home/.gemini/settings.json", "\u{feff}{}"),
        ("claude", SETTINGS, &*rejected),
    ] {
        let room = Room::new();
        room.write(file, text);
        let output = room.run(&["install", agent], "");
        assert!(
            output.code == 1 && output.stderr.contains("nothing was changed"),
            "{}",
            output.all()
        );
        assert_eq!(self::text(&room, file), text);
        // As a version that took it has left it.
        room.write(file, "{}");
        assert_eq!(room.run(&["install", agent], "").code, 0);
        room.write(file, &format!("\u{feff}{}", self::text(&room, file)));
        if agent != "claude" {
            assert_eq!(room.run(&["status"], "").code, 1, "{agent}");
        }
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o777
}

/// BR-60, BR-116: a file that others have to read, too, is made as any program makes it; what is the person's alone stays so.
#[test]
fn others_can_read_what_is_written_for_them() {
    let room = Room::new();
    room.write("usual", "");
    let usual = mode(&room.path("usual"));
    let agents = ["claude", "codex", "copilot", "opencode", "goose", "qwen", "gemini"];
    let install = [&["install", "--scope", "project"], &agents[..]].concat();
    assert_eq!(room.run(&install, "").code, 0);
    for file in [".claude/settings.json", ".github/hooks/tenterhook.json", ".codex/hooks.json"] {
        assert_eq!(mode(&room.path(&format!("project/{file}"))), usual, "{file}");
    }
    room.write(SETTINGS, &settings(&json!({"Stop": entry("echo secret")})));
    fs::set_permissions(room.path(SETTINGS), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(room.run(&["install", "claude", "--adopt"], "").code, 0);
    let kept = [
        "home/.config/tenterhook/adopted/claude.json",
        "home/.local/state/tenterhook/adopted/claude.before",
    ];
    for file in kept.into_iter().chain([SETTINGS]) {
        assert_eq!(mode(&room.path(file)), 0o600, "{file}");
    }
}

/// BR-60, BR-116: a file stays its owner's where root writes into it.
#[test]
fn root_takes_no_file_from_its_owner() {
    const NOBODY: u32 = 65534;
    let room = Room::new();
    room.write(SETTINGS, "{}\n");
    let file = room.path(SETTINGS);
    if file.metadata().unwrap().uid() != 0 {
        return;
    }
    std::os::unix::fs::chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
    for what in ["install", "uninstall"] {
        assert_eq!(room.run(&[what, "claude"], "").code, 0);
        let found = file.metadata().unwrap();
        assert_eq!((found.uid(), found.gid()), (NOBODY, NOBODY), "{what}");
    }
}

/// BR-63: a FIFO in the place of settings is no file, and nobody waits for it.
#[test]
fn a_fifo_is_not_waited_for() {
    for (directory, file) in
        [("home/.claude", SETTINGS), ("project/.claude", "project/.claude/settings.json")]
    {
        let room = Room::new().unapproved();
        for text in ["home/.claude", directory] {
            fs::create_dir_all(room.path(text)).unwrap();
        }
        tenterhook_testkit::make_fifo(&room.path(file)).unwrap();
        let scope = if directory.starts_with("home") { "user" } else { "project" };
        for args in [
            &["status"][..],
            &["doctor"],
            &["install", "claude", "--scope", scope],
            &["uninstall", "claude", "--scope", scope],
        ] {
            let output = room.run(args, "");
            assert!(
                output.code == 1 && words(&output).contains("it is a FIFO"),
                "{args:?} {}",
                output.all()
            );
        }
    }
}

/// BR-69, BR-120: what `doctor` knows of switches, `status` knows, too.
#[test]
fn a_switch_in_any_file_covers_nothing() {
    let room = calling();
    assert_eq!(room.run(&["status"], "").code, 0);
    room.write("project/.claude/settings.local.json", "{\"disableAllHooks\": true}");
    let said = room.json(&["status", "--format", "json"], "", 1);
    let row = said.pointer("/agents/0").unwrap();
    let off = json!({"file": ".claude/settings.local.json", "key": "disableAllHooks"});
    assert_eq!((&row["covered"], &row["off"]), (&json!(false), &off), "{row:#}");
    let said = room.run(&["install", "claude"], "");
    assert!(
        words(&said).contains("`disableAllHooks` in .claude/settings.local.json"),
        "{}",
        said.all()
    );
    let room = Room::new();
    for (settings, covered) in [
        ("{\"hooksConfig\": {\"enabled\": true}, \"disableAllHooks\": true}", false),
        ("{\"hooks\": {\"enabled\": false}}", false),
        ("{\"hooksConfig\": {\"enabled\": true}}", true),
    ] {
        room.write("home/.gemini/settings.json", settings);
        assert_eq!(room.run(&["install", "gemini"], "").code, 0);
        assert_eq!(room.run(&["status"], "").code, i32::from(!covered), "{settings}");
    }
}

/// BR-69, BR-121: in their home, a person's file is not a second one, which somebody should uninstall.
#[test]
fn a_home_is_not_a_project_beside_itself() {
    let room = calling();
    for args in [&["status"][..], &["doctor"]] {
        let said = room.run_in("home", args, "");
        assert_eq!(said.code, 0, "{}", said.all());
        assert!(
            !words(&said).contains("twice") && !words(&said).contains("another file"),
            "{}",
            said.all()
        );
    }
    let said = room.run_in("home", &["status", "--format", "json"], "");
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(said["agents"][0]["files"].as_array().unwrap().len(), 1, "{said:#}");
}

/// H-1: no name in a file of a repository is obeyed by the terminal.
/// BR-69.
#[test]
fn status_says_nothing_to_the_terminal() {
    let room = calling().unapproved();
    let command = "'/\u{1b}[2J\u{202e}/tenterhook' hook --agent claude --event PreToolUse";
    room.write("project/.claude/settings.json", &settings(&json!({"PreToolUse": entry(command)})));
    room.write("home/.codex/hooks.json", "{\"\u{202e}\\u001b[2J\": 1}");
    let output = room.run(&["--color", "always", "status"], "");
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
    let room = Room::new().unapproved();
    room.write(SETTINGS, &settings(&json!({"Stop": entry("true")})));
    let output = room.shell("umask 002; tenterhook install claude --adopt && tenterhook doctor");
    assert_eq!(output.code, 0, "{}", output.all());
    let event = "{\"session_id\": \"s\", \"cwd\": \"/\", \"hook_event_name\": \"Stop\"}";
    room.write("event", event);
    let line = "tenterhook hook --agent claude --event Stop <\"$HOME/../event\"";
    let output = room.shell(&format!("umask 002; {line} && tenterhook log"));
    assert!(output.code == 0 && output.stdout.contains("Stop"), "{}", output.all());
    assert_eq!(mode(&room.path("home/.local/state/tenterhook")), 0o700);
    assert_eq!(room.run(&["doctor", "--no-fire"], "").code, 0);
}

/// A name that a repository took before leads nowhere.
/// T-19.
#[test]
fn a_pack_is_written_through_no_link() {
    let room = Room::new().unapproved();
    room.write("home/precious", "mine\n");
    let file = "tenterhook.hold-subagents.toml";
    for name in [format!(".{file}.new"), file.to_owned()] {
        let link = room.path("project").join(name);
        std::os::unix::fs::symlink(room.path("home/precious"), link).unwrap();
    }
    let add = ["rules", "add", "hold-subagents", "--project", "--force"];
    assert_eq!(room.run(&add, "").code, 0);
    assert_eq!(text(&room, "home/precious"), "mine\n");
    assert!(!room.path("project").join(file).is_symlink());
    assert!(text(&room, &format!("project/{file}")).contains("[hook."));
}
