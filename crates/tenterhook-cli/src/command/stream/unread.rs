//! Finds the `id` of a line of `fire --stream` that is not valid JSON, for its denial. Decodes no event.
//!
//! Hosts write such lines without noticing: many JSON libraries print `NaN` and halves of surrogate pairs. A wrong `id` would
//! deny another event, and never allow one.

use serde_json::{Deserializer, Value};

/// Returns the value of the only key `id` of the outermost object; `null` if there is no such key, or more than one.
pub(super) fn find_id(line: &[u8]) -> Value {
    let mut found = None;
    let mut depth = 0_usize;
    // Whether a key of the outermost object may begin here.
    let mut is_key_next = false;
    let mut rest = line;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => {
                let (string, after) = split_string(after);
                rest = after;
                let value = after.trim_ascii_start().strip_prefix(b":");
                if let Some(value) = value.filter(|_| is_key_next && string == b"id") {
                    match (&found, parse_first_value(value)) {
                        (None, Some(id)) => found = Some(id),
                        _ => return Value::Null,
                    }
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            is_key_next = depth == 1 && matches!(byte, b'{' | b',');
        }
    }
    found.unwrap_or_default()
}

/// Splits `text`, which follows an opening quote, at the closing one.
fn split_string(text: &[u8]) -> (&[u8], &[u8]) {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    let (string, rest) = text.split_at(end.unwrap_or(text.len()));
    (string, rest.get(1..).unwrap_or_default())
}

/// Parses the value at the start of `text`.
fn parse_first_value(text: &[u8]) -> Option<Value> {
    Deserializer::from_slice(text).into_iter().next()?.ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_id_of_the_outermost_object_is_found() {
        for (line, id) in [
            (r#"{"id": 1, "x": NaN}"#, json!(1)),
            (r#"{"x": -Infinity, "id" : "a\"b" }"#, json!("a\"b")),
            (r#"{"x": "\ud800", "y": ["id", {"id": 2}], "id": 3}"#, json!(3)),
            // The line was cut, or has a control character or a trailing comma.
            (r#"{"id": 4, "x": "rm -"#, json!(4)),
            ("{\"id\": 5, \"x\": \"\t\"}", json!(5)),
            (r#"{"id": {"n": 6},}"#, json!({"n": 6})),
            (r#"{"x": "{\"id\": 7}", "y": NaN}"#, Value::Null),
            (r#"{"x": {"id": 8}, "y": NaN}"#, Value::Null),
            (r#"{"x": "id", "y": NaN}"#, Value::Null),
            (r#"{"id": 9, "y": NaN, "id": 10}"#, Value::Null),
            (r#"{"id": 11}{"id": 12}"#, Value::Null),
            (r#"{"id": NaN}"#, Value::Null),
            (r#"{"id": 1"#, json!(1)),
            (r#"["id", 13"#, Value::Null),
            ("{", Value::Null),
            ("", Value::Null),
        ] {
            assert_eq!(find_id(line.as_bytes()), id, "{line}");
        }
        let latin_1 = b"{\"id\": 14, \"x\": \"\xe4\"}";
        assert_eq!(find_id(latin_1), json!(14));
    }
}
