//! The names of modes: those of the first version, the labels of later versions, and those of other
//! hosts (CW-31). Tables, and lookups in them.

use crate::event::Event;

/// Each mode with its aliases. Hooks receive the first name, the canonical one.
const MODES: &[(&str, &[&str])] =
    &[("agent", &["act"]), ("plan", &[]), ("operate", &[]), ("auto", &[]), ("yolo", &[])];

/// Labels of later versions, each with the modes that it covers.
const LABELS: &[(&str, &[&str])] = &[("act", &["agent", "auto", "yolo"])];

/// The permission modes of other hosts and the modes of the agent.
const FOREIGN: &[(&str, &str)] = &[
    ("default", "agent"),
    ("acceptEdits", "agent"),
    ("dontAsk", "agent"),
    ("plan", "plan"),
    ("auto", "auto"),
    ("bypassPermissions", "yolo"),
];

/// Every name that a condition may use.
pub(super) fn mode_names() -> impl Iterator<Item = &'static str> {
    MODES.iter().flat_map(|(word, others)| std::iter::once(*word).chain(others.iter().copied()))
}

/// The canonical name of a mode; an unknown name is returned unchanged.
pub(super) fn canonical_mode(word: &str) -> &str {
    let known = |(own, others): &&(&str, &[&str])| {
        own.eq_ignore_ascii_case(word)
            || others.iter().any(|other| other.eq_ignore_ascii_case(word))
    };
    MODES.iter().find(known).map_or(word, |(own, _)| *own)
}

/// The canonical name of the mode in which `event` happens.
pub(super) fn current_mode(event: &Event) -> Option<&str> {
    let fact = |key: &str| event.within.facts.get(key)?.as_str();
    if let Some(word) = event.text("mode").or_else(|| fact("mode")) {
        return Some(canonical_mode_of_any_host(word));
    }
    let foreign = fact("permission_mode")?;
    FOREIGN.iter().find(|(word, _)| *word == foreign).map(|(_, own)| *own)
}

/// Returns the canonical name of a mode that the agent or a different host names.
pub(super) fn canonical_mode_of_any_host(word: &str) -> &str {
    FOREIGN
        .iter()
        .find(|(foreign, _)| *foreign == word)
        .map_or_else(|| canonical_mode(word), |(_, own)| own)
}

/// Returns the permission mode of other hosts that corresponds to a mode, for hooks of their
/// dialects.
pub(super) fn to_foreign_permission_mode(word: &str) -> &'static str {
    let own = canonical_mode(word);
    FOREIGN.iter().find(|(_, value)| *value == own).map_or("default", |(word, _)| *word)
}

/// Whether a condition on the mode `wanted` holds in `mode`: case is ignored, and aliases are
/// equal.
pub(super) fn mode_matches(wanted: &str, mode: &str) -> bool {
    let labelled = LABELS.iter().find(|(label, _)| label.eq_ignore_ascii_case(wanted));
    canonical_mode(wanted).eq_ignore_ascii_case(canonical_mode(mode))
        || labelled.is_some_and(|(_, modes)| modes.contains(&canonical_mode(mode)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CW-31: the modes of other hosts are translated to those of the agent.
    #[test]
    fn modes_of_other_hosts_have_canonical_names() {
        for (word, text) in [
            ("acceptEdits", "agent"),
            ("bypassPermissions", "yolo"),
            ("plan", "plan"),
            ("ACT", "agent"),
            ("Operate", "operate"),
            ("research", "research"),
        ] {
            let event = Event::new("ModeChange", Default::default()).with("mode", word);
            assert_eq!(current_mode(&event), Some(text), "{word}");
        }
    }
}
