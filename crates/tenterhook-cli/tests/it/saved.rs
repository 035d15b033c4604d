//! A file with hooks is saved in place while calls are judged: C-92 and C-93 of `docs/spec/configuration.md`.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use crate::fixture::{CliOutput, Fixture};

/// Files of several formats, each with a gate that denies `evil`.
const FILES: &[(&str, &str)] = &[
    (
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.gate]\non = \"PreToolUse\"\nif = \"Bash(evil)\"\nshell = 'echo no-evil >&2; exit 2'\n",
    ),
    (
        "home/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q evil && { echo no-evil >&2; exit 2; }; exit 0"}]}]}}"#,
    ),
    (
        "home/.codewhale/config.toml",
        "[hooks]\nenabled = true\n\n[[hooks.hooks]]\nname = \"gate\"\nevent = \"tool_call_before\"\ncommand = 'grep -q evil && { echo no-evil >&2; exit 2; }; exit 0'\n",
    ),
    (
        "project/tenterhook.toml",
        "[hook.gate]\non = \"PreToolUse\"\nif = \"Bash(evil)\"\nshell = 'echo no-evil >&2; exit 2'\n",
    ),
];

fn fire(fixture: &Fixture, command: &str) -> CliOutput {
    fixture.run(&["fire", "--format", "json", "Bash", command], "")
}

fn is_denied(said: &CliOutput) -> bool {
    said.code == 2 && said.stdout.contains("no-evil")
}

/// Sets a file to what it says, written some seconds ago.
fn settle(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(5)).unwrap();
}

/// C-93.
#[test]
fn no_call_is_lost_while_a_file_is_saved_in_place() {
    for (name, text) in FILES {
        let fixture = Fixture::new();
        fixture.write(name, text);
        fixture.approve("project");
        let fixture = fixture.unapproved();
        assert!(is_denied(&fire(&fixture, "evil")), "{name}: {}", fire(&fixture, "evil").all());
        let path = fixture.path(name);
        let is_over = AtomicBool::new(false);
        let lost = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    drop(File::create(&path).unwrap());
                    std::thread::yield_now();
                    fs::write(&path, text).unwrap();
                }
            });
            let lost: Vec<String> = (0..25)
                .map(|_| fire(&fixture, "evil"))
                .filter(|said| !is_denied(said))
                .map(|said| said.all())
                .collect();
            is_over.store(true, Ordering::Relaxed);
            lost
        });
        assert!(lost.is_empty(), "{name}: lost {} of 25: {}", lost.len(), lost.join("\n"));
    }
}

/// C-93.
#[test]
fn torn_file_that_was_good_keeps_its_last_good_hooks_and_reports_it() {
    for (name, text) in FILES {
        let fixture = Fixture::new();
        fixture.write(name, text);
        fixture.approve("project");
        let fixture = fixture.unapproved();
        assert!(is_denied(&fire(&fixture, "evil")), "{name}");
        let half = text.split_at(text.len() - 5).0;
        settle(&fixture.path(name), half);
        let output = fire(&fixture, "evil");
        assert!(
            is_denied(&output) && output.stdout.contains("kept-last-good"),
            "{name}: {}",
            output.all()
        );
        let output = fire(&fixture, "ls");
        assert!(
            output.code == 0 && output.stdout.contains("kept-last-good"),
            "{name}: {}",
            output.all()
        );
        settle(&fixture.path(name), text);
        let output = fire(&fixture, "evil");
        assert!(
            is_denied(&output) && !output.stdout.contains("kept-last-good"),
            "{}",
            output.all()
        );
    }
}

/// C-93.
#[test]
fn file_that_stays_empty_says_nothing() {
    for (name, text) in FILES.iter().filter(|(name, _)| name.starts_with("home")) {
        let fixture = Fixture::new();
        fixture.write(name, text);
        assert!(is_denied(&fire(&fixture, "evil")), "{name}");
        fs::write(fixture.path(name), "").unwrap();
        let output = fire(&fixture, "evil");
        assert!(is_denied(&output), "just emptied: {name}: {}", output.all());
        settle(&fixture.path(name), "");
        let output = fire(&fixture, "evil");
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        assert!(!output.stdout.contains("kept-last-good"), "{name}: {}", output.all());
    }
}
