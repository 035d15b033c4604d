//! How modes are spelt: the seed's words, the labels of later versions, and what other hosts call the same (CW-31).

use crate::event::Event;

/// Each mode with the other words for it. The first word is what hooks are told.
const MODES: &[(&str, &[&str])] =
    &[("agent", &["act"]), ("plan", &[]), ("operate", &[]), ("auto", &[]), ("yolo", &[])];

/// Modes that later versions show under one label.
const LABELS: &[(&str, &[&str])] = &[("act", &["agent", "auto", "yolo"])];

/// What the permission modes of other hosts come to.
const FOREIGN: &[(&str, &str)] = &[
    ("default", "agent"),
    ("acceptEdits", "agent"),
    ("dontAsk", "agent"),
    ("plan", "plan"),
    ("auto", "auto"),
    ("bypassPermissions", "yolo"),
];

/// The words that conditions may use.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    MODES.iter().flat_map(|(word, others)| std::iter::once(*word).chain(others.iter().copied()))
}

/// A mode as hooks are told it; a word that nobody knows stays as it is.
pub(super) fn told(word: &str) -> &str {
    let known = |(own, others): &&(&str, &[&str])| {
        own.eq_ignore_ascii_case(word)
            || others.iter().any(|other| other.eq_ignore_ascii_case(word))
    };
    MODES.iter().find(known).map_or(word, |(own, _)| *own)
}

/// The mode in which `event` happens, as hooks are told it.
pub(super) fn of(event: &Event) -> Option<&str> {
    let fact = |key: &str| event.within.facts.get(key)?.as_str();
    if let Some(word) = event.text("mode").or_else(|| fact("mode")) {
        return Some(spelt(word));
    }
    let foreign = fact("permission_mode")?;
    FOREIGN.iter().find(|(word, _)| *word == foreign).map(|(_, own)| *own)
}

/// A mode that an event names, in whoever's word, as hooks are told it.
pub(super) fn spelt(word: &str) -> &str {
    FOREIGN.iter().find(|(foreign, _)| *foreign == word).map_or_else(|| told(word), |(_, own)| own)
}

/// What another host would call this mode, for hooks of its dialect.
pub(super) fn foreign(word: &str) -> &'static str {
    let own = told(word);
    FOREIGN.iter().find(|(_, value)| *value == own).map_or("default", |(word, _)| *word)
}

/// Whether a condition that says `wanted` holds in `mode`: case does not count, nor which version's word it is.
pub(super) fn holds(wanted: &str, mode: &str) -> bool {
    let labelled = LABELS.iter().find(|(label, _)| label.eq_ignore_ascii_case(wanted));
    told(wanted).eq_ignore_ascii_case(told(mode))
        || labelled.is_some_and(|(_, modes)| modes.contains(&told(mode)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CW-31: a change of modes in another host is told in the words of this agent.
    #[test]
    fn a_mode_is_told_in_the_words_of_the_agent() {
        for (word, text) in [
            ("acceptEdits", "agent"),
            ("bypassPermissions", "yolo"),
            ("plan", "plan"),
            ("ACT", "agent"),
            ("Operate", "operate"),
            ("research", "research"),
        ] {
            let event = Event::new("ModeChange", Default::default()).with("mode", word);
            assert_eq!(of(&event), Some(text), "{word}");
        }
    }
}
