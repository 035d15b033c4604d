//! Finds an attempt to change the call that cannot be read. The original call must not run then,
//! because the hook may have removed something dangerous from it. Reads no decision.

use serde_json::{Map, Value};

use super::hearing::Hearing;
use super::quoted;
use crate::answer::Answer;

/// What holds fields of an answer beside the answer itself.
const WITHIN: &[&str] = &["hookSpecificOutput", "decision"];

/// The key of an input that replaces the tool's.
const KEY: &str = "updatedInput";

/// The printed text of an input that is not one, or that was cut because it exceeds the limit.
pub(super) fn lost(hearing: &Hearing<'_>, exact: &Answer) -> Option<String> {
    let settled = exact.effects.updated_input.is_some();
    if settled || !hearing.rewrites || !hearing.protocol.input_is_object {
        return None;
    }
    let text = &hearing.reading.text;
    let begins = hearing.reading.begins_with_brace() && text.contains(&format!("\"{KEY}\""));
    if hearing.truncated && begins {
        return Some(format!("it printed an `{KEY}` that is longer than is read"));
    }
    let objects = hearing.reading.objects();
    let value = objects.iter().find_map(|object| found(&object.fields))?;
    Some(format!("`{KEY}` is no object in what it printed: {}", quoted(&value.to_string())))
}

/// A value in the place of an input that is not an object; `null` asks for no new input.
fn found(fields: &Map<String, Value>) -> Option<&Value> {
    fields.iter().find_map(|(name, value)| match value {
        Value::Null => None,
        value if name == KEY => (!value.is_object()).then_some(value),
        Value::Object(inner) if WITHIN.contains(&name.as_str()) => found(inner),
        _ => None,
    })
}
