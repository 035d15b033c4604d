//! `list`: what is configured.

use insta::assert_snapshot;

use crate::fixture::{Fixture, fits_schema};

const SETTINGS: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Bash", "hooks": [
      {"type": "command", "if": "Bash(git *)", "command": "\"$CLAUDE_PROJECT_DIR\"/guard.sh", "timeout": 5, "onFailure": "block"}
    ]}
  ],
  "SessionEnd": [{"hooks": [{"type": "command", "command": "echo bye", "async": true}]}]
}}"#;

#[test]
fn file_by_file() {
    let fixture = Fixture::with_settings(SETTINGS);
    fixture.write(
        "project/tenterhook.toml",
        "[hook.guard]\non = 'PreToolUse'\nrun = ['./guard']\n\n[hook.old]\non = 'Stop'\nshell = 'x'\nenabled = false\n",
    );
    assert_snapshot!(fixture.run(&["list"], "").all(), @r##"
exit 0
--- stdout
tenterhook.toml (native, project)
  LINE  EVENT       MATCHER  RUNS          LIMIT  FAILURE
     1  PreToolUse  *        guard: guard   10 s  block
     5  Stop        *        old: x         10 s  block
        off: its own entry says `enabled = false` (C-50)

.claude/settings.json (claude, project)
  LINE  EVENT       MATCHER  RUNS      LIMIT  FAILURE
     4  PreToolUse  Bash     guard.sh    5 s  block
        if Bash(git *)
     7  SessionEnd  *        echo bye  1.5 s  continue
        in the background: the event does not wait for it

4 hooks, 3 in force
built in: self-protection, 3 rules (`tenterhook rules show self-protection`)
--- stderr
reading tenterhook.toml (native, project)
        .claude/settings.json (claude, project)
"##);
}

/// C-19: who looks at a hook that settings bar finds out which line bars it, wherever he looks.
#[test]
fn a_hook_that_settings_bar_says_so() {
    let fixture = Fixture::with_settings(
        r#"{"allowedHttpHookUrls": ["https://hooks.example.com/*"],
"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "http", "url": "https://elsewhere.example/"}
]}]}}"#,
    );
    // Tables and boxes break lines depending on the path of this fixture.
    let because = "1:2)doesnotnameitsURL";
    for (line, mark) in [
        (&["check"][..], "url-not-allowed"),
        (&["list"], "C-19"),
        (&["explain", "Bash", "ls"], "C-19"),
    ] {
        let text = fixture.run(line, "").all();
        let words: String = text.split_whitespace().collect();
        assert!(words.contains(because) && words.contains("`allowedHttpHookUrls`"), "{text}");
        assert!(words.contains(mark), "{text}");
    }
}

#[test]
fn as_json() {
    let fixture = Fixture::with_settings(SETTINGS);
    let value = fixture.json(&["list", "--format", "json"], "", 0);
    fits_schema("list", &value);
    assert_eq!(value["hooks"][0]["on_failure"], "block");
    assert_eq!(value["hooks"][0]["timeout"], 5.0);
    assert_eq!(value["hooks"][1]["wait"], "detached");
}

#[test]
fn nothing_to_list_says_so() {
    let output = Fixture::new().run(&["list"], "");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (
            0,
            "0 hooks\nbuilt in: self-protection, 3 rules (`tenterhook rules show self-protection`)\n"
        )
    );
    assert!(output.stderr.starts_with("no file with hooks was found from [FIXTURE]/project"));
}
