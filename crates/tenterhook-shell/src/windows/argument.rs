//! What does one word stand for, in its own shell and as a word of Bash? Knows pieces of text and variables, no syntax.

use std::ops::Range;

use super::super::word::{self, Word};

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    /// As the shell of the line hands it over.
    pub(super) word: Word,
    /// As Bash would write it: with `/` in paths, and `$HOME` for the home.
    pub(super) posix: Word,
    /// Whether a comma stands before it: it belongs to the same list.
    pub(super) is_listed: bool,
}

/// A part of a word.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// A text.
    Text(String),
    /// A variable of the shell, or of the environment.
    Variable(String),
    /// What commands print, as a line of Bash.
    Printed(String),
    /// Something that the line does not say.
    Unknown,
}

/// Variables that hold the user's home, or a place in it.
const IN_HOME: &[(&str, &str)] = &[
    ("home", ""),
    ("userprofile", ""),
    ("appdata", "/AppData/Roaming"),
    ("localappdata", "/AppData/Local"),
    ("profile", "/.config/powershell/profile.ps1"),
];
/// Variables that hold the working directory.
const DIRECTORIES: &[&str] = &["pwd", "cd", "psscriptroot"];

impl Argument {
    /// Makes a word with exactly this text.
    pub(super) fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(&[Piece::Text(text.clone())], &text)
    }

    /// Makes a word of which only the source is known.
    pub(super) fn unknown(source: &str) -> Self {
        Self::new(&[Piece::Unknown], source)
    }

    pub(super) fn new(pieces: &[Piece], source: &str) -> Self {
        let mut text = String::new();
        let mut is_known = true;
        for piece in pieces {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Variable(_) | Piece::Printed(_) | Piece::Unknown => is_known = false,
            }
        }
        let word = match is_known {
            true => Word { source: source.to_owned(), ..Word::literal(text) },
            false => Word { text: remove_outer_quotes(source).to_owned(), ..Word::unknown(source) },
        };
        Self { word, posix: to_posix_word(pieces), is_listed: false }
    }

    pub(super) fn is_value_known(&self) -> bool {
        !self.word.is_dynamic()
    }

    pub(super) fn value_text(&self) -> &str {
        &self.word.text
    }
}

/// Returns a word without the quotes around all of it.
fn remove_outer_quotes(source: &str) -> &str {
    let inner = source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(source)
}

/// Builds the Bash word that corresponds to some pieces.
fn to_posix_word(pieces: &[Piece]) -> Word {
    let mut source = String::new();
    let mut holes: Vec<Range<usize>> = Vec::new();
    let hole = |source: &mut String, holes: &mut Vec<Range<usize>>, text: &str| {
        source.push('"');
        let start = source.len();
        source.push_str(text);
        holes.push(start..source.len());
        source.push('"');
    };
    for piece in pieces {
        match piece {
            Piece::Text(text) => push_quoted(&mut source, text),
            Piece::Variable(name) => {
                let (variable, behind) = to_posix_variable(name);
                hole(&mut source, &mut holes, &variable);
                source.push_str(behind);
            }
            Piece::Printed(line) => hole(&mut source, &mut holes, &format!("$({line})")),
            Piece::Unknown => hole(&mut source, &mut holes, "${_}"),
        }
    }
    if source.is_empty() {
        source.push_str("''");
    }
    word::parse_word(&source, &holes).unwrap_or_else(|| Word::unknown(source))
}

/// Returns a variable in Bash syntax, and the path below it that belongs to it.
fn to_posix_variable(name: &str) -> (String, &'static str) {
    let small = name.to_ascii_lowercase();
    let plain = small.strip_prefix("env:").unwrap_or(&small);
    if let Some((_, behind)) = IN_HOME.iter().find(|(known, _)| *known == plain) {
        return ("${HOME}".to_owned(), behind);
    }
    if DIRECTORIES.contains(&small.as_str()) {
        return ("${PWD}".to_owned(), "");
    }
    let plain = name.get(name.len() - plain.len()..).unwrap_or_default();
    let is_name = !plain.is_empty() && plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (format!("${{{}}}", if is_name { plain } else { "_" }), "")
}

/// Adds a text, in quotes if it needs some. Patterns and a leading `~` stay unquoted: these shells
/// expand them in quotes, too.
fn push_quoted(source: &mut String, text: &str) {
    let text = text.replace('\\', "/");
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || "-_./=+:@%,*?[]".contains(c) || !c.is_ascii();
    let mut rest = text.as_str();
    if source.is_empty() && (rest == "~" || rest.starts_with("~/")) {
        source.push('~');
        rest = rest.get(1..).unwrap_or_default();
    }
    while !rest.is_empty() {
        let plain = rest.find(|c| !is_plain(c)).unwrap_or(rest.len());
        let (before, behind) = rest.split_at(plain);
        source.push_str(before);
        let quoted = behind.find(is_plain).unwrap_or(behind.len());
        let (quoted, behind) = behind.split_at(quoted);
        if !quoted.is_empty() {
            source.push('\'');
            source.push_str(&quoted.replace('\'', r"'\''"));
            source.push('\'');
        }
        rest = behind;
    }
}
