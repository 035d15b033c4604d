//! A program that ends waits for what it has cancelled. A separate binary: the count is of the whole process.
#![cfg(target_os = "linux")]

use std::time::Duration;

use tenterhook_process::{Announce, Cancel, Command, End, run_blocking, start, wait_for_all_runs};

#[test]
fn waits_until_every_run_is_over() {
    assert!(wait_for_all_runs(Duration::ZERO), "nothing was started");
    // It ignores TERM, so that its end takes the whole grace.
    let child = start(Command::shell("trap '' TERM; while :; do sleep 1; done", "/"));
    assert!(!wait_for_all_runs(Duration::ZERO), "it runs");
    drop(child);
    assert!(wait_for_all_runs(Duration::from_secs(10)), "it was ended");
    // Nor does it leave one behind that has announced its exit, and was reported.
    let mut command = Command::shell("exec >&- 2>&-; echo 0 >&3; while :; do :; done", "/");
    command.announce = Announce::OnDescriptor3;
    assert_eq!(run_blocking(command, &Cancel::new()).end, End::Exited(0));
    assert!(!wait_for_all_runs(Duration::ZERO), "it lives on");
    assert!(wait_for_all_runs(Duration::from_secs(10)), "it was killed");
}
