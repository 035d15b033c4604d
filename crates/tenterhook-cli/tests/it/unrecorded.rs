//! A record that cannot be written: the firing goes on with a fault, unless a record is required.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::fixture::{CliOutput, Fixture};
use crate::record::{USER, fixture};

fn faults(outcome: &Value) -> Vec<&str> {
    let all = outcome.get("faults").and_then(Value::as_array).unwrap();
    all.iter().filter_map(|value| value.get("code")?.as_str()).collect()
}

/// With an obstacle to the record: the firing goes on, unless a record is required. Returns the reports of both.
fn run_without_and_with_required_record(fixture: &Fixture, run: impl Fn() -> CliOutput) -> String {
    let output = run();
    assert_eq!(output.code, 0, "{}", output.all());
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(faults(&json), ["unrecorded"], "{json:#}");
    fixture.write(USER, "[record]\nrequired = true\n");
    let output = run();
    assert_eq!(output.code, 2, "{}", output.all());
    let held: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(held.get("decision"), Some(&json!("deny")));
    json.pointer("/faults/0/message").and_then(Value::as_str).unwrap().to_owned()
}

/// RE-20, RE-21.
#[test]
fn full_disk_is_reported_as_a_fault() {
    let fixture = fixture();
    let text = run_without_and_with_required_record(&fixture, || {
        fixture.shell("ulimit -f 0; tenterhook fire --format json Bash ls")
    });
    assert!(text.contains("cannot be written: File too large"), "{text}");
}

/// RE-20: half a record on a disk that is nearly full is no record.
#[test]
#[cfg(target_os = "linux")]
fn disk_that_fills_up_has_whole_records_only() {
    let can = Command::new("unshare").args(["-rm", "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        // Without the right to mount there is no small disk.
        return;
    }
    let fixture = fixture();
    fixture.write("home/.local/state/tenterhook/x", "");
    let output = fixture.shell(
        "unshare -rm sh -c 'mount -t tmpfs -o size=32k,mode=0700 none $HOME/.local/state && \
         for at in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do \
         tenterhook fire --format json Bash \"git push $at\" > last; done; \
         grep -c unrecorded last; tenterhook log verify | grep whole'",
    );
    let mut lines = output.stdout.lines();
    assert_eq!(lines.next(), Some("1"), "{}", output.all());
    assert!(lines.next().is_some_and(|line| line.starts_with("whole:")), "{}", output.all());
}

/// RE-20, RE-21.
#[test]
#[cfg(unix)]
fn unwritable_home_is_reported_as_a_fault() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new().unapproved();
    fixture.write("home/.config/tenterhook/x", "");
    fs::set_permissions(fixture.path("home"), fs::Permissions::from_mode(0o555)).unwrap();
    let text = run_without_and_with_required_record(&fixture, || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
        command.args(["fire", "--format", "json", "Bash", "ls"]).env("PATH", "/usr/bin:/bin");
        fixture.say_as_a_normal_user(command, "")
    });
    assert!(text.contains("cannot be made: Permission denied"), "{text}");
}
