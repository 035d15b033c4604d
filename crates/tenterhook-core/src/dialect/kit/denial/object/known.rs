//! Facts about one object, computed once: the object may have very many keys, and each of them may
//! ask. Decides nothing.

use std::cell::OnceCell;

use serde_json::Value;

use super::super::keys::{self, Key, Spelling, normalize_key};
use super::super::reason;
use super::Fields;

/// An object, and what was asked of it.
pub(super) struct Known<'a> {
    pub(super) fields: &'a Fields,
    plain: OnceCell<bool>,
    state: OnceCell<bool>,
    tag: OnceCell<bool>,
    record: OnceCell<bool>,
    buttons: OnceCell<bool>,
    reason: OnceCell<Option<String>>,
    event: OnceCell<Option<String>>,
    decisions: OnceCell<Vec<String>>,
}

impl<'a> Known<'a> {
    pub(super) fn new(fields: &'a Fields) -> Self {
        Self {
            fields,
            plain: OnceCell::new(),
            state: OnceCell::new(),
            tag: OnceCell::new(),
            record: OnceCell::new(),
            buttons: OnceCell::new(),
            reason: OnceCell::new(),
            event: OnceCell::new(),
            decisions: OnceCell::new(),
        }
    }

    /// Returns `true` if every key belongs to an answer. An object with other content may be about
    /// something else.
    pub(super) fn has_only_answer_keys(&self) -> bool {
        let foreign = |key: &String| {
            matches!(
                keys::classify_key(key).0,
                Key::Other | Key::Log | Key::Content | Key::Wrapper | Key::Holder | Key::Tag
            )
        };
        *self.plain.get_or_init(|| !self.fields.keys().any(foreign))
    }

    /// Returns `true` if the object has a state, and no other keys than those that accompany one.
    pub(super) fn is_state_object(&self) -> bool {
        *self.state.get_or_init(|| keys::is_state_object(self.fields))
    }

    /// Returns `true` if the object is only a tagged value with its reason.
    pub(super) fn is_tagged_value(&self) -> bool {
        let answers = |key: &String| {
            matches!(keys::classify_key(key).0, Key::Tag | Key::Reason | Key::Beside | Key::Wrapper)
        };
        *self.tag.get_or_init(|| self.fields.keys().all(answers) && reason::has_reason(self.fields))
    }

    /// Returns `true` if the object is a record of a log.
    pub(super) fn is_log_record(&self) -> bool {
        *self.record.get_or_init(|| reason::is_log_record(self.fields))
    }

    /// Returns `true` if a consent in the object is a text: words at flags are then the names of
    /// buttons.
    pub(super) fn flags_hold_button_names(&self) -> bool {
        let named = |(key, value): (&String, &Value)| {
            value.is_string() && keys::classify_key(key).0 == Key::Consent
        };
        *self.buttons.get_or_init(|| self.fields.iter().any(named))
    }

    /// Returns the reason that the object gives for its decision.
    pub(super) fn reason(&self) -> Option<&str> {
        self.reason.get_or_init(|| reason::reason_of_object(self.fields)).as_deref()
    }

    /// Returns the event that the object names.
    pub(super) fn event_name(&self) -> Option<&str> {
        let named = || {
            let found = self.fields.iter().find(|(key, _)| normalize_key(key) == "hookeventname");
            found.and_then(|(_, name)| name.as_str().map(str::to_owned))
        };
        self.event.get_or_init(named).as_deref()
    }

    /// Returns `true` if a key other than `key` holds a decision.
    pub(super) fn decides_at_other_key(&self, key: &str) -> bool {
        let decides = |key: &&String| keys::classify_key(key) == (Key::Decision, Spelling::Right);
        // Two are enough: one of them differs from `key`.
        let first = || self.fields.keys().filter(decides).take(2).cloned().collect();
        self.decisions.get_or_init(first).iter().any(|text| text != key)
    }
}
