//! Which options may stand between a program and the words that say what it does? A table, and a walk over words.
//!
//! Knows spelling only: whether an option exists, or may stand where it does, is the program's affair (S-35).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::word::{Word, WordKind};

/// Programs with subcommands, and those of their own options that take the next word as their value: `NAME, NAME: OPTION
/// OPTION`. A name of two words is about what stands behind a first subcommand.
const PROGRAMS: &str = include_str!("programs.txt");

/// The options of a program, or of its first subcommand, that are followed by a value; `None` for one that has no
/// subcommands.
fn row(name: &str) -> Option<&'static str> {
    static ROWS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let mut found = HashMap::new();
        for (names, valued) in PROGRAMS.lines().filter_map(|row| row.split_once(": ")) {
            for name in names.split(", ") {
                // The first row of a name is the one that counts.
                found.entry(name).or_insert(valued);
            }
        }
        found
    });
    ROWS.get(name).copied()
}

/// Whether a program says by a word what it does.
pub fn has_subcommands(name: &str) -> bool {
    row(name).is_some()
}

/// What stands behind a program's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'w> {
    /// An option, also one that only looks like one.
    Option(&'w str),
    /// A word of its own.
    Operand(&'w str),
}

/// Programs of which a word that begins with `+` is an option; of all others it says what the program works on, as in
/// `git push origin +main` and `chmod +x run.sh`.
const PLUS: &[&str] = &[
    "bash", "cargo", "dash", "declare", "dig", "ksh", "less", "local", "more", "nvim", "rustc",
    "rustdoc", "rustfmt", "rustup", "set", "sh", "typeset", "vi", "vim", "zsh",
];

/// The words behind a program's name, without the values of such of its options as are known (S-35).
pub fn arguments<'w>(name: &str, words: &'w [Word]) -> impl Iterator<Item = (usize, Argument<'w>)> {
    let name = name.rsplit('/').next().unwrap_or_default();
    let name = name.to_owned();
    let mut valued = row(&name).unwrap_or_default();
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
            valued = row(&format!("{name} {text}")).unwrap_or(valued);
        }
        Some((at, Argument::Operand(text)))
    })
}

/// Whether `written` is the long option `option`, or so much of its start that GNU programs and git take it for that.
///
/// `--fo` says nothing else to a program that has `--force`; what it makes of an ambiguous one is to stop.
pub fn is_long_option(written: &str, option: &str) -> bool {
    let name = written.split('=').next().unwrap_or_default();
    name == option || (name.len() > 3 && name.starts_with("--") && option.starts_with(name))
}
