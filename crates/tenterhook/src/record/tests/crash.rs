//! Kills a process between any two writes: no returned decision is lost, and no other decision is
//! recorded (RE-17).
#![expect(
    clippy::disallowed_methods,
    reason = "this test runs itself again in a separate process, which it can kill"
)]

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// The child's state directory, the point at which it is killed, and its byte limit.
const STATE: &str = "RECORD_TEST_STATE";
const POINT: &str = "RECORD_TEST_POINT";
const BYTES: &str = "RECORD_TEST_BYTES";
const FIRINGS: usize = 8;

static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

fn small(state: &Path, bytes: u64) -> Journal {
    let table = RecordTable { max_bytes: Some(bytes), ..RecordTable::default() };
    Journal::below(state, &table).expect("records are wanted")
}

/// Kills this process at the requested point.
fn killed(_point: &str) {
    if LEFT.fetch_sub(1, Ordering::Relaxed) == 1 {
        let own = rustix::process::getpid();
        // SIGKILL cannot be caught, so nothing runs after this.
        let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
    }
}

/// The child: fires, and writes each decision to a file. Without its variables it passes at once.
#[test]
fn child() {
    let (Ok(state), Ok(point), Ok(bytes)) = (env::var(STATE), env::var(POINT), env::var(BYTES))
    else {
        return;
    };
    let state = Path::new(&state);
    LEFT.store(point.parse().expect("a number"), Ordering::Relaxed);
    let mut journal = small(state, bytes.parse().expect("a number"));
    journal.at = killed;
    let given = OpenOptions::new().append(true).create(true).open(state.join("given"));
    let mut given = given.expect("a file");
    for number in 0..FIRINGS {
        let outcome = fire(&journal, number);
        let word = outcome.restraint.name().expect("a word");
        given.write_all(format!("call-{number} {word}\n").as_bytes()).expect("written");
    }
}

/// Runs the child. Returns whether it ran to its end.
fn play(state: &Path, point: usize, bytes: u64) -> bool {
    let mut command = Command::new(env::current_exe().expect("this program"));
    let own = concat!(module_path!(), "::child").trim_start_matches("tenterhook::");
    command.args(["--exact", own]).env(STATE, state);
    command.env(POINT, point.to_string()).env(BYTES, bytes.to_string());
    command.output().expect("a child").status.success()
}

/// Verifies the records after the kill, and again after another firing. Returns the decisions
/// recorded before the kill.
fn look(state: &Path, bytes: u64, point: usize) -> Vec<(String, String)> {
    let journal = small(state, bytes);
    let report = verified(&journal);
    assert_eq!(report.problems, [], "killed at {point}");
    let before = decisions(&journal);
    drop(fire(&journal, 100));
    let report = verified(&journal);
    assert_eq!(report.problems, [], "after {point}");
    assert!(report.open.len() <= 1, "after {point}: {:?}", report.open);
    before
}

/// RE-17.
#[test]
fn no_decision_is_lost_or_invented_wherever_a_process_is_killed() {
    let mut point = 1;
    loop {
        let state = tempfile::tempdir().expect("a directory");
        let is_over = play(state.path(), point, 64 << 20);
        let recorded = look(state.path(), 64 << 20, point);
        let given = std::fs::read_to_string(state.path().join("given")).unwrap_or_default();
        for line in given.lines() {
            let (call, word) = line.split_once(' ').expect("a line");
            let pair = (call.to_owned(), word.to_owned());
            assert!(recorded.contains(&pair), "killed at {point}: {line} is lost");
        }
        for (at, (call, word)) in recorded.iter().enumerate() {
            let made = outcome(at).restraint.name().expect("a word");
            assert_eq!(
                (call.as_str(), word.as_str()),
                (&*format!("call-{at}"), made),
                "killed at {point}"
            );
        }
        // The last recorded decision may not have been returned yet.
        assert!(recorded.len() <= given.lines().count() + 1, "killed at {point}");
        if is_over {
            break;
        }
        point += 1;
    }
    assert!(point > FIRINGS * 2 * 4, "only {point} points");
}

/// RE-17: also where the next one is killed as well.
#[test]
fn two_kills_in_a_row_leave_a_whole_record() {
    for first in 1..=12 {
        for second in 1..=10 {
            let state = tempfile::tempdir().expect("a directory");
            play(state.path(), first, 64 << 20);
            play(state.path(), second, 64 << 20);
            let journal = small(state.path(), 64 << 20);
            assert_eq!(verified(&journal).problems, [], "killed at {first} and {second}");
            drop(fire(&journal, 100));
            assert_eq!(verified(&journal).problems, [], "after {first} and {second}");
        }
    }
}

/// RE-14, RE-17: also where files are begun and removed.
#[test]
fn a_removal_that_is_killed_leaves_a_whole_record() {
    const BYTES: u64 = 6000;
    let mut point = 1;
    let mut removed = false;
    loop {
        let state = tempfile::tempdir().expect("a directory");
        let is_over = play(state.path(), point, BYTES);
        look(state.path(), BYTES, point);
        removed |=
            entries(&small(state.path(), BYTES)).iter().any(|entry| entry["kind"] == "pruned");
        if is_over {
            break;
        }
        point += 1;
    }
    assert!(removed, "nothing was removed");
}

/// RE-16.
/// RE-43.
#[test]
fn half_a_line_is_cut_off_and_reported() {
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path());
    drop(fire(&journal, 1));
    let file = read::list_record_files(journal.location()).expect("files").remove(0);
    let mut torn = OpenOptions::new().append(true).open(&file).expect("open");
    torn.write_all(b"{\"v\":1,\"seq\":3,\"prev\":\"").expect("written");
    let report = verified(&journal);
    assert_eq!(report.problems, [], "no process wrote since");
    assert!(report.notes[0].contains("its writer was killed"), "{:?}", report.notes);
    drop(fire(&journal, 2));
    let all = entries(&journal);
    let kinds: Vec<&str> = all.iter().filter_map(|object| object["kind"].as_str()).collect();
    assert_eq!(kinds, ["begin", "end", "recovered", "begin", "end"]);
    assert_eq!(all[2]["recovered"]["torn"]["bytes"], 23);
    let report = verified(&journal);
    assert_eq!(report.problems, []);
    assert!(report.notes[0].contains("half a record was cut off"), "{:?}", report.notes);
}

/// RE-40: a truncated record is told from one that was never complete.
/// RE-16.
#[test]
fn a_record_that_was_cut_is_a_problem() {
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path());
    drop(fire(&journal, 1));
    let file = read::list_record_files(journal.location()).expect("files").remove(0);
    let bytes = std::fs::metadata(&file).expect("it is there").len();
    let cut = OpenOptions::new().write(true).open(&file).expect("open");
    cut.set_len(bytes - 9).expect("cut");
    let report = verified(&journal);
    assert!(
        report.problems.iter().any(|problem| problem.what.contains("half a record")),
        "{report:?}"
    );
}
