//! The table of decision values in any dialect, in any spelling. Takes no other
//! text for consent.

use serde_json::Value;

use crate::answer::Restraint;
use crate::diagnostic::edit_distance;

/// A longer text is a sentence and no decision.
const MAX_WORD: usize = 64;
/// The shortest word in which one wrong letter is still a slip of the pen.
const MIN_SLIP: usize = 4;

/// Words that deny wherever a decision may stand, without case, spaces and ending.
const DENIALS: &[&str] = &[
    "deny",
    "denied",
    "denies",
    "denying",
    "block",
    "blocked",
    "blocks",
    "blocking",
    "reject",
    "rejected",
    "rejects",
    "refuse",
    "refused",
    "refuses",
    "forbid",
    "forbidden",
    "forbids",
    "disallow",
    "disallowed",
    "disallows",
    "decline",
    "declined",
    "declines",
    "cancel",
    "cancelled",
    "canceled",
    "stop",
    "stopped",
    "halt",
    "halted",
    "abort",
    "aborted",
    "prevent",
    "prevented",
    "prevents",
    "prohibit",
    "prohibited",
    "veto",
    "vetoed",
    "ban",
    "banned",
    "disapprove",
    "disapproved",
    "unauthorized",
    "no",
    "nope",
    "never",
    "notallowed",
    "notallow",
    "notpermitted",
    "notapproved",
    "notauthorized",
    "donotallow",
    "dontallow",
    "donotproceed",
    "dontproceed",
    "nogo",
    "false",
    "restrict",
    "restricted",
    "interdict",
    "nack",
];
/// Words that ask.
const QUESTIONS: &[&str] = &["ask", "confirm"];
/// Words that put off.
const DEFERRALS: &[&str] = &["defer", "deferred"];
/// Words that consent, or say that there is nothing to say.
const CONSENTS: &[&str] = &[
    "",
    "allow",
    "allowed",
    "allows",
    "approve",
    "approved",
    "accept",
    "accepted",
    "permit",
    "permitted",
    "grant",
    "granted",
    "proceed",
    "continue",
    "ok",
    "okay",
    "yes",
    "true",
    "pass",
    "passed",
    "none",
    "null",
    "noop",
    "skip",
    "skipped",
    "ignore",
    "ignored",
    "abstain",
    "undecided",
    "neutral",
    "default",
    "passthrough",
    "go",
    "safe",
    "unchanged",
    "allowonce",
    "allowalways",
    "noopinion",
    "nodecision",
    "noobjection",
];
/// Words that deny by themselves, as the whole of an output.
const ALONE: &[&str] = &[
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
    "prohibited",
    "veto",
    "notallowed",
    "notpermitted",
    "no",
    "stop",
    "abort",
    "ask",
    "cancel",
    "denies",
    "blocks",
    "prevent",
    "prevented",
];
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

/// What a word at the place of a decision says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It restrains.
    Restrains(Restraint),
    /// It nearly does: a slip of the pen, or a sentence that begins with such a word.
    Nearly,
    /// It consents, or says nothing.
    Consents,
    /// It is no word that anybody knows.
    Unknown,
}

/// Returns what `word` means in the position of a decision.
pub(super) fn meaning_of_word(word: &str) -> Meaning {
    let plain = normalize_word(word);
    let known = restraint_of_normalized_word(&plain);
    if known > Restraint::Silent {
        return Meaning::Restrains(known);
    }
    let says = !plain.is_empty() || word.trim().is_empty();
    if says && CONSENTS.contains(&&*plain) {
        return Meaning::Consents;
    }
    let first = word.split(|c: char| !c.is_alphanumeric()).find(|part| !part.is_empty());
    let begins = first.is_some_and(|text| denies_as_single_word(&normalize_word(text)));
    if begins || is_misspelt_denial(&plain) { Meaning::Nearly } else { Meaning::Unknown }
}

/// Returns the restraint that a decision word means, however it is spelled; a word of consent
/// restrains nothing.
pub(crate) fn restraint_of_word(word: &str) -> Restraint {
    restraint_of_normalized_word(&normalize_word(word))
}

fn restraint_of_normalized_word(plain: &str) -> Restraint {
    // `reject_once`, `always_deny`: for how long it holds.
    let plain = ["once", "always", "forever"].iter().fold(plain, |word, suffix| {
        word.strip_suffix(suffix).or_else(|| word.strip_prefix(suffix)).unwrap_or(word)
    });
    [(DENIALS, Restraint::Deny), (DEFERRALS, Restraint::Defer), (QUESTIONS, Restraint::Ask)]
        .into_iter()
        .find_map(|(words, restraint)| words.contains(&plain).then_some(restraint))
        .unwrap_or(Restraint::Silent)
}

fn denies_as_single_word(plain: &str) -> bool {
    ALONE.contains(&plain)
}

/// Returns `true` if the text is a single word that denies by itself, as the whole output.
pub(super) fn is_denial_alone(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    bare.len() <= MAX_WORD && denies_as_single_word(&normalize_word(bare))
}

/// Returns `true` if a word that denies has one wrong letter or two swapped neighbours. A word of
/// consent is never read this way.
fn is_misspelt_denial(plain: &str) -> bool {
    let letters: Vec<char> = plain.chars().collect();
    let long = |text: &&&str| text.len() > MIN_SLIP;
    letters.len() >= MIN_SLIP
        && letters.len() <= MAX_WORD
        && (DENIALS.iter().filter(long).chain(&["deny"]))
            .filter(|denial| denial.len().abs_diff(letters.len()) <= 1)
            .any(|denial| edit_distance(&letters, &denial.chars().collect::<Vec<_>>()) == 1)
}

/// Returns `true` for `false`, and for what shells and languages write for it.
pub(crate) fn is_false_like(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => !truth,
        Value::String(word) => matches!(&*normalize_word(word), "false" | "no" | "0" | "off"),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns `true` for `true`, and for what shells and languages write for it.
pub(super) fn is_true_like(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::String(word) => matches!(&*normalize_word(word), "true" | "yes" | "1" | "on"),
        Value::Number(number) => number.as_f64() == Some(1.0),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns `true` for `true` and for a word of consent.
pub(crate) fn is_consent(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::String(word) => meaning_of_word(word) == Meaning::Consents,
        _ => false,
    }
}

/// Returns a word in lower case without padding, separators and quotes, and with look-alike letters
/// replaced.
fn normalize_word(word: &str) -> String {
    if word.len() > MAX_WORD {
        return word.to_owned();
    }
    let visible = crate::text::clean(word, MAX_WORD).text.to_lowercase();
    let trimmed = visible.trim_matches(|c: char| !c.is_alphanumeric());
    trimmed
        .chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-' | '\'' | '’'))
        .map(latin_lookalike)
        .collect()
}

/// Returns the Latin letter that `letter` looks like.
pub(super) fn latin_lookalike(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    LOOKALIKES.iter().find(|(from, _)| *from == letter).map_or(letter, |(_, to)| *to)
}
