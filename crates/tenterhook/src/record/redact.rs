//! Removes what looks like a secret from recorded content (RE-31), by one table of patterns and one
//! of field names. It prefers to remove too much.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// The replacement of a secret.
const TAKEN: &str = "[redacted]";

/// The replacement in a pattern, whose groups 1 and 2 are kept.
const REPLACED: &str = "${1}[redacted]${2}";

/// Parts of field names whose value is always a secret.
const NAMES: &[&str] = &[
    "apikey",
    "api_key",
    "api-key",
    "authorization",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "private_key",
    "secret",
    "token",
];

/// Patterns of secrets. Group 1 is text before the secret, group 2 text after it; both are kept.
const SHAPES: &[&str] = &[
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    // Keys of services, by their prefixes.
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}\b",
    r"\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abposr]|hf|npm|pypi|dckr_pat)[-_][A-Za-z0-9_-]{16,}",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    // The password in a URL.
    r"([a-z][a-z0-9+.-]*://[^/\s:@]*:)[^@\s/]+(@)",
    r"(?i)((?:proxy-)?authorization\s*[:=]\s*(?:bearer|basic|token)?\s*)[^\s'\x22,]+",
    r"(?i)(\bbearer\s+)[A-Za-z0-9._~+/-]{8,}=*",
    // `NAME_TOKEN=...`, `--password ...`
    r"(?i)([a-z0-9_-]*(?:api_?key|passwd|password|passphrase|secret|token|credential)[a-z0-9_-]*['\x22]?(?:\s*[:=]\s*|\s+)['\x22]?)[^\s'\x22,;&|]{4,}",
    // Long runs of hexadecimal or base64 characters.
    r"\b[A-Fa-f0-9]{32,}\b",
    r"\b[A-Za-z0-9+/_-]*[0-9][A-Za-z0-9+_-]{38,}={0,2}",
];

static COMPILED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SHAPES.iter().filter_map(|shape| Regex::new(shape).ok()).collect());

/// Removes what looks like a secret from a value.
#[must_use]
pub fn redact_value(mut value: Value) -> Value {
    redact_in_place(&mut value);
    value
}

fn redact_in_place(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = redact_text(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact_in_place),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::Null | Value::Bool(_) => {}
                    // A count of tokens is not a secret.
                    Value::Number(_) if name.to_lowercase().contains("tokens") => {}
                    _ if is_secret_name(name) => *field = TAKEN.into(),
                    _ => redact_in_place(field),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    NAMES.iter().any(|word| name.contains(word))
}

fn redact_text(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for shape in COMPILED.iter() {
        if shape.is_match(&text) {
            text = Cow::Owned(shape.replace_all(&text, REPLACED).into_owned());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_shape_is_a_regular_expression() {
        assert_eq!(COMPILED.len(), SHAPES.len());
    }

    /// RE-31.
    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        let run = "Ab3".repeat(16);
        for (text, left) in [
            (
                format!("curl -H 'Authorization: Bearer {run}' x"),
                "curl -H 'Authorization: Bearer [redacted]' x",
            ),
            (
                format!("export GITHUB_TOKEN={}", "ghp_".to_owned() + &run),
                "export GITHUB_TOKEN=[redacted]",
            ),
            ("psql postgres://me:hunter22@db/x".to_owned(), "psql postgres://me:[redacted]@db/x"),
            (format!("x {run} y"), "x [redacted] y"),
            ("mysql --password hunter22 db".to_owned(), "mysql --password [redacted] db"),
            ("git push --force origin main".to_owned(), "git push --force origin main"),
            (
                "cargo test -p some-long-crate-name-that-is-a-name".to_owned(),
                "cargo test -p some-long-crate-name-that-is-a-name",
            ),
        ] {
            assert_eq!(redact_value(json!({ "command": text })), json!({ "command": left }));
        }
        let fields = json!({ "api_key": "x", "nested": [{ "password": 1, "total_tokens": 5, "name": "a" }] });
        let left = json!({ "api_key": "[redacted]", "nested": [{ "password": "[redacted]", "total_tokens": 5, "name": "a" }] });
        assert_eq!(redact_value(fields), left);
    }
}
