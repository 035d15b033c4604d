//! No command waits for a FIFO or a device in the place of a file of a person. The module of each command tests its message.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fixture::{CliOutput, Fixture};

const HOOKS: &str =
    "[hook.no-force]\non = 'PreToolUse'\nif = 'Bash(git push *)'\nshell = 'exit 2'\n";
const SESSION: &str = r#"{"type": "user", "sessionId": "a", "cwd": "/tmp", "timestamp": "2026-11-01T00:00:00Z", "uuid": "1", "version": "2.0.0", "message": {"role": "user", "content": "hi"}}"#;
const CALL: &str = r#"{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "git push"}}"#;
/// How the shell's `timeout` ends where it had to end what it ran.
const WAITED: i32 = 124;
const COMMANDS: &[&str] = &[
    "log",
    "log verify",
    "explain --last",
    "fire Bash ls",
    "hook --agent claude --event PreToolUse --within 30s <call.json",
    "trust status",
    "trust sign --key ../home/key",
    "rules list",
    "rules remove guardrails",
    "reconcile",
    "backtest",
    "doctor",
];

/// A fixture whose person approved, signed, recorded and installed.
fn fixture() -> Fixture {
    let fixture = Fixture::new().unapproved();
    fixture.write("project/tenterhook.toml", HOOKS);
    fixture.write("project/call.json", CALL);
    fixture.write("home/.claude/projects/-x/a.jsonl", &format!("{SESSION}\n"));
    fixture.approve("project");
    for line in ["trust key ../home/key", "trust sign --key ../home/key", "rules add guardrails"] {
        let output = fixture.shell(&format!("tenterhook {line}"));
        assert_eq!(output.code, 0, "{line}: {}", output.all());
    }
    for line in ["fire Bash 'git push'", "hook --agent claude --event PreToolUse <call.json"] {
        fixture.shell(&format!("tenterhook {line}"));
    }
    fixture
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|entry| if entry.is_dir() { files(&entry) } else { vec![entry] });
    all.collect()
}

fn fifo(place: &Path) {
    assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
}

fn run(fixture: &Fixture, line: &str) -> CliOutput {
    fixture.shell(&format!("timeout 30 tenterhook {line}"))
}

/// C-86: whatever a command opens, it does not wait for it.
#[test]
fn nothing_waits_for_a_fifo_in_the_place_of_a_file() {
    let fixture = fixture();
    let all = files(&fixture.path("home"));
    for kind in ["records", "heads", "sources", "lock", "guardrails", "home/key", "a.jsonl"] {
        let is = |path: &&PathBuf| path.to_string_lossy().contains(kind);
        assert!(all.iter().any(|path| is(&path)), "nothing is a file of {kind}: {all:?}");
    }
    for file in all {
        // Marks of processes that ended are tidied up meanwhile.
        let Ok(kept) = fs::read(&file) else { continue };
        for line in COMMANDS {
            fs::remove_file(&file).unwrap();
            fifo(&file);
            let output = run(&fixture, line);
            assert_ne!(output.code, WAITED, "{line} waits for {}", file.display());
            // A command that removes the file or moves a different file there did not wait for it either.
            let _ = fs::remove_file(&file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &kept).unwrap();
        }
    }
}

/// C-86: if the record cannot be read, the message names the file.
#[test]
fn a_record_that_is_no_file_is_named() {
    let fixture = fixture();
    let record = files(&fixture.path("home/.local/state/tenterhook/records")).remove(0);
    fs::remove_file(&record).unwrap();
    let named = record.file_name().unwrap().to_string_lossy().into_owned();
    let says = |what: &str| {
        for line in ["log", "log verify", "explain --last"] {
            let output = run(&fixture, line);
            let words = output.stderr.split_whitespace().collect::<String>();
            assert_eq!(output.code, 1, "{line}: {}", output.all());
            let what = format!("{named}`cannotberead:itis{what},notafile");
            assert!(words.contains(&what), "{line}: {}", output.all());
        }
    };
    fifo(&record);
    says("aFIFO");
    fs::remove_file(&record).unwrap();
    symlink("/dev/zero", &record).unwrap();
    says("adevice");
}
