//! What did everybody get? Turns requests, transcripts and updates into lines, and compares them with what a case expects.

use std::path::Path;

use serde_json::Value;
use tenterhook_testkit::server::Request;

use super::case::Look;

impl Look {
    /// The differences; `whose` names their source.
    pub(crate) fn differences(&self, whose: &str, lines: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(count) = self.count
            && count != lines.len()
        {
            found.push(format!("{whose}: {} instead of {count}", lines.len()));
        }
        if let Some(is) = &self.is
            && is != lines
        {
            found.push(format!("{whose}: expected {is:#?}"));
        }
        let mut from = 0;
        for wanted in &self.has {
            let rest = lines.get(from..).unwrap_or_default();
            match rest.iter().position(|rest| rest.contains(wanted)) {
                Some(at) => from += at,
                None => found.push(format!("{whose}: `{wanted}` is missing, or comes too early")),
            }
        }
        for word in &self.never {
            if let Some(line) = lines.iter().find(|line| line.contains(word)) {
                found.push(format!("{whose}: `{word}` is in {:?}", end(line)));
            }
        }
        if !found.is_empty() {
            let ends: Vec<_> = lines.iter().map(|line| end(line)).collect();
            found.push(format!("{whose} got {ends:#?}"));
        }
        found
    }
}

/// The end of a line: a request says all that is fixed at its beginning.
fn end(line: &str) -> &str {
    const LONGEST: usize = 800;
    let from = line.len().saturating_sub(LONGEST);
    line.get(line.ceil_char_boundary(from)..).unwrap_or_default()
}

/// A request as one line: its headers, then its body.
pub(crate) fn request(request: &Request) -> String {
    let headers = request.headers.iter().map(|(name, value)| format!("{name}: {value};"));
    headers.chain([request.body.clone()]).collect::<Vec<_>>().join(" ")
}

/// A text as it came, and beside it every text in it, when it is JSON: what is escaped is there all the same.
pub(crate) fn opened(text: &str) -> String {
    let mut all = text.to_owned();
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        texts(&value, &mut all);
    }
    all
}

fn texts(value: &Value, all: &mut String) {
    match value {
        Value::String(text) => {
            all.push('\n');
            all.push_str(text);
        }
        Value::Array(items) => items.iter().for_each(|value| texts(value, all)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, all)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The conversation that a transcript keeps: a line for each text, call, result and what hooks add.
pub(crate) fn history(transcript: &Path) -> Vec<String> {
    let written = std::fs::read_to_string(transcript).unwrap_or_default();
    let mut kept: Vec<Value> = Vec::new();
    for line in written.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match text(&line, "type") {
            "message" => kept.push(line),
            "cut" => kept.clear(),
            "taken_back" => {
                let last = line["last"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap();
                kept.truncate(kept.len().saturating_sub(last));
            }
            _ => {}
        }
    }
    kept.iter().flat_map(message).collect()
}

fn message(message: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let output = text(message, "text");
    match text(message, "role") {
        "user" if output.is_empty() => {}
        "user" => lines.push(format!("{}: {output}", text(message, "author"))),
        "assistant" => {
            lines.extend((!output.is_empty()).then(|| format!("model: {output}")));
            let calls = list(message, "calls").iter();
            lines.extend(
                calls.map(|call| format!("call: {} {}", text(call, "tool"), call["input"])),
            );
        }
        _ => lines.extend(
            list(message, "results").iter().map(|value| format!("result: {}", text(value, "text"))),
        ),
    }
    let context = list(message, "context").iter().filter_map(Value::as_str);
    lines.extend(context.map(|text| format!("context: {text}")));
    lines
}

/// The event of an update as it is shown: under its own names, with the neutral one behind them.
fn event(line: &Value) -> String {
    let own: Vec<&str> = list(line, "own_events").iter().filter_map(Value::as_str).collect();
    let (own, neutral) = (own.join("/"), text(line, "event"));
    if own == neutral { own } else { format!("{own} ({neutral})") }
}

/// The text of an update for a person; `None` where it has none.
pub(crate) fn screen(line: &Value) -> Option<String> {
    let field = |key| text(line, key);
    Some(match field("type") {
        "prompt" => format!("> {}", field("text")),
        "refused" => format!("[not sent] {}: {}", field("text"), field("reason")),
        "warn" => format!("[warn] {}: {}", field("event"), field("reason")),
        "notice" => format!("· {}", field("text")),
        "hook_did" => format!("· {}{}", field("text"), original(&line["was"])),
        "held" => format!("… {}: {}", event(line), line["hooks"]),
        "hooks" => format!("| {}: {}", event(line), field("came")),
        "hook_rewrite" => format!("[hook rewrite] {}", field("text")),
        "reply" => field("text").to_owned(),
        "tool" => format!("* {} {}", field("tool"), line["input"]),
        "tool_result" => format!("* {}: {}", field("tool"), field("text")),
        "ask" => {
            let was = original(&line["was"]);
            format!("? {} {}: {}{was}", field("tool"), line["input"], field("reason"))
        }
        "page" => format!("# {}\n{}", field("title"), field("text")),
        "turn_ended" => format!("error: {}", line["error"].as_str()?),
        _ => return None,
    })
}

/// What stood there before hooks rewrote it, where they did.
fn original(was: &Value) -> String {
    if was.is_null() { String::new() } else { format!("; it was: {was}") }
}
