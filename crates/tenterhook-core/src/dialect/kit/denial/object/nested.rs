//! Finds answers inside a value of another answer: the variant of a tagged value, the reply of a
//! model, the output of another program. Reports what is unclear; reads no consent.

use serde_json::Value;

use super::super::keys::{self, Key};
use super::super::vocabulary;
use super::{At, Fields, Known, Level, Search};
use crate::answer::Restraint;
use crate::strict::{self, Found};

impl Search<'_> {
    /// `{"type": "deny", "reason": "no rm"}`, in an object that says nothing else.
    pub(super) fn tag(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let denies =
            value.as_str().is_some_and(|text| vocabulary::restraint(text) > Restraint::Allow);
        if denies && level.known.is_tag() {
            self.unclear(level, key, value);
        }
    }

    /// The words of a program or a model, which may be an answer in full.
    pub(super) fn holder(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        if level.known.fields.get("role").is_some_and(|role| role != "assistant")
            || level.known.is_record()
        {
            return;
        }
        match value {
            Value::String(text) if text.trim_start().starts_with('{') && !level.alone => {
                if let Found::Object(object) = strict::read(text.as_bytes()).found {
                    let (outer, path) = (level.levels(), level.path(key));
                    let (known, at) = (&Known::new(&object.fields), At::Elsewhere);
                    self.level(&Level { known, outer: &outer, path: &path, at, alone: true });
                }
            }
            _ => self.inner(level, key, value, At::Elsewhere),
        }
    }
}

/// `{"type": "deny"}` at the place of a decision.
pub(super) fn tagged(fields: &Fields) -> bool {
    fields.iter().any(|(key, value)| {
        matches!(keys::kind(key).0, Key::Tag | Key::Wrapper)
            && value.as_str().is_some_and(|text| vocabulary::restraint(text) > Restraint::Allow)
    })
}
