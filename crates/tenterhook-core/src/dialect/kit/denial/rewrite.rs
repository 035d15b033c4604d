//! Finds an attempt to change the call that cannot be read. The original call must not run then,
//! because the hook may have removed something dangerous from it. Reads no decision.

use serde_json::{Map, Value};

use super::hearing::Hearing;
use super::quote_shortened;
use crate::answer::Answer;

/// What holds fields of an answer beside the answer itself.
const WITHIN: &[&str] = &["hookSpecificOutput", "decision"];

/// The key of an input that replaces the tool's.
const KEY: &str = "updatedInput";

/// Returns the printed text of a rewritten input that is not an object, or that was cut because it
/// exceeds the limit.
pub(super) fn find_lost_rewrite(hearing: &Hearing<'_>, exact: &Answer) -> Option<String> {
    let settled = exact.effects.updated_input.is_some();
    if settled || !hearing.rewrites || !hearing.protocol.input_is_object {
        return None;
    }
    let text = &hearing.reading.text;
    let begins = hearing.reading.begins_with_brace() && text.contains(&format!("\"{KEY}\""));
    if hearing.truncated && begins {
        return Some(format!("it printed an `{KEY}` that is longer than is read"));
    }
    let objects = hearing.reading.found_objects();
    let value = objects.iter().find_map(|object| find_non_object_input(&object.fields))?;
    Some(format!(
        "`{KEY}` is no object in what it printed: {}",
        quote_shortened(&value.to_string())
    ))
}

/// Returns the value in the position of a rewritten input if it is not an object; `null` asks for
/// no new input.
fn find_non_object_input(fields: &Map<String, Value>) -> Option<&Value> {
    fields.iter().find_map(|(name, value)| match value {
        Value::Null => None,
        value if name == KEY => (!value.is_object()).then_some(value),
        Value::Object(inner) if WITHIN.contains(&name.as_str()) => find_non_object_input(inner),
        _ => None,
    })
}
