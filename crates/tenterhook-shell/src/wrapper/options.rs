//! Reads the options of a wrapper itself, and finds where they end.

use super::super::word::{Word, WordKind};
use super::{Behind, First, Follows, Wrapper, join_as_code};

/// The result of reading a wrapper's options.
pub(super) struct Options<'a> {
    pub(super) code: Option<Split<'a>>,
    pub(super) placeholder: Option<&'a str>,
    /// The words after the options; `None` if nothing is run.
    pub(super) rest: Option<&'a [Word]>,
}

/// Where the code of an option is.
pub(super) enum Split<'a> {
    /// The first operand (`bash -c`).
    Operand,
    /// This text (`env -S`).
    Text(&'a str),
    /// Not known before it runs.
    Unknown,
}

/// Where an option's value is.
#[derive(PartialEq, Eq)]
enum Value {
    /// It has none, or it is attached.
    None,
    /// The next word.
    NextWord,
}

impl Wrapper {
    /// Walks over the wrapper's own options, and returns what they change and the words after them.
    pub(super) fn parse_options<'a>(&self, words: &'a [Word]) -> Options<'a> {
        let mut options = Options { code: None, placeholder: None, rest: None };
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            let long_enough = text.len() > 1 || (text == "-" && self.takes_assignments());
            let plus = matches!(self.follows, Follows::Shell) && text.starts_with('+');
            if word.kind == WordKind::Expansion || !(text.starts_with('-') || plus) || !long_enough
            {
                break;
            }
            if self.inert.contains(&text) {
                return options;
            }
            at += 1;
            if self.note_option(text, words.get(at), &mut options) == Value::NextWord {
                at += 1;
            }
            if self.name == "env" && options.code.is_some() {
                // The words after `-S` follow the text that it splits; they are no options of
                // `env`.
                break;
            }
        }
        options.rest = Some(words.get(at..).unwrap_or_default());
        options
    }

    fn takes_assignments(&self) -> bool {
        matches!(self.follows, Follows::Command { first: First::Assignments, .. })
    }

    /// Notes what an option changes, and returns whether its value is the next word.
    fn note_option<'a>(
        &self,
        text: &'a str,
        next: Option<&'a Word>,
        options: &mut Options<'a>,
    ) -> Value {
        let is_long = text.starts_with("--");
        let valued = |option: &str| self.valued.contains(&option);
        match &self.follows {
            // `bash -lc CODE`: any short cluster with a `c`.
            Follows::Shell if !is_long && text.contains('c') && text.starts_with('-') => {
                options.code = Some(Split::Operand);
                return if text.ends_with('o') { Value::NextWord } else { Value::None };
            }
            // `bash -s ARG`: the operands belong to the code on standard input.
            Follows::Shell if text.starts_with('-') && !is_long && text.contains('s') => {
                options.code.get_or_insert(Split::Unknown);
            }
            Follows::Command { first: First::Assignments, .. } if self.name == "env" => {
                if let Some(found) = parse_env_split_string(text, next) {
                    options.code = Some(found.0);
                    return found.1;
                }
            }
            Follows::Appended { placeholders } => {
                for option in *placeholders {
                    if let Some(attached) = text.strip_prefix(option) {
                        let attached = attached.trim_start_matches('=');
                        let takes_next = attached.is_empty() && valued(option);
                        options.placeholder = match next {
                            Some(next) if takes_next => Some(next.text.as_str()),
                            _ if attached.is_empty() => Some("{}"),
                            _ => Some(attached),
                        };
                    }
                }
            }
            _ => {}
        }
        if is_long {
            return if valued(text) { Value::NextWord } else { Value::None };
        }
        // In a cluster the first option with a value takes the rest of the word, or the next word
        // if nothing is left.
        let prefix = text.get(..1).unwrap_or_default();
        if valued(text) {
            return Value::NextWord;
        }
        let mut letters = text.chars().skip(1);
        let taker = letters.find(|letter| valued(&format!("{prefix}{letter}")));
        match taker {
            Some(_) if letters.next().is_none() => Value::NextWord,
            _ => Value::None,
        }
    }
}

/// Returns the code of an option at any position: `su -c 'git push'`.
pub(super) fn find_code_option(words: &[Word]) -> Option<Behind> {
    // `script -qec`, `su -lc`: a cluster that ends with the letter takes the next word.
    let is_cluster = |text: &str| {
        let letters = text.strip_prefix('-').and_then(|rest| rest.strip_suffix('c'));
        letters.is_some_and(|letter| letter.chars().all(|c| c.is_ascii_alphabetic()))
    };
    let is_code = |text: &str| {
        is_cluster(text) || matches!(text, "--command" | "--session-command" | "--run")
    };
    let at = words.iter().position(|word| is_code(word.text.as_str()));
    if let Some(at) = at {
        return Some(words.get(at + 1).map_or(Behind::Unknown, |word| join_as_code(&[word])));
    }
    let attached = |word: &'_ Word| -> Option<usize> {
        let starts = ["--command=", "--session-command=", "--run=", "-c"];
        starts.iter().find(|start| word.text.starts_with(*start)).map(|start| start.len())
    };
    let (word, start) = words.iter().find_map(|word| Some((word, attached(word)?)))?;
    let code = word.text.get(start..).filter(|_| word.kind == WordKind::Literal);
    Some(code.map_or(Behind::Unknown, |code| Behind::Code(code.to_owned())))
}

/// Parses `env -S 'git push'` in its four spellings.
fn parse_env_split_string<'a>(text: &'a str, next: Option<&'a Word>) -> Option<(Split<'a>, Value)> {
    let attached = |prefix: &str| text.strip_prefix(prefix).filter(|rest| !rest.is_empty());
    if text == "--split-string" || (!text.starts_with("--") && text.ends_with('S')) {
        let split = match next {
            Some(word) if word.kind == WordKind::Literal => Split::Text(&word.text),
            _ => Split::Unknown,
        };
        return Some((split, Value::NextWord));
    }
    let code =
        attached("--split-string=").or_else(|| attached("-S")).or_else(|| attached("-vS"))?;
    Some((Split::Text(code), Value::None))
}

/// Returns whether code follows an option: `-c`, `-lc`.
pub(super) fn is_code_option(word: &Word) -> bool {
    let letters = word.text.strip_prefix('-').and_then(|rest| rest.strip_suffix('c'));
    letters.is_some_and(|letters| letters.chars().all(char::is_alphabetic))
}
