//! Records that are also sent to a socket: which arrive, in which form, and what is counted.

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;

use super::*;
use tenterhook_core::source::{Content, SystemLog};

/// A socket in the place of a log of the system.
struct Log {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Log {
    fn bind(directory: &Path) -> Self {
        let path = directory.join("log");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        socket.set_nonblocking(true).expect("non-blocking");
        Self { socket, path }
    }

    /// Takes the messages that arrived.
    fn messages(&self) -> Vec<String> {
        let mut buffer = vec![0; 1 << 20];
        let mut all = Vec::new();
        while let Ok(length) = self.socket.recv(&mut buffer) {
            all.push(String::from_utf8(buffer[..length].to_vec()).expect("text"));
        }
        all
    }
}

fn sending(state: &Path, log: SystemLog, socket: &Path) -> Journal {
    let table = RecordTable {
        system_log: Some(log),
        socket: Some(socket.to_owned()),
        content: Some(Content::Full),
        ..RecordTable::default()
    };
    Journal::below(state, &table).expect("records are wanted")
}

/// RE-50.
#[test]
fn each_record_is_sent_as_it_is_in_the_file() {
    for (log, start, denied) in [
        (SystemLog::Syslog, format!("<86>tenterhook[{}]: ", std::process::id()), "<84>"),
        (SystemLog::Journald, "MESSAGE=".to_owned(), "\nPRIORITY=4\n"),
    ] {
        let state = tempfile::tempdir().expect("a directory");
        let socket = Log::bind(state.path());
        let journal = sending(state.path(), log, &socket.path);
        drop(fire(&journal, 1));
        drop(fire(&journal, 2));
        let messages = socket.messages();
        let kinds: Vec<String> = messages
            .iter()
            .map(|message| {
                let (_, record) = message.split_once('{').expect("an object");
                let line = format!("{{{}", record.lines().next().expect("a line"));
                assert!(message.starts_with(&start) || message.starts_with("<84>"), "{message}");
                let record: Entry = serde_json::from_str(&line).expect("JSON");
                let stored = entries(&journal).into_iter().find(|own| own["seq"] == record["seq"]);
                assert_eq!(Some(&record), stored.as_ref());
                format!("{} {}", record["kind"], message.contains(denied))
            })
            .collect();
        assert_eq!(
            kinds,
            [r#""begin" false"#, r#""end" false"#, r#""begin" false"#, r#""end" true"#]
        );
    }
}

/// RE-51.
#[test]
fn records_that_the_log_does_not_take_are_counted() {
    let state = tempfile::tempdir().expect("a directory");
    let path = state.path().join("log");
    let journal = sending(state.path(), SystemLog::Syslog, &path);
    drop(fire(&journal, 1));
    let report = verified(&journal);
    assert_eq!((report.problems, report.records), (vec![], 2));
    assert!(report.notes[0].starts_with("the last 2 records did not reach"), "{:?}", report.notes);

    let socket = Log::bind(state.path());
    let begun = journal.begin(&event(2)).expect("recorded");
    assert_eq!(begun.0, 3);
    let messages = socket.messages();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[1].contains(r#""kind":"unsent","unsent":{"records":2}"#), "{messages:?}");
    drop(fire(&journal, 3));
    let report = verified(&journal);
    assert_eq!((report.problems, report.records), (vec![], 6));
    assert!(report.notes[0].contains("2 records before this did not reach"), "{:?}", report.notes);
    assert_eq!(report.notes.len(), 1);
}

/// RE-51: a log that is not read blocks no firing.
#[test]
fn full_socket_loses_records_and_does_not_wait() {
    let state = tempfile::tempdir().expect("a directory");
    let socket = Log::bind(state.path());
    let other = UnixDatagram::unbound().expect("a socket");
    other.set_nonblocking(true).expect("non-blocking");
    while other.send_to(b"x", &socket.path).is_ok() {}
    let journal = sending(state.path(), SystemLog::Journald, &socket.path);
    drop(fire(&journal, 1));
    assert!(socket.messages().iter().all(|message| message == "x"));
    let report = verified(&journal);
    assert_eq!((report.problems, report.records), (vec![], 2));
    assert!(report.notes[0].starts_with("the last 2 records did not reach"), "{:?}", report.notes);
}

/// RE-52.
#[test]
fn long_record_is_sent_without_its_content() {
    let state = tempfile::tempdir().expect("a directory");
    let socket = Log::bind(state.path());
    let journal = sending(state.path(), SystemLog::Syslog, &socket.path);
    let event = event(1).with("note", "x".repeat(9_000));
    journal.begin(&event).expect("recorded");
    let [message] = &socket.messages()[..] else { panic!("one message") };
    assert!(
        message.len() < 2_000 && message.contains(r#""left_out":["content","hooks","reasons"]"#)
    );
    assert!(message.contains(r#""payload":{"digest""#), "{message}");
    let [stored] = &entries(&journal)[..] else { panic!("one record") };
    assert!(stored["content"]["event"].is_object());
    assert!(message.contains(stored["hash"].as_str().expect("a digest")), "{message}");
}
