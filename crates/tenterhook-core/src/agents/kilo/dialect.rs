//! The dialect of Kilo 7.7.9: that of OpenCode's plugins, and another
//! name for a tool that runs commands.

use serde_json::{Map, Value};

use crate::agents::opencode::dialect::{ROWS, new_replies, new_vocabulary};
use crate::dialect::DialectId;
use crate::dialect::kit::call::Vocabulary;
use crate::dialect::kit::plugin::Plugin;
use crate::dialect::kit::reply::Replies;
pub(crate) use crate::dialect::parts::Dialect;

pub(crate) static KILO: Dialect = Plugin {
    id: DialectId::KILO,
    rows: || ROWS,
    decode_event: |json, roots| WORDS.decode_event(&rename_started_command(json), roots),
    encode_event: |event| WORDS.encode_event(event),
    replies: &REPLIES,
}
.into_dialect();

static WORDS: Vocabulary = new_vocabulary("Kilo");
static REPLIES: Replies = new_replies("Kilo");

/// Returns the event with the shell's name for a call of `background_process` that starts a command
/// (KI-2). Its other calls, such as one that lists the processes, have no command.
fn rename_started_command(json: &Map<String, Value>) -> Map<String, Value> {
    let mut event = json.clone();
    let command = event.get("tool_input").and_then(|input| input.get("command"));
    let starts = command.is_some_and(Value::is_string);
    if let Some(name) =
        event.get_mut("tool_name").filter(|name| starts && **name == "background_process")
    {
        *name = "bash".into();
    }
    event
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::Roots;

    /// KI-2.
    #[test]
    fn background_process_is_the_shell_where_it_starts_a_command() {
        for (input, expected) in [
            (json!({"action": "start", "command": "ls"}), "Bash"),
            (json!({"action": "monitor", "command": "ls", "workdir": "a"}), "Bash"),
            (json!({"action": "list"}), "background_process"),
            (json!({"action": "stop", "id": "p"}), "background_process"),
            (json!({"action": "start", "command": 1}), "background_process"),
        ] {
            let event = json!({"hook_event_name": "PreToolUse", "tool_name": "background_process", "tool_input": input});
            let event = event.as_object().cloned().unwrap_or_default();
            let event = KILO.decode_event(&event, &Roots::default()).unwrap();
            assert_eq!(event.text("tool_name"), Some(expected), "{input}");
            assert_eq!(event.payload["tool_input"], input);
        }
    }
}
