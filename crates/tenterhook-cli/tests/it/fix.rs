//! `check --fix`: mends what can only be meant one way, and nothing else (C-88).

use insta::assert_snapshot;

use crate::fixture::Fixture;

const WRONG: &str = r#"{
  // kept
  "hooks": {
    "preToolUse": [
      { "matcher": "bash", "hooks": [ { "type": "command",   "command": "true" } ] }
    ],
    "Stopp": []
  }
}
"#;

fn text(fixture: &Fixture, name: &str) -> String {
    std::fs::read_to_string(fixture.path(name)).unwrap()
}

/// C-88.
#[test]
fn what_can_only_be_meant_one_way_is_mended() {
    let fixture = Fixture::new();
    fixture.write(
        "project/a.toml",
        "# mine\n[hook.a]\non    = 'Stop'   # here\nshell = 'true'\nstatusMessage = 'x'\n",
    );
    let output = fixture.run(&["check", "--diff", "a.toml"], "");
    assert_eq!(output.code, 1);
    assert!(text(&fixture, "project/a.toml").contains("statusMessage"));
    for show in ["--diff", "--dry-run"] {
        fixture.run(&["check", "--fix", show, "a.toml"], "");
        assert!(text(&fixture, "project/a.toml").contains("statusMessage"), "{show}");
    }
    let output = fixture.run(&["check", "--fix", "a.toml"], "");
    assert_snapshot!(output.all(), @r"
exit 0
--- stdout
--- a.toml
+++ a.toml
@@ -3,3 +3,3 @@
 on    = 'Stop'   # here
 shell = 'true'
-statusMessage = 'x'
+status = 'x'

mended 1 finding in 1 file

no findings in 1 file with 1 hook
--- stderr
");
    assert_eq!(
        text(&fixture, "project/a.toml"),
        "# mine\n[hook.a]\non    = 'Stop'   # here\nshell = 'true'\nstatus = 'x'\n"
    );
}

/// C-88.
#[test]
fn nothing_is_mended_that_is_not_better() {
    let fixture = Fixture::with_settings(WRONG);
    let output = fixture.run(&["check", "--fix"], "");
    assert_eq!(output.code, 1, "{}", output.stdout);
    // The case of a name is fixed; a name that is merely similar to a known one is not.
    assert_eq!(
        text(&fixture, "project/.claude/settings.json"),
        WRONG.replace("preToolUse", "PreToolUse").replace("bash", "Bash")
    );
    // `status` is there already.
    let twice = "[hook.a]\non = 'Stop'\nshell = 'true'\nstatus = 'x'\nstatusMessage = 'y'\n";
    fixture.write("project/b.toml", twice);
    let output = fixture.run(&["check", "--fix", "b.toml"], "");
    assert!(output.stdout.starts_with("nothing can be mended safely"), "{}", output.stdout);
    assert_eq!(text(&fixture, "project/b.toml"), twice);
    // Files of the user's are not a project's to change.
    let fixture = Fixture::new();
    fixture.write("home/.claude/settings.json", WRONG);
    let output = fixture.run(&["check", "--fix"], "");
    assert_eq!(text(&fixture, "home/.claude/settings.json"), WRONG);
    let named = "`tenterhook check --fix ~/.claude/settings.json`";
    assert!(output.stdout.contains(named), "{}", output.stdout);
}

/// A guard that works, and an entry under another case of the same key.
const TWICE: &str = r#"{ "hooks": {
  "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "echo no >&2; exit 2" } ] },
                  { "matcher": "write", "hooks": [ { "type": "command", "command": "true" } ] } ],
  "preToolUse": [ { "matcher": "Edit", "hooks": [ { "type": "command", "command": "true" } ] } ] } }
"#;

/// C-88.
#[test]
fn fix_that_would_repeat_a_key_is_refused_with_its_reason() {
    let empty = TWICE.replace(
        r#"{ "matcher": "Edit", "hooks": [ { "type": "command", "command": "true" } ] }"#,
        "",
    );
    for text in [TWICE, &empty] {
        let fixture = Fixture::new();
        fixture.write("project/s.json", text);
        let fix = ["check", "--fix", "--dialect", "claude", "s.json"];
        let output = fixture.run(&fix, "");
        let wanted =
            "s.json:4:3: `preToolUse` is not changed to `PreToolUse`: that key is there already";
        assert!(output.stdout.contains(wanted), "{}", output.stdout);
        assert_eq!(self::text(&fixture, "project/s.json"), text.replace("write", "Write"));
        let call = ["fire", "--config", "claude=s.json", "Bash", "rm -rf x"];
        let fired = fixture.run(&call, "");
        assert!(fired.all().contains("BLOCKED"), "{}", fired.all());
    }
}

/// C-88: a hook that works is not narrowed, nor run in the background.
#[test]
fn fix_that_would_loosen_a_working_hook_is_refused() {
    for (key, right) in [("Matcher", "matcher"), ("MATCHER", "matcher")] {
        let fixture = Fixture::new();
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"{key}": "Edit", "hooks": [{{"type": "command", "command": "exit 2"}}]}}]}}}}"#
        );
        fixture.write("project/s.json", &text);
        let output = fixture.run(&["check", "--fix", "--dialect", "claude", "s.json"], "");
        assert_eq!(self::text(&fixture, "project/s.json"), text, "{right}: {}", output.stdout);
    }
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2", "Async": true}]}]}}"#;
    let fixture = Fixture::new();
    fixture.write("project/s.json", text);
    let output = fixture.run(&["check", "--fix", "--dialect", "claude", "s.json"], "");
    assert_eq!(self::text(&fixture, "project/s.json"), text, "{}", output.stdout);
}
