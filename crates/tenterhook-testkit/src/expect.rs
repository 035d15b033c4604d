//! Does an outcome say what a case expects? Compares two JSON values and names each difference; knows no engine.

use std::path::Path;

use serde_json::{Map, Value};

/// Keys of an outcome that are compared only where the case names them: they hold times and machine paths.
const UNASKED: &[&str] = &["steps", "id", "v", "detached"];

/// Every way in which `outcome` differs from `expect`.
///
/// What `expect` does not name must be silent: null, false or empty. `faults` is the list of codes in any order; `ran`,
/// `saw` and `asked` are about the scripted programs and servers whose marks lie in `scripts`.
#[must_use]
pub fn differences(expect: &Map<String, Value>, outcome: &Value, scripts: &Path) -> Vec<String> {
    let Some(outcome) = outcome.as_object() else {
        return vec![format!("the outcome is not an object: {outcome}")];
    };
    let mut found = Vec::new();
    for (key, expected) in expect {
        let actual = outcome.get(key).unwrap_or(&Value::Null);
        let difference = match key.as_str() {
            "faults" => differing_texts(expected, &codes(actual)),
            "ran" => differing_texts(expected, &ran(scripts)),
            "saw" => differing_input(expected, scripts, "stdin"),
            "asked" => differing_input(expected, scripts, "asked"),
            _ => (!matches(expected, actual)).then(|| actual.to_string()),
        };
        if let Some(actual) = difference {
            found.push(format!("`{key}`: expected {expected}, got {actual}"));
        }
    }
    for (key, actual) in outcome {
        let asked = expect.contains_key(key) || UNASKED.contains(&key.as_str());
        if !asked && !is_silent(actual) {
            found.push(format!("`{key}`: expected silence, got {actual}"));
        }
    }
    found
}

fn is_silent(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

/// Equality, where `...` in an expected text stands for any text.
fn matches(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::String(expected), Value::String(actual)) => text_matches(expected, actual),
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected.iter().zip(actual).all(|(e, a)| matches(e, a))
        }
        (Value::Object(expected), Value::Object(actual)) => {
            expected.len() == actual.len()
                && expected.iter().all(|(key, e)| actual.get(key).is_some_and(|a| matches(e, a)))
        }
        (expected, actual) => expected == actual || is_silent(expected) && is_silent(actual),
    }
}

fn text_matches(expected: &str, actual: &str) -> bool {
    let mut parts = expected.split("...");
    let Some(mut rest) = parts.next().and_then(|first| actual.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

/// Whether everything in `expected` stands in `actual`, whose objects may hold more.
fn holds(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().all(|(key, e)| actual.get(key).is_some_and(|a| holds(e, a)))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(e, a)| holds(e, a))
        }
        (expected, actual) => matches(expected, actual),
    }
}

fn codes(faults: &Value) -> Vec<String> {
    let faults = faults.as_array().map(Vec::as_slice).unwrap_or_default();
    let code = |fault: &Value| fault.get("code").and_then(Value::as_str).map(ToOwned::to_owned);
    faults.iter().map(|fault| code(fault).unwrap_or_else(|| fault.to_string())).collect()
}

/// The actual texts where they are not the expected ones, in any order.
fn differing_texts(expected: &Value, actual: &[String]) -> Option<String> {
    let sorted = |mut words: Vec<String>| {
        words.sort();
        words
    };
    let expected = expected.as_array().map(Vec::as_slice).unwrap_or_default();
    let expected = expected.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect();
    let actual = sorted(actual.to_vec());
    (sorted(expected) != actual).then(|| format!("{actual:?}"))
}

/// The programs that ran and the servers that were asked, each as often as that.
fn ran(scripts: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(scripts).into_iter().flatten().flatten();
    let marks = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let times = std::fs::read_to_string(entry.path()).ok()?.lines().count();
        Some(vec![name.strip_suffix(".ran")?.to_owned(); times])
    });
    marks.flatten().collect()
}

/// How the last input of a program or server differs from what the case says.
fn differing_input(expected: &Value, scripts: &Path, kind: &str) -> Option<String> {
    for (name, expected) in expected.as_object().into_iter().flatten() {
        let text = match std::fs::read_to_string(scripts.join(format!("{name}.{kind}"))) {
            Ok(text) => text,
            Err(error) => return Some(format!("`{name}` was handed nothing: {error}")),
        };
        let actual = serde_json::from_str(&text).unwrap_or(Value::String(text));
        if !holds(expected, &actual) {
            return Some(format!("`{name}` was handed {actual}"));
        }
    }
    None
}

/// How the files are called that programs and servers leave.
const MARKS: &[&str] = &["ran", "stdin", "asked"];

/// Forgets what ran, so that the next event of a case starts anew.
///
/// # Errors
///
/// When a mark cannot be removed.
pub fn forget(scripts: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(scripts)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| MARKS.iter().any(|mark| extension == *mark)) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(expect: Value, outcome: Value, differences: usize) {
        let nowhere = Path::new("nowhere");
        let found = super::differences(expect.as_object().unwrap(), &outcome, nowhere);
        assert_eq!(found.len(), differences, "{expect} against {outcome}: {found:?}");
    }

    #[test]
    fn what_is_not_named_must_be_silent() {
        check(json!({}), json!({"blocked": false, "reason": null, "faults": []}), 0);
        check(json!({}), json!({"blocked": true, "reason": "x", "faults": [{"code": "c"}]}), 3);
        check(json!({}), json!({"steps": [1]}), 0);
        check(json!({"blocked": true}), json!({"blocked": false}), 1);
    }

    #[test]
    fn dots_stand_for_any_text() {
        check(json!({"reason": "a...c"}), json!({"reason": "abc"}), 0);
        check(json!({"reason": "a...c"}), json!({"reason": "abcd"}), 1);
        check(json!({"reason": "...b..."}), json!({"reason": "abc"}), 0);
        check(json!({"reason": "a"}), json!({"reason": "ab"}), 1);
    }

    #[test]
    fn faults_are_codes_in_any_order() {
        let faults = json!({"faults": [{"code": "b"}, {"code": "a"}]});
        check(json!({"faults": ["a", "b"]}), faults.clone(), 0);
        check(json!({"faults": ["a"]}), faults, 1);
    }
}
