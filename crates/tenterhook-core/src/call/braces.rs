//! Which words does a word with braces, or with a class of characters, stand for?

use crate::event::meter::Meter;

/// Most words that the braces of one word are unfolded into.
pub(super) const MOST_UNFOLDED: usize = 32;

/// The words that `a{b,c}d` stands for.
pub(super) fn unfold(word: &str, meter: &Meter<'_>, out: &mut Vec<String>) {
    if !meter.read(word.len()) {
        return;
    }
    match braces(word) {
        Some((before, inner, after)) if out.len() < MOST_UNFOLDED => {
            for choice in inner.split(',') {
                unfold(&format!("{before}{choice}{after}"), meter, out);
            }
        }
        _ => out.push(word.to_owned()),
    }
}

/// Most characters of a class that is put in: `[a-z]` stays as it is written.
const MOST_OF_CLASS: usize = 8;

/// The words that a pattern with one class of characters may be meant for: `.en[v]` is `.env`.
pub(super) fn of_class(word: &str) -> Vec<String> {
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

/// The text before, in and behind the first braces that unfold.
fn braces(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('{').filter(|(before, _)| !before.ends_with('$'))?;
    let (inner, after) = rest.split_once('}')?;
    (inner.contains(',') && !inner.contains(['{', ' ', ':', '"'])).then_some((before, inner, after))
}

/// Whether braces are left that were not unfolded.
pub(super) fn is_braced(word: &str) -> bool {
    word.contains("{/") && braces(word).is_some()
}
