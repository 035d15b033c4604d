//! Words that show, in any dialect, that a restraint was meant. Closed tables; never a word of consent. And
//! which words can name a variable.

use serde_json::Value;

use crate::answer::Restraint;

/// A longer text is a sentence and no decision.
const MAX_WORD: usize = 64;

/// Words that deny wherever a decision may stand, as [`plain_word`] spells them.
const DENIALS: &[&str] = &[
    "deny",
    "denied",
    "block",
    "blocked",
    "reject",
    "rejected",
    "refuse",
    "refused",
    "forbid",
    "forbidden",
    "disallow",
    "disallowed",
    "decline",
    "declined",
    "cancel",
    "cancelled",
];
/// Words that ask.
const QUESTIONS: &[&str] = &["ask", "confirm"];
/// Words that put off.
const DEFERRALS: &[&str] = &["defer", "deferred"];
/// Letters of other alphabets that look like the Latin ones of the words above.
const LOOKALIKES: &[(char, char)] = &[
    ('а', 'a'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('і', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('ո', 'n'),
    ('о', 'o'),
    ('ο', 'o'),
    ('ѕ', 's'),
    ('у', 'y'),
    ('ʏ', 'y'),
    ('ı', 'i'),
];

/// What a decision word restrains to, however it is spelled; no word of consent restrains.
pub(super) fn restraint(word: &str) -> Restraint {
    let plain = plain_word(word);
    [(DENIALS, Restraint::Deny), (DEFERRALS, Restraint::Defer), (QUESTIONS, Restraint::Ask)]
        .into_iter()
        .find_map(|(words, restraint)| words.contains(&plain.as_str()).then_some(restraint))
        .unwrap_or_default()
}

/// `false`, and what shells and languages write for it.
pub(super) fn says_no(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => !truth,
        Value::String(word) => matches!(plain_word(word).as_str(), "false" | "no"),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// `true`, and what shells and languages write for it.
pub(super) fn says_yes(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::String(word) => matches!(plain_word(word).as_str(), "true" | "yes"),
        Value::Number(number) => number.as_f64() == Some(1.0),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// A key without its style: `permission_decision` and `PermissionDecision` are the same. So is a plural of the one key
/// whose singular people forget.
pub(super) fn plain_key(key: &str) -> String {
    let plain: String = key
        .chars()
        .filter(|it| !matches!(it, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    match plain.as_str() {
        "hooksspecificoutput" | "hookspecificoutputs" => "hookspecificoutput".to_owned(),
        _ => plain,
    }
}

pub(super) fn is_in(keys: &[&str], key: &str) -> bool {
    keys.contains(&plain_key(key).as_str())
}

/// A word without case, padding, quotes, closing punctuation and letters that only look right.
fn plain_word(word: &str) -> String {
    if word.len() > MAX_WORD {
        return String::new();
    }
    let visible = crate::text::clean(word, MAX_WORD).text.to_lowercase();
    visible
        .trim_matches(|it: char| it.is_whitespace() || matches!(it, '"' | '\'' | '.' | '!' | ','))
        .chars()
        .map(|it| LOOKALIKES.iter().find(|(from, _)| *from == it).map_or(it, |(_, to)| *to))
        .collect()
}

/// Whether a program takes this for the name of a variable.
pub(super) fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}
