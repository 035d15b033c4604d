//! The outputs in `docs/guide/cli.md` are what the program says in a copy of `examples/`.

use std::fs;
use std::path::Path;

use crate::room::{Room, copy, examples};

const EVENT: &str = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}"#;
const MISTAKES: &str = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash(git *)", "hooks": [{ "type": "command", "command": "true" }] }
    ],
    "sessionstart": []
  }
}
"#;

#[test]
fn the_guide_shows_what_is_said() {
    let room = Room::new();
    copy(&examples(), &room.path("project"));
    room.write("project/.git/HEAD", "");
    room.write("project/event.json", EVENT);
    room.write("project/mistakes.json", MISTAKES);
    let guide = fs::read_to_string(guide()).unwrap();
    let blocks: Vec<&str> = guide.split("```console\n$ ").skip(1).collect();
    assert!(blocks.len() >= 8, "{}", blocks.len());
    for block in blocks {
        let (block, _) = block.split_once("```").unwrap();
        let (command, expected) = block.split_once('\n').unwrap();
        let said = room.shell(command);
        let expected = room.filter(expected);
        assert_eq!(said.stdout.trim_end(), expected.trim_end(), "$ {command}\n{}", said.stderr);
    }
}

#[test]
fn the_guide_has_every_command_and_exit_code() {
    let guide = fs::read_to_string(guide()).unwrap();
    let help = Room::new().run(&["--help"], "").stdout;
    let (_, codes) = help.split_once("Exit codes:").unwrap();
    assert!(guide.contains(codes.trim_end()), "{codes}");
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    for line in commands.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        assert!(name == "help" || guide.contains(&format!("## `{name}`")), "{name}");
    }
}

fn guide() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/cli.md")
}
