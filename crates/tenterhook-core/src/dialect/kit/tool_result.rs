//! The text of a tool's result. Agents that hand their hooks a text get what the model reads; the
//! structure of another host's result stands beside it. Judges nothing.

use serde_json::Value;

/// Where the text of a structured result stands, in the words of the agents whose tools return
/// them. The first that is there counts.
const TEXTS: &[&[&str]] = &[
    &["text"],
    &["content"],
    &["file", "content"],
    &["llmContent"],
    &["textResultForLlm"],
    &["text_result_for_llm"],
    &["output"],
    &["result"],
    &["filenames"],
    &["found"],
];

/// Returns the result of a tool as the text that the model reads: what the tool printed or read, or
/// the texts of a server's reply; else JSON.
pub(crate) fn result_text(result: &Value) -> String {
    printed_text(result)
        .or_else(|| joined_text_blocks(result))
        .or_else(|| text_at_known_key(result))
        .unwrap_or_else(|| match result {
            Value::Null => String::new(),
            other => other.to_string(),
        })
}

/// Returns the result if it is more than a text. Payloads have it beside the text under a separate
/// key.
pub(crate) fn result_if_structured(result: &Value) -> Option<&Value> {
    Some(result).filter(|result| !matches!(result, Value::String(_) | Value::Null))
}

/// Returns the result that a payload holds: the structured one, unless its text differs from the
/// text beside it.
pub(crate) fn choose_structured_or_text(
    text_beside: Option<Value>,
    structure: Option<Value>,
) -> Option<Value> {
    let structure = structure.filter(|structure| !structure.is_null());
    match (text_beside, structure) {
        (Some(beside), Some(structure)) if beside.as_str() == Some(&result_text(&structure)) => {
            Some(structure)
        }
        (None, structure) => structure,
        (beside, _) => beside,
    }
}

/// Returns a text, or what a command printed on both of its streams.
fn printed_text(result: &Value) -> Option<String> {
    if let Value::String(text) = result {
        return Some(text.clone());
    }
    let stream = |key: &str| result.get(key).and_then(Value::as_str);
    let (stdout, stderr) = (stream("stdout"), stream("stderr"));
    stdout.or(stderr)?;
    let mut text = stdout.unwrap_or_default().to_owned();
    let stderr = stderr.unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') && !stderr.is_empty() {
        text.push('\n');
    }
    text.push_str(stderr);
    Some(text)
}

/// Returns texts, and blocks that hold a text each, one a line. A block of another kind is named.
fn joined_text_blocks(result: &Value) -> Option<String> {
    let block = |item: &Value| match (item, item.get("text"), item.get("type")) {
        (Value::String(text), _, _) | (_, Some(Value::String(text)), _) => Some(text.clone()),
        (_, _, Some(Value::String(kind))) => Some(format!("[{kind}]")),
        _ => None,
    };
    let texts: Option<Vec<String>> = result.as_array()?.iter().map(block).collect();
    Some(texts?.join("\n"))
}

fn text_at_known_key(result: &Value) -> Option<String> {
    TEXTS.iter().find_map(|path| {
        let value = path.iter().try_fold(result, |value, key| value.get(key))?;
        value.as_str().map(str::to_owned).or_else(|| joined_text_blocks(value))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// I-10, RX-7, CW-57.
    #[test]
    fn result_of_each_agent_is_the_text_that_the_model_reads() {
        for (result, expected) in [
            (json!("fine\n"), "fine\n"),
            (json!({"stdout": "fine\n", "stderr": "", "exit_code": 0}), "fine\n"),
            (json!({"stdout": "a", "stderr": "b\n"}), "a\nb\n"),
            (json!({"stderr": "b"}), "b"),
            (json!({"stdout": "", "stderr": ""}), ""),
            (json!({"file_path": "x", "content": "hello\n"}), "hello\n"),
            (json!({"type": "text", "file": {"filePath": "x", "content": "hello\n"}}), "hello\n"),
            (
                json!([{"type": "text", "text": "rain"}, {"type": "image", "data": "x"}]),
                "rain\n[image]",
            ),
            (json!({"content": [{"type": "text", "text": "rain"}], "isError": false}), "rain"),
            (json!({"llmContent": "hello\n", "returnDisplay": ""}), "hello\n"),
            (json!({"resultType": "success", "textResultForLlm": "hi"}), "hi"),
            (json!({"filenames": ["a", "b"], "numFiles": 2}), "a\nb"),
            (json!({"filePath": "x", "success": true, "text": "wrote x"}), "wrote x"),
            (json!({"lines": 3}), "{\"lines\":3}"),
            (json!([1, 2]), "[1,2]"),
            (json!(null), ""),
        ] {
            assert_eq!(result_text(&result), expected, "{result}");
        }
    }

    /// I-10, RX-7.
    #[test]
    fn structure_counts_where_its_text_is_the_one_beside_it() {
        let structure = json!({"stdout": "a", "stderr": ""});
        for (beside, given, expected) in [
            (Some(json!("a")), Some(structure.clone()), Some(structure.clone())),
            (None, Some(structure.clone()), Some(structure.clone())),
            (Some(json!("b")), Some(structure), Some(json!("b"))),
            (Some(json!("b")), None, Some(json!("b"))),
            (Some(json!("b")), Some(json!(null)), Some(json!("b"))),
            (None, None, None),
        ] {
            assert_eq!(choose_structured_or_text(beside, given), expected);
        }
    }
}
