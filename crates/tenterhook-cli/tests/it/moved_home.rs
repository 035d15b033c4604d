//! Variables move the user's home: C-94 and C-95 of `docs/spec/configuration.md`, T-72 of `docs/spec/trust.md`. The home of the
//! fixture is the account's.

use std::fs;

use serde_json::json;
use tenterhook::trust::Trust;
use tenterhook_core::dialect::Roots;

use crate::fixture::{CliOutput, Fixture};

const GATE: &str =
    "[hook.gate]\non = \"PreToolUse\"\nif = \"Bash(evil)\"\nshell = 'echo no-evil >&2; exit 2'\n";

fn fixture() -> Fixture {
    let fixture = Fixture::new().unapproved();
    fixture.write("home/.config/tenterhook/tenterhook.toml", GATE);
    for directory in ["elsewhere", "project/.cfg", "project/.git"] {
        fs::create_dir_all(fixture.path(directory)).unwrap();
    }
    fixture
}

/// Runs a line with these variables, whose account has the home of the fixture. `AT/` in them is the directory of the fixture.
fn run(fixture: &Fixture, variables: &str, line: &str) -> CliOutput {
    let variables = variables.replace("AT/", &fixture.path("").to_string_lossy());
    fixture.shell(&format!(
        "export TENTERHOOK_TEST_ACCOUNT_HOME=\"$HOME\" {variables}; tenterhook {line}"
    ))
}

/// A call behind Claude Code in a session.
fn call(fixture: &Fixture, variables: &str, session: &str, command: &str) -> CliOutput {
    let payload = json!({
        "session_id": session, "cwd": fixture.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command},
    });
    fixture.write("call.json", &payload.to_string());
    run(fixture, variables, "hook --agent claude --event PreToolUse <../call.json")
}

/// The text without the breaks of its lines.
fn text_of(said: &CliOutput) -> String {
    said.all().split_whitespace().collect::<Vec<_>>().join(" ")
}

const MOVED: &[&str] = &[
    "XDG_CONFIG_HOME=/nonexistent",
    "XDG_CONFIG_HOME=AT/project/.cfg",
    "XDG_CONFIG_HOME=AT/elsewhere",
    "HOME=AT/elsewhere",
    "HOME=AT/project",
    "HOME=AT/project/.cfg",
    "HOME=/nonexistent",
];

/// C-94.
#[test]
fn gates_of_the_accounts_home_apply_wherever_variables_lead() {
    for variables in MOVED {
        let fixture = fixture();
        let output = call(&fixture, variables, "s", "evil");
        assert!(output.stdout.contains("no-evil"), "{variables}: {}", output.all());
        let is_reported = text_of(&output).contains("home of your account");
        assert!(is_reported, "{variables}: {}", output.all());
        let output = run(&fixture, variables, "fire Bash evil");
        assert_eq!(output.code, 2, "{variables}: {}", output.all());
        let output = run(&fixture, variables, "fire Bash ls");
        assert_eq!(output.code, 0, "{variables}: {}", output.all());
    }
}

/// C-94.
#[test]
fn home_that_is_not_moved_is_read_once_and_unsaid() {
    let fixture = fixture();
    std::os::unix::fs::symlink(fixture.path("home"), fixture.path("linked")).unwrap();
    for variables in ["", "XDG_CONFIG_HOME=AT/home/.config", "HOME=AT/linked"] {
        let output = run(&fixture, variables, "fire --format json Bash evil");
        assert_eq!(output.code, 2, "{variables}: {}", output.all());
        assert!(
            !text_of(&output).contains("home of your account"),
            "{variables}: {}",
            output.all()
        );
        let outcome: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let gates = outcome["steps"].as_array().unwrap().iter();
        assert_eq!(gates.filter(|step| step["executor"] == "command").count(), 1, "{variables}");
    }
}

/// C-94.
#[test]
fn message_about_the_accounts_home_comes_once_a_session() {
    let fixture = fixture();
    let variables = "XDG_CONFIG_HOME=/nonexistent";
    let shown = |session| {
        let output = call(&fixture, variables, session, "ls");
        output.stdout.contains("home of your account")
    };
    assert_eq!([shown("a"), shown("a"), shown("b")], [true, false, true]);
}

/// C-94.
#[test]
fn file_at_a_moved_place_switches_nothing_off_in_the_accounts_home() {
    let fixture = fixture();
    let file = fixture.path("home/.config/tenterhook/tenterhook.toml");
    for says in [
        "[hook.gate]\nenabled = false\n".to_owned(),
        format!("[source.\"{}\"]\nenabled = false\n", file.display()),
        format!("[source.\"{}\"]\nmode = \"shadow\"\n", file.display()),
    ] {
        fixture.write("elsewhere/tenterhook/tenterhook.toml", &says);
        let output = run(&fixture, "XDG_CONFIG_HOME=AT/elsewhere", "fire Bash evil");
        assert_eq!(output.code, 2, "{says}: {}", output.all());
    }
    // The file applies all the same, and protects itself.
    let own = GATE.replace("evil", "other");
    fixture.write("elsewhere/tenterhook/tenterhook.toml", &own);
    let output = run(&fixture, "XDG_CONFIG_HOME=AT/elsewhere", "fire Bash other");
    assert_eq!(output.code, 2, "{}", output.all());
    fixture.write(
        "elsewhere/tenterhook/tenterhook.toml",
        &format!("{}[hook.second]\nenabled = false\n", own.replace("hook.gate", "hook.second")),
    );
}

/// C-94.
#[test]
fn of_an_agents_files_in_the_accounts_home_the_gates_alone_apply() {
    let fixture = fixture();
    let hook = |command: &str| json!([{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]);
    let gate = "grep -q evil2 && exit 2; echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"additionalContext\": \"ctx\"}}'";
    let settings = json!({"hooks": {"PreToolUse": hook(gate), "PostToolUse": hook("touch seen")}});
    fixture.write("home/.claude/settings.json", &settings.to_string());
    let variables = "CLAUDE_CONFIG_DIR=AT/elsewhere";
    let output = run(&fixture, variables, "fire Bash evil2");
    assert_eq!(output.code, 2, "{}", output.all());
    let output = run(&fixture, variables, "fire --format json Bash ls");
    assert!(output.code == 0 && !output.stdout.contains("ctx"), "{}", output.all());
    let output = run(&fixture, variables, "fire PostToolUse Bash ls");
    assert!(output.code == 0 && !fixture.path("project/seen").exists(), "{}", output.all());
    // Where nothing is moved, all of it applies.
    let output = run(&fixture, "", "fire --format json Bash ls");
    assert!(output.stdout.contains("ctx"), "{}", output.all());
}

/// A hook that came with the project and says that it ran.
fn hook_of_project(fixture: &Fixture) {
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "echo no-deploy >&2; exit 2"}
    ]}]}});
    fixture.write("project/.claude/settings.json", &settings.to_string());
}

/// Approves what is in the project, in a directory of state.
fn approve(fixture: &Fixture, state: &str) {
    let roots = Roots {
        cwd: fixture.path("project"),
        repository: Some(fixture.path("project")),
        home: fixture.path("home"),
        ..Roots::default()
    };
    fs::create_dir_all(fixture.path(state)).unwrap();
    let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
    let trust = Trust::at(fixture.path(state).join("tenterhook")).within(&[path]);
    for source in trust.find(&roots).sources {
        if source.name.ends_with(".claude/settings.json") {
            trust.approve(&trust.review(&source)).unwrap();
        }
    }
}

/// T-72.
#[test]
fn approvals_in_a_directory_of_state_in_the_project_do_not_count() {
    let fixture = fixture();
    hook_of_project(&fixture);
    approve(&fixture, "project/.state");
    for variables in
        ["XDG_STATE_HOME=AT/project/.state", "XDG_STATE_HOME=AT/elsewhere/../project/.state"]
    {
        let output = run(&fixture, variables, "fire Bash deploy");
        assert!(output.code == 0 && !output.all().contains("no-deploy"), "{}", output.all());
    }
    // Nothing is kept there, either.
    assert!(!fixture.path("project/.state/tenterhook/records").exists());
    assert!(fixture.path("home/.local/state/tenterhook/records").exists());
}

/// T-72.
#[test]
fn approvals_in_the_accounts_home_count_wherever_variables_lead() {
    for variables in ["XDG_STATE_HOME=AT/elsewhere", "HOME=AT/elsewhere", "HOME=AT/project"] {
        let fixture = fixture();
        hook_of_project(&fixture);
        approve(&fixture, "home/.local/state");
        let output = run(&fixture, variables, "fire Bash deploy");
        assert!(
            output.code == 2 && output.all().contains("no-deploy"),
            "{variables}: {}",
            output.all()
        );
    }
}

/// C-95.
#[test]
fn project_that_is_made_the_home_runs_nothing_unapproved() {
    let fixture = fixture();
    let hook = "[hook.run]\non = \"PreToolUse\"\nshell = 'touch ran'\n";
    fixture.write("project/.config/tenterhook/tenterhook.toml", hook);
    let output = run(&fixture, "HOME=AT/project", "fire Bash ls");
    assert!(!fixture.path("project/ran").exists(), "{}", output.all());
    assert!(text_of(&output).contains("leads into the project"), "{}", output.all());
}
