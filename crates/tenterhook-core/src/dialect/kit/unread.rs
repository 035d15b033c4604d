//! The keys of an answer that its reader ignores: one remark names them all, because they often
//! have one cause, an answer in another agent's form. Decides nothing.

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
}

impl Unread {
    /// Adds an ignored key, and which of the known keys may have been meant.
    pub(crate) fn add_key<'k>(
        &mut self,
        path: &str,
        key: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        if let Some(near) = nearest_word(key, known) {
            self.hints.push(format!("instead of `{key}` write `{near}`"));
        }
        self.keys.push(format!("{path}{key}"));
    }

    /// Adds a hint, if there is any ignored key.
    pub(crate) fn add_hint(&mut self, words: &str) {
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
        keys.iter().for_each(|key| unread.add_key("o.", key, ["reason"]));
        unread.add_hint("more");
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
