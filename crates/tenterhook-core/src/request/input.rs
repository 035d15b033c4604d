//! Puts fields of the envelope in place of `${a.b}` in a tool's input (MC-2 to MC-4). Pure; expands
//! no variable.
//!
//! A text is read once: what is put into it is never read again, so no event can smuggle a
//! placeholder in.

use serde_json::{Map, Value};

use super::placeholder::{self, Names};

/// Why an input cannot be filled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfilled {
    /// The event's envelope is no JSON object.
    #[error(
        "`{0}` cannot be filled in, because the event of this dialect is not a JSON object; write the input out"
    )]
    NoJson(String),
    /// The envelope has no such field.
    #[error(
        "the event has no `{0}` to put into the input; name a field that every event of this hook has"
    )]
    Missing(String),
    /// The text between `${` and `}` is no path.
    #[error(
        "`{0}` in the input names no field; write `${{tool_input.file_path}}`, or `$${{` for a literal `${{`"
    )]
    NoPath(String),
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    /// The text between `${` and `}`.
    Place(&'a str),
    /// A `${` that is never closed, to the end of the text.
    Open(&'a str),
}

/// One step of a path.
#[derive(Debug, PartialEq, Eq)]
enum Leg<'a> {
    Key(&'a str),
    Index(usize),
}

/// Returns `input` with every placeholder replaced by a value from the envelope.
pub fn fill_tool_input(
    input: &Map<String, Value>,
    envelope: &[u8],
) -> Result<Map<String, Value>, Unfilled> {
    // Most inputs have few places or none; an envelope may be large and is parsed only where it is
    // asked for.
    let mut event: Option<Option<Value>> = None;
    let mut lookup = |path: &str| {
        let event = event
            .get_or_insert_with(|| serde_json::from_slice(envelope).ok().filter(Value::is_object));
        let event = event.as_ref().ok_or_else(|| Unfilled::NoJson(format_placeholder(path)))?;
        event_value_at_key_path(event, path).cloned()
    };
    fill_placeholders_in_map(input, &mut lookup)
}

/// Checks the placeholders of a text without an event, for readers of config files.
pub(crate) fn check_placeholders(text: &str) -> Result<(), Unfilled> {
    split_text_and_placeholders(text).into_iter().try_for_each(|part| match part {
        Part::Text(_) => Ok(()),
        Part::Place(path) => {
            parse_key_path(path).map(drop).ok_or_else(|| Unfilled::NoPath(format_placeholder(path)))
        }
        Part::Open(rest) => Err(Unfilled::NoPath(rest.to_owned())),
    })
}

type Lookup<'a> = &'a mut dyn FnMut(&str) -> Result<Value, Unfilled>;

fn fill_placeholders_in_map(
    map: &Map<String, Value>,
    lookup: Lookup<'_>,
) -> Result<Map<String, Value>, Unfilled> {
    map.iter()
        .map(|(key, value)| Ok((key.clone(), fill_placeholders_in_value(value, lookup)?)))
        .collect()
}

/// Fills values, not keys. The reader of the configuration bounds the depth.
fn fill_placeholders_in_value(value: &Value, lookup: Lookup<'_>) -> Result<Value, Unfilled> {
    match value {
        Value::String(text) => fill_placeholders_in_text(text, lookup),
        Value::Array(items) => {
            items.iter().map(|value| fill_placeholders_in_value(value, lookup)).collect()
        }
        Value::Object(map) => fill_placeholders_in_map(map, lookup).map(Value::Object),
        other => Ok(other.clone()),
    }
}

/// Fills the placeholders of a text. A placeholder alone keeps the type of its value; inside a text
/// it becomes text.
fn fill_placeholders_in_text(text: &str, lookup: Lookup<'_>) -> Result<Value, Unfilled> {
    check_placeholders(text)?;
    let parts = split_text_and_placeholders(text);
    if let [Part::Place(path)] = parts.as_slice() {
        return lookup(path);
    }
    let mut filled = String::with_capacity(text.len());
    for part in parts {
        match part {
            Part::Text(text) | Part::Open(text) => filled.push_str(text),
            Part::Place(path) => match lookup(path)? {
                Value::String(text) => filled.push_str(&text),
                other => filled.push_str(&other.to_string()),
            },
        }
    }
    Ok(Value::String(filled))
}

fn event_value_at_key_path<'a>(event: &'a Value, path: &str) -> Result<&'a Value, Unfilled> {
    let legs = parse_key_path(path).ok_or_else(|| Unfilled::NoPath(format_placeholder(path)))?;
    let found = legs.iter().try_fold(event, |value, leg| match leg {
        Leg::Key(key) => value.get(key),
        Leg::Index(index) => value.get(index),
    });
    found.ok_or_else(|| Unfilled::Missing(path.to_owned()))
}

fn format_placeholder(path: &str) -> String {
    format!("${{{path}}}")
}

/// Splits a text into literal parts and placeholders; `$${` is a literal `${`.
fn split_text_and_placeholders(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(sign) = placeholder::find_first_placeholder(rest) {
        push_text_part(&mut parts, sign.before);
        rest = match sign.names {
            Names::Braced(path) => {
                parts.push(Part::Place(path));
                sign.after
            }
            Names::Open => {
                parts.push(Part::Open(sign.from));
                return parts;
            }
            Names::Plain(_) | Names::Nothing => {
                let (own, behind) = sign.split_dollar_from_rest();
                let escaped = behind.starts_with("${");
                let (text, behind) = if escaped { behind.split_at(2) } else { (own, behind) };
                push_text_part(&mut parts, text);
                behind
            }
        };
    }
    push_text_part(&mut parts, rest);
    parts
}

fn push_text_part<'a>(parts: &mut Vec<Part<'a>>, text: &'a str) {
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
}

/// Parses a path such as `tool_response.files[0].path`: names separated by dots, each with any
/// number of indices.
fn parse_key_path(path: &str) -> Option<Vec<Leg<'_>>> {
    let mut legs = Vec::new();
    for name in path.split('.') {
        let (key, indices) = name.find('[').map_or((name, ""), |at| name.split_at(at));
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if key.is_empty() || !key.chars().all(is_name) {
            return None;
        }
        legs.push(Leg::Key(key));
        let mut rest = indices;
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            legs.push(Leg::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(legs)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(text: &str) -> Result<Value, Unfilled> {
        let event = json!({
            "tool_input": {"file_path": "/a ${x}", "limit": 5, "dry-run": true, "none": null},
            "tool_response": {"x": [{"y": "z"}, [1, 2]]},
        });
        let input = json!({"a": text});
        let input = input.as_object().expect("an object");
        fill_tool_input(input, event.to_string().as_bytes()).map(|object| object["a"].clone())
    }

    /// MC-2, MC-3.
    #[test]
    fn a_place_alone_keeps_its_type_and_becomes_text_within_one() {
        for (text, expected) in [
            ("${tool_input.file_path}", json!("/a ${x}")),
            ("${tool_input.limit}", json!(5)),
            ("${tool_input.none}", json!(null)),
            ("${tool_input.dry-run}", json!(true)),
            ("${tool_response.x[0]}", json!({"y": "z"})),
            ("${tool_response.x[1][1]}", json!(2)),
            ("at ${tool_response.x[0].y}: ${tool_input.limit}", json!("at z: 5")),
            ("<${tool_response.x[0]}>", json!(r#"<{"y":"z"}>"#)),
            ("${tool_input.file_path}!", json!("/a ${x}!")),
            ("$5 {a} $${tool_input.limit} ü", json!("$5 {a} ${tool_input.limit} ü")),
            ("$", json!("$")),
            ("", json!("")),
        ] {
            assert_eq!(filled(text), Ok(expected), "{text}");
        }
    }

    /// MC-4.
    #[test]
    fn what_cannot_be_filled_is_named() {
        let missing = |path: &str| Unfilled::Missing(path.to_owned());
        let no_path = |text: &str| Unfilled::NoPath(text.to_owned());
        for (text, expected) in [
            ("${tool_input.path}", missing("tool_input.path")),
            ("${tool_input.file_path.x}", missing("tool_input.file_path.x")),
            ("${tool_response.x[7]}", missing("tool_response.x[7]")),
            ("a ${}", no_path("${}")),
            ("${a b}", no_path("${a b}")),
            ("${a.}", no_path("${a.}")),
            ("${a[x]}", no_path("${a[x]}")),
            ("${a[0]b}", no_path("${a[0]b}")),
            ("x ${a", no_path("${a")),
        ] {
            assert_eq!(filled(text), Err(expected), "{text}");
        }
        let input = json!({"a": ["${b}"]});
        let input = input.as_object().expect("an object");
        assert_eq!(fill_tool_input(input, b"no json"), Err(Unfilled::NoJson("${b}".to_owned())));
    }

    #[test]
    fn keys_stay_and_nested_values_are_filled() {
        let input = json!({"${k}": {"list": ["${k}", 1]}});
        let input = input.as_object().expect("an object");
        let filled = fill_tool_input(input, br#"{"k": "v"}"#).expect("filled");
        assert_eq!(Value::Object(filled), json!({"${k}": {"list": ["v", 1]}}));
    }
}
