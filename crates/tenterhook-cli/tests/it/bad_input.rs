//! An approved gate on a failing machine: the failure is reported, the gate holds, and only approved programs run. `record.rs`
//! tests the same for the record; `hostile_repos` tests a script that is replaced while it starts.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::PathBuf;
use std::process::Command;

use crate::fixture::{CliOutput, Fixture};

const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate.sh"}]}]}}"#;
const GATE: &str = "#!/bin/sh\necho approved >&2\nexit 2\n";
const EVIL: &str = "#!/bin/sh\necho >\"$HOME/evil\"\nexit 0\n";
const CALL: &str =
    r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
const STORE: &str = "home/.local/state/tenterhook/trust";

/// A fixture with an approved gate that denies.
fn fixture() -> Fixture {
    let fixture = Fixture::with_settings(SETTINGS).unapproved();
    crate::test::program(&fixture, "project/.claude/hooks/gate.sh", GATE);
    fixture.write("project/event.json", CALL);
    fixture.approve("project");
    let output = fire(&fixture);
    assert!(output.code == 2 && output.stdout.contains("approved"), "{}", output.all());
    fixture
}

fn fire(fixture: &Fixture) -> CliOutput {
    fixture.run(&["fire", "event.json"], "")
}

/// The gate asks, which is its agent's restraint, with this message; the program that is not approved did not run.
fn holds(fixture: &Fixture, said: &CliOutput, words: &str) {
    assert_eq!(said.code, 3, "{}", said.all());
    assert!(said.all().contains(words), "{words}: {}", said.all());
    assert!(!fixture.path("home/evil").exists(), "{}", said.all());
}

/// Every file of what the person said.
fn answers(fixture: &Fixture) -> Vec<PathBuf> {
    let all = fs::read_dir(fixture.path(STORE).join("sources")).unwrap();
    all.map(|entry| entry.unwrap().path()).collect()
}

/// T-32: torn, empty, foreign bytes: a decision was stored, and it cannot be read.
#[test]
fn a_corrupt_store_holds() {
    for bytes in [&b"{\"version\": 1, \"sou"[..], b"", &[0xff; 64], b"{}", b"[]"] {
        let fixture = fixture();
        for path in answers(&fixture) {
            fs::write(path, bytes).unwrap();
        }
        holds(&fixture, &fire(&fixture), "cannot read the approval");
        let status = fixture.run(&["trust", "status"], "");
        assert_eq!(status.code, 1, "{}", status.all());
    }
}

/// T-22, T-30: an answer that does not fit on the disk is reported as lost, and the earlier answer remains.
#[test]
fn a_full_disk_keeps_the_answer_before() {
    let fixture = fixture();
    crate::test::program(&fixture, "project/.claude/hooks/gate.sh", EVIL);
    let review = fixture.run(&["trust"], "").stdout;
    let digest = review.lines().find_map(|line| line.strip_prefix("review ")).unwrap().to_owned();
    let full = "ulimit -f 0;";
    let output = fixture.shell(&format!("{full} tenterhook trust --yes {digest}"));
    assert!(output.code != 0 && output.stderr.contains("File too large"), "{}", output.all());
    holds(&fixture, &fire(&fixture), "is not what you approved");
    crate::test::program(&fixture, "project/.claude/hooks/gate.sh", GATE);
    // An approved program runs on a full disk, too: its copy is there.
    let output = fixture.shell(&format!("{full} tenterhook fire event.json"));
    assert!(output.code == 2 && output.stdout.contains("approved"), "{}", output.all());
    fs::remove_dir_all(fixture.path(STORE).join("copies")).unwrap();
    let output = fixture.shell(&format!("{full} tenterhook fire event.json"));
    holds(&fixture, &output, "cannot be kept: File too large");
}

/// C-131.
#[cfg(unix)]
#[test]
fn home_that_cannot_be_searched_is_one_finding() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.path("home/.config")).unwrap();
    let mode = |mode: u32| {
        fs::set_permissions(fixture.path("home"), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o000);
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
        command.args(args).env("PATH", "/usr/bin:/bin");
        fixture.say_as_a_normal_user(command, "")
    };
    let (check, fire) = (run(&["check"]), run(&["fire", "Bash", "ls"]));
    mode(0o755);
    assert_eq!(check.stdout.matches("error[unreadable-file]").count(), 1, "{}", check.all());
    assert!(check.stdout.contains("make the home readable"), "{}", check.all());
    assert_eq!(fire.code, 2, "{}", fire.all());
    assert!(fire.all().lines().count() < 60, "{}", fire.all());
}

/// T-22: what was approved runs from where nothing can be written; without its copy it holds.
#[test]
fn a_read_only_home_keeps_approvals() {
    let fixture = fixture();
    // What programs write of a firing is made before the home can no longer be written.
    let state = fixture.path("home/.local/state/tenterhook");
    let lock = |mode: u32| {
        for path in [fixture.path(STORE), state.clone(), fixture.path("home/.local/state")] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let fire = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
        command.args(["fire", "event.json"]).env("PATH", "/usr/bin:/bin");
        fixture.say_as_a_normal_user(command, "")
    };
    lock(0o555);
    let output = fire();
    assert!(output.code == 2 && output.stdout.contains("approved"), "{}", output.all());
    lock(0o755);
    fs::remove_dir_all(fixture.path(STORE).join("copies")).unwrap();
    lock(0o555);
    let output = fire();
    lock(0o755);
    holds(&fixture, &output, "cannot be kept: Permission denied");
}

/// T-31: what belongs to somebody else is not believed.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped part is reported")]
fn a_store_of_somebody_else_holds() {
    let fixture = fixture();
    if fixture.path("home").metadata().unwrap().uid() != 0 {
        eprintln!("NOT TRIED: only root gives files away");
        return;
    }
    for path in answers(&fixture) {
        chown(path, Some(65534), None).unwrap();
    }
    holds(&fixture, &fire(&fixture), "belongs to somebody else");
}

/// T-30: when an answer was given says nothing about whether it counts, so a clock that jumps back takes none away.
#[test]
fn a_clock_that_jumps_back_takes_no_answer() {
    let fixture = fixture();
    for path in answers(&fixture) {
        let mut record: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        record["at"] = u64::MAX.into();
        fs::write(path, record.to_string()).unwrap();
    }
    assert_eq!(fire(&fixture).code, 2);
    crate::test::program(&fixture, "project/.claude/hooks/gate.sh", EVIL);
    holds(&fixture, &fire(&fixture), "is not what you approved");
}

/// T-6: if the whole folder is a link, its target is approved, and a changed link needs a new approval.
#[test]
fn a_linked_folder_of_settings_holds_what_it_becomes() {
    let fixture = fixture();
    let settings = fixture.path("project/.claude");
    let (first, second) = (fixture.path("first"), fixture.path("second"));
    crate::fixture::copy(&settings, &second);
    fs::rename(&settings, &first).unwrap();
    symlink(&first, &settings).unwrap();
    fixture.approve("project");
    assert_eq!(fire(&fixture).code, 2);
    fs::write(second.join("hooks/gate.sh"), EVIL).unwrap();
    fs::remove_file(&settings).unwrap();
    symlink(&second, &settings).unwrap();
    holds(&fixture, &fire(&fixture), "is not what you approved");
    // Never approved, and behind a link: off, and said.
    let other = Fixture::new().unapproved();
    other.write("project/event.json", CALL);
    crate::fixture::copy(&second, &other.path("elsewhere"));
    symlink(other.path("elsewhere"), other.path("project/.claude")).unwrap();
    let output = fire(&other);
    assert!(output.code == 0 && output.stderr.contains("`tenterhook trust`"), "{}", output.all());
    assert!(!other.path("home/evil").exists());
}

/// T-7: a folder that was flooded is not read to its end; the gate holds, and the review says why it cannot be approved.
#[test]
fn a_folder_of_100_000_files_holds() {
    let fixture = fixture();
    let folder = fixture.path("project/.claude/hooks");
    for at in 0..100_000 {
        fs::File::create(folder.join(format!("{at}.txt"))).unwrap();
    }
    holds(&fixture, &fire(&fixture), "is what you approved is not known");
    let review = fixture.run(&["trust"], "");
    let why = "holds more than 2000 files";
    assert!(without_breaks(&review).contains(why), "{}", review.all());
}

/// The output without line breaks.
fn without_breaks(said: &CliOutput) -> String {
    said.all().split_whitespace().collect::<Vec<_>>().join(" ")
}
