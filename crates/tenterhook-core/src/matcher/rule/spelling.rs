//! Does a command say what a pattern says, with its options in other places or cut short?
//!
//! Holds words against words; whether a program has such an option is the program's affair (S-35).

use tenterhook_shell::SimpleCommand;
use tenterhook_shell::program::{Argument, matches_long_option, split_arguments};

use super::pattern::Stars;

/// The words of a pattern behind its program.
#[derive(Clone, Debug)]
pub(super) struct Spelling {
    options: Vec<String>,
    operands: Vec<Stars>,
    /// Whether more operands may follow.
    is_open: bool,
}

impl Spelling {
    /// Parses the words of a pattern; `None` if a word may stand for several words or none, so that
    /// only the whole text can be compared.
    pub(super) fn from_pattern_words(words: &str, is_open: bool) -> Option<Self> {
        let mut spelling = Self { options: Vec::new(), operands: Vec::new(), is_open };
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            match word {
                "*" => return None,
                _ if word.starts_with('-') && word.contains('*') => return None,
                _ if word.starts_with('-') && word.len() > 1 => {
                    spelling.options.push(word.to_owned())
                }
                _ => spelling.operands.push(Stars::new(word)),
            }
        }
        let is_given = !(spelling.options.is_empty() && spelling.operands.is_empty());
        is_given.then_some(spelling)
    }

    /// Returns true if a command of the same program has every option of the pattern, and first its
    /// operands in order.
    pub(super) fn matches_command(&self, command: &SimpleCommand) -> bool {
        let name = command.program_name().unwrap_or_default();
        let mut operands = self.operands.iter();
        let mut missing: Vec<&str> = self.options.iter().map(String::as_str).collect();
        for (_, argument) in split_arguments(name, &command.words) {
            match argument {
                Argument::Option(written) => {
                    missing.retain(|option| !option_includes(written, option))
                }
                Argument::Operand(text) => match operands.next() {
                    Some(wanted) if wanted.matches(text) => {}
                    None if self.is_open => {}
                    _ => return false,
                },
            }
        }
        operands.next().is_none() && missing.is_empty()
    }
}

/// Returns true if a written option equals `option` or contains its letters: `-rf` and `-fr` are
/// equal.
fn option_includes(written: &str, option: &str) -> bool {
    if written == option || matches_long_option(written, option) {
        return true;
    }
    let letters = |text: &'_ str| -> Option<String> {
        let rest = text.strip_prefix('-')?;
        (rest.chars().all(|c| c.is_ascii_alphabetic()) && rest.len() < 4).then(|| rest.to_owned())
    };
    match (letters(written), letters(option)) {
        (Some(written), Some(option)) => option.chars().all(|letter| written.contains(letter)),
        _ => false,
    }
}
