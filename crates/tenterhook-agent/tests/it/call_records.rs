//! The record of each call in the transcript, for later readers: when, under which mode, its
//! result, and what really ran.

use serde_json::Value;
use tenterhook_core::transcript::{
    Action, Call, Copies, Decoder, Ended, Lines, Refuser, TranscriptAgent,
};

use crate::fixture::Fixture;

const HOOKS: &str = r#"
[hook.no]
on = "PreToolUse"
if = "Bash(denied *)"
shell = "echo no >&2; exit 2"
[hook.other]
on = "PreToolUse"
if = "Bash(echo one)"
phase = "rewrite"
when = "true"
rewrite = 'tool.input.with({"command": "echo two"})'
"#;

fn script() -> String {
    let call = |text: &str| format!("[[reply]]\ncall = [{{ {text} }}]\n");
    let calls = [
        r#"tool = "Bash", input = { command = "echo one" }"#,
        r#"tool = "Bash", input = { command = "denied x" }"#,
        r#"tool = "Nothing", input = { }"#,
        r#"tool = "Read", input = { wrong = "x" }"#,
        r#"tool = "Bash", input = { command = "barred x" }"#,
        r#"tool = "Bash", input = { command = "exit 3" }"#,
        r#"tool = "Write", input = { file_path = "/elsewhere/x", content = "x" }"#,
    ];
    let calls: String = calls.iter().map(|text| call(text)).collect();
    format!("{calls}[[reply]]\ntext = \"done\"\n")
}

/// The one session that is there.
fn session(fixture: &Fixture) -> std::path::PathBuf {
    let sessions = fixture.sandbox.home().join(".local/share/tenterhook-agent/sessions");
    let mut files = std::fs::read_dir(sessions).unwrap().map(|entry| entry.unwrap().path());
    files.next().unwrap()
}

/// TR-1, TR-2, TR-40: the decoder reads what the agent writes.
/// TR-8.
#[test]
fn the_transcript_says_what_came_of_each_call() {
    let fixture = Fixture::new(HOOKS, &script());
    let allow = ["--allow", "Bash(echo *)", "--allow", "Bash(exit *)", "--deny", "Bash(barred *)"];
    fixture.ask("work", &allow);
    let text = std::fs::read(session(&fixture)).unwrap();
    let mut decoder = Decoder::new(TranscriptAgent::Tenterhook);
    let mut lines = Lines::new(&*text);
    let (mut calls, mut ends, mut ran) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(line) = lines.read_line().unwrap() {
        decoder.decode_line(line, &mut |record| {
            assert!(record.time.is_some_and(|time| time > 1_700_000_000_000), "{record:?}");
            assert_eq!(record.mode.as_deref(), Some("default"), "{record:?}");
            match record.action {
                Action::Call(Call { id, input, .. }) => {
                    calls.push((id.into_owned(), input.into_owned()))
                }
                Action::Denial { call, by } => ends.push((call.into_owned(), Err(by))),
                Action::Result { call, ended } => ends.push((call.into_owned(), Ok(ended))),
                Action::Rewritten { call, input } => {
                    ran.push((call.into_owned(), input.into_owned()))
                }
                _ => {}
            }
        });
    }
    let of = |id: &str, end| (id.to_owned(), end);
    let expected = [
        of("call-1", Ok(Ended::Ran)),
        of("call-2", Err(Refuser::Hook)),
        of("call-3", Ok(Ended::Refused)),
        of("call-4", Ok(Ended::Refused)),
        of("call-5", Err(Refuser::Rule)),
        of("call-6", Ok(Ended::Failed)),
        of("call-7", Err(Refuser::Mode)),
    ];
    assert_eq!(ends, expected);
    assert!(calls[0].1.contains("echo one"), "what the hooks were asked about: {calls:?}");
    assert_eq!(ran.len(), 1);
    assert!(ran[0].0 == "call-1" && ran[0].1.contains("echo two"), "{ran:?}");
    assert_eq!(decoder.facts_so_far().version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(decoder.facts_so_far().count_unusable_records(), 0);
}

/// TR-5: a fork says of each message that it is a copy; the time is that of the copy.
#[test]
fn a_fork_says_that_its_messages_are_copies() {
    let fixture = Fixture::new(HOOKS, &script());
    fixture.ask("work", &["--allow", "Bash(echo *)"]);
    let first = session(&fixture);
    let fork = fixture.ask("go on", &["--resume", first.to_str().unwrap(), "--fork"]);
    drop(fork);
    let sessions = std::fs::read_dir(first.parent().unwrap()).unwrap();
    let (mut copies, mut all, mut copied) = (Copies::default(), 0, 0);
    let mut files: Vec<_> = sessions.map(|session| session.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2);
    for file in files {
        let text = std::fs::read(&file).unwrap();
        let mut decoder = Decoder::new(TranscriptAgent::Tenterhook);
        let mut lines = Lines::new(&*text);
        while let Some(line) = lines.read_line().unwrap() {
            decoder.decode_line(line, &mut |record| {
                if let Action::Call(call) = &record.action {
                    all += 1;
                    copied += usize::from(copies.is_known_call_else_remember(
                        TranscriptAgent::Tenterhook,
                        &record,
                        call,
                    ));
                }
            });
        }
        let marked = String::from_utf8(text).unwrap();
        let marked = marked.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let marked = marked.filter(|value| value["copied"] == true).count();
        assert!((marked > 0) == (file != first), "{marked}");
    }
    assert!(copied >= 7 && all >= 14, "{copied} of {all}");
}
