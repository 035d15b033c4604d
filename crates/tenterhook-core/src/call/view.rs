//! What does one simple command say? Its options, operands and texts, as its program would read them.

use std::rc::Rc;

use tenterhook_shell::{Context, SimpleCommand, Target, Via, Word};

use crate::event::meter::Meter;

/// One simple command, by its program's file name.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) command: &'a SimpleCommand,
    pub(super) name: String,
    /// What follows the program, with known variables put in and braces unfolded.
    pub(super) args: Vec<String>,
    /// Its redirections: the operator and the file, with known variables put in. A command behind a wrapper has the
    /// wrapper's own.
    pub(super) redirects: Rc<Vec<Redirected>>,
    /// Where it would run.
    pub(super) cwd: String,
    /// What it finds on its input and is no option: what `echo` prints before `xargs`.
    pub(super) fed: Vec<String>,
    /// What walks over it are paid from.
    pub(super) meter: &'a Meter<'a>,
}

/// The operator of a redirection and the file that it names.
pub(super) type Redirected = (String, String);

/// How many times each rule of reading walks over all that a command says.
const WALKS: usize = 8;

impl View<'_> {
    /// Spends the steps of all walks over this command; returns `false` if the budget is exhausted.
    pub(super) fn charge_for_reading(&self) -> bool {
        let words = self.args.len() + self.redirects.len() + self.fed.len();
        let bytes = self.args.iter().chain(&self.fed).map(String::len).sum::<usize>();
        self.meter.spend_steps(WALKS * (1 + words))
            && self.meter.spend_steps_for_bytes(WALKS * (bytes + self.cwd.len()))
    }

    /// Returns `true` if this is the other system's equivalent of the command `other`, which says
    /// which of its words are files (S-81).
    pub(super) fn is_other_system_equivalent_of(&self, other: &View<'_>) -> bool {
        let (own, via) = (&self.command.via, &other.command.via);
        matches!(own.last(), Some(Via::Equivalent(_))) && own.len() == via.len() + 1
    }

    /// Iterates over the arguments; over none if the meter is cut.
    fn args_within_budget(&self) -> std::slice::Iter<'_, String> {
        match self.meter.spend_steps(1 + self.args.len() / 4) {
            true => self.args.iter(),
            false => [].iter(),
        }
    }

    /// Returns `true` if a short option occurs alone or in a cluster, or the long option occurs.
    pub(super) fn has_option(&self, short: char, long: &str) -> bool {
        self.options().any(|option| match option.strip_prefix("--") {
            Some(name) => name.split('=').next() == Some(long),
            None => option.starts_with('-') && option.contains(short),
        })
    }

    /// Returns `true` if one of these words is among the arguments.
    pub(super) fn has_argument(&self, words: &[&str]) -> bool {
        self.args_within_budget().any(|arg| words.contains(&arg.as_str()))
    }

    fn options(&self) -> impl Iterator<Item = &str> {
        self.args_within_budget()
            .map(String::as_str)
            .take_while(|text| *text != "--")
            .filter(|text| text.starts_with('-'))
    }

    /// Returns the values of options that are written as one of `names`: `-o X`, `-oX`, `--output
    /// X`, `--output=X`.
    pub(super) fn option_values(&self, names: &[&str]) -> Vec<&str> {
        let mut found = Vec::new();
        let mut args = self.args_within_budget().map(String::as_str);
        while let Some(arg) = args.next() {
            for name in names {
                let Some(attached) = arg.strip_prefix(name) else { continue };
                if attached.is_empty() {
                    found.extend(args.next());
                } else if name.starts_with("--") {
                    let Some(value) = attached.strip_prefix('=') else { continue };
                    found.push(value);
                } else if arg.starts_with("--") {
                    continue;
                } else {
                    found.push(attached);
                }
                break;
            }
        }
        found
    }

    /// Returns the arguments that are neither an option nor the value of one that `valued` lists.
    pub(super) fn operands(&self, valued: &[&str]) -> Vec<&str> {
        let mut found = Vec::new();
        let mut args = self.args_within_budget().map(String::as_str);
        while let Some(arg) = args.next() {
            if arg == "--" {
                found.extend(args);
                break;
            }
            if arg.starts_with('-') && arg.len() > 1 {
                if valued.contains(&arg) {
                    args.next();
                }
            } else {
                found.push(arg);
            }
        }
        found
    }

    /// Returns `true` if the command's output goes to another program or into a word of another
    /// command.
    pub(super) fn is_output_consumed(&self) -> bool {
        matches!(
            self.command.context,
            Context::Pipeline | Context::CommandSubstitution | Context::ProcessSubstitution
        )
    }

    /// Iterates over every text that the command is given: arguments, here-documents, here-strings,
    /// and what the line prints into its pipe.
    pub(super) fn texts_given_to_command(&self) -> impl Iterator<Item = &str> {
        let bodies = self.command.redirects.iter().filter_map(|redirect| match &redirect.target {
            Target::HereDocument { body, .. } => Some(body.as_str()),
            Target::Word(word) if redirect.operator == "<<<" => Some(word.text.as_str()),
            Target::Word(_) | Target::Closed => None,
        });
        let is_own = bodies.clone().next().is_some();
        let input = self.command.input.as_deref().filter(|_| !is_own);
        self.args.iter().map(String::as_str).chain(bodies).chain(input)
    }

    /// Returns the command with the words that the line itself supplies filled in; `None` if it
    /// supplies none.
    pub(super) fn fill_in_known_words(&self) -> Option<SimpleCommand> {
        let (program, rest) = self.command.words.split_first()?;
        let is_same = rest.len() == self.args.len()
            && rest.iter().zip(&self.args).all(|(word, arg)| word.text == *arg);
        if is_same || !rest.iter().any(Word::is_dynamic) || program.is_dynamic() {
            return None;
        }
        let word = |arg: &String| match arg.contains(['$', '`', '*', '?', '[']) {
            true => Word::unknown(arg.as_str()),
            false => Word::literal(arg.as_str()),
        };
        let mut filled = self.command.clone();
        filled.words = [program.clone()].into_iter().chain(self.args.iter().map(word)).collect();
        Some(filled)
    }
}
