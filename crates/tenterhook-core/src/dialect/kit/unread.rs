//! The keys of an answer that its reader ignores: one remark names them all, because they often
//! have one cause, an answer in another agent's form. Decides nothing.

use serde_json::Value;

use super::denial::{has_same_purpose, is_consent, normalize_key, takes_decision};
use crate::answer::Failure;
use crate::diagnostic::{Code, nearest_word};

/// How many keys are named; the rest is counted.
const NAMED: usize = 8;

/// Ignored keys, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    keys: Vec<String>,
    /// Hints: the key that was meant, or where a key belongs.
    hints: Vec<String>,
    /// The paths of the fields that the event reads.
    read: Vec<String>,
}

impl Unread {
    /// Creates the list for an event of which the agent reads the fields at these key paths.
    pub(crate) fn new_for_read_fields(read: Vec<String>) -> Self {
        Self { read, ..Self::default() }
    }

    /// Adds an ignored key, and which of the known keys may have been meant.
    pub(crate) fn add_unread_key<'k>(
        &mut self,
        path: &str,
        (key, value): (&str, &Value),
        known: impl IntoIterator<Item = &'k str>,
    ) {
        if let Some(near) = nearest_word(key, known) {
            self.hints.push(format!("instead of `{key}` write `{near}`"));
        } else if let Some(place) = self.find_meant_field_path(path, (key, value)) {
            self.hints.push(format!("instead of `{path}{key}` write `{place}`"));
        }
        self.keys.push(format!("{path}{key}"));
    }

    /// Returns the path of the field that a misplaced key was meant for. The fault of a misplaced
    /// denial names its place already.
    fn find_meant_field_path(&self, path: &str, (key, value): (&str, &Value)) -> Option<&str> {
        if takes_decision(key) && !is_consent(value) {
            return None;
        }
        let last = |read: &str| read.rsplit('.').next().unwrap_or_default().to_owned();
        let is_other = |read: &&String| **read != format!("{path}{key}");
        let is_namesake = |read: &&String| normalize_key(&last(read)) == normalize_key(key);
        let is_substitute = |read: &&String| has_same_purpose(key, &last(read));
        let mut others = self.read.iter().filter(is_other);
        let found = others.clone().find(is_namesake).or_else(|| others.find(is_substitute));
        found.map(String::as_str)
    }

    /// Adds a hint, if there is any ignored key.
    pub(crate) fn add_hint_if_keys_unread(&mut self, words: &str) {
        if !self.keys.is_empty() {
            self.hints.push(words.to_owned());
        }
    }

    /// Returns one remark about all ignored keys.
    pub(crate) fn into_remark(self) -> Option<Failure> {
        let message = [unread_keys_message(&self.keys)?]
            .into_iter()
            .chain(self.hints.into_iter().take(NAMED));
        let message = message.collect::<Vec<_>>().join("; ");
        Some(Failure::new(Code::UnknownField, message))
    }
}

/// Says which keys are not read: `a` is not read; `a`, `b` and `c` are not read.
fn unread_keys_message(keys: &[String]) -> Option<String> {
    let quoted: Vec<String> = keys.iter().take(NAMED).map(|key| format!("`{key}`")).collect();
    let (last, first) = quoted.split_last()?;
    let more = keys.len().saturating_sub(NAMED);
    Some(match (first.is_empty(), more) {
        (true, _) => format!("{last} is not read"),
        (false, 0) => format!("{} and {last} are not read", first.join(", ")),
        (false, more) => format!("{}, {last} and {more} more are not read", first.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(keys: &[&str]) -> Option<String> {
        let mut unread = Unread::default();
        keys.iter().for_each(|key| unread.add_unread_key("o.", (key, &Value::Null), ["reason"]));
        unread.add_hint_if_keys_unread("more");
        unread.into_remark().map(|remark| remark.message)
    }

    #[test]
    fn all_keys_are_in_one_remark() {
        assert_eq!(message(&[]), None);
        assert_eq!(message(&["x"]).as_deref(), Some("`o.x` is not read; more"));
        let two = "`o.x` and `o.raeson` are not read; instead of `raeson` write `reason`; more";
        assert_eq!(message(&["x", "raeson"]).as_deref(), Some(two));
        let many = message(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]).unwrap_or_default();
        assert!(many.contains("`o.h` and 2 more are not read"), "{many}");
    }
}
