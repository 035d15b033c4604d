//! Removes what looks like a secret from recorded content (RE-31), by a table of patterns and by tables
//! of the names that announce secrets. It prefers to remove too much.

mod command;
mod names;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use command::find_secrets;
use names::{HEADERS, NAMES, PARAMETERS, SHORT_NAMES};

/// The replacement of a secret.
const TAKEN: &str = "[redacted]";

/// The replacement in a pattern, whose groups 1 and 2 are kept.
const REPLACED: &str = "${1}[redacted]${2}";

/// Patterns of secrets. Group 1 is text before the secret, group 2 text after it; both are kept.
const SHAPES: &[&str] = &[
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    // Keys of services, by their prefixes.
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}\b",
    r"\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abposr]|hf|npm|pypi|dckr_pat)[-_][A-Za-z0-9_-]{16,}",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    // The password in a URL, or a token in its place.
    r"(https?://)[^\s/:@]{16,}(@)",
    r"([a-z][a-z0-9+.-]*://[^/\s:@]*:)[^@\s/]+(@)",
    r"(?i)((?:proxy-)?authorization\s*:\s*(?:bearer|basic|token|digest|apikey|negotiate|ntlm|key|aws4-hmac-sha256)?\s*)[^'\x22\r\n]+",
    r"(?i)((?:proxy-)?authorization\s*=\s*(?:bearer|basic|token)?\s*)[^\s'\x22,]+",
    r"(?i)(\bbearer\s+)[A-Za-z0-9._~+/-]{8,}=*",
    // `NAME_TOKEN=...`, `--password ...`
    r"(?i)([a-z0-9_-]*(?:api_?key|passwd|password|passphrase|secret|token|credential)[a-z0-9_-]*['\x22]?(?:\s*[:=]\s*|\s+)['\x22]?)[^\s'\x22,;&|]{4,}",
    r"(?i)(\bidentified\s+(?:with\s+\S+\s+)?by\s+['\x22])[^'\x22]+",
    // Long runs of hexadecimal or base64 characters.
    r"\b[A-Fa-f0-9]{32,}\b",
    r"\b[A-Za-z0-9+/_-]*[0-9][A-Za-z0-9+_-]{38,}={0,2}",
];

static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let shapes = SHAPES.iter().map(|shape| (*shape).to_owned()).chain(patterns_with_secret_names());
    shapes.filter_map(|shape| Regex::new(&shape).ok()).collect()
});

/// Returns the patterns of headers, of parameters in URLs and of quoted fields with a secret name.
fn patterns_with_secret_names() -> [String; 4] {
    let [headers, parameters, names, short_names] =
        [HEADERS, PARAMETERS, NAMES, SHORT_NAMES].map(|names| names.join("|"));
    let header =
        format!(r"\b(?:x-(?:[\w-]*(?:{names})[\w-]*|(?:[\w-]*-)?(?:key|auth|session))|{headers})");
    let name = format!(r"(?:{short_names}|[\w.-]*(?:{names})[\w.-]*)");
    [
        format!(r"(?i)({header}:)[^\s'\x22]+"),
        format!(r"(?i)({header}\s*:\s)[^'\x22\r\n]+"),
        format!(r"(?i)([?&](?:{parameters}|{name})=)[^&\s'\x22#]+"),
        format!(r"(?i)(['\x22](?:{name}|{header})\\?['\x22]\s*[:=]\s*\\?['\x22])[^'\x22\\]+"),
    ]
}

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
    let is_whole = || SHORT_NAMES.iter().chain(HEADERS).any(|whole| *whole == name);
    NAMES.iter().any(|part| name.contains(part)) || is_whole()
}

fn redact_text(text: &str) -> Cow<'_, str> {
    let mut text = redact_commands(text);
    for shape in COMPILED.iter() {
        if shape.is_match(&text) {
            text = Cow::Owned(shape.replace_all(&text, REPLACED).into_owned());
        }
    }
    text
}

/// Removes the secrets of command lines.
fn redact_commands(text: &str) -> Cow<'_, str> {
    let secrets = find_secrets(text);
    if secrets.is_empty() {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len());
    let mut end = 0;
    for secret in secrets {
        clean.push_str(text.get(end..secret.range.start).unwrap_or_default());
        clean.push_str(&secret.kept);
        clean.push_str(TAKEN);
        end = secret.range.end;
    }
    clean.push_str(text.get(end..).unwrap_or_default());
    clean.into()
}
