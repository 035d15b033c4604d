//! The outputs in the guide and the README are what the program says in a copy of `examples/`.

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
    room.write("new/.git/HEAD", "");
    room.write("project/event.json", EVENT);
    room.write("project/mistakes.json", MISTAKES);
    let pages = [guide(), guide().with_file_name("hooks-you-have.md")];
    let pages = pages.map(|page| fs::read_to_string(page).unwrap());
    let blocks: Vec<&str> =
        pages.iter().flat_map(|page| page.split("```console\n$ ").skip(1)).collect();
    assert!(blocks.len() >= 9, "{}", blocks.len());
    for block in blocks {
        let (block, _) = block.split_once("```").unwrap();
        let (command, expected) = block.split_once('\n').unwrap();
        let said = room.shell(command);
        let expected = room.filter(expected);
        assert_eq!(said.stdout.trim_end(), expected.trim_end(), "$ {command}\n{}", said.stderr);
    }
}

/// The sample on the first page is a part of what its first command prints.
#[test]
fn the_readme_shows_what_the_demo_prints() {
    let room = Room::new();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let (_, sample) = readme.split_once("```text\n").unwrap();
    let (sample, _) = sample.split_once("```").unwrap();
    let played = room.run(&["demo"], "").stdout;
    let (sample, played) =
        (without_clock(&room.filter(sample)), without_clock(&room.filter(&played)));
    assert!(sample.lines().count() > 5 && played.contains(&sample), "{sample}\n---\n{played}");
}

/// Without the seconds at which each event was fired.
fn without_clock(text: &str) -> String {
    text.lines()
        .map(|line| {
            line.strip_prefix(' ')
                .filter(|it| it.starts_with(|c: char| c.is_ascii_digit()))
                .map_or(line, |it| it.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'))
        })
        .flat_map(|line| [line, "\n"])
        .collect()
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

/// The blocks of the guide to testing: its cases hold, and what fails looks so.
#[test]
fn the_guide_to_testing_shows_what_is_said() {
    let path = guide().with_file_name("testing.md");
    let page = fs::read_to_string(path).unwrap();
    let block = |opening: &str| {
        let (_, rest) = page.split_once(&format!("```{opening}\n")).unwrap();
        rest.split_once("```").unwrap().0.to_owned()
    };
    let room = Room::new();
    room.write("project/tenterhook.toml", &block("toml"));
    assert!(room.run(&["test"], "").stdout.starts_with("2 cases passed"));
    let room = Room::with_settings(crate::test::SETTINGS);
    crate::test::program(&room, "project/.claude/hooks/guard.sh", crate::test::GUARD);
    room.write("project/tenterhook.test.toml", &block("toml cases"));
    assert!(room.run(&["test"], "").stdout.starts_with("2 cases passed"));
    let failing = "config = \".claude/settings.json\"\n\n\n[[case]]\nevent = \"Bash rm -r build\"\nexpect = \"deny\"\n";
    room.write("project/tenterhook.test.toml", failing);
    let expected = room.filter(block("console").strip_prefix("$ tenterhook test\n").unwrap());
    assert_eq!(room.run(&["test"], "").stdout, expected);
    room.write(
        "project/tenterhook.test.toml",
        &block("toml cases").replace("reason = \"by name\"", ""),
    );
    let neutered = room.run(&["test", "--mutate"], "").stdout;
    assert!(neutered.starts_with(&block("text")), "{neutered}");
}

fn guide() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/cli.md")
}
