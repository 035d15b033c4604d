//! Finds an attempt to change the call that cannot be read. The original call must not run then,
//! because the hook may have removed something dangerous from it. Reads no decision.

use serde_json::{Map, Value};

use super::hearing::Hearing;
use super::keys::normalize_key;
use super::quote_shortened;
use crate::answer::{Answer, Restraint, Slip, SlipKind};

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

/// The beginnings of keys that hooks give a new input, such as `updated_input`.
const CHANGES: &[&str] = &[
    "updated",
    "update",
    "modified",
    "modify",
    "new",
    "changed",
    "rewritten",
    "replaced",
    "edited",
    "",
];
/// The endings of such keys.
const INPUTS: &[&str] = &[
    "input",
    "toolinput",
    "args",
    "toolargs",
    "arguments",
    "toolarguments",
    "params",
    "parameters",
    "command",
];

/// Returns the slip of an *allow* beside a new input that the agent does not read: it consents to
/// the rewritten call alone.
pub(super) fn unread_input_slip(hearing: &Hearing<'_>, exact: &Answer) -> Option<Slip> {
    // An event that takes no new input has no right place to name; its consent stands (QW-43).
    let home = hearing.input_home.as_ref()?;
    if exact.restraint != Restraint::Allow || exact.effects.updated_input.is_some() {
        return None;
    }
    let objects = hearing.reading.found_objects();
    let path = objects.iter().find_map(|object| key_path_of_new_input(&object.fields, ""))?;
    let detail = format!(
        "`{path}` is not read, so the consent is ignored; the new input belongs in `{home}`"
    );
    Some(Slip { kind: SlipKind::MisspeltKey, detail })
}

/// Returns the path of the first key that names a new input and holds one.
fn key_path_of_new_input(fields: &Map<String, Value>, path: &str) -> Option<String> {
    fields.iter().find_map(|(key, value)| match value {
        Value::Object(inner) if WITHIN.contains(&key.as_str()) => {
            key_path_of_new_input(inner, &format!("{path}{key}."))
        }
        Value::Object(_) | Value::String(_) if names_new_input(key) => Some(format!("{path}{key}")),
        _ => None,
    })
}

pub(super) fn names_new_input(key: &str) -> bool {
    let key = normalize_key(key);
    let is_noun = |change: &&str| {
        key.strip_prefix(*change)
            .is_some_and(|noun| INPUTS.contains(&noun) && !(change.is_empty() && noun == "command"))
    };
    CHANGES.iter().any(is_noun)
}
