//! What of a tool call's input decides what the call does, as a text that is the same wherever an agent reports the call. Pure;
//! says nothing of whether the call may be made.

use serde_json::{Map, Value};

use super::{Tool, ToolCall};

impl ToolCall<'_> {
    /// Returns what the call does, as one text: a shell's command, else the whole input. Paths are
    /// whole or cut to their last part, because a transcript has a path as the model wrote it and
    /// an event may have it in full. `None` if there is no input, and for the agent's own tools,
    /// into whose input the agent writes the user's answer.
    #[must_use]
    pub fn effect_text(&self, whole_paths: bool) -> Option<String> {
        let fields = self.input.as_object()?;
        let mut text = String::new();
        match self.tool() {
            Tool::Other => return None,
            Tool::Shell => write_canonical_json(fields.get("command")?, &mut text),
            _ => {
                // What begins with `_` is the agent's own.
                let kept = fields.iter().filter(|(key, _)| !key.starts_with('_'));
                let kept = kept.map(|(key, value)| {
                    let is_cut = !whole_paths && key.ends_with("path");
                    (key.clone(), if is_cut { last_path_part(value) } else { value.clone() })
                });
                write_canonical_json(&Value::Object(kept.collect::<Map<_, _>>()), &mut text);
            }
        }
        Some(text)
    }
}

fn last_path_part(path: &Value) -> Value {
    let Some(text) = path.as_str() else { return path.clone() };
    let text = text.trim_end_matches(['/', '\\']);
    text.rsplit(['/', '\\']).next().unwrap_or(text).into()
}

/// Writes the value with the fields of objects in sorted order. Its depth is bounded by the reader
/// of events.
pub fn write_canonical_json(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut all: Vec<_> = fields.iter().collect();
            all.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in all {
                text.push_str(&Value::String(key.clone()).to_string());
                text.push(':');
                write_canonical_json(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical_json(item, text);
                text.push(',');
            }
            text.push(']');
        }
        _ => text.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// BR-95.
    #[test]
    fn effect_ignores_order_and_what_the_agent_adds() {
        let effect =
            |name, input: &Value, with_paths| ToolCall { name, input }.effect_text(with_paths);
        let one = json!({"command": "ls", "description": "list"});
        let other = json!({"description": "other", "command": "ls", "timeout": 5});
        assert_eq!(effect("Bash", &one, true), effect("Bash", &other, true));
        assert_ne!(effect("Bash", &one, true), effect("Bash", &json!({"command": "true"}), true));
        let tool = "mcp__db__query";
        let (one, other) =
            (json!({"a": {"x": 1, "y": 2}}), json!({"_m": 1, "a": {"y": 2, "x": 1}}));
        assert_eq!(effect(tool, &one, true), effect(tool, &other, true));
        let (one, other) = (json!({"file_path": "a"}), json!({"file_path": "/p/a"}));
        assert_ne!(effect("Read", &one, true), effect("Read", &other, true));
        assert_eq!(effect("Read", &one, false), effect("Read", &other, false));
        assert_eq!(effect("AskUserQuestion", &one, true), None);
    }
}
