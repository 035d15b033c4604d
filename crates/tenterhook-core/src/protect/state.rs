//! Could a search for a name come upon a file of the state directory? By letters alone; looks at no disk.

use super::path::{Hold, relation_of_path_to_place};
use crate::agents::AGENTS;

/// The state directory, as the table of agents writes it.
const STATE_DIRECTORY: &str = "~/.local/state/tenterhook/";

/// Names of directories and files there, and of the directories above it.
const NAMES: &[&str] = &[
    ".local",
    "state",
    "tenterhook",
    "adopted",
    "agents",
    "heads",
    "installed",
    "last-good",
    "leave.json",
    "leave.json.new",
    "leave.lock",
    "lock",
    "probes",
    "records",
    "scratch",
    "sessions",
    "sources",
    "trust",
    "validated",
    "20??-??-??.jsonl",
    "20??-??-??.*.jsonl",
];

/// Extensions of the files of a session.
const EXTENSIONS: &[&str] = &[
    "carried",
    "history",
    "json",
    "late",
    "lock",
    "notes",
    "notes-older",
    "slot-0",
    "slot-1",
    "slot-2",
    "slot-3",
    "slot-4",
    "slot-5",
    "slot-6",
    "slot-7",
    "slot-8",
    "slot-9",
    "slot-10",
    "slot-11",
    "slot-12",
    "slot-13",
    "slot-14",
    "slot-15",
    "usage",
];

/// What the name of a session's file has between its agent and its extension: an id and a hash.
const ID_AND_HASH: &str = "-*-????????????????????????????????.";

/// Longest name of a file.
const LONGEST: usize = 255;

/// Returns true if the path is the state directory, is in it, or is a directory directly above it: `~/.local/state`, `~/.local`.
#[must_use]
pub fn is_at_or_near_state(path: &str) -> bool {
    let is_home = !path.trim_end_matches('/').contains('/');
    !is_home && relation_of_path_to_place(path, STATE_DIRECTORY) != Hold::Nothing
}

/// Returns true if a file or directory of the state directory may have a name that matches the
/// pattern. The pattern may be one of whole paths: its last part with a letter decides.
#[must_use]
pub fn may_match_state_name(pattern: &str) -> bool {
    let parts = pattern.rsplit('/').find(|part| !part.chars().all(|c| c == '*'));
    let pattern = replace_sets(parts.unwrap_or("*"));
    if pattern.len() > LONGEST || has_only_other_words(&pattern) {
        return false;
    }
    let pattern = pattern.to_ascii_lowercase();
    let overlaps = |name: &str| patterns_overlap(pattern.as_bytes(), name.as_bytes());
    let begins_with_agent = || AGENTS.iter().any(|agent| overlaps(&format!("{}-*", agent.name)));
    let is_of_session =
        || EXTENSIONS.iter().any(|extension| overlaps(&format!("*{ID_AND_HASH}{extension}")));
    NAMES.iter().any(|name| overlaps(name)) || begins_with_agent() && is_of_session()
}

/// Returns the pattern of shells that matches at least what a regular expression does.
#[must_use]
pub fn pattern_of_regex(regex: &str, matches_whole: bool) -> String {
    let mut pattern = String::with_capacity(regex.len() + 2);
    if !matches_whole && !regex.starts_with('^') {
        pattern.push('*');
    }
    let mut chars = regex.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => pattern.extend(chars.next().map(|c| if c.is_alphanumeric() { '*' } else { c })),
            '.' | '+' | '?' | '|' | '(' | ')' | '{' | '}' | '*' => pattern.push('*'),
            '^' | '$' => {}
            _ => pattern.push(c),
        }
    }
    if !matches_whole && !regex.ends_with('$') {
        pattern.push('*');
    }
    pattern
}

/// Replaces each set, such as `[0-9]`, with `?`, and removes backslashes.
fn replace_sets(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once('[') {
        let Some((_, after)) = behind.split_once(']') else { break };
        plain.extend([before, "?"]);
        rest = after;
    }
    plain.push_str(rest);
    plain.retain(|c| c != '\\');
    plain
}

/// Returns true if each word of the pattern is one that neither our names nor the ids of sessions have, such as `cache`.
fn has_only_other_words(pattern: &str) -> bool {
    let mut words = pattern
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    words.peek().is_some() && words.all(is_other_word)
}

fn is_other_word(word: &str) -> bool {
    let tail = word.get(1..).unwrap_or_default();
    let is_plain = word.len() > 2 && tail.bytes().all(|byte| byte.is_ascii_lowercase());
    let word = word.to_ascii_lowercase();
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let agents = AGENTS.iter().map(|agent| agent.name);
    let mut ours = NAMES.iter().chain(EXTENSIONS).copied().chain(agents);
    is_plain && !is_hex && !ours.any(|name| name.contains(&word))
}

/// Returns true if some name matches both patterns of `*` and `?`.
fn patterns_overlap(one: &[u8], other: &[u8]) -> bool {
    // Each row answers for a rest of `one`, and each column for a rest of `other`, the shortest first.
    let mut below = vec![true];
    for byte in other.iter().rev() {
        below.push(*byte == b'*' && below.last() == Some(&true));
    }
    for byte in one.iter().rev() {
        let mut row = vec![*byte == b'*' && below.first() == Some(&true)];
        for (with, pair) in other.iter().rev().zip(below.windows(2)) {
            let &[both_shorter, one_shorter] = pair else { continue };
            let other_shorter = row.last() == Some(&true);
            row.push(match (*byte, *with) {
                (b'*', _) | (_, b'*') => one_shorter || other_shorter,
                (a, b) => both_shorter && (a == b || a == b'?' || b == b'?'),
            });
        }
        below = row;
    }
    below.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP-53.
    #[test]
    fn names_of_the_state_directory_are_known() {
        for pattern in [
            "*.history",
            "*.hist*",
            "claude-*",
            "codex-*.notes",
            "*-6a840baf*",
            "leave.[j]son",
            "LEAVE.JSON",
            "sess*",
            "*.jsonl",
            "*/sessions/*",
            "*ses_4f3ZdQ*",
            "last-good",
            "*",
            "[l]ock",
            "?????????",
        ] {
            assert!(may_match_state_name(pattern), "{pattern}");
        }
        for pattern in [
            "*.pyc",
            "*.log",
            "*cache*",
            "node_modules",
            "._*",
            ".DS_Store",
            "*.o",
            "*~",
            "package-lock.json",
            "npm-*",
            "history",
            "*/node_modules/*",
            "*.log.[0-9]*",
            "Thumbs.db",
            "core.*",
        ] {
            assert!(!may_match_state_name(pattern), "{pattern}");
        }
        assert!(is_at_or_near_state("~/.local/state") && is_at_or_near_state("/home/bob/.local/"));
        assert!(is_at_or_near_state("~/.local/state/tenterhook/sessions"));
        assert!(!is_at_or_near_state("~") && !is_at_or_near_state("~/.local/share"));
    }

    #[test]
    fn regex_becomes_a_pattern() {
        assert_eq!(pattern_of_regex("\\.history$", false), "*.history");
        assert_eq!(pattern_of_regex(".*/x[0-9]+", true), "**/x[0-9]*");
        assert_eq!(pattern_of_regex("^claude", false), "claude*");
    }
}
