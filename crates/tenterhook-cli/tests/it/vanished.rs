//! An approved file of a project is gone: T-70 and T-71 of `docs/spec/trust.md`.

use std::fs;

use crate::fixture::{CliOutput, Fixture};

const NATIVE: &str = "[hook.gate]\non = \"PreToolUse\"\nif = \"Bash(deploy *)\"\nshell = 'echo no-deploy >&2; exit 2'\n";

/// Files of several agents, each with a gate for shell commands, and how a held call ends.
const FILES: &[(&str, &str, i32)] = &[
    ("tenterhook.toml", NATIVE, 2),
    ("tenterhook.local.toml", NATIVE, 2),
    (
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(deploy *)", "command": "echo no-deploy >&2; exit 2"}]}]}}"#,
        3,
    ),
    (
        ".github/hooks/team.json",
        r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "matcher": "bash", "bash": "exit 2"}]}}"#,
        3,
    ),
];

fn fire(fixture: &Fixture, command: &str) -> CliOutput {
    fixture.run(&["fire", "Bash", command], "")
}

/// A project whose file was approved and then removed.
fn room_without(name: &str, text: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write(&format!("project/{name}"), text);
    fixture.approve("project");
    let fixture = fixture.unapproved();
    let output = fire(&fixture, "deploy prod");
    assert_ne!(output.code, 0, "the gate is approved: {name}: {}", output.all());
    fs::remove_file(fixture.path(&format!("project/{name}"))).unwrap();
    fixture
}

/// T-70.
#[test]
fn approved_file_that_is_gone_holds_what_its_gates_matched() {
    for (name, text, code) in FILES {
        let fixture = room_without(name, text);
        let output = fire(&fixture, "deploy prod");
        assert_eq!(output.code, *code, "{name}: {}", output.all());
        let words = output.all().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("tenterhook untrust"), "{name}: {}", output.all());
        assert!(words.contains("is not there"), "{name}: {}", output.all());
        // Only that: other calls go on, and so do prompts.
        if text.contains("deploy *") {
            let output = fire(&fixture, "ls -la");
            assert_eq!(output.code, 0, "{name}: {}", output.all());
        }
        let output = fixture.run(&["fire", "Read", "src/main.rs"], "");
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        let output = fixture.run(&["fire", "UserPromptSubmit", "hello"], "");
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        // The file is back: nothing is held for it.
        fixture.write(&format!("project/{name}"), text);
        let output = fire(&fixture, "deploy prod");
        assert!(!output.all().contains("untrust"), "{name}: {}", output.all());
    }
}

/// T-70.
#[test]
fn approved_file_that_is_gone_is_forgotten_by_untrust() {
    for (name, text, _) in FILES {
        let fixture = room_without(name, text);
        let status = fixture.run(&["trust", "status"], "");
        assert!(status.stdout.contains(name), "{name}: {}", status.all());
        let digest = status.stdout.split_whitespace().find(|word| word.len() == 64).unwrap();
        let output = fixture.run(&["untrust", name, "--yes", digest], "");
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        let output = fire(&fixture, "deploy prod");
        assert_eq!(output.code, 0, "{name}: {}", output.all());
    }
}

/// T-70.
#[test]
fn file_that_was_never_approved_or_was_forgotten_holds_nothing_when_it_is_gone() {
    let fixture = Fixture::new().unapproved();
    fixture.write("project/tenterhook.toml", NATIVE);
    assert_eq!(fire(&fixture, "deploy prod").code, 2, "it waits for an answer");
    fs::remove_file(fixture.path("project/tenterhook.toml")).unwrap();
    assert_eq!(fire(&fixture, "deploy prod").code, 0);
    // Another project misses nothing.
    let fixture = room_without("tenterhook.toml", NATIVE);
    fs::create_dir(fixture.path("other")).unwrap();
    assert_eq!(fixture.run_in("other", &["fire", "Bash", "deploy prod"], "").code, 0);
}

/// T-71.
#[test]
fn pack_that_its_user_removes_holds_nothing() {
    let fixture = Fixture::new().unapproved();
    let add = fixture.run(&["rules", "add", "guardrails", "--project"], "");
    assert_eq!(add.code, 0, "{}", add.all());
    assert_ne!(fire(&fixture, "git push --force origin main").code, 0);
    let remove = fixture.run(&["rules", "remove", "guardrails", "--project"], "");
    assert_eq!(remove.code, 0, "{}", remove.all());
    let output = fire(&fixture, "git push --force origin main");
    assert_eq!(output.code, 0, "{}", output.all());
}
