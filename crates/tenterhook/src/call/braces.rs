//! Which words does a word with braces stand for?

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

/// What stands before, in and behind the first braces that unfold.
fn braces(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('{').filter(|(before, _)| !before.ends_with('$'))?;
    let (inner, after) = rest.split_once('}')?;
    (inner.contains(',') && !inner.contains(['{', ' ', ':', '"'])).then_some((before, inner, after))
}

/// Whether braces are left that were not unfolded.
pub(super) fn is_braced(word: &str) -> bool {
    word.contains("{/") && braces(word).is_some()
}
