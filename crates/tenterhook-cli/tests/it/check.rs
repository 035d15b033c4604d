//! `check`: what is wrong, where, and what to write.

use insta::assert_snapshot;

use crate::room::{Room, fits_schema};

const SLIPS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash(git *)",
        "hooks": [{ "type": "command", "command": "true", "timeout": 5000 }]
      }
    ],
    "preToolUse": []
  }
}
"#;

#[test]
fn carets_into_the_config() {
    let room = Room::with_settings(SLIPS);
    assert_snapshot!(room.run(&["check", ".claude/settings.json"], "").all(), @r##"
exit 1
--- stdout
error[permission-rule-in-matcher]: `Bash(git *)` is a permission rule: as a
                                   matcher it matches nothing
 --> .claude/settings.json:5:20
  |
5 |         "matcher": "Bash(git *)",
  |                    ^^^^^^^^^^^^^ never runs
  |
  = help: write `"matcher": "Bash"`, and `"if": "Bash(git *)"` in the
          handler

warning[timeout-looks-like-ms]: `timeout` is in seconds: this waits 1 h 23 min
 --> .claude/settings.json:6:70
  |
6 |         "hooks": [{ "type": "command", "command": "true", "timeout": 5000 }]
  |                                                                      ^^^^
  |
  = help: if milliseconds were meant, write `5`

error[wrong-case-event]: no event is called `preToolUse`: case counts
 --> .claude/settings.json:9:5
  |
9 |     "preToolUse": []
  |     ^^^^^^^^^^^^ never fires
  |
  = help: write `PreToolUse`

advice[empty-event-array]: `preToolUse` has no group, so nothing runs
 --> .claude/settings.json:9:5
  |
9 |     "preToolUse": []
  |     ^^^^^^^^^^^^
  |
  = help: remove it, or add a group

Hooks that can never run
  .claude/settings.json:6  `Bash(git *)` is a permission rule: as a         S-61
                           matcher it matches nothing

2 errors, 1 warning, 1 advice in 1 file with 1 hook, of which 1 never runs
--- stderr
"##);
}

#[test]
fn as_json_with_lines() {
    let room = Room::with_settings(SLIPS);
    let args = ["check", ".claude/settings.json", "--format", "json"];
    let said = room.run(&args, "");
    let value: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    fits_schema("check", &value);
    let found = value["diagnostics"].as_array().unwrap();
    assert!(found.len() >= 3, "{value:#}");
    assert!(found.iter().all(|it| it["file"] == ".claude/settings.json"), "{value:#}");
    assert!(found.iter().any(|it| it["line"] == 6), "{value:#}");
    let errors = found.iter().any(|it| it["severity"] == "error");
    assert_eq!(said.code, i32::from(errors));
}

#[test]
fn a_clean_file_is_zero_and_a_broken_one_is_not() {
    let room = Room::with_settings(r#"{"hooks": {}}"#);
    assert_snapshot!(room.run(&["check"], "").all(), @r##"
exit 0
--- stdout
no findings in 1 file with 0 hooks
--- stderr
reading .claude/settings.json (claude, project)
"##);
    room.write("project/.claude/settings.json", "{\"hooks\": {");
    assert_eq!(room.run(&["check"], "").code, 1);
    room.write("project/.claude/settings.json", "");
    room.run(&["check"], "");
}

#[test]
fn every_file_that_cannot_be_read_is_named() {
    let room = Room::new();
    let said = room.run(&["check", "none.json", "../home"], "");
    assert_snapshot!(said.all(), @r##"
exit 1
--- stdout
error[unreadable-file]: there is no file `none.json`
 |
 = help: name a file that exists

error[unreadable-file]: `../home` cannot be read: it is a directory, not a file
 |
 = help: a config is a regular UTF-8 file of at most 1 MiB

2 errors in 0 files with 0 hooks
--- stderr
"##);
}

#[cfg(target_os = "linux")]
#[test]
fn a_fifo_in_the_place_of_a_config_is_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let room = Room::with_settings("{}");
    let fifo = room.path("home/.claude/settings.json");
    std::fs::create_dir_all(fifo.parent().unwrap()).unwrap();
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let said = room.run(&["check"], "");
    assert_eq!(said.code, 1);
    assert!(said.stdout.contains("it is a FIFO, not a file"), "{}", said.stdout);
}

#[test]
fn nothing_that_a_terminal_obeys_comes_out() {
    let room = Room::with_settings("{\"hooks\": {\"Pre\\u001b[2JTool\\u202eUse\": []}}");
    let said = room.run(&["check"], "");
    assert!(!said.all().contains(['\u{1b}', '\u{202e}']), "{}", said.all());
}

#[test]
fn fits_eighty_columns() {
    let room = Room::with_settings(SLIPS);
    let said = room.run(&["check"], "");
    assert!(said.stdout.lines().all(|it| it.chars().count() <= 80), "{}", said.stdout);
}

/// MC-14.
#[test]
fn a_hook_that_calls_a_server_that_is_not_there() {
    let settings = r#"{"hooks": {"Stop": [{"hooks": [
  {"type": "mcp_tool", "server": "polcy", "tool": "judge"},
  {"type": "mcp_tool", "server": "policy", "tool": "judge"},
  {"type": "mcp_tool", "server": "old", "tool": "judge"}
]}]}}"#;
    let room = Room::with_settings(settings);
    room.write(
        "project/.mcp.json",
        r#"{"mcpServers": {"policy": {"command": "true"}, "old": {"type": "sse", "url": "x"}}}"#,
    );
    let found = room.json(&["check", ".claude/settings.json", "--format", "json"], "", 0);
    let told: Vec<_> = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["code"].as_str().unwrap(), it["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("unusable-server", 1), ("unknown-server", 2), ("unknown-server", 4)]);
    assert_eq!(found["diagnostics"][1]["help"], "did you mean `policy`?");
}
