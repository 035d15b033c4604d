//! Separates the options of a program from the words that decide what it does. A table, and a walk
//! over words.
//!
//! Knows only spelling: it does not check whether an option exists, or may be used there (S-35).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::word::{Word, WordKind};

/// Programs with subcommands, and their global options that take the next word as their value:
/// `NAME, NAME: OPTION OPTION`. A name of two words is about the options after a first subcommand.
const PROGRAMS: &str = include_str!("programs.txt");

/// Returns the options of a program, or of its first subcommand, that are followed by a value;
/// `None` for a program without subcommands.
fn options_with_value(name: &str) -> Option<&'static str> {
    static ROWS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let mut found = HashMap::new();
        for (names, valued) in PROGRAMS.lines().filter_map(|row| row.split_once(": ")) {
            for name in names.split(", ") {
                // The first row of a name applies.
                found.entry(name).or_insert(valued);
            }
        }
        found
    });
    ROWS.get(name).copied()
}

/// Returns whether the program has subcommands, so that a word decides what it does.
pub fn has_subcommands(name: &str) -> bool {
    options_with_value(name).is_some()
}

/// A word after a program's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'w> {
    /// An option, or a word that looks like one.
    Option(&'w str),
    /// A word that is no option and no option's value.
    Operand(&'w str),
}

/// Programs for which a word that begins with `+` is an option. For all others it is an operand, as
/// in `git push origin +main` and `chmod +x run.sh`.
const PLUS: &[&str] = &[
    "bash", "cargo", "dash", "declare", "dig", "ksh", "less", "local", "more", "nvim", "rustc",
    "rustdoc", "rustfmt", "rustup", "set", "sh", "typeset", "vi", "vim", "zsh",
];

/// Iterates over the words after a program's name, without the values of its known options (S-35).
pub fn split_arguments<'w>(
    name: &str,
    words: &'w [Word],
) -> impl Iterator<Item = (usize, Argument<'w>)> {
    let name = name.rsplit('/').next().unwrap_or_default();
    let name = name.to_owned();
    let mut valued = options_with_value(&name).unwrap_or_default();
    let signs: &[char] = if PLUS.contains(&&*name) { &['-', '+'] } else { &['-'] };
    let (mut is_value, mut only_operands, mut is_first) = (false, false, true);
    words.iter().enumerate().skip(1).filter_map(move |(at, word)| {
        let text = word.text.as_str();
        if std::mem::take(&mut is_value) {
            return None;
        }
        if !only_operands && text.starts_with(signs) && text.len() > 1 {
            only_operands = text == "--";
            is_value = valued.split(' ').any(|word| word == text);
            return (!only_operands).then_some((at, Argument::Option(text)));
        }
        if std::mem::take(&mut is_first) && word.kind == WordKind::Literal {
            valued = options_with_value(&format!("{name} {text}")).unwrap_or(valued);
        }
        Some((at, Argument::Operand(text)))
    })
}

/// Whether `written` is the long option `option`, or a prefix of it that GNU programs and git
/// accept.
///
/// A program that has `--force` can read `--fo` only as that; it rejects an ambiguous prefix.
pub fn matches_long_option(written: &str, option: &str) -> bool {
    let name = written.split('=').next().unwrap_or_default();
    name == option || (name.len() > 3 && name.starts_with("--") && option.starts_with(name))
}
