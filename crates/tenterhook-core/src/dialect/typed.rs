//! Typed fields of JSON objects that agents and hooks write: what a value is, and whether it is
//! what its key documents.

use serde_json::{Map, Value};

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Flag,
    Number,
    Object,
    Texts,
    List,
    Any,
}

/// A field whose value has another type than its key documents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` must be {expected}, not {found}")]
pub(crate) struct TypeMismatch {
    /// The field.
    pub(crate) key: String,
    /// The documented type, with its article.
    pub(crate) expected: &'static str,
    /// The type of the value, with its article.
    pub(crate) found: &'static str,
}

/// Checks that the value of `key`, if present, has the type that the key's documentation requires.
pub(crate) fn check_field_type(
    object: &Map<String, Value>,
    key: &str,
    expected: Type,
) -> Result<(), TypeMismatch> {
    let Some(value) = object.get(key) else { return Ok(()) };
    let (fits, expected) = match expected {
        Type::Text => (value.is_string(), "a string"),
        Type::Flag => (value.is_boolean(), "a boolean"),
        Type::Number => (value.is_number(), "a number"),
        Type::Object => (value.is_object(), "an object"),
        Type::List => (value.is_array(), "an array"),
        Type::Texts => (
            value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            "an array of strings",
        ),
        Type::Any => (true, ""),
    };
    match fits {
        true => Ok(()),
        false => Err(TypeMismatch { key: key.to_owned(), expected, found: value_kind(value) }),
    }
}

/// Returns the text of a field, if it is not empty.
pub(crate) fn non_empty_text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Returns the type of a value in words, for messages.
pub(crate) const fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
