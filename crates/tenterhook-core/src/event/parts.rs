//! Which calls is one call that changes several files? A patch is a `Write` or an `Edit` of each file in it (E-11). Pure: looks at
//! texts, and at no file.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::Event;

/// What agents call the tool that takes a patch.
const TOOLS: &[&str] = &["apply_patch", "ApplyPatch", "patch"];

/// What begins a file of a patch.
const MARKS: &[(&str, Kind)] = &[
    ("*** Add File:", Kind::Added),
    ("*** Update File:", Kind::Changed),
    ("*** Delete File:", Kind::Removed),
];
const MOVED: &str = "*** Move to:";

#[derive(Clone, Copy)]
enum Kind {
    Added,
    Changed,
    Removed,
}

/// One file of a patch.
struct Part<'a> {
    kind: Kind,
    path: &'a str,
    /// Where it goes.
    to: Option<&'a str>,
    old: String,
    new: String,
}

/// Splits an event about a patch into one event for each file, in the form of the tools that write
/// one file. Returns none for any other event, and if no file is found.
pub fn split_patch_event(event: &Event) -> Vec<Event> {
    let Some(call) = event.tool().filter(|tool| TOOLS.contains(&tool.name)) else {
        return Vec::new();
    };
    let Some(text) = find_patch_text(call.input) else { return Vec::new() };
    let parts = parse_patch(text);
    parts
        .iter()
        .flat_map(|part| part.equivalent_calls(&event.within.cwd))
        .map(|call| event_with_tool_call(event, call))
        .collect()
}

/// Returns the patch among the arguments of a tool, whatever its key is.
fn find_patch_text(input: &Value) -> Option<&str> {
    let is_patch = |text: &&str| text.lines().any(|line| parse_file_header_line(line).is_some());
    match input {
        Value::String(text) => Some(text.as_str()).filter(is_patch),
        Value::Object(fields) => fields.values().filter_map(Value::as_str).find(is_patch),
        _ => None,
    }
}

/// Returns the kind of change and the path of the file whose part of a patch begins at this line.
/// White space may precede it, because the patch readers of agents accept it.
fn parse_file_header_line(line: &str) -> Option<(Kind, &str)> {
    let line = line.trim_start();
    MARKS.iter().find_map(|(mark, kind)| Some((*kind, line.strip_prefix(mark)?.trim())))
}

fn parse_patch(text: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for line in text.lines() {
        if let Some((kind, path)) = parse_file_header_line(line) {
            parts.push(Part { kind, path, to: None, old: String::new(), new: String::new() });
        } else if let Some(part) = parts.last_mut() {
            part.add_patch_line(line);
        }
    }
    parts
}

impl<'a> Part<'a> {
    fn add_patch_line(&mut self, line: &'a str) {
        if let Some(path) = line.trim_start().strip_prefix(MOVED) {
            self.to = Some(path.trim());
        } else if !line.starts_with("***") && !line.starts_with("@@") {
            let (is_old, is_new, rest) = match line.split_at_checked(1) {
                Some(("+", rest)) => (false, true, rest),
                Some(("-", rest)) => (true, false, rest),
                Some((" ", rest)) => (true, true, rest),
                _ => (true, true, line),
            };
            for text in [(is_old, &mut self.old), (is_new, &mut self.new)] {
                if text.0 {
                    text.1.push_str(rest);
                    text.1.push('\n');
                }
            }
        }
    }

    /// Returns the name and input of the tool that does the same to one file; two calls for a file
    /// that is moved.
    fn equivalent_calls(&self, cwd: &Path) -> Vec<(&'static str, Value)> {
        let path = |path: &str| absolute_path(cwd, path);
        let (name, input) = match self.kind {
            Kind::Added => ("Write", json!({ "file_path": path(self.path), "content": self.new })),
            // A removed file has no content.
            Kind::Removed => ("Write", json!({ "file_path": path(self.path), "content": "" })),
            Kind::Changed => (
                "Edit",
                json!({ "file_path": path(self.path), "old_string": self.old, "new_string": self.new }),
            ),
        };
        let moved =
            self.to.map(|to| ("Write", json!({ "file_path": path(to), "content": self.new })));
        std::iter::once((name, input)).chain(moved).collect()
    }
}

/// Returns an absolute path without `.` and `..`, as the tools for one file get it.
fn absolute_path(cwd: &Path, path: &str) -> String {
    let mut whole = PathBuf::new();
    for component in cwd.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if whole.file_name().is_some() => drop(whole.pop()),
            other => whole.push(other),
        }
    }
    whole.to_string_lossy().into_owned()
}

fn event_with_tool_call(event: &Event, (name, input): (&str, Value)) -> Event {
    event.clone().with("tool_name", name).with("tool_input", input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Surroundings;

    const PATCH: &str = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: ../b.rs\n@@ fn x\n a\n-b\n+c\n*** Add File: .env\n\
        +KEY=1\n+*** Add File: no\n *** Delete File: /etc/old\n*** End Patch";

    fn calls(name: &str, input: &Value) -> Vec<(String, Value)> {
        let within = Surroundings { cwd: "/repo".into(), ..Surroundings::default() };
        let event = Event::new("PreToolUse", within);
        let event = event.with("tool_name", name).with("tool_input", input.clone()).with("id", 1);
        let parts = split_patch_event(&event);
        assert!(
            parts
                .iter()
                .all(|part| part.within == event.within && part.payload.get("id").is_some())
        );
        let call =
            |event: &Event| event.tool().map(|tool| (tool.name.to_owned(), tool.input.clone()));
        parts.iter().filter_map(call).collect()
    }

    /// E-11.
    #[test]
    fn a_patch_is_one_call_for_each_file() {
        let edit =
            json!({"file_path": "/repo/src/a.rs", "old_string": "a\nb\n", "new_string": "a\nc\n"});
        let moved = json!({"file_path": "/b.rs", "content": "a\nc\n"});
        let added = json!({"file_path": "/repo/.env", "content": "KEY=1\n*** Add File: no\n"});
        let removed = json!({"file_path": "/etc/old", "content": ""});
        let expected: Vec<_> =
            [("Edit", edit), ("Write", moved), ("Write", added), ("Write", removed)]
                .map(|(name, input)| (name.to_owned(), input))
                .into();
        for input in [json!(PATCH), json!({"command": PATCH}), json!({"n": 1, "patchText": PATCH})]
        {
            assert_eq!(calls("apply_patch", &input), expected);
        }
    }

    /// E-11.
    #[test]
    fn nothing_else_has_parts() {
        assert!(calls("Write", &json!({"content": PATCH})).is_empty());
        assert!(calls("Bash", &json!({"command": PATCH})).is_empty());
        for input in [json!({"command": "no patch"}), json!(null), json!([PATCH])] {
            assert!(calls("apply_patch", &input).is_empty());
        }
    }
}
