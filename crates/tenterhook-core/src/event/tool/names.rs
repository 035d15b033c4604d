//! What an agent calls the tools that all agents share, and their inputs: one table a dialect, read in both directions.
//! A tool without a row keeps the name and the input that it has.

use serde_json::{Map, Value};

/// One tool in an agent's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolWords {
    /// The agent's names for it, the one that hooks receive first; others are older or newer, or variants of it.
    pub own: &'static [&'static str],
    /// The neutral name.
    pub neutral: &'static str,
    /// Keys of its input, the agent's and the neutral one, where they differ. The first pair of a neutral key is the one
    /// that hooks receive.
    pub keys: &'static [(&'static str, &'static str)],
}

/// Returns the tool that the agent calls `name`.
#[must_use]
pub fn find_tool_by_own_name(
    table: &'static [ToolWords],
    name: &str,
) -> Option<&'static ToolWords> {
    table.iter().find(|tool| tool.own.contains(&name))
}

/// Returns the tool with that neutral name.
#[must_use]
pub fn find_tool_by_neutral_name(
    table: &'static [ToolWords],
    name: &str,
) -> Option<&'static ToolWords> {
    table.iter().find(|tool| tool.neutral == name)
}

impl ToolWords {
    /// Returns an input with the neutral keys. A neutral key that is already there is not
    /// overwritten.
    #[must_use]
    pub fn to_neutral_input(&self, input: &Value) -> Value {
        rename_keys(input, |key| {
            self.keys.iter().find(|(own, _)| own == &key).map(|(_, value)| *value)
        })
    }

    /// Returns an input with the agent's keys.
    #[must_use]
    pub fn to_agent_input(&self, input: &Value) -> Value {
        rename_keys(input, |key| {
            self.keys.iter().find(|(_, value)| value == &key).map(|(own, _)| *own)
        })
    }
}

fn rename_keys(input: &Value, name: impl Fn(&str) -> Option<&'static str>) -> Value {
    let Value::Object(fields) = input else { return input.clone() };
    let mut renamed = Map::new();
    for (key, value) in fields {
        let key = name(key).filter(|name| !fields.contains_key(*name)).unwrap_or(key);
        renamed.insert(key.to_owned(), value.clone());
    }
    Value::Object(renamed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TABLE: &[ToolWords] = &[ToolWords {
        own: &["write_file", "create_file"],
        neutral: "Write",
        keys: &[("path", "file_path"), ("file", "file_path")],
    }];

    #[test]
    fn keys_go_there_and_back_and_never_overwrite() {
        let tool = find_tool_by_own_name(TABLE, "create_file").expect("a known tool");
        assert_eq!(find_tool_by_neutral_name(TABLE, "Write"), Some(tool));
        let neutral = tool.to_neutral_input(&json!({"file": "a", "content": "b"}));
        assert_eq!(neutral, json!({"file_path": "a", "content": "b"}));
        assert_eq!(tool.to_agent_input(&neutral), json!({"path": "a", "content": "b"}));
        let both = json!({"path": "a", "file_path": "b"});
        assert_eq!(tool.to_neutral_input(&both), both);
        assert_eq!(tool.to_agent_input(&json!("raw")), json!("raw"));
        assert!(find_tool_by_own_name(TABLE, "Write").is_none());
    }
}
