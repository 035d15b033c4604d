//! Text that a call gives in base64, as bytes or as keys, for a file or a program that runs: rules read what they stand for (RU-53).

use serde_json::{Map, Value};

use crate::base64;

/// Returns the input with the text of its encoded fields in their place; `None` if it has none. The
/// JSON reader of the event bounds the depth.
pub(crate) fn decoded_input(input: &Value) -> Option<Value> {
    has_encoded_field(input).then(|| {
        let mut decoded = input.clone();
        decode_fields(&mut decoded);
        decoded
    })
}

fn has_encoded_field(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_encoded_field),
        Value::Object(fields) => {
            typed_text(fields).is_some()
                || fields.iter().any(|(key, value)| {
                    decoded_text(key, value).is_some() || has_encoded_field(value)
                })
        }
        _ => false,
    }
}

fn decode_fields(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(decode_fields),
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                match decoded_text(key, value) {
                    Some(text) => *value = text.into(),
                    None => decode_fields(value),
                }
            }
            if let Some(text) = typed_text(fields) {
                fields.remove("hex");
                fields.remove("keys");
                fields.insert("literal".to_owned(), text.into());
            }
        }
        _ => {}
    }
}

/// Returns what `send-keys` of OpenClaw 2026.9.6 types: a text, then bytes as hex, then keys.
fn typed_text(fields: &Map<String, Value>) -> Option<String> {
    fields.get("action").and_then(Value::as_str).filter(|action| *action == "send-keys")?;
    let texts = |key: &str| {
        let items = fields.get(key).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str)
    };
    let bytes: Vec<u8> = texts("hex").filter_map(hex_byte).collect();
    let mut typed = fields.get("literal").and_then(Value::as_str).unwrap_or_default().to_owned();
    typed.push_str(&String::from_utf8_lossy(&bytes));
    typed.extend(texts("keys").map(key_text));
    Some(typed)
}

fn key_text(key: &str) -> &str {
    match key.trim().to_ascii_lowercase().as_str() {
        "space" => " ",
        "tab" => "\t",
        "enter" | "return" | "kpenter" | "c-m" | "c-j" | "^m" | "^j" => "\n",
        _ => key.trim(),
    }
}

/// Returns the text of a field whose name says that it holds base64, such as `bytesBase64` and
/// `bytes_base64` of Mistral Vibe 3.0.3.
fn decoded_text(key: &str, value: &Value) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let text = value.as_str().filter(|_| key.ends_with("base64") || key.ends_with("b64"))?;
    Some(String::from_utf8_lossy(&base64::decode(text)?).into_owned())
}

fn hex_byte(text: &str) -> Option<u8> {
    let text = text.trim().to_ascii_lowercase();
    u8::from_str_radix(text.strip_prefix("0x").unwrap_or(&text), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// RU-53.
    #[test]
    fn encoded_fields_are_replaced_by_their_text_and_others_stay() {
        for (input, decoded) in [
            (
                json!({"id": "p", "bytesBase64": "cm0geAo="}),
                json!({"id": "p", "bytesBase64": "rm x\n"}),
            ),
            (json!({"bytes_base64": "_w"}), json!({"bytes_base64": "\u{fffd}"})),
            (json!({"a": [{"dataB64": "eA=="}]}), json!({"a": [{"dataB64": "x"}]})),
            (
                json!({"action": "send-keys", "literal": "r", "hex": ["6d", "0x20"], "keys": ["x", "Space", "-y", "Enter"]}),
                json!({"action": "send-keys", "literal": "rm x -y\n"}),
            ),
        ] {
            assert_eq!(decoded_input(&input), Some(decoded), "{input}");
        }
        for input in [
            json!({"bytesBase64": "not base64!"}),
            json!({"hex": ["72"], "keys": ["x"], "action": "list"}),
            json!({"text": "cm0geAo="}),
            json!("cm0geAo="),
        ] {
            assert_eq!(decoded_input(&input), None, "{input}");
        }
    }
}
