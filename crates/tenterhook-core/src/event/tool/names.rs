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

/// The field of an event with the name that the agent gave to its tool, if that is not the first of
/// the row with the neutral name.
pub const OWN_NAME: &str = "own_tool_name";

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
    /// Returns an input with the neutral keys. The agent reads only its own keys, so their values
    /// get the neutral ones: what a model put under a neutral key goes under the agent's key.
    #[must_use]
    pub fn to_neutral_input(&self, input: &Value) -> Value {
        swap_keys(input, || self.keys.iter().copied())
    }

    /// Returns an input with the agent's keys.
    #[must_use]
    pub fn to_agent_input(&self, input: &Value) -> Value {
        swap_keys(input, || self.keys.iter().map(|(own, neutral)| (*neutral, *own)))
    }
}

/// Renames keys by pairs of an old and a new name. A value that already has the new name gets the
/// old one. If several keys have the same new name, the first pair counts.
fn swap_keys<P>(input: &Value, pairs: impl Fn() -> P) -> Value
where
    P: Iterator<Item = (&'static str, &'static str)>,
{
    let Value::Object(fields) = input else { return input.clone() };
    let source_of = |name: &str| {
        let source = pairs().find(|(old, new)| *new == name && fields.contains_key(*old));
        source.map(|(old, _)| old)
    };
    let new_name = |key: &str| {
        let renamed = pairs().find(|(old, new)| *old == key && source_of(new) == Some(key));
        renamed.map(|(_, new)| new).or_else(|| source_of(key))
    };
    let renamed = |(key, value): (&String, &Value)| {
        (new_name(key).map_or_else(|| key.clone(), str::to_owned), value.clone())
    };
    Value::Object(fields.iter().map(renamed).collect::<Map<_, _>>())
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

    /// BR-182.
    #[test]
    fn keys_go_there_and_back_and_the_agents_key_counts() {
        let tool = find_tool_by_own_name(TABLE, "create_file").expect("a known tool");
        assert_eq!(find_tool_by_neutral_name(TABLE, "Write"), Some(tool));
        let neutral = tool.to_neutral_input(&json!({"file": "a", "content": "b"}));
        assert_eq!(neutral, json!({"file_path": "a", "content": "b"}));
        assert_eq!(tool.to_agent_input(&neutral), json!({"path": "a", "content": "b"}));
        // The agent opens `a`, whatever a model adds.
        let both = json!({"path": "a", "file_path": "b"});
        let neutral = tool.to_neutral_input(&both);
        assert_eq!(neutral, json!({"file_path": "a", "path": "b"}));
        assert_eq!(tool.to_agent_input(&neutral), both);
        let twice = json!({"file": "b", "path": "a"});
        assert_eq!(tool.to_neutral_input(&twice), json!({"file": "b", "file_path": "a"}));
        assert_eq!(tool.to_agent_input(&json!("raw")), json!("raw"));
        assert!(find_tool_by_own_name(TABLE, "Write").is_none());
    }
}
