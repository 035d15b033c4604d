//! Finds the complete pairs of a key and a value in an object that cannot be read (J-15).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// More pairs than an answer has keys tell nothing new.
const MAX_PAIRS: usize = 1000;

/// A quoted word, a colon, then a complete string or a literal. Each pair is looked for at its position and not counted
/// off from the first quote, because a quote too many is what breaks most such objects.
static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (?: "(?<key>[A-Za-z_][\w.-]*)" | '(?<bare>[A-Za-z_][\w.-]*)' )
        \s*:\s*
        (?: (?<text> "(?:[^"\\\n]|\\.)*" ) | '(?<single>(?:[^'\\\n]|\\.)*)'
          | (?<literal> [Tt]rue | [Ff]alse | null | None )\b )
        "#,
    )
    .ok()
});

pub(super) fn find_key_value_pairs(text: &str) -> Vec<(String, Value)> {
    let Some(pair) = PAIR.as_ref() else { return Vec::new() };
    let value = |captures: &regex::Captures<'_>| {
        if let Some(text) = captures.name("text") {
            // A string whose escapes are wrong is still a complete string.
            let raw = || text.as_str().trim_matches('"').to_owned();
            return Value::String(serde_json::from_str(text.as_str()).unwrap_or_else(|_| raw()));
        }
        if let Some(text) = captures.name("single") {
            return Value::String(text.as_str().to_owned());
        }
        match captures.name("literal").map(|name| name.as_str()) {
            Some("true" | "True") => Value::Bool(true),
            Some("false" | "False") => Value::Bool(false),
            _ => Value::Null,
        }
    };
    pair.captures_iter(text)
        .take(MAX_PAIRS)
        .filter_map(|captures| {
            let key = captures.name("key").or_else(|| captures.name("bare"))?;
            Some((key.as_str().to_owned(), value(&captures)))
        })
        .collect()
}
