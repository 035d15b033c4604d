//! Screens of odd widths, and names that are longer than anybody likes: every line fits, and rows can be told apart.

use crate::fixture::Fixture;

/// Commands whose beginning is the same, a matcher that is long, and names that differ at their ends.
const SETTINGS: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Bash", "hooks": [
      {"type": "command", "command": "uv run .claude/hooks/pre_tool_use_bash_guard_of_the_production_cluster_one.py"},
      {"type": "command", "command": "uv run .claude/hooks/pre_tool_use_bash_guard_of_the_production_cluster_two.py"}]},
    {"matcher": "mcp__a_server_with_a_long_name__a_tool_with_a_long_name", "hooks": [
      {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a/b/c/protect-the-secrets-of-the-company.sh"}]}],
  "userpromptsubmit": []
}}"#;
const NATIVE: &str = r#"[hook.no-force-push-to-the-branch-of-the-team-that-is-called-one]
on = "PreToolUse"
when = 'call.commands.exists(c, c.runs("git push"))'
deny = "Push to a branch of your own."
test = [{ name = "a case whose name goes on and on and says more than it should", event = "Bash git push", expect = "allow" }]

[hook.no-force-push-to-the-branch-of-the-team-that-is-called-two]
on = "PreToolUse"
if = "Bash(git push *)"
shell = "exit 7"
"#;

const WIDTHS: &[usize] = &[40, 50, 60, 80, 100, 200];

const COMMANDS: &[&str] = &[
    "check",
    "list",
    "explain Bash 'git push origin a-branch-with-a-name-that-fills-more-than-a-line-of-this-screen'",
    "fire Bash 'git push'",
    "test",
    "events",
    "events --dialect native",
    "rules list",
    "rules show guardrails",
    "demo",
];

fn fixture() -> Fixture {
    let fixture = Fixture::with_settings(SETTINGS);
    fixture.write("project/.git/HEAD", "");
    fixture.write("project/tenterhook.toml", NATIVE);
    fixture
}

/// What there is to be copied is not broken.
fn is_to_be_copied(line: &str) -> bool {
    line.trim_start().starts_with("see ") || line.contains("tenterhook explain --config")
}

#[test]
fn every_line_fits_the_screen() {
    let fixture = fixture();
    for columns in WIDTHS {
        for command in COMMANDS {
            let text = fixture.shell(&format!("COLUMNS={columns} tenterhook {command}")).stdout;
            assert!(!text.is_empty(), "{command}");
            // A time is written as `[TIME]` here, which is longer than some.
            let lines =
                text.lines().filter(|line| !line.contains("[TIME]") && !is_to_be_copied(line));
            for line in lines {
                let wide = line.chars().count();
                assert!(wide <= *columns, "{command} at {columns}: {wide}\n{line}\n\n{text}");
            }
        }
    }
}

/// What tells hooks with a common beginning apart is there, whatever the width.
#[test]
fn adjacent_rows_are_distinguishable() {
    let fixture = fixture();
    for columns in WIDTHS {
        for command in ["list", "explain Bash 'git push'", "fire Bash 'git push'"] {
            let text = fixture.shell(&format!("COLUMNS={columns} tenterhook {command}")).stdout;
            for end in ["one", "two"] {
                let words = text.split(|c: char| !c.is_alphanumeric());
                let hooks = words.filter(|word| *word == end).count();
                assert!(hooks >= 2, "{command} at {columns}: {end}\n{text}");
            }
        }
    }
}

#[test]
fn narrow_screens_look_like_this() {
    let fixture = fixture();
    for (columns, command) in
        [(40, "list"), (50, "explain Bash 'git push'"), (60, "fire Bash 'git push'"), (40, "check")]
    {
        let text = fixture.shell(&format!("COLUMNS={columns} tenterhook {command}")).stdout;
        let name = command.split(' ').next().unwrap();
        insta::assert_snapshot!(format!("{name}_at_{columns}"), text);
    }
}

/// A text without line breaks is not searched for each of its findings; their positions are reported all the same.
#[test]
fn of_a_line_that_no_screen_shows_the_place_is_said() {
    let fixture = Fixture::new();
    let events: Vec<String> =
        (0..2_000).map(|at| format!(r#""E{at}": [{{"hooks": []}}]"#)).collect();
    fixture.write("project/long.json", &format!(r#"{{"hooks": {{{}}}}}"#, events.join(", ")));
    let output = fixture.shell("timeout 60 tenterhook check claude=long.json");
    assert_eq!(output.code, 1, "{}", output.all());
    assert_eq!(output.stdout.matches(" has no event `E").count(), 2_000);
    assert!(output.stdout.contains("--> long.json:1:12\n"), "{}", output.all());
}
