//! The lines that a worker receives and writes: one line of JSON each way (WK-1 to WK-7). Pure:
//! bytes in, bytes out.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The longest line that a worker may write, without its newline (WK-7): as much as a command's
/// standard output.
pub(crate) const LONGEST: usize = 1 << 20;

/// How much of a line is shown to people.
const EXCERPT: usize = 80;

/// Returns the line that is sent to a worker: the event, its number and the time left for the
/// answer.
pub(crate) fn request_line(id: u64, left: Duration, body: &[u8]) -> Vec<u8> {
    let mut head = String::with_capacity(48);
    // Writing into a string does not fail.
    let _ = write!(head, r#"{{"id":{id},"deadline_ms":{},"event":"#, left.as_millis());
    let event = event_as_json_line(body);
    let mut line = Vec::with_capacity(head.len() + event.len() + 2);
    line.extend_from_slice(head.as_bytes());
    line.extend_from_slice(&event);
    line.extend_from_slice(b"}\n");
    line
}

/// Returns the envelope's body as one JSON value on one line. A body that is not such a value is
/// passed as a string.
fn event_as_json_line(body: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let body = body.trim_ascii();
    if body.first() == Some(&b'{') && !body.contains(&b'\n') {
        return body.into();
    }
    let value = serde_json::from_slice::<serde_json::Value>(body)
        .unwrap_or_else(|_| String::from_utf8_lossy(body).into_owned().into());
    value.to_string().into_bytes().into()
}

/// What a line of a worker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The number of the event that it is about.
    pub(crate) id: u64,
    /// What the worker says of it.
    pub(crate) said: WorkerReply,
}

/// A worker's reply to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WorkerReply {
    /// The output of a command that exits with 0; empty if it has nothing to report.
    Answer(Vec<u8>),
    /// It could not judge the event; its message.
    Error(String),
}

impl WorkerReply {
    /// Returns the answer, which may hold a denial; empty for an error.
    pub(crate) fn into_answer_bytes(self) -> Vec<u8> {
        match self {
            Self::Answer(answer) => answer,
            Self::Error(_) => Vec::new(),
        }
    }
}

/// The line as it is written. An unknown key is rejected, because a misspelt `answer` may have been
/// a denial.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    id: u64,
    #[serde(borrow, default)]
    answer: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<String>,
}

/// Why a line is no reply, for people.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoReply {
    #[error("it wrote a line of more than {LONGEST} bytes")]
    TooLong,
    #[error("it wrote `{excerpt}`, which is not a reply ({source})")]
    Unread { excerpt: String, source: serde_json::Error },
    #[error("it wrote `{excerpt}`, which is not a reply; print logs on stderr")]
    NoObject { excerpt: String },
    #[error("it wrote `{excerpt}`, which has an answer and an error")]
    Both { excerpt: String },
}

/// Parses one line of a worker.
pub(crate) fn parse_reply(line: &[u8]) -> Result<Reply, NoReply> {
    if line.len() > LONGEST {
        return Err(NoReply::TooLong);
    }
    // An array in the order of the keys would also be accepted.
    let is_object = line.trim_ascii_start().first() == Some(&b'{');
    let found = is_object.then(|| serde_json::from_slice(line));
    let Line { id, answer, error } = match found {
        Some(Ok(found)) => found,
        Some(Err(source)) => return Err(NoReply::Unread { excerpt: line_excerpt(line), source }),
        None => return Err(NoReply::NoObject { excerpt: line_excerpt(line) }),
    };
    let said = match (answer, error) {
        (None, None) => WorkerReply::Answer(Vec::new()),
        (Some(answer), None) => WorkerReply::Answer(answer_bytes(answer)),
        (None, Some(error)) => WorkerReply::Error(error),
        (Some(_), Some(_)) => return Err(NoReply::Both { excerpt: line_excerpt(line) }),
    };
    Ok(Reply { id, said })
}

/// Returns the equivalent output of a command: an object as it is written, with its repeated keys,
/// or the content of a string.
fn answer_bytes(answer: &RawValue) -> Vec<u8> {
    let text = answer.get();
    match serde_json::from_str::<String>(text) {
        Ok(text) => text.into_bytes(),
        Err(_) => text.as_bytes().to_vec(),
    }
}

fn line_excerpt(line: &[u8]) -> String {
    let start = line.get(..line.len().min(EXCERPT * 4)).unwrap_or_default();
    tenterhook_core::text::clean(&String::from_utf8_lossy(start), EXCERPT).text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> WorkerReply {
        WorkerReply::Answer(text.as_bytes().to_vec())
    }

    #[test]
    fn an_event_is_one_line_whatever_its_body() {
        let left = Duration::from_millis(9_800);
        for (body, expected) in [
            ("{\"a\":1}\n", r#"{"id":7,"deadline_ms":9800,"event":{"a":1}}"#),
            ("{\n  \"a\": 1\n}", r#"{"id":7,"deadline_ms":9800,"event":{"a":1}}"#),
            ("two\nlines", r#"{"id":7,"deadline_ms":9800,"event":"two\nlines"}"#),
            ("", r#"{"id":7,"deadline_ms":9800,"event":""}"#),
        ] {
            let line = String::from_utf8(request_line(7, left, body.as_bytes())).unwrap();
            assert_eq!(line, format!("{expected}\n"));
        }
    }

    /// WK-3, WK-4, WK-5.
    #[test]
    fn a_reply_answers_is_silent_or_fails() {
        for (line, frame) in [
            (r#"{"id":7}"#, answer("")),
            (r#"{"id":7,"answer":null}"#, answer("")),
            (r#"{"id":7,"answer":null,"error":null}"#, answer("")),
            (r#"{"id":7,"error":""}"#, WorkerReply::Error(String::new())),
            (r#" {"answer": {"decision": "deny"}, "id": 7} "#, answer(r#"{"decision": "deny"}"#)),
            (r#"{"id":7,"answer":"words\n"}"#, answer("words\n")),
            // The hook's dialect reads it, and decides what two keys of one name mean.
            (r#"{"id":7,"answer":{"a":1,"a":2}}"#, answer(r#"{"a":1,"a":2}"#)),
            (r#"{"id":7,"answer":[1]}"#, answer("[1]")),
            (r#"{"id":7,"error":"no database"}"#, WorkerReply::Error("no database".to_owned())),
            (r#"{"id":7,"answer":null,"error":"x"}"#, WorkerReply::Error("x".to_owned())),
        ] {
            assert_eq!(
                parse_reply(line.as_bytes()).ok(),
                Some(Reply { id: 7, said: frame }),
                "{line}"
            );
        }
    }

    /// WK-6, WK-7.
    #[test]
    fn whatever_else_is_no_reply() {
        for line in [
            "",
            "ready",
            "{}",
            r#"{"id":"7"}"#,
            r#"{"id":-7}"#,
            r#"{"id":7.5}"#,
            r#"{"id":7,"id":8}"#,
            r#"{"id":7,"anwser":{"decision":"deny"}}"#,
            r#"{"id":7,"answer":{},"error":"x"}"#,
            r#"{"id":7,"error":1}"#,
            r#"{"id":7} {"id":8}"#,
            r#"{"id":7,"answer":{"decision":"#,
            r#"[7]"#,
        ] {
            assert!(parse_reply(line.as_bytes()).is_err(), "{line}");
        }
        assert!(parse_reply(b"{\"id\":7,\"answer\":\"\xff\"}").is_err());
        let long = format!(r#"{{"id":7,"answer":"{}"}}"#, "x".repeat(LONGEST));
        assert!(matches!(parse_reply(long.as_bytes()), Err(NoReply::TooLong)));
    }
}
