//! Somebody changes, cuts and moves records: verifying finds each of it (RE-40).

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

use super::super::journal::Location;
use super::*;

const ROUNDS: usize = 1000;

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    /// Below `most`.
    fn roll(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).expect("small")
    }
}

/// Files of three days.
fn written(state: &Path) -> Journal {
    static HOURS: AtomicI64 = AtomicI64::new(0);
    fn later() -> Timestamp {
        let hours = HOURS.fetch_add(3, Ordering::Relaxed);
        Timestamp::from_second(1_795_000_000 + hours * 3600).expect("a time")
    }
    let journal = journal(state).with_clock(later);
    (0..10).for_each(|number| drop(fire(&journal, number)));
    journal
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Does one of the things that people do to a log; says what.
fn tamper(location: &Location, dice: &mut Dice) -> String {
    let mut files = read::list_record_files(location).expect("files");
    files.push(location.head.clone());
    let records = files.len() - 1;
    let kind = dice.roll(7);
    // The head is one line.
    let path = files[dice.roll(if kind == 0 { records + 1 } else { records })].clone();
    let mut text = fs::read(&path).expect("read");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut all = lines(&text);
    let text = match kind {
        0 => {
            let at = dice.roll(text.len());
            text[at] ^= 1 << dice.roll(8);
            all = vec![text];
            format!("a bit of byte {at}")
        }
        1 => {
            let at = dice.roll(text.len());
            text.truncate(at);
            all = vec![text];
            format!("cut at byte {at}")
        }
        2 => {
            let at = dice.roll(all.len());
            all.remove(at);
            format!("line {at} removed")
        }
        3 if all.len() > 1 => {
            let (one, other) = (dice.roll(all.len() - 1), all.len() - 1);
            all.swap(one, other);
            format!("lines {one} and {other} swapped")
        }
        4 => {
            let (from, to) = (dice.roll(all.len()), dice.roll(all.len()));
            let line = all[from].clone();
            all.insert(to, line);
            format!("line {from} again at {to}")
        }
        5 => {
            let at = dice.roll(all.len());
            all.truncate(at);
            format!("lines from {at} on removed")
        }
        _ => {
            fs::remove_file(&path).expect("removed");
            return format!("{name} removed");
        }
    };
    fs::write(&path, all.concat()).expect("written");
    format!("{name}: {text}")
}

/// RE-40.
#[test]
fn each_of_a_thousand_changes_is_found() {
    let state = tempfile::tempdir().expect("a directory");
    let journal = written(state.path());
    assert_eq!(verified(&journal).problems, []);
    let location = journal.location();
    let mut whole = read::list_record_files(location).expect("files");
    assert!(whole.len() > 2, "{whole:?}");
    whole.push(location.head.clone());
    let whole: Vec<_> =
        whole.into_iter().map(|path| (fs::read(&path).expect("read"), path)).collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..ROUNDS {
        let output = tamper(location, &mut dice);
        let report = verified(&journal);
        assert_ne!(report.problems, [], "round {round}: {output}");
        for (text, path) in &whole {
            fs::write(path, text).expect("written");
        }
    }
    assert_eq!(verified(&journal).problems, []);
}

/// RE-41: what was cut off before the next firing is found after it, too.
#[test]
fn what_is_recorded_afterwards_hides_nothing() {
    let mut dice = Dice(42);
    for round in 0..40 {
        let state = tempfile::tempdir().expect("a directory");
        let journal = written(state.path());
        let text = tamper(journal.location(), &mut dice);
        drop(fire(&journal, 99));
        assert_ne!(verified(&journal).problems, [], "round {round}: {text}");
    }
}

/// RE-42: rewriting the records and their head is found only with a digest stored elsewhere.
#[test]
fn a_record_that_is_known_is_missed() {
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path());
    drop(fire(&journal, 1));
    let known = verified(&journal).last.expect("a record");
    fs::remove_dir_all(state.path().join("tenterhook")).expect("removed");
    drop(fire(&journal, 2));
    assert_eq!(verified(&journal).problems, []);
    let report = verify_records(journal.location(), Some((2, &known))).expect("verified");
    assert!(report.problems[0].what.contains("not the one that you know"), "{report:?}");
}
