//! The dialect of Pi 1.6.0 and 0.73.1, which load extensions instead of running hook commands. The
//! extension of Tenterhook sends Pi's names of tools and arguments.

use serde_json::{Map, Value};

use crate::answer::Power::{self, Context, Deny, Input, Message, Prompt};
use crate::dialect::DialectId;
use crate::dialect::kit::call::{NEUTRAL_SERVER_TOOL, Vocabulary};
use crate::dialect::kit::plugin::{
    ARGS, CONTEXT, DENY, EDIT, MESSAGE, PROMPT, Plugin, RESULT, ROWS, new_vocabulary,
    set_opened_path, to_agent_edits, with_neutral_edits,
};
use crate::dialect::kit::reply::{EventReplies, Phrase, Replies};
pub(crate) use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::event::Event;

pub(crate) static PI: Dialect = Plugin {
    id: DialectId::PI,
    rows: || ROWS,
    decode_event: |json, roots| WORDS.decode_event(&with_neutral_call(json), roots),
    encode_event: |event| WORDS.encode_event(event),
    replies: &REPLIES,
}
.into_dialect();

static WORDS: Vocabulary = new_vocabulary("Pi", TOOLS, NEUTRAL_SERVER_TOOL);

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["powershell"], neutral: "PowerShell", keys: &[] },
    ToolWords { own: &["read"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["write"], neutral: "Write", keys: &[("path", "file_path")] },
    ToolWords { own: &["edit"], neutral: "MultiEdit", keys: &[("path", "file_path"), ("oldText", "old_string"), ("newText", "new_string")] },
    ToolWords { own: &["find"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[] },
];

/// The tools that open a `path`.
const OPENING: &[&str] = &["read", "write", "edit", "find", "grep", "ls"];

fn with_neutral_call(json: &Map<String, Value>) -> Map<String, Value> {
    let mut event = with_neutral_edits(&EDIT, json);
    set_opened_path(&mut event, OPENING, opened_path);
    event
}

/// Returns the path that Pi opens: each wide space is a space, and one `@` in front is ignored
/// (PI-9, `normalizePath`).
fn opened_path(path: &str) -> String {
    let is_wide =
        |c| matches!(c, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    let path = path.replace(is_wide, " ");
    path.strip_prefix('@').map(str::to_owned).unwrap_or(path)
}

fn to_agent_input(event: &Event, input: &Value) -> Value {
    to_agent_edits(&EDIT, WORDS.to_agent_input(event, input))
}

static REPLIES: Replies = Replies::new("Pi", TOOLS, EVENTS);

const fn new_event_replies(event: &'static str, can: &'static [(Power, Phrase)]) -> EventReplies {
    EventReplies {
        can,
        input: |event, input| Ok(to_agent_input(event, input)),
        ..EventReplies::empty(event)
    }
}

const EVENTS: &[EventReplies] = &[
    new_event_replies("SessionStart", &[(Context, CONTEXT), (Message, MESSAGE)]),
    new_event_replies(
        "UserPromptSubmit",
        &[(Deny, DENY), (Prompt, PROMPT), (Context, CONTEXT), (Message, MESSAGE)],
    ),
    new_event_replies("PreToolUse", &[(Deny, DENY), (Input, ARGS), (Message, MESSAGE)]),
    new_event_replies("PostToolUse", RESULT),
    new_event_replies("PostToolUseFailure", RESULT),
    new_event_replies("Stop", &[(Deny, DENY), (Message, MESSAGE)]),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::Roots;

    /// PI-2.
    #[test]
    fn inputs_of_tools_have_neutral_keys() {
        for (tool, input, neutral, expected) in [
            (
                "read",
                json!({"path": "a", "limit": 2}),
                "Read",
                json!({"file_path": "a", "limit": 2}),
            ),
            (
                "edit",
                json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}),
                "MultiEdit",
                json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}),
            ),
            (
                "edit",
                json!({"path": "a", "edits": "x"}),
                "MultiEdit",
                json!({"file_path": "a", "edits": "x"}),
            ),
            (
                "read",
                json!({"path": "a", "file_path": "b"}),
                "Read",
                json!({"file_path": "a", "path": "b"}),
            ),
            ("find", json!({"pattern": "*.rs"}), "Glob", json!({"pattern": "*.rs"})),
            ("ls", json!({"path": "a"}), "ls", json!({"path": "a"})),
        ] {
            let event =
                json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
            let event = event.as_object().cloned().unwrap_or_default();
            let event = PI.decode_event(&event, &Roots::default()).unwrap();
            assert_eq!(event.text("tool_name"), Some(neutral), "{tool}");
            assert_eq!(event.payload["tool_input"], expected, "{tool}");
            assert_eq!(to_agent_input(&event, &event.payload["tool_input"]), input, "{tool}");
        }
    }

    /// PI-9.
    #[test]
    fn paths_are_those_that_pi_opens() {
        for (tool, path, expected) in [
            ("write", "@~/.pi/agent/settings.json", "~/.pi/agent/settings.json"),
            ("edit", "@/etc/hosts", "/etc/hosts"),
            ("read", "@@a", "@a"),
            ("ls", "a\u{a0}b\u{202f}c", "a b c"),
            ("mcp__s__write", "@a", "@a"),
        ] {
            let event = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"path": path}});
            let event = event.as_object().cloned().unwrap_or_default();
            let event = PI.decode_event(&event, &Roots::default()).unwrap();
            let input = &event.payload["tool_input"];
            let opened = input.get("file_path").or_else(|| input.get("path"));
            assert_eq!(opened.and_then(Value::as_str), Some(expected), "{path}");
        }
    }
}
