//! Guesses which texts a command would run if its program ran its arguments.
//!
//! A table of wrappers is never complete: the arguments of an unlisted program are examined as if
//! it ran them (S-36). A guess may only restrain. It is made on request, for the programs that the
//! caller asks about, so that a plain line costs only a look at its words; no text is read here.

mod git;
mod shells;
mod table;

use super::program::{self, Argument, has_subcommands};
use super::stream::remove_outer_quotes;
use super::strings;
use super::windows::is_cmdlet_or_net_call;
use super::word::{Word, WordKind, quote_word};
use super::{Line, MOST_WRAPPERS, SimpleCommand, Via, wrapper};
use table::{
    Lead, MARKS, is_code_option, is_subcommand_running_words, is_text_option,
    is_variable_run_as_code, leads_of_program, sets_container_variable, takes_text_operands,
};

/// Most guesses about one command, and about one line (S-36).
const MOST_OF_COMMAND: usize = 4;
const MOST: usize = 16;
/// Most words before the one that leads to what a program runs: `az vm run-command invoke`.
const DEEPEST_VERB: usize = 4;

/// One text that a command may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The program that may run it.
    pub program: String,
    /// The text, as a shell would read it.
    pub text: String,
}

/// Texts that the commands of a line may run and that name one of the programs for which `is_asked`
/// is true.
///
/// Code of other languages is only examined if `languages` allows it.
pub fn guess_commands_in_line(
    line: &Line,
    is_asked: &dyn Fn(&str) -> bool,
    languages: Languages,
) -> Vec<Guess> {
    let mut found = Vec::new();
    let aliases = git::defined_aliases(line);
    for (at, command) in line.commands.iter().enumerate() {
        let found_behind = line.commands.get(at + 1).is_some_and(|next| {
            let own = command.via.len();
            next.via.len() > own
                && next.via.get(..own) == Some(&*command.via)
                && matches!(next.via.get(own), Some(Via::Wrapper(_)))
                // `npx -c 'git push'`: a line is not the name of a program.
                && !next.program_name().is_some_and(|name| name.contains(' '))
        });
        let mut guesser = Guesser { command, is_asked, found: Vec::new() };
        guesser.guess_from_variables();
        git::alias_commands(command, &aliases).iter().for_each(|text| guesser.push_guess(text));
        if !found_behind {
            guesser.guess_from_arguments(languages);
        }
        let program = command.program_name().unwrap_or_default();
        let texts = guesser.found.into_iter().take(MOST_OF_COMMAND);
        found.extend(texts.map(|text| Guess { program: program.to_owned(), text }));
        if found.len() >= MOST {
            break;
        }
    }
    found
}

/// Whether texts in the code of other languages are examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    /// They are.
    Read,
    /// The caller examines them.
    Skip,
}

struct Guesser<'c, 'a> {
    command: &'c SimpleCommand,
    is_asked: &'a dyn Fn(&str) -> bool,
    found: Vec<String>,
}

impl<'c> Guesser<'c, '_> {
    /// Returns whether a text names a program that the caller asks about.
    fn mentions_program_asked_about(&self, text: &str) -> bool {
        let is_part = |c: char| !(c.is_alphanumeric() || "-_.+".contains(c));
        text.split(is_part).any(|name| !name.is_empty() && (self.is_asked)(name))
    }

    fn push_guess(&mut self, text: &str) {
        // Further ones are not examined.
        if self.found.len() < MOST_OF_COMMAND
            && self.mentions_program_asked_about(text)
            && !self.found.iter().any(|other| other == text)
        {
            self.found.push(text.to_owned());
        }
    }

    /// Guesses from assigned variables, also after `export`: `PROMPT_COMMAND='git push'`.
    fn guess_from_variables(&mut self) {
        for assignment in self.command.assignments.iter() {
            if is_variable_run_as_code(&assignment.name) {
                self.push_guess(remove_outer_quotes(&assignment.value));
            }
        }
        let exports = ["export", "declare", "typeset", "readonly", "env"];
        if self.command.program_name().is_some_and(|name| exports.contains(&name)) {
            let pairs = self.command.words.iter().filter_map(|word| word.text.split_once('='));
            for (_, value) in pairs.filter(|(name, _)| is_variable_run_as_code(name)) {
                self.push_guess(value.trim_matches(['"', '\'']));
            }
        }
    }

    fn guess_from_arguments(&mut self, languages: Languages) {
        let Some(name) = self.command.program_name() else { return };
        // A program that is given as a path is also listed by its file name; code of a cmdlet was
        // already read.
        if name.contains('/') || is_cmdlet_or_net_call(name) {
            return;
        }
        if let Some(input) = &self.command.input
            && shells::runs_input_as_code(name, &self.command.words)
            && !self.found.iter().any(|text| **text == **input)
        {
            // Whatever it names: it is code.
            self.found.push(input.to_string());
        }
        self.guess_from_code_arguments(name);
        if strings::interpreter_code_options(name).is_some() || strings::takes_code_operand(name) {
            if languages == Languages::Read {
                self.guess_from_foreign_code();
            }
            return;
        }
        match name {
            _ if name == "sed" || name == "gsed" => self.guess_from_sed_scripts(),
            _ if has_subcommands(name) => self.guess_after_subcommand(name),
            _ if takes_text_operands(name) => {}
            _ => self.guess_from_words(1, false),
        }
    }

    /// Guesses from the quoted texts in code of another language.
    fn guess_from_foreign_code(&mut self) {
        let bodies = self.command.input.as_deref();
        let words = self.command.words.iter().skip(1).map(remove_outer_quotes);
        for code in words.chain(bodies) {
            if strings::may_run_shell_line(code) && self.mentions_program_asked_about(code) {
                let all = strings::quoted_texts(code);
                let lines = all.iter().map(|(_, text)| (*text).to_owned());
                for line in lines.chain(strings::commands_from_lists(code, &all)) {
                    self.push_guess(&line);
                }
            }
        }
    }

    /// Guesses from `sed` scripts that run commands: `sed '1e git push'`, `sed 's/x/git push/e'`.
    fn guess_from_sed_scripts(&mut self) {
        let words: &'c [Word] = &self.command.words;
        let commands = words.iter().skip(1).flat_map(|word| word.text.split([';', '\n']));
        let whole = words.iter().skip(1).map(|word| word.text.as_str());
        for text in commands.chain(whole) {
            let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!/ ".contains(c));
            if let Some(line) = text.strip_prefix("e ") {
                self.push_guess(line);
            }
            let Some(substitution) = text.strip_prefix('s') else { continue };
            let Some(mark) = substitution.chars().next().filter(char::is_ascii_punctuation) else {
                continue;
            };
            let mut parts = substitution.split(mark).skip(2);
            if let (Some(put_in), Some(flags)) = (parts.next(), parts.next())
                && flags.split(';').next().is_some_and(|flags| flags.contains('e'))
            {
                self.push_guess(put_in);
            }
        }
    }

    /// Guesses from the arguments that programs run after some of their options and words: `zip -TT
    /// CODE`, `cmake -E env COMMAND`.
    fn guess_from_code_arguments(&mut self, name: &str) {
        let words: &'c [Word] = &self.command.words;
        for (lead, kind) in leads_of_program(name) {
            if kind == Lead::Input {
                let lines = self.command.input.iter().flat_map(|input| input.lines());
                let lines: Vec<&str> = lines
                    .filter_map(|line| line.trim().strip_prefix(lead))
                    .take(MOST_OF_COMMAND)
                    .collect();
                lines.into_iter().for_each(|line| self.push_guess(line));
                continue;
            }
            for (at, word) in words.iter().enumerate().skip(1) {
                let text = remove_outer_quotes(word);
                if kind == Lead::Within {
                    let code = text.split_once(lead).map(|(_, code)| code.trim_end_matches(')'));
                    code.into_iter().for_each(|code| self.guess_from_whole_text(code));
                    continue;
                }
                let Some(attached) = text.strip_prefix(lead) else { continue };
                let rest = words.get(at + 1..).unwrap_or_default();
                if attached.is_empty() {
                    self.guess_after_lead(kind, rest);
                } else if kind == Lead::Code
                    && (attached.starts_with('=') || !lead.starts_with("--"))
                {
                    self.guess_from_whole_text(attached.trim_start_matches('='));
                } else if let (Lead::Image, Some(program)) = (kind, attached.strip_prefix('=')) {
                    self.guess_container_command(program, rest);
                }
            }
        }
    }

    /// Guesses from the words after a lead that is a whole word.
    fn guess_after_lead(&mut self, kind: Lead, rest: &[Word]) {
        match kind {
            Lead::Code => rest
                .first()
                .into_iter()
                .for_each(|word| self.guess_from_whole_text(remove_outer_quotes(word))),
            Lead::Lines => rest
                .iter()
                .take(MOST_OF_COMMAND)
                .for_each(|word| self.guess_from_whole_text(remove_outer_quotes(word))),
            Lead::Command => {
                let is_own = |word: &&Word| word.text.starts_with('-') || word.text.contains('=');
                let rest: Vec<String> =
                    rest.iter().skip_while(is_own).map(quote_as_written).collect();
                self.push_guess(&rest.join(" "));
            }
            Lead::Image => {
                if let Some((program, rest)) = rest.split_first() {
                    self.guess_container_command(remove_outer_quotes(program), rest);
                }
            }
            Lead::Packed => {
                if let Some((package, rest)) = rest.split_first() {
                    let name = package.text.rsplit(['#', '/']).next().unwrap_or_default();
                    let own =
                        rest.iter().skip_while(|word| word.text == "--").map(quote_as_written);
                    let words: Vec<String> = std::iter::once(name.to_owned()).chain(own).collect();
                    self.push_guess(&words.join(" "));
                }
            }
            Lead::Within | Lead::Input => {}
        }
    }

    /// Guesses the command of a container, from the program and the words after the image: `docker
    /// run --entrypoint git IMAGE push`.
    fn guess_container_command(&mut self, program: &str, rest: &[Word]) {
        let words = rest.iter().skip_while(|word| word.text.starts_with('-')).skip(1);
        let words: Vec<String> = words.map(quote_as_written).collect();
        self.push_guess(&format!("{program} {}", words.join(" ")));
    }

    /// Guesses from a text as a line, and from the parts of it that follow a possible lead.
    fn guess_from_whole_text(&mut self, text: &str) {
        self.push_guess(text);
        self.guess_from_text_parts(text);
    }

    /// Guesses from the words after a subcommand that runs them: `docker exec x git push`, `git
    /// submodule foreach 'git push'`. Otherwise only from options that take code.
    fn guess_after_subcommand(&mut self, name: &str) {
        let words = &self.command.words;
        let operands =
            program::split_arguments(name, words).filter_map(|(at, argument)| match argument {
                Argument::Operand(text) => Some((at, text)),
                Argument::Option(_) => None,
            });
        let verb = operands.take(DEEPEST_VERB).find(|(_, text)| is_subcommand_running_words(text));
        if let Some((at, _)) = verb {
            self.guess_from_words(at + 1, false);
        }
        self.guess_from_words(1, true);
    }

    /// Guesses from the words from `from` on as the start of a command, and from each word as code;
    /// or only from the values of options that take code.
    fn guess_from_words(&mut self, from: usize, only_options: bool) {
        let words: &'c [Word] = &self.command.words;
        // After more wrappers than are followed (S-32), only words without a wrapper can be new.
        let is_deep = self.command.via.len() >= MOST_WRAPPERS;
        let mut before: &str = "";
        for (at, word) in words.iter().enumerate().skip(from) {
            let text = remove_outer_quotes(word);
            let is_option = text.starts_with('-');
            let option = text.split('=').next().unwrap_or_default();
            let program = self.command.program_name().unwrap_or_default();
            let text_due = is_text_option(before)
                || is_option && is_text_option(option)
                || sets_container_variable(program, before, text)
                || is_option && sets_container_variable(program, option, value_after_equals(text));
            let code_due = is_code_option(before)
                || (is_option && text.contains('=') && is_code_option(option));
            before = if is_option { text } else { "" };
            if self.found.len() >= MOST_OF_COMMAND {
                return;
            }
            if only_options && !code_due {
                continue;
            }
            if text.contains(char::is_whitespace) {
                if !text_due || code_due {
                    self.guess_from_text_parts(text);
                }
                continue;
            }
            let base = text.rsplit('/').next().unwrap_or_default();
            let is_command =
                word.kind == WordKind::Literal && !base.is_empty() && (self.is_asked)(base);
            let is_more = is_deep && wrapper::find_wrapper(base).is_some();
            if is_command && !is_more && at + 1 < words.len() && (!text_due || code_due) {
                let rest = words.get(at..).unwrap_or_default().iter();
                let rest: Vec<String> = rest.map(quote_as_written).collect();
                self.push_guess(&rest.join(" "));
            }
        }
    }

    /// Guesses from a word with blanks: as a line, and from what follows `=` or a possible lead.
    fn guess_from_text_parts(&mut self, text: &str) {
        // A substitution is read elsewhere.
        if text.starts_with("$(")
            || text.starts_with('`')
            || !self.mentions_program_asked_about(text)
        {
            return;
        }
        let text = text.trim_end_matches("\\n");
        self.push_guess(text.trim_start_matches([':', '@', '+', '!', '\\']));
        if let Some((name, value)) = text.split_once('=')
            && !name.contains(char::is_whitespace)
        {
            self.push_guess(value.trim_matches(['"', '\'']).trim_start_matches('!'));
        }
        let lower = text.to_ascii_lowercase();
        for mark in MARKS {
            let at = lower.find(mark).map(|at| at + mark.len());
            if let Some(line) = at.and_then(|at| text.get(at..)) {
                self.push_guess(line.trim_matches(['"', '\'', '\\', '[', ']', '(', ')']));
            }
        }
    }
}

/// Returns the value of a long option after its `=`.
fn value_after_equals(text: &str) -> &str {
    text.split_once('=').map_or("", |(_, value)| value)
}

/// Returns a word as it would be written on a line, with the quotes that it had or needs.
fn quote_as_written(word: &Word) -> String {
    match word.kind {
        WordKind::Literal => quote_word(&word.text),
        WordKind::Pattern | WordKind::Expansion => word.source.clone(),
    }
}
