//! What becomes of an approved gate where the machine fails it: each is said plainly, the gate holds, and nothing runs that was not
//! approved. The same of the record stands in `record.rs`; a script that is replaced while it is started, in `hostile_repos`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::PathBuf;
use std::process::Command;

use crate::room::{Room, Said};

const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate.sh"}]}]}}"#;
const GATE: &str = "#!/bin/sh\necho approved >&2\nexit 2\n";
const EVIL: &str = "#!/bin/sh\necho >\"$HOME/evil\"\nexit 0\n";
const CALL: &str =
    r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
const STORE: &str = "home/.local/state/tenterhook/trust";

/// A room whose person approved a gate that denies.
fn room() -> Room {
    let room = Room::with_settings(SETTINGS).unapproved();
    crate::test::program(&room, "project/.claude/hooks/gate.sh", GATE);
    room.write("project/event.json", CALL);
    room.approve("project");
    let output = fire(&room);
    assert!(output.code == 2 && output.stdout.contains("approved"), "{}", output.all());
    room
}

fn fire(room: &Room) -> Said {
    room.run(&["fire", "event.json"], "")
}

/// The gate asks, which is its agent's restraint, and says these words; what nobody approved did not run.
fn holds(room: &Room, said: &Said, words: &str) {
    assert_eq!(said.code, 3, "{}", said.all());
    assert!(said.all().contains(words), "{words}: {}", said.all());
    assert!(!room.path("home/evil").exists(), "{}", said.all());
}

/// Every file of what the person said.
fn answers(room: &Room) -> Vec<PathBuf> {
    let all = fs::read_dir(room.path(STORE).join("sources")).unwrap();
    all.map(|entry| entry.unwrap().path()).collect()
}

/// T-32: torn, empty, foreign bytes: something was said, and nobody knows what.
#[test]
fn a_corrupt_store_holds() {
    for bytes in [&b"{\"version\": 1, \"sou"[..], b"", &[0xff; 64], b"{}", b"[]"] {
        let room = room();
        for path in answers(&room) {
            fs::write(path, bytes).unwrap();
        }
        holds(&room, &fire(&room), "is not known");
        let status = room.run(&["trust", "status"], "");
        assert_eq!(status.code, 1, "{}", status.all());
    }
}

/// T-22, T-30: an answer that does not fit on the disk is said to be lost, and what was said before stands.
#[test]
fn a_full_disk_keeps_the_answer_before() {
    let room = room();
    crate::test::program(&room, "project/.claude/hooks/gate.sh", EVIL);
    let review = room.run(&["trust"], "").stdout;
    let digest = review.lines().find_map(|line| line.strip_prefix("review ")).unwrap().to_owned();
    let full = "ulimit -f 0;";
    let output = room.shell(&format!("{full} tenterhook trust --yes {digest}"));
    assert!(output.code != 0 && output.stderr.contains("File too large"), "{}", output.all());
    holds(&room, &fire(&room), "is not what you approved");
    crate::test::program(&room, "project/.claude/hooks/gate.sh", GATE);
    // What is approved runs on a full disk, too: its copy is there.
    let output = room.shell(&format!("{full} tenterhook fire event.json"));
    assert!(output.code == 2 && output.stdout.contains("approved"), "{}", output.all());
    fs::remove_dir_all(room.path(STORE).join("copies")).unwrap();
    let output = room.shell(&format!("{full} tenterhook fire event.json"));
    holds(&room, &output, "cannot be kept: File too large");
}

/// T-22: what was approved runs from where nothing can be written; without its copy it holds.
#[test]
fn a_read_only_home_keeps_approvals() {
    let room = room();
    // What programs write of a firing is made before the home can no longer be written.
    let state = room.path("home/.local/state/tenterhook");
    let lock = |mode: u32| {
        for path in [room.path(STORE), state.clone(), room.path("home/.local/state")] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let fire = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
        command.args(["fire", "event.json"]).env("PATH", "/usr/bin:/bin");
        room.say_as_a_normal_user(command, "")
    };
    lock(0o555);
    let output = fire();
    assert!(output.code == 2 && output.stdout.contains("approved"), "{}", output.all());
    lock(0o755);
    fs::remove_dir_all(room.path(STORE).join("copies")).unwrap();
    lock(0o555);
    let output = fire();
    lock(0o755);
    holds(&room, &output, "cannot be kept: Permission denied");
}

/// T-31: what belongs to somebody else is not believed.
#[test]
#[expect(clippy::print_stderr, reason = "what is not tried is said")]
fn a_store_of_somebody_else_holds() {
    let room = room();
    if room.path("home").metadata().unwrap().uid() != 0 {
        eprintln!("NOT TRIED: only root gives files away");
        return;
    }
    for path in answers(&room) {
        chown(path, Some(65534), None).unwrap();
    }
    holds(&room, &fire(&room), "belongs to somebody else");
}

/// T-30: when an answer was given says nothing about whether it counts, so a clock that jumps back takes none away.
#[test]
fn a_clock_that_jumps_back_takes_no_answer() {
    let room = room();
    for path in answers(&room) {
        let mut record: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        record["at"] = u64::MAX.into();
        fs::write(path, record.to_string()).unwrap();
    }
    assert_eq!(fire(&room).code, 2);
    crate::test::program(&room, "project/.claude/hooks/gate.sh", EVIL);
    holds(&room, &fire(&room), "is not what you approved");
}

/// T-6: what lies behind a link of the whole folder is what is approved, and another target is another.
#[test]
fn a_linked_folder_of_settings_holds_what_it_becomes() {
    let room = room();
    let settings = room.path("project/.claude");
    let (first, second) = (room.path("first"), room.path("second"));
    crate::room::copy(&settings, &second);
    fs::rename(&settings, &first).unwrap();
    symlink(&first, &settings).unwrap();
    room.approve("project");
    assert_eq!(fire(&room).code, 2);
    fs::write(second.join("hooks/gate.sh"), EVIL).unwrap();
    fs::remove_file(&settings).unwrap();
    symlink(&second, &settings).unwrap();
    holds(&room, &fire(&room), "is not what you approved");
    // Never approved, and behind a link: off, and said.
    let other = Room::new().unapproved();
    other.write("project/event.json", CALL);
    crate::room::copy(&second, &other.path("elsewhere"));
    symlink(other.path("elsewhere"), other.path("project/.claude")).unwrap();
    let output = fire(&other);
    assert!(output.code == 0 && output.stderr.contains("nobody approved"), "{}", output.all());
    assert!(!other.path("home/evil").exists());
}

/// T-7: a folder that was flooded is not read to its end; the gate holds, and the review says why it cannot be approved.
#[test]
fn a_folder_of_100_000_files_holds() {
    let room = room();
    let folder = room.path("project/.claude/hooks");
    for at in 0..100_000 {
        fs::File::create(folder.join(format!("{at}.txt"))).unwrap();
    }
    holds(&room, &fire(&room), "is what you approved is not known");
    let review = room.run(&["trust"], "");
    let why = "holds more than 2000 files";
    assert!(without_breaks(&review).contains(why), "{}", review.all());
}

/// What was said, however it was broken into lines.
fn without_breaks(said: &Said) -> String {
    said.all().split_whitespace().collect::<Vec<_>>().join(" ")
}
