//! A host that adopts orphans leaves none (zoo 17, 21, 28 of the hazards). A separate test program,
//! because adoption belongs to the whole process; its tests run one after the other for the same
//! reason.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "what tests share may fail them")]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tenterhook_process::{
    Cancel, Command, End, Report, adopt_orphans, run_blocking, run_in_background,
};
use tenterhook_testkit::fakehook;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    adopt_orphans().unwrap();
    guard
}

fn command(script: &str) -> Command {
    let mut command = Command::new(fakehook(), script.split(' '), "/");
    command.timeout = Some(Duration::from_secs(10));
    command
}

/// All descendants of this process, found by their parents, zombies too.
fn descendants() -> Vec<i32> {
    let mut all: Vec<i32> = Vec::new();
    let mut next = vec![std::process::id() as i32];
    while let Some(pid) = next.pop() {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            next.extend(list.split_whitespace().map(|word| word.parse::<i32>().unwrap()));
        }
        all.push(pid);
    }
    all.split_off(1)
}

fn play(command: Command) -> Report {
    let begun = Instant::now();
    let report = run_blocking(command, &Cancel::new());
    assert!(begun.elapsed() < Duration::from_secs(15), "{report:?}");
    assert_eq!(report.survivors, [] as [u32; 0]);
    assert_eq!(descendants(), [] as [i32; 0], "{report:?}");
    report
}

///
#[test]
fn zoo_17_daemons_are_ended() {
    let _alone = alone();
    for daemon in ["--setsid-daemon", "--quiet-daemon"] {
        let report = play(command(&format!("{daemon} 30000 --stdout deny")));
        assert_eq!(report.stdout.bytes, b"deny\n");
        assert_eq!((report.end, report.swept), (End::Exited(0), 1), "{daemon}");
    }
}

#[test]
fn zoo_17_a_daemon_without_environment_is_ended_too() {
    let _alone = alone();
    let report = play(command("--bare-daemon 30000 --sleep-ms 100 --stdout deny"));
    assert_eq!((report.end, report.swept), (End::Exited(0), 1));
}

#[test]
fn zoo_21_chains_of_forks_are_ended() {
    let _alone = alone();
    for chain in ["--fork-chain", "--setsid-chain"] {
        let report = play(command(&format!("{chain} 100000 --stdout deny")));
        assert_eq!(report.end, End::Exited(0), "{chain}");
        assert_eq!(report.stdout.bytes, b"deny\n");
    }
}

#[test]
fn a_run_that_timed_out_leaves_none() {
    let _alone = alone();
    let mut command = command("--quiet-daemon 30000 --spawn 50 --ignore-term --sleep-ms 30000");
    command.timeout = Some(Duration::from_millis(200));
    let report = play(command);
    assert_eq!(report.end, End::TimedOut);
}

#[test]
fn the_daemons_of_another_run_are_left_alone() {
    let _alone = alone();
    let (sender, receiver) = std::sync::mpsc::channel();
    // It would end at once, were its daemon killed: the daemon is what says `late`.
    let slow = "--setsid-daemon 300 --sleep-ms 400 --stdout slow";
    run_in_background(command(slow), &Cancel::new(), move |report| sender.send(report).unwrap());
    for _ in 0..10 {
        let report = run_blocking(command("--quiet-daemon 30000"), &Cancel::new());
        assert_eq!(report.survivors, [] as [u32; 0]);
    }
    let report = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!((report.end, &report.stdout.bytes[..]), (End::Exited(0), &b"slow\n"[..]));
    assert_eq!(descendants(), [] as [i32; 0]);
}
