//! The dialect of OpenClaw 2026.9.6, which loads plugins instead of running hook commands. The
//! plugin of Tenterhook sends OpenClaw's names of tools and parameters.

use serde_json::{Map, Value, json};

use crate::answer::Power::{self, Ask, Context, Deny, Input, Message};
use crate::dialect::DialectId;
use crate::dialect::kit::call::Vocabulary;
use crate::dialect::kit::plugin::{
    ARGS, ASK, CONTEXT, DENY, EDIT, MESSAGE, Plugin, RESULT, ROWS, new_vocabulary, set_opened_path,
    to_agent_edits, with_neutral_edits,
};
use crate::dialect::kit::reply::{EventReplies, Phrase, Replies};
pub(crate) use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::event::Event;

pub(crate) static OPENCLAW: Dialect = Plugin {
    id: DialectId::OPENCLAW,
    rows: || ROWS,
    decode_event: |json, roots| {
        let mut event = with_neutral_edits(&EDIT, &with_called_tool(json));
        set_opened_path(&mut event, OPENING, opened_path);
        add_other_reading(&mut event);
        WORDS.decode_event(&event, roots)
    },
    encode_event: |event| WORDS.encode_event(event),
    replies: &REPLIES,
}
.into_dialect();

static WORDS: Vocabulary = new_vocabulary("OpenClaw", TOOLS, "SERVER__TOOL");

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["exec"], neutral: "Bash", keys: &[("background", "run_in_background")] },
    ToolWords { own: &["read"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["write"], neutral: "Write", keys: &[("path", "file_path")] },
    ToolWords { own: &["edit"], neutral: "MultiEdit", keys: &[("path", "file_path")] },
    ToolWords { own: &["apply_patch"], neutral: "apply_patch", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["sessions_spawn"], neutral: "Agent", keys: &[("task", "prompt")] },
];

/// The tool that calls a different tool by its name. The plugin is asked about that tool, too, before
/// it runs; its result comes as that of this tool.
const CALLER: &str = "tool_call";

/// Returns the event about a result with the tool that ran, if another tool called it (OC-5).
fn with_called_tool(json: &Map<String, Value>) -> Map<String, Value> {
    let mut event = json.clone();
    let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
    if !text("hook_event_name").starts_with("PostToolUse") || text("tool_name") != CALLER {
        return event;
    }
    let input = json.get("tool_input");
    let id = input.and_then(|input| input.get("id")).and_then(Value::as_str);
    // `openclaw:core:exec` is `exec`.
    if let Some(name) = id.and_then(|id| id.rsplit(':').next()) {
        let called = input.and_then(|input| input.get("args")).cloned();
        event.insert("tool_name".to_owned(), name.into());
        event.insert("tool_input".to_owned(), called.unwrap_or_else(|| json!({})));
    }
    event
}

/// The tools that open a `path`.
const OPENING: &[&str] = &["read", "write", "edit"];

/// Returns the path that OpenClaw opens, as far as its text says: without the closing tag of a model
/// at its end, and without the `@` in front of an absolute one (OC-10,
/// `normalizeFileToolPathParam`).
fn opened_path(path: &str) -> String {
    let bare = path.trim_end_matches('>');
    let path = match bare.strip_suffix("</arg_value") {
        Some(start) if path.len() > bare.len() + 1 => start,
        _ => path,
    };
    let rest = path.strip_prefix('@').unwrap_or(path);
    let absolute = ["/", "~/", "~\\", "file://"];
    let is_absolute = rest == "~" || absolute.iter().any(|start| rest.starts_with(start));
    if is_absolute { rest } else { path }.to_owned()
}

/// Adds what a path with `@` in front means if no file has this name: OpenClaw looks (OC-10).
fn add_other_reading(event: &mut Map<String, Value>) {
    let tool = event.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(Value::Object(input)) = event.get_mut("tool_input") else { return };
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let other = match tool.as_str() {
        "apply_patch" => text("input").map(without_marks).map(|patch| ("patch", patch)),
        tool if OPENING.contains(&tool) => text("path")
            .and_then(|path| path.strip_prefix('@'))
            .map(|path| ("file_path", path.to_owned())),
        _ => None,
    };
    if let Some((key, other)) = other.filter(|(_, other)| text("input") != Some(other)) {
        input.insert(key.to_owned(), other.into());
    }
}

/// Returns a patch without the `@` in front of its paths.
fn without_marks(patch: &str) -> String {
    ["Add File", "Update File", "Delete File", "Move to"]
        .iter()
        .fold(patch.to_owned(), |patch, what| {
            patch.replace(&format!("*** {what}: @"), &format!("*** {what}: "))
        })
}

fn to_agent_input(event: &Event, input: &Value) -> Value {
    to_agent_edits(&EDIT, WORDS.to_agent_input(event, input))
}

static REPLIES: Replies = Replies::new("OpenClaw", TOOLS, EVENTS);

const fn new_event_replies(event: &'static str, can: &'static [(Power, Phrase)]) -> EventReplies {
    EventReplies {
        can,
        input: |event, input| Ok(to_agent_input(event, input)),
        ..EventReplies::empty(event)
    }
}

const EVENTS: &[EventReplies] = &[
    new_event_replies("SessionStart", &[(Context, CONTEXT), (Message, MESSAGE)]),
    new_event_replies("UserPromptSubmit", &[(Deny, DENY), (Context, CONTEXT), (Message, MESSAGE)]),
    new_event_replies("PreToolUse", &[(Deny, DENY), (Ask, ASK), (Input, ARGS), (Message, MESSAGE)]),
    new_event_replies("PostToolUse", RESULT),
    new_event_replies("PostToolUseFailure", RESULT),
    new_event_replies("Stop", &[(Deny, DENY), (Message, MESSAGE)]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Roots;

    fn decode(event: &Value) -> Event {
        let event = event.as_object().cloned().unwrap_or_default();
        OPENCLAW.decode_event(&event, &Roots::default()).unwrap()
    }

    /// OC-4.
    #[test]
    fn inputs_of_tools_have_neutral_keys() {
        for (tool, input, neutral, expected) in [
            (
                "exec",
                json!({"command": "ls", "workdir": "/a", "background": true}),
                "Bash",
                json!({"command": "ls", "workdir": "/a", "run_in_background": true}),
            ),
            (
                "edit",
                json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}),
                "MultiEdit",
                json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}),
            ),
            ("sessions_spawn", json!({"task": "look"}), "Agent", json!({"prompt": "look"})),
            ("apply_patch", json!({"input": "x"}), "apply_patch", json!({"input": "x"})),
            ("process", json!({"action": "list"}), "process", json!({"action": "list"})),
            (
                "code_mode_exec",
                json!({"command": "1 + 1"}),
                "code_mode_exec",
                json!({"command": "1 + 1"}),
            ),
        ] {
            let event = decode(
                &json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input}),
            );
            assert_eq!(event.text("tool_name"), Some(neutral), "{tool}");
            assert_eq!(event.payload["tool_input"], expected, "{tool}");
            assert_eq!(to_agent_input(&event, &event.payload["tool_input"]), input, "{tool}");
        }
    }

    /// OC-5.
    #[test]
    fn result_of_a_called_tool_is_that_of_the_tool() {
        for (event, id, expected) in [
            ("PostToolUse", json!("exec"), "Bash"),
            ("PostToolUseFailure", json!("openclaw:core:exec"), "Bash"),
            ("PostToolUse", json!("openclaw:core:cron"), "cron"),
            ("PostToolUse", json!(1), "tool_call"),
            ("PreToolUse", json!("exec"), "tool_call"),
        ] {
            let event = decode(&json!({
                "hook_event_name": event, "tool_name": "tool_call",
                "tool_input": {"id": id, "args": {"command": "ls"}},
            }));
            assert_eq!(event.text("tool_name"), Some(expected), "{id}");
        }
    }

    /// OC-10.
    #[test]
    fn paths_are_those_that_openclaw_opens() {
        for (path, expected) in [
            ("@~/.openclaw/openclaw.json", json!({"file_path": "~/.openclaw/openclaw.json"})),
            ("@/etc/hosts", json!({"file_path": "/etc/hosts"})),
            ("/etc/hosts</arg_value>>", json!({"file_path": "/etc/hosts"})),
            ("a</arg_value>", json!({"file_path": "a</arg_value>"})),
            ("a>>", json!({"file_path": "a>>"})),
            // It is the file `@a/b`, if there is one.
            ("@a/b", json!({"file_path": "@a/b", "path": "a/b"})),
        ] {
            let event = decode(&json!({
                "hook_event_name": "PreToolUse", "tool_name": "write", "tool_input": {"path": path},
            }));
            assert_eq!(event.payload["tool_input"], expected, "{path}");
        }
        let patch = "*** Begin Patch\n*** Delete File: @a\n*** End Patch";
        let event = decode(&json!({
            "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"input": patch},
        }));
        assert_eq!(
            event.payload["tool_input"],
            json!({"input": patch, "patch": patch.replace('@', "")})
        );
    }
}
