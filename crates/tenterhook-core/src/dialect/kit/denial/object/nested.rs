//! Finds answers inside a value of another answer: the variant of a tagged value, the reply of a
//! model, the output of another program. Reports what is unclear; reads no consent.

use serde_json::Value;

use super::super::keys::{self, Key};
use super::super::vocabulary;
use super::{At, Fields, Known, Level, Search};
use crate::answer::Restraint;
use crate::strict::{self, Found};

impl Search<'_> {
    /// Reports a tag that denies, such as `{"type": "deny", "reason": "no rm"}`, in an object that
    /// has nothing else.
    pub(super) fn search_decision_tag(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        let denies = value
            .as_str()
            .is_some_and(|text| vocabulary::restraint_of_word(text) > Restraint::Allow);
        if denies && level.known.is_tagged_value() {
            self.note_unclear(level, key, value);
        }
    }

    /// Searches the text of a program or a model, which may be a whole answer.
    pub(super) fn search_message_text(&mut self, level: &Level<'_>, key: &str, value: &Value) {
        if level.known.fields.get("role").is_some_and(|role| role != "assistant")
            || level.known.is_log_record()
        {
            return;
        }
        match value {
            Value::String(text) if text.trim_start().starts_with('{') && !level.alone => {
                if let Found::Object(object) = strict::read_output(text.as_bytes()).found {
                    let (outer, path) = (level.objects_outwards(), level.path_to_key(key));
                    let (known, at) = (&Known::new(&object.fields), At::Elsewhere);
                    self.search_object(&Level {
                        known,
                        outer: &outer,
                        path: &path,
                        at,
                        alone: true,
                    });
                }
            }
            _ => self.search_nested(level, key, value, At::Elsewhere),
        }
    }
}

/// Returns `true` for an object such as `{"type": "deny"}` in the position of a decision.
pub(super) fn has_denying_tag(fields: &Fields) -> bool {
    fields.iter().any(|(key, value)| {
        matches!(keys::classify_key(key).0, Key::Tag | Key::Wrapper)
            && value
                .as_str()
                .is_some_and(|text| vocabulary::restraint_of_word(text) > Restraint::Allow)
    })
}
