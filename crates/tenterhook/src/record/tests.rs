//! Records in real files: what is there after crashes, tampering and hostile surroundings.
#![cfg(all(unix, feature = "record"))]

mod crash;
mod hostile;
mod page;
mod system_log;
mod tamper;

use std::path::Path;

use serde_json::{Value, json};

use super::journal::Journal;
use super::read::{self, Entry};
use super::verify::{Report, verify_records};
use super::{Record, Sink};
use tenterhook_core::answer::Restraint;
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::outcome::Outcome;
use tenterhook_core::source::RecordTable;

/// A journal below `state` that keeps a test's few records in several files.
fn journal(state: &Path) -> Journal {
    Journal::below(state, &RecordTable::default()).expect("records are wanted")
}

/// BR-43: without a home nothing is recorded; where records are required, what cannot be recorded
/// is an error and not silence.
#[test]
fn journal_without_a_home_exists_only_where_records_are_required() {
    let fixture = tempfile::tempdir().expect("a directory");
    let state = fixture.path().join("absent/.local/state");
    assert!(Journal::below(&state, &RecordTable::default()).is_none());
    let required = RecordTable { required: Some(true), ..RecordTable::default() };
    let journal = Journal::below(&state, &required).expect("it is required");
    let lack = journal.begin(&event(1)).expect_err("nothing can be recorded");
    assert!(lack.is_required && lack.why.contains("does not exist"), "{}", lack.why);
    assert!(!fixture.path().join("absent").exists());
}

fn event(number: usize) -> Event {
    let within = Surroundings { session_id: "s-1".to_owned(), ..Surroundings::default() };
    let call = json!({ "command": format!("echo {number}") });
    Event::pre_tool_use("Bash", call).within(&within).with("tool_use_id", format!("call-{number}"))
}

fn outcome(number: usize) -> Outcome {
    let restraint = if number.is_multiple_of(2) { Restraint::Deny } else { Restraint::Allow };
    Outcome { restraint, ..Outcome::without_answer() }
}

/// Fires one event as the engine does.
fn fire(journal: &Journal, number: usize) -> Outcome {
    let (event, outcome) = (event(number), outcome(number));
    let begun = journal.begin(&event).expect("recorded");
    let record = Record {
        begun: Some(begun),
        event: &event,
        outcome: Some(&outcome),
        hooks: &[],
        took: std::time::Duration::from_millis(3),
    };
    journal.end(&record).expect("recorded");
    outcome
}

fn entries(journal: &Journal) -> Vec<Entry> {
    let files = read::list_record_files(journal.location()).expect("files");
    files.iter().flat_map(|file| read::read_entries(file, 0).expect("entries").0).collect()
}

fn verified(journal: &Journal) -> Report {
    verify_records(journal.location(), None).expect("verified")
}

/// The decisions on record, by the ids of their calls.
fn decisions(journal: &Journal) -> Vec<(String, String)> {
    let text = |object: &Entry, key: &str| {
        object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let all = entries(journal).into_iter();
    all.filter(|object| text(object, "kind") == "end")
        .map(|object| (text(&object, "call"), text(&object, "decision")))
        .collect()
}

/// RE-1 to RE-5.
#[test]
fn a_firing_has_a_beginning_and_an_end() {
    let state = tempfile::tempdir().expect("a directory");
    let journal = journal(state.path());
    drop(fire(&journal, 7));
    let [begin, end] = &entries(&journal)[..] else { panic!("two records") };
    assert_eq!((&begin["kind"], &begin["seq"]), (&json!("begin"), &json!(1)));
    assert_eq!(
        (&end["kind"], &end["begun"], &end["decision"]),
        (&json!("end"), &json!(1), &json!("allow"))
    );
    for record in [begin, end] {
        assert_eq!((&record["event"], &record["tool"]), (&json!("PreToolUse"), &json!("Bash")));
        assert_eq!((&record["call"], &record["session"]), (&json!("call-7"), &json!("s-1")));
        assert!(!record.contains_key("content"));
    }
    let all = serde_json::to_string(&entries(&journal)).expect("JSON");
    assert!(!all.contains("echo 7"), "no content: {all}");
    let report = verified(&journal);
    assert_eq!((report.problems, report.records, report.open), (vec![], 2, vec![]));
}
