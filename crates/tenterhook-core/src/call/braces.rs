//! Which words does a word with braces, or with a class of characters, stand for?

use crate::event::meter::Meter;

/// Most words that the braces of one word are unfolded into.
pub(super) const MOST_UNFOLDED: usize = 32;

/// Appends the words that a word with braces such as `a{b,c}d` stands for.
pub(super) fn expand_braces(word: &str, meter: &Meter<'_>, out: &mut Vec<String>) {
    if !meter.spend_steps_for_bytes(word.len()) {
        return;
    }
    match split_at_braces(word) {
        Some((before, inner, after)) if out.len() < MOST_UNFOLDED => {
            for choice in inner.split(',') {
                expand_braces(&format!("{before}{choice}{after}"), meter, out);
            }
        }
        _ => out.push(word.to_owned()),
    }
}

/// Most characters of a class that is put in: `[a-z]` stays as it is written.
const MOST_OF_CLASS: usize = 8;

/// Returns the words that a pattern with one character class may match: `.en[v]` is `.env`.
pub(super) fn expand_character_class(word: &str) -> Vec<String> {
    let parts = || {
        let (before, rest) = word.split_once('[')?;
        let (inner, after) = rest.split_once(']')?;
        let is_plain = inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        let few = !inner.is_empty() && inner.len() <= MOST_OF_CLASS;
        (is_plain && few && !(before.is_empty() && after.is_empty()))
            .then_some((before, inner, after))
    };
    let Some((before, inner, after)) = parts() else { return Vec::new() };
    inner.chars().map(|choice| format!("{before}{choice}{after}")).collect()
}

/// Splits a word into the text before, in and after the first braces that can be expanded.
fn split_at_braces(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('{').filter(|(before, _)| !before.ends_with('$'))?;
    let (inner, after) = rest.split_once('}')?;
    (inner.contains(',') && !inner.contains(['{', ' ', ':', '"'])).then_some((before, inner, after))
}

/// Whether a word has braces that were not expanded.
pub(super) fn has_unexpanded_braces(word: &str) -> bool {
    word.contains("{/") && split_at_braces(word).is_some()
}
