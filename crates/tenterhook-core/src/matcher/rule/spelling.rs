//! Does a command say what a pattern says, with its options in other places or cut short?
//!
//! Holds words against words; whether a program has such an option is the program's affair (S-35).

use tenterhook_shell::SimpleCommand;
use tenterhook_shell::program::{Argument, arguments, is_long_option};

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
    /// `None` where a word of the pattern may stand for several, or for none: then only the whole text can be compared.
    pub(super) fn new(words: &str, is_open: bool) -> Option<Self> {
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

    /// Whether a command of the same program has every option, and the operands in their order before any other.
    pub(super) fn fits(&self, command: &SimpleCommand) -> bool {
        let name = command.program().unwrap_or_default();
        let mut operands = self.operands.iter();
        let mut missing: Vec<&str> = self.options.iter().map(String::as_str).collect();
        for (_, argument) in arguments(name, &command.words) {
            match argument {
                Argument::Option(written) => missing.retain(|option| !has_option(written, option)),
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

/// Whether a written option is `option`, or holds it: `-rf` and `-fr` are one.
fn has_option(written: &str, option: &str) -> bool {
    if written == option || is_long_option(written, option) {
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
