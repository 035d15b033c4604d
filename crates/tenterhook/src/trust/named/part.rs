//! Which paths may a word stand for? The whole word, the rest behind `=`, `@` or the letter of an option, and its known end
//! where it is known only when it runs. Pure: whether a file is there is asked elsewhere.

use tenterhook_shell::{Word, WordKind};

/// Most parts of one word that are looked at: no entry that a person reads has more.
const MOST_PARTS: usize = 64;

/// Characters that make several files of one word.
const PATTERN: &[char] = &['*', '?', '[', '{'];

/// Expansions that are the directory in which a line starts, and the root of the repository.
const HERE: &[&str] = &["${PWD}", "$PWD", "$(pwd)", "`pwd`", "${PWD:-.}"];
const ROOT: &[&str] = &["$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`"];

/// A text that is a path if something lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The path as it is written.
    pub(super) text: String,
    /// How sure it is that this is what the word stands for.
    pub(super) known: Known,
}

/// How much of a path is known before the line runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::trust) enum Known {
    /// All of it.
    Whole,
    /// The directory below which a pattern finds its files.
    Pattern,
    /// Its end: the directory before it is known only when it runs.
    End,
}

/// Returns the paths that a word may mean; `project` is the root of the repository.
pub(super) fn possible_paths(word: &Word, project: &str) -> Vec<Part> {
    let mut found = Vec::new();
    match word.kind {
        WordKind::Literal => add_paths_of_text(&word.text, &mut found),
        WordKind::Pattern | WordKind::Expansion => {
            add_paths_of_shell_word(&word.source, project, &mut found)
        }
    }
    found.truncate(MOST_PARTS);
    found
}

/// Adds the paths that a text may mean, all of whose characters are known.
pub(super) fn add_paths_of_text(text: &str, found: &mut Vec<Part>) {
    let mut add = |text: &str| {
        let part = Part { text: text.to_owned(), known: Known::Whole };
        if !text.is_empty() && !found.contains(&part) {
            found.push(part);
        }
    };
    add(text);
    let value = text.split_once('=').map(|(_, value)| value);
    let attached = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    // `-I./lib`: the letters of an option are one or two, as in `-Cf FILE` written together.
    let attached = attached
        .into_iter()
        .flat_map(|rest| rest.char_indices().skip(1).take(2).filter_map(|(at, _)| rest.get(at..)));
    for part in value.into_iter().chain(attached).chain([text]) {
        let part = part.strip_prefix('@').unwrap_or(part);
        let part = part.strip_prefix("file://").unwrap_or(part);
        add(part);
        for piece in part.split([',', ':', ';']) {
            add(piece.strip_prefix('@').unwrap_or(piece));
        }
    }
}

/// Adds the paths that a word may mean after a shell has expanded it.
fn add_paths_of_shell_word(source: &str, project: &str, found: &mut Vec<Part>) {
    let source = normalize_word_source(source, project);
    if !source.contains(['$', '`']) {
        if !source.contains(PATTERN) {
            add_paths_of_text(&source, found);
        } else if let Some(at) = source.find(PATTERN) {
            let before = source.get(..at).unwrap_or_default();
            let before = before.split_once('=').map_or(before, |(_, value)| value);
            let directory = before.rsplit_once('/').map_or(".", |(directory, _)| directory);
            found.push(Part { text: directory.to_owned(), known: Known::Pattern });
        }
        return;
    }
    // `./tools:$PATH`
    for piece in source.split([':', '=']).filter(|piece| !piece.contains(['$', '`', ')', '}', '(']))
    {
        add_paths_of_text(piece, found);
    }
    // `${1:-deny.txt}`
    for (at, _) in source.match_indices(":-") {
        let behind = source.get(at + 2..).and_then(|rest| rest.split_once('}'));
        if let Some((default, _)) = behind.filter(|(default, _)| !default.contains(['$', '`'])) {
            add_paths_of_text(default, found);
        }
    }
    let end = source.rsplit(['$', ')', '}', '`']).next().unwrap_or_default();
    if let Some((_, end)) = end.split_once('/')
        && !end.is_empty()
        && !end.contains(PATTERN)
    {
        found.push(Part { text: end.to_owned(), known: Known::End });
    }
}

/// Returns the source without quotes, which are irrelevant for a path, and with known directories
/// replaced.
fn normalize_word_source(source: &str, project: &str) -> String {
    let mut text = source.to_owned();
    for here in HERE {
        text = text.replace(here, ".");
    }
    for root in ROOT {
        text = text.replace(root, project);
    }
    text.retain(|c| !matches!(c, '"' | '\''));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let line = tenterhook_shell::parse_line(&format!("x {source}"));
        let word = line.commands.first().and_then(|command| command.words.get(1)).expect("a word");
        possible_paths(word, "/p").into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn word_with_option_letter_yields_attached_path() {
        for (source, part) in [
            ("--file=a.txt", "a.txt"),
            ("-fa.txt", "a.txt"),
            ("-qfa.txt", "a.txt"),
            ("@a.txt", "a.txt"),
            ("data=@a.txt", "a.txt"),
            ("a.txt:/in/container", "a.txt"),
            ("file://a.txt", "a.txt"),
        ] {
            assert!(texts(source).contains(&part.to_owned()), "{source}");
        }
    }

    #[test]
    fn word_with_variable_yields_known_end() {
        for (source, part) in [
            ("\"$X\"/rules/a.txt", "rules/a.txt"),
            ("$(pwd)/a.txt", "./a.txt"),
            ("\"$(git rev-parse --show-toplevel)/a.txt\"", "/p/a.txt"),
            ("${1:-a.txt}", "a.txt"),
            ("./tools:$PATH", "./tools"),
        ] {
            assert!(texts(source).contains(&part.to_owned()), "{source}");
        }
        assert_eq!(texts("rules/*.txt"), ["rules"]);
        assert_eq!(texts("*.txt"), ["."]);
    }
}
