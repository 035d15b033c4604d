//! The program as a worker: answers every line with one, unless the line tells it to misbehave.
//!
//! `--worker ANSWER` replies `{"id":N,"answer":ANSWER}` to every line; a line that holds `do:WORD` makes it do that instead.

use super::{LONG, all_input, exit, fill, flood, input, line, put, shut, sleep};

/// Reads lines until there are no more.
pub(super) fn serve(answer: &str) {
    while let Some(request) = next_line() {
        let id = number(&request);
        match order(&request) {
            Some(word) => misbehave(&word, id, answer),
            None => reply(id, answer),
        }
    }
}

fn reply(id: u64, answer: &str) {
    line(format!(r#"{{"id":{id},"answer":{answer}}}"#).as_bytes());
}

fn misbehave(word: &str, id: u64, answer: &str) {
    match word {
        "silence" => line(format!(r#"{{"id":{id}}}"#).as_bytes()),
        "error" => line(format!(r#"{{"id":{id},"error":"no database"}}"#).as_bytes()),
        "no-newline" => put(1, format!(r#"{{"id":{id}}}"#).as_bytes()),
        "wrong-id" => reply(id + 1, answer),
        "string-id" => line(format!(r#"{{"id":"{id}","answer":{answer}}}"#).as_bytes()),
        "twice" => {
            reply(id, answer);
            reply(id, answer);
        }
        "late-denial" => put(1, format!("{{\"id\":{id}}}\n{{\"id\":{id},\"answer\":{answer}}}\n").as_bytes()),
        "early-denial" => put(1, format!("{{\"id\":{id},\"answer\":{answer}}}\n{{\"id\":{id}}}\n").as_bytes()),
        "twice-silent" => put(1, format!("{{\"id\":{id}}}\n{{\"id\":{id}}}\n").as_bytes()),
        "log-behind" => put(1, format!("{{\"id\":{id}}}\njudged\n").as_bytes()),
        "log" => {
            line(b"judging ...");
            reply(id, answer);
        }
        "bare" => line(answer.as_bytes()),
        "half" => {
            put(1, format!(r#"{{"id":{id},"answer":{{"dec"#).as_bytes());
            exit(0);
        }
        "giant" => {
            put(1, format!(r#"{{"id":{id},"answer":""#).as_bytes());
            fill(b'x', 1 << 30);
            line(br#""}"#);
        }
        "exit" => {
            put(2, b"starting\nno such table: rules\n");
            exit(3);
        }
        "never" => sleep(LONG),
        "close" => {
            shut(1);
            drop(all_input());
        }
        "leave" => {
            reply(id, answer);
            exit(0);
        }
        "stderr" => {
            for _ in 0..100_000 {
                put(2, b"a line of a log without a reader\n");
            }
            reply(id, answer);
        }
        "flood" => flood(1),
        "tell" => {
            let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
            let here = std::env::current_dir().unwrap_or_default();
            let context = format!("{} {} {}", std::process::id(), here.display(), names.join(" "));
            reply(id, &format!(r#"{{"context":{context:?}}}"#));
        }
        _ => exit(64),
    }
}

fn next_line() -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        match input(1).first() {
            None => return None,
            Some(b'\n') => return Some(String::from_utf8_lossy(&bytes).into_owned()),
            Some(byte) => bytes.push(*byte),
        }
    }
}

/// The number in `{"id":N,`.
fn number(request: &str) -> u64 {
    let digits = request.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or_else(|_| exit(65))
}

/// The word behind `do:`.
fn order(request: &str) -> Option<String> {
    let rest = request.split_once("do:")?.1;
    Some(rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect())
}
