//! Which words does a word stand for, and which commands read the names of files from their input? Looks at no disk.

use tenterhook_shell::{SimpleCommand, Word, WordKind};

use crate::call::braces::{MOST_UNFOLDED, expand_braces, expand_character_class};
use crate::call::fill::Variables;
use crate::event::meter::Meter;

/// Programs that read the names of files from their input.
const BY_NAME: &[&str] = &["cpio", "pax"];

/// Words with which other programs do so.
const NAMES_FROM_INPUT: &[&str] =
    &["-T-", "-@", "--files-from=-", "--files0-from=-", "--from-file=-", "--pathspec-from-file=-"];

/// Whether a command reads the names of files from its input: `cpio -o`, `tar -T -`, `zip -@`.
pub(super) fn reads_file_names_from_input(command: &SimpleCommand) -> bool {
    let Some((program, rest)) = command.words.split_first() else { return false };
    let pairs = rest.iter().zip(rest.iter().skip(1));
    let mut pairs = pairs.map(|(option, value)| (option.text.as_str(), value.text.as_str()));
    BY_NAME.contains(&program.text.as_str())
        || rest.iter().any(|word| NAMES_FROM_INPUT.contains(&word.text.as_str()))
        || pairs.any(|pair| matches!(pair, ("-T" | "--files-from" | "--files0-from", "-")))
}

/// Returns every word that a word may stand for.
pub(super) fn expand_to_words(
    variables: &Variables<'_>,
    word: &Word,
    meter: &Meter<'_>,
) -> Vec<String> {
    if !meter.spend_steps_for_bytes(word.source.len()) {
        return Vec::new();
    }
    if word.kind == WordKind::Literal {
        return vec![word.text.clone()];
    }
    let mut unfolded = Vec::new();
    let is_quoted = word.source.contains(['"', '\'']);
    for text in variables.expand_word(word).into_words() {
        // Without quotes, what is empty is no word.
        if text.is_empty() && !is_quoted {
            continue;
        }
        expand_braces(&text, meter, &mut unfolded);
    }
    with_character_class_matches(word, unfolded)
}

/// Returns the texts that the target of a redirection may stand for.
pub(super) fn redirect_targets(word: &Word, texts: Vec<String>, meter: &Meter<'_>) -> Vec<String> {
    if word.kind == WordKind::Literal {
        return texts;
    }
    let mut unfolded = Vec::new();
    texts.iter().for_each(|text| expand_braces(text, meter, &mut unfolded));
    with_character_class_matches(word, unfolded)
}

/// Returns the elements of a list, without their keys: `([a]=b c)` gives `b c`. Any other value is
/// returned unchanged.
pub(in crate::call) fn elements_of_list(value: &str) -> String {
    let Some(list) = value.strip_prefix('(').and_then(|list| list.strip_suffix(')')) else {
        return value.to_owned();
    };
    let plain = |word: &str| match word.strip_prefix('[').and_then(|rest| rest.split_once("]=")) {
        Some((_, value)) => value.trim_matches(['"', '\'']).to_owned(),
        None => word.to_owned(),
    };
    list.split_whitespace().map(plain).collect::<Vec<_>>().join(" ")
}

/// Returns the texts of a word, and the texts that its character class may match.
fn with_character_class_matches(word: &Word, mut texts: Vec<String>) -> Vec<String> {
    if word.kind == WordKind::Pattern && texts.len() < MOST_UNFOLDED {
        let meant: Vec<String> =
            texts.iter().flat_map(|text| expand_character_class(text)).collect();
        texts.extend(meant);
    }
    texts
}
