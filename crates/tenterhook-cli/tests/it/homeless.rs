//! A home that does not exist is not made: nothing is kept, hooks run all the same, and that is reported once.

use std::fs;

use serde_json::json;

use crate::fixture::{CliOutput, Fixture};

/// The home that no test makes.
const ABSENT: &str = "home/absent";

/// A user without a home, and a hook in a file that is named.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write(
        "no.toml",
        "[hook.no]\non = \"PreToolUse\"\nmatch = \"Bash\"\nshell = \"echo no >&2; exit 2\"\n",
    );
    let event = json!({
        "session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t",
    });
    fixture.write("event.json", &format!("{event}\n"));
    fixture
}

fn run(fixture: &Fixture, variables: &str, line: &str) -> CliOutput {
    fixture.shell(&format!("export HOME=\"$HOME/absent\" {variables}; tenterhook {line}"))
}

fn reports(said: &CliOutput) -> usize {
    let words = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    words.matches("does not exist, so nothing is kept").count()
}

/// BR-43.
#[test]
fn missing_home_is_not_made_and_reported_once() {
    let fixture = fixture();
    for (line, code) in [
        ("fire --config ../no.toml Bash ls", 2),
        ("fire --stream --config ../no.toml <../event.json", 0),
        ("hook --agent claude --event PreToolUse --config ../no.toml <../event.json", 0),
    ] {
        let output = run(&fixture, "", line);
        assert_eq!((output.code, reports(&output)), (code, 1), "{line}: {}", output.all());
        assert!(output.stdout.contains("no"), "{line}: the hook runs: {}", output.all());
        assert_eq!(output.stderr.matches("warning").count(), 1, "{line}: {}", output.stderr);
        assert!(!output.stdout.contains("systemMessage"), "{line}: {}", output.stdout);
        assert!(!output.stdout.contains("unrecorded"), "{line}: {}", output.stdout);
        assert!(!fixture.path(ABSENT).exists(), "{line}");
    }
}

/// BR-43, BR-114: no command makes the home, and one that has to write there says so.
#[test]
fn command_that_writes_into_a_missing_home_is_refused() {
    let fixture = fixture();
    fixture.write("project/tenterhook.toml", "[hook.a]\non = \"PreToolUse\"\nshell = \"true\"\n");
    for (line, refused) in [
        ("install claude codex cline goose opencode", true),
        ("install claude --adopt", true),
        ("rules add guardrails", true),
        ("pause 1m", true),
        ("allow once AAAAAA", true),
        ("trust --yes", true),
        ("uninstall --all", false),
        ("log", false),
        ("check", false),
        ("list", false),
        ("status", false),
        ("doctor", false),
        ("test --canaries", false),
        ("explain Bash ls", false),
    ] {
        let output = run(&fixture, "", line);
        assert!(!fixture.path(ABSENT).exists(), "{line}: {}", output.all());
        assert!(!refused || output.code != 0, "{line}: {}", output.all());
    }
    let output = run(&fixture, "", "install claude");
    assert!(output.stderr.contains("does not exist") && output.code == 1, "{}", output.all());
}

/// BR-43, BR-113: a state directory that a variable names is used, also without a home.
#[test]
fn state_home_that_exists_is_used_without_a_home() {
    let fixture = fixture();
    fs::create_dir(fixture.path("state")).unwrap();
    let state = format!("XDG_STATE_HOME=\"{}\"", fixture.path("state").display());
    let output = run(&fixture, &state, "fire --config ../no.toml Bash ls");
    assert_eq!((output.code, reports(&output)), (2, 0), "{}", output.all());
    assert!(fixture.path("state/tenterhook/records").is_dir());
    assert!(!fixture.path(ABSENT).exists());
    let state = format!("XDG_STATE_HOME=\"{}\"", fixture.path("none/state").display());
    let output = run(&fixture, &state, "fire --config ../no.toml Bash ls");
    assert_eq!((output.code, reports(&output)), (2, 1), "{}", output.all());
    assert!(!fixture.path("none").exists() && !fixture.path(ABSENT).exists());
}
