//! Unsafe directories, full disks and wrong clocks are reported, and links are refused (RE-12,
//! RE-20).

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

use super::*;

fn refused(journal: &Journal) -> String {
    journal.begin(&event(1)).expect_err("refused").why
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// RE-12.
#[test]
fn what_others_can_write_and_links_are_refused() {
    for name in ["tenterhook", "tenterhook/records", "tenterhook/heads"] {
        let state = tempfile::tempdir().expect("a directory");
        let journal = journal(state.path());
        drop(fire(&journal, 1));
        let path = state.path().join(name);
        mode(&path, 0o770);
        assert!(refused(&journal).contains("can be written by others (mode 770)"), "{name}");
        mode(&path, 0o700);
        let elsewhere = state.path().join("elsewhere");
        fs::rename(&path, &elsewhere).expect("moved");
        symlink(&elsewhere, &path).expect("a link");
        assert!(
            refused(&journal).ends_with("is a symbolic link; put a directory of your own there"),
            "{name}"
        );
    }
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path());
    drop(fire(&journal, 1));
    let file = read::list_record_files(journal.location()).expect("files").remove(0);
    for path in [&file, &journal.location().head] {
        mode(path, 0o622);
        assert!(
            refused(&journal).contains("can be written by others (mode 622)"),
            "{}",
            path.display()
        );
        mode(path, 0o600);
        let elsewhere = state.path().join("elsewhere");
        fs::rename(path, &elsewhere).expect("moved");
        symlink(&elsewhere, path).expect("a link");
        assert!(refused(&journal).ends_with("is a symbolic link"), "{}", path.display());
        fs::remove_file(path).expect("removed");
        fs::rename(&elsewhere, path).expect("moved");
    }
    drop(fire(&journal, 2));
    assert_eq!(verified(&journal).problems, []);
}

/// RE-12.
#[test]
fn everything_is_made_for_the_user_alone() {
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path());
    drop(fire(&journal, 1));
    let bits = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
    for name in ["tenterhook", "tenterhook/records", "tenterhook/heads"] {
        assert_eq!(bits(&state.path().join(name)), 0o700, "{name}");
    }
    assert_eq!(bits(&journal.location().head), 0o600);
    assert_eq!(bits(&read::list_record_files(journal.location()).expect("files")[0]), 0o600);
}

/// RE-15.
#[test]
fn a_clock_that_is_set_back_moves_nothing() {
    static DAYS: AtomicI64 = AtomicI64::new(0);
    fn back() -> Timestamp {
        let days = DAYS.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_second(1_795_000_000 - days * 86_400).expect("a time")
    }
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path()).with_clock(back);
    (0..5).for_each(|number| drop(fire(&journal, number)));
    let report = verified(&journal);
    assert_eq!((report.problems, report.files, report.span), (vec![], 1, Some((1, 10))));
}

/// RE-16: the next firing is recorded whatever the files contain.
#[test]
fn firing_after_a_corrupt_record_is_recorded() {
    let garbage: &[&[u8]] = &[b"", b"\n", b"x", b"\xff\xfe\x00", b"{}\n{}\n", b"{\"v\":1}"];
    for text in garbage {
        for is_head in [true, false] {
            let state = tempfile::tempdir().expect("a directory");
            let journal = journal(state.path());
            drop(fire(&journal, 1));
            let file = read::list_record_files(journal.location()).expect("files").remove(0);
            fs::write(if is_head { &journal.location().head } else { &file }, text)
                .expect("written");
            drop(fire(&journal, 2));
            assert_eq!(decisions(&journal).last().expect("one").0, "call-2", "{text:?}");
            let report = verified(&journal);
            assert_ne!(report.problems, [], "{text:?}");
        }
    }
}

/// RE-20: a stopped process that holds the lock does not block others for ever.
#[test]
fn lock_that_is_not_released_is_an_error_after_a_second() {
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path());
    drop(fire(&journal, 1));
    let locked = fs::File::open(&journal.location().head).expect("open");
    locked.lock().expect("locked");
    assert!(refused(&journal).contains("has held"), "{}", refused(&journal));
    drop(locked);
    drop(fire(&journal, 2));
}

/// RE-20, RE-21: reported once, until recording works again.
#[test]
fn failed_recording_is_reported_once() {
    let state = tempfile::tempdir().expect("a directory");
    fs::write(state.path().join("tenterhook"), "in the way").expect("written");
    let journal = journal(state.path());
    let is_reported =
        |journal: &Journal| journal.begin(&event(1)).expect_err("refused").is_reported;
    assert_eq!([is_reported(&journal), is_reported(&journal)], [false, true]);
    fs::remove_file(state.path().join("tenterhook")).expect("removed");
    drop(fire(&journal, 1));
    fs::remove_dir_all(state.path().join("tenterhook")).expect("removed");
    fs::write(state.path().join("tenterhook"), "in the way").expect("written");
    assert!(!is_reported(&journal));
}

/// RE-14.
/// RE-43.
#[test]
fn records_stay_within_their_bytes() {
    let state = tempfile::tempdir().expect("a directory");
    let table = RecordTable { max_bytes: Some(20_000), ..RecordTable::default() };
    let journal = Journal::below(state.path(), &table).expect("records are wanted");
    for number in 0..120 {
        drop(fire(&journal, number));
        let files = read::list_record_files(journal.location()).expect("files");
        let bytes: u64 = files.iter().map(|file| file.metadata().expect("there").len()).sum();
        // One file may be over by the record that filled it.
        assert!(bytes < 22_000, "{bytes} bytes in {files:?}");
    }
    let report = verified(&journal);
    assert_eq!(report.problems, []);
    assert!(
        report.notes[0].contains("were removed because they were old or too many"),
        "{report:?}"
    );
}
