//! The table of keys that answers have in any dialect: the meaning of a key, in
//! any spelling.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::rewrite::names_new_input;
use super::vocabulary::latin_lookalike;
use crate::diagnostic::edit_distance;

/// The meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A decision, whatever its value is.
    Decision,
    /// A decision in some protocols, free text elsewhere: only a restraining value is a decision.
    Verdict,
    /// A state, which decides nothing unless it is a denial and the object says nothing else.
    State,
    /// `false` objects.
    Consent,
    /// `false` objects where a reason or another decision stands beside it.
    Success,
    /// `false` may object where a sentence says why.
    Outcome,
    /// `true` objects.
    Denial,
    /// `true` may object where a reason stands beside it.
    Danger,
    /// The variant of a value, as languages tag it: a denial with a reason may be an answer.
    Tag,
    /// The text of a program or a model: a complete answer inside it is unclear.
    Holder,
    /// `false` ends everything.
    Continue,
    /// An object with what is specific to an event.
    Output,
    /// Why.
    Reason,
    /// Something round an answer.
    Wrapper,
    /// What others wrote: no word of the hook about the event (V-33).
    Content,
    /// What only a record of a log has.
    Log,
    /// Names the event, or how to show the answer.
    Beside,
    /// Nothing of an answer.
    Other,
}

#[rustfmt::skip]
const KEYS: &[(Key, &[&str])] = &[
    (Key::Decision, &["decision", "permissiondecision"]),
    (Key::Verdict, &["permission", "behavior", "action", "verdict", "ruling", "judgment", "judgement", "optionid",
        "decisions"]),
    (Key::State, &["status", "result", "outcome", "effect", "response", "answer", "state", "resolution", "conclusion", "output",
        "policy"]),
    (Key::Consent, &["allow", "allowed", "approve", "approved", "approval", "permit", "permitted", "proceed", "authorized", "authorize",
        "accept", "accepted", "grant", "granted", "goahead"]),
    (Key::Success, &["ok", "okay", "safe", "compliant"]),
    (Key::Outcome, &["success", "valid", "pass", "passed", "run", "exec", "execute"]),
    (Key::Denial, &["block", "blocked", "deny", "denied", "reject", "rejected", "refuse", "refused", "forbid", "forbidden", "disallow",
        "disallowed", "prevent", "prevented", "prohibit", "prohibited", "veto", "vetoed", "halt", "abort", "notallowed", "denial",
        "preventcontinuation", "preventdefault", "stopexecution", "stop", "cancel", "cancelled", "canceled"]),
    (Key::Danger, &["unsafe", "dangerous", "malicious", "harmful", "violation"]),
    (Key::Tag, &["type", "kind"]),
    (Key::Holder, &["content", "text", "stdout"]),
    (Key::Continue, &["continue"]),
    (Key::Output, &["hookspecificoutput"]),
    (Key::Reason, &["permissiondecisionreason", "reason", "message", "stopreason", "usermessage", "agentmessage", "errormessage", "systemmessage", "why",
        "explanation", "feedback", "denyreason", "blockreason", "justification", "rationale"]),
    (Key::Wrapper, &["data", "hook", "hookoutput", "hookresult", "hookresponse", "payload", "body", "results", "answers", "value", "return",
        "reply", "responses", "outputs", "items", "json", "structuredcontent"]),
    (Key::Content, &["additionalcontext", "context", "extra", "input", "toolinput", "toolresponse", "tooloutput", "toolargs", "args",
        "arguments", "parameters", "tool", "updatedinput", "updatedtooloutput", "updatedmcptooloutput", "env", "displaycontent",
        "prompt", "properties", "schema", "example", "examples", "definitions", "diff", "source", "code", "log", "logs", "stderr",
        "stats", "summary", "counts", "metadata", "config", "updatedpermissions", "rules", "metrics", "command"]),
    (Key::Log, &["level", "severity", "loglevel", "lvl", "levelname", "timestamp", "ts", "time", "@timestamp", "logger"]),
    (Key::Beside, &["hookeventname", "event", "eventname", "suppressoutput", "v", "version", "async", "interrupt", "impossible", "retry",
        "exitcode", "toolname", "uid"]),
];
/// Words in front of a key that ask it as a question: `shouldBlock`, `is_allowed`.
const QUESTIONS: &[&str] =
    &["is", "should", "can", "must", "may", "was", "will", "do", "to", "mustbe", "shouldbe"];
/// Words behind a key that say what it is of: `denyTool`, `block_command`.
const OBJECTS: &[&str] =
    &["tool", "tooluse", "toolcall", "call", "command", "execution", "operation", "request"];
/// What a key of two or more words ends with that takes a decision: `finalDecision`,
/// `tool_permission`.
const ENDINGS: &[&str] = &["decision", "verdict", "behavior", "permission"];
/// Words that differ from a key by little and mean something else.
const OTHER_WORDS: &[&str] = &[
    "division",
    "permissions",
    "continued",
    "allows",
    "blocks",
    "actions",
    "behaviors",
    "results",
];

/// Whether the key is spelled as somebody's protocol spells it but for its style, or only nearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// It is.
    Right,
    /// A slip of the pen.
    Nearly,
}

/// Returns the meaning of the key `name`, and how it is spelled.
pub(super) fn classify_key(name: &str) -> (Key, Spelling) {
    let plain = normalize_key(name);
    if let Some(key) = key_of_exact_spelling(&plain) {
        return (key, Spelling::Right);
    }
    let question = QUESTIONS
        .iter()
        .filter_map(|question| plain.strip_prefix(question))
        .find_map(key_of_exact_spelling);
    if let Some(key @ (Key::Consent | Key::Denial | Key::Success | Key::Outcome | Key::Continue)) =
        question
    {
        return (key, Spelling::Right);
    }
    if let Some(key) = key_of_misspelling(&plain) {
        return (key, Spelling::Nearly);
    }
    let object = OBJECTS
        .iter()
        .filter_map(|suffix| plain.strip_suffix(suffix))
        .find_map(key_of_exact_spelling);
    if let Some(key @ (Key::Consent | Key::Denial)) = object {
        return (key, Spelling::Nearly);
    }
    let one = !name.contains(char::is_whitespace) && plain.len() <= 24;
    let ending = one && ENDINGS.iter().any(|ending| plain.ends_with(ending));
    (if ending { Key::Verdict } else { Key::Other }, Spelling::Nearly)
}

/// The table by its names: an output may have a key for each five of its bytes.
static LISTED: LazyLock<HashMap<&str, Key>> = LazyLock::new(|| {
    KEYS.iter().flat_map(|(key, names)| names.iter().map(|name| (*name, *key))).collect()
});

fn key_of_exact_spelling(plain: &str) -> Option<Key> {
    LISTED.get(plain).copied()
}

/// Returns the key that was meant by a misspelling: up to two letters differ in long names, one in
/// others.
fn key_of_misspelling(plain: &str) -> Option<Key> {
    const MEANT: &[(&str, Key, usize)] = &[
        ("permissiondecision", Key::Decision, 3),
        ("hookspecificoutput", Key::Output, 3),
        ("decision", Key::Decision, 2),
        ("behavior", Key::Verdict, 1),
        ("verdict", Key::Verdict, 1),
        ("permission", Key::Verdict, 1),
        ("action", Key::Verdict, 1),
        ("continue", Key::Continue, 2),
        ("allowed", Key::Consent, 1),
        ("approve", Key::Consent, 1),
        ("approved", Key::Consent, 1),
        ("blocked", Key::Denial, 1),
        ("denied", Key::Denial, 1),
    ];
    if plain.len() < 5 || plain.len() > 24 || OTHER_WORDS.contains(&plain) {
        return None;
    }
    let letters: Vec<char> = plain.chars().collect();
    let near = |(meant, _, limit): &&(&str, Key, usize)| {
        plain.as_bytes().first() == meant.as_bytes().first()
            && edit_distance(&letters, &meant.chars().collect::<Vec<_>>()) <= *limit
    };
    MEANT.iter().find(near).map(|(_, key, _)| *key)
}

/// Returns `true` if the value of `key` may decide in some protocol.
pub(crate) fn takes_decision(key: &str) -> bool {
    matches!(classify_key(key).0, Key::Decision | Key::Verdict | Key::Consent)
}

/// Returns `true` if both keys take a decision, or both a new tool input.
pub(crate) fn has_same_purpose(key: &str, other: &str) -> bool {
    (takes_decision(key) && takes_decision(other))
        || (names_new_input(key) && names_new_input(other))
}

/// Returns `true` if an object has a state, and no other keys than those that accompany one.
pub(super) fn is_state_object(fields: &Map<String, Value>) -> bool {
    fields.keys().all(|key| matches!(classify_key(key).0, Key::State | Key::Reason | Key::Beside))
}

/// Returns `true` if `name` may be the beginning of a key that only answers have.
pub(super) fn is_answer_key_prefix(name: &str) -> bool {
    let plain = normalize_key(name);
    plain.len() >= 3
        && ["decision", "permissiondecision", "hookspecificoutput"]
            .iter()
            .any(|text| text.starts_with(&*plain))
}

/// Returns a key in lower case without separators: `permission_decision` and `PermissionDecision`
/// are the same. A misplaced plural of `hookSpecificOutput` is corrected.
pub(crate) fn normalize_key(key: &str) -> String {
    if key.is_ascii() {
        let visible = key.bytes().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'@');
        return correct_hook_output_plural(
            visible.map(|byte| char::from(byte.to_ascii_lowercase())).collect(),
        );
    }
    let visible = key.chars().filter(|c| c.is_alphanumeric() || *c == '@');
    correct_hook_output_plural(visible.flat_map(char::to_lowercase).map(latin_lookalike).collect())
}

fn correct_hook_output_plural(plain: String) -> String {
    match plain.as_str() {
        "hooksspecificoutput" | "hookspecificoutputs" => "hookspecificoutput".to_owned(),
        _ => plain,
    }
}
