//! Are the arguments of a call what its tool takes? Reads the tool's schema; judges nothing that they mean.

use serde_json::Value;

use super::location::KEYS;
use crate::conversation::Call;
use crate::tool;
use crate::toolbox::Toolbox;

/// Why a call is not what its tool takes.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadCall {
    #[error("there is no tool `{0}`")]
    UnknownTool(String),
    #[error("the arguments of `{tool}` are not a JSON object: {source}")]
    Unreadable { tool: String, source: serde_json::Error },
    #[error("the arguments of `{0}` are not a JSON object")]
    NoObject(String),
    #[error("`{tool}` lacks its argument `{key}`")]
    Missing { tool: String, key: String },
    #[error("`{tool}` takes no argument `{key}`")]
    Unknown { tool: String, key: String },
    #[error("the argument `{key}` of `{tool}` has the wrong type")]
    WrongType { tool: String, key: String },
    #[error(
        "the argument `{key}` of `{tool}` begins with `~`, which no tool expands: write the absolute path"
    )]
    Tilde { tool: String, key: String },
    #[error("`{tool}` does not take {value} for `{key}`")]
    NotAllowed { tool: String, key: String, value: Value },
    #[error("it holds control characters now")]
    Controls,
    #[error("a hook rewrote the call: {0}")]
    Rewritten(#[source] Box<Self>),
}

/// Returns an error unless the model's arguments are a JSON object. They are text if they could not
/// be parsed.
pub(super) fn check_arguments_are_object(call: &Call) -> Result<(), BadCall> {
    let why = match &call.input {
        Value::Object(_) => return Ok(()),
        Value::String(text) => serde_json::from_str::<Value>(text).err(),
        _ => None,
    };
    let tool = call.tool.clone();
    Err(match why {
        Some(source) => BadCall::Unreadable { tool, source },
        None => BadCall::NoObject(tool),
    })
}

/// Checks a call that a hook rewrote: its tool must accept it, and it must have no new control
/// characters (HO-14).
pub(super) fn check_hook_rewrite(
    was: &Value,
    call: &Call,
    toolbox: &Toolbox,
) -> Result<(), BadCall> {
    let fit = match has_control_text(&call.input) && !has_control_text(was) {
        true => Err(BadCall::Controls),
        false => check_arguments_by_schema(call, toolbox),
    };
    fit.map_err(|why| BadCall::Rewritten(Box::new(why)))
}

/// Returns whether a text in the value contains terminal controls, or a character that ends a text
/// early.
fn has_control_text(value: &Value) -> bool {
    let drives = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    match value {
        Value::String(text) => text.contains(drives),
        Value::Array(items) => items.iter().any(has_control_text),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains(drives) || has_control_text(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Checks that the tool accepts the arguments, as far as its schema says.
pub(super) fn check_arguments_by_schema(call: &Call, toolbox: &Toolbox) -> Result<(), BadCall> {
    let (schema, is_own) = match (tool::find_tool(&call.tool), toolbox.find_server_tool(&call.tool))
    {
        (Some(tool), _) => (tool.spec().schema, true),
        // The plain parts of a server's schema are checked; the server checks the rest.
        (None, Some(served)) => (served.spec.schema, false),
        (None, None) => return Err(BadCall::UnknownTool(call.tool.clone())),
    };
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let Some(input) = call.input.as_object() else {
        return Err(BadCall::NoObject(call.tool.clone()));
    };
    let tool = || call.tool.clone();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for key in required.filter_map(Value::as_str) {
        if !input.contains_key(key) {
            return Err(BadCall::Missing { tool: tool(), key: key.to_owned() });
        }
    }
    let known = schema.get("properties");
    for (key, value) in input {
        let Some(property) = known.and_then(|properties| properties.get(key)) else {
            if !is_closed {
                continue;
            }
            return Err(BadCall::Unknown { tool: tool(), key: key.clone() });
        };
        let right = match property.get("type").and_then(Value::as_str) {
            Some("string") => value.is_string(),
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("number") => value.is_number(),
            Some("integer") => value.is_u64() || value.is_i64() || !is_own && value.is_number(),
            Some("boolean") => value.is_boolean(),
            _ => true,
        };
        if !right {
            return Err(BadCall::WrongType { tool: tool(), key: key.clone() });
        }
        if is_own && KEYS.contains(&key.as_str()) && value.as_str().is_some_and(names_home) {
            return Err(BadCall::Tilde { tool: tool(), key: key.clone() });
        }
        if is_own && !is_allowed_value(property, value) {
            let value = value.clone();
            return Err(BadCall::NotAllowed { tool: tool(), key: key.clone(), value });
        }
    }
    Ok(())
}

/// Returns whether a shell would read the path as the home (AG-18). The system takes it for an
/// ordinary name.
fn names_home(path: &str) -> bool {
    path == "~" || path.starts_with("~/")
}

/// Returns whether a value is listed by its property and within its bounds.
fn is_allowed_value(property: &Value, value: &Value) -> bool {
    let bound = |name: &str| property.get(name).and_then(Value::as_i64);
    let number = value.as_i64().unwrap_or(i64::MAX);
    let listed = property.get("enum").and_then(Value::as_array);
    listed.is_none_or(|all| all.contains(value))
        && bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
}
