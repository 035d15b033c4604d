//! Reads the JSON schemas of hooks that stand in a program. Looks at their properties and words, not at their meaning.

use std::sync::LazyLock;

use regex::bytes::Regex;
use serde_json::Value;

static BEGIN: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(r#"\{\s*"\$schema""#));

/// The ends of the titles of such schemas, and the kind of their facts.
const KINDS: &[(&str, &str)] = &[(".command.input", "input"), (".command.output", "answer")];

/// Returns the events, and the fields and words of the input and of the output of each.
pub(super) fn read_hook_schemas(bytes: &[u8]) -> Vec<String> {
    let Ok(begin) = &*BEGIN else { return Vec::new() };
    let mut facts = Vec::new();
    for found in begin.find_iter(bytes) {
        let rest = bytes.get(found.start()..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
        let Some(Ok(schema)) = values.next() else { continue };
        let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
        let kind = KINDS.iter().find_map(|(end, kind)| Some((title.strip_suffix(end)?, kind)));
        if let Some((title, kind)) = kind {
            let event = pascal_case(title);
            facts.push(format!("event {event}"));
            read_schema(&schema, kind, &event, &mut facts);
        }
    }
    facts
}

fn read_schema(schema: &Value, kind: &str, event: &str, facts: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        facts.extend(properties.keys().map(|name| format!("{kind} {event}.{name}")));
    }
    let words = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    facts.extend(words.filter_map(Value::as_str).map(|word| format!("value {event}={word}")));
    match schema {
        Value::Object(object) => {
            object.values().for_each(|value| read_schema(value, kind, event, facts));
        }
        Value::Array(list) => list.iter().for_each(|value| read_schema(value, kind, event, facts)),
        _ => {}
    }
}

/// Turns `pre-tool-use` into `PreToolUse`.
fn pascal_case(title: &str) -> String {
    let words = title.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}
