//! Guesses which texts a command would run if its program ran its arguments.
//!
//! A table of wrappers is never complete: the arguments of an unlisted program are examined as if
//! it ran them (S-36). A guess may only restrain. It is made on request, for the programs that the
//! caller asks about, so that a plain line costs only a look at its words; no text is read here.

mod git;
mod shells;
mod table;

use super::program::{self, Argument, has_subcommands};
use super::stream::unquoted;
use super::strings;
use super::windows::is_cmdlet;
use super::word::{Word, WordKind, quote};
use super::{Line, MOST_WRAPPERS, SimpleCommand, Via, wrapper};
use table::{
    Lead, MARKS, is_run, is_running, is_text, leads, sets_variable, takes_code, takes_text,
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
pub fn of_line(line: &Line, is_asked: &dyn Fn(&str) -> bool, languages: Languages) -> Vec<Guess> {
    let mut found = Vec::new();
    let aliases = git::aliases(line);
    for (at, command) in line.commands.iter().enumerate() {
        let found_behind = line.commands.get(at + 1).is_some_and(|next| {
            let own = command.via.len();
            next.via.len() > own
                && next.via.get(..own) == Some(&*command.via)
                && matches!(next.via.get(own), Some(Via::Wrapper(_)))
                // `npx -c 'git push'`: a line is not the name of a program.
                && !next.program().is_some_and(|name| name.contains(' '))
        });
        let mut guesser = Guesser { command, is_asked, found: Vec::new() };
        guesser.variables();
        git::behind(command, &aliases).iter().for_each(|text| guesser.push(text));
        if !found_behind {
            guesser.arguments(languages);
        }
        let program = command.program().unwrap_or_default();
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
    /// Whether a text names a program that the caller asks about.
    fn names(&self, text: &str) -> bool {
        let is_part = |c: char| !(c.is_alphanumeric() || "-_.+".contains(c));
        text.split(is_part).any(|name| !name.is_empty() && (self.is_asked)(name))
    }

    fn push(&mut self, text: &str) {
        // Further ones are not examined.
        if self.found.len() < MOST_OF_COMMAND
            && self.names(text)
            && !self.found.iter().any(|other| other == text)
        {
            self.found.push(text.to_owned());
        }
    }

    /// `PROMPT_COMMAND='git push'`, also behind `export`.
    fn variables(&mut self) {
        for assignment in self.command.assignments.iter() {
            if is_run(&assignment.name) {
                self.push(unquoted(&assignment.value));
            }
        }
        let exports = ["export", "declare", "typeset", "readonly", "env"];
        if self.command.program().is_some_and(|name| exports.contains(&name)) {
            let pairs = self.command.words.iter().filter_map(|word| word.text.split_once('='));
            for (_, value) in pairs.filter(|(name, _)| is_run(name)) {
                self.push(value.trim_matches(['"', '\'']));
            }
        }
    }

    fn arguments(&mut self, languages: Languages) {
        let Some(name) = self.command.program() else { return };
        // A program that is given as a path is also listed by its file name; code of a cmdlet was
        // already read.
        if name.contains('/') || is_cmdlet(name) {
            return;
        }
        if let Some(input) = &self.command.input
            && shells::starts(name, &self.command.words)
            && !self.found.iter().any(|text| **text == **input)
        {
            // Whatever it names: it is code.
            self.found.push(input.to_string());
        }
        self.code_words(name);
        if strings::interpreter(name).is_some() || strings::is_scripted(name) {
            if languages == Languages::Read {
                self.code();
            }
            return;
        }
        match name {
            _ if name == "sed" || name == "gsed" => self.sed(),
            _ if has_subcommands(name) => self.behind_verb(name),
            _ if takes_text(name) => {}
            _ => self.operands(1, false),
        }
    }

    /// The lines in the quotes of a different language.
    fn code(&mut self) {
        let bodies = self.command.input.as_deref();
        let words = self.command.words.iter().skip(1).map(unquoted);
        for code in words.chain(bodies) {
            if strings::runs_lines(code) && self.names(code) {
                let all = strings::texts(code);
                let lines = all.iter().map(|(_, text)| (*text).to_owned());
                for line in lines.chain(strings::listed(code, &all)) {
                    self.push(&line);
                }
            }
        }
    }

    /// `sed '1e git push'`, `sed 's/x/git push/e'`
    fn sed(&mut self) {
        let words: &'c [Word] = &self.command.words;
        let commands = words.iter().skip(1).flat_map(|word| word.text.split([';', '\n']));
        let whole = words.iter().skip(1).map(|word| word.text.as_str());
        for text in commands.chain(whole) {
            let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!/ ".contains(c));
            if let Some(line) = text.strip_prefix("e ") {
                self.push(line);
            }
            let Some(substitution) = text.strip_prefix('s') else { continue };
            let Some(mark) = substitution.chars().next().filter(char::is_ascii_punctuation) else {
                continue;
            };
            let mut parts = substitution.split(mark).skip(2);
            if let (Some(put_in), Some(flags)) = (parts.next(), parts.next())
                && flags.split(';').next().is_some_and(|flags| flags.contains('e'))
            {
                self.push(put_in);
            }
        }
    }

    /// The arguments that programs run after some of their options and words: `zip -TT CODE`,
    /// `cmake -E env COMMAND`.
    fn code_words(&mut self, name: &str) {
        let words: &'c [Word] = &self.command.words;
        for (lead, kind) in leads(name) {
            if kind == Lead::Input {
                let lines = self.command.input.iter().flat_map(|input| input.lines());
                let lines: Vec<&str> = lines
                    .filter_map(|line| line.trim().strip_prefix(lead))
                    .take(MOST_OF_COMMAND)
                    .collect();
                lines.into_iter().for_each(|line| self.push(line));
                continue;
            }
            for (at, word) in words.iter().enumerate().skip(1) {
                let text = unquoted(word);
                if kind == Lead::Within {
                    let code = text.split_once(lead).map(|(_, code)| code.trim_end_matches(')'));
                    code.into_iter().for_each(|code| self.lines(code));
                    continue;
                }
                let Some(attached) = text.strip_prefix(lead) else { continue };
                let rest = words.get(at + 1..).unwrap_or_default();
                if attached.is_empty() {
                    self.behind_lead(kind, rest);
                } else if kind == Lead::Code
                    && (attached.starts_with('=') || !lead.starts_with("--"))
                {
                    self.lines(attached.trim_start_matches('='));
                } else if let (Lead::Image, Some(program)) = (kind, attached.strip_prefix('=')) {
                    self.image(program, rest);
                }
            }
        }
    }

    /// Guesses from the words after a lead that is a whole word.
    fn behind_lead(&mut self, kind: Lead, rest: &[Word]) {
        match kind {
            Lead::Code => rest.first().into_iter().for_each(|word| self.lines(unquoted(word))),
            Lead::Lines => {
                rest.iter().take(MOST_OF_COMMAND).for_each(|word| self.lines(unquoted(word)))
            }
            Lead::Command => {
                let is_own = |word: &&Word| word.text.starts_with('-') || word.text.contains('=');
                let rest: Vec<String> = rest.iter().skip_while(is_own).map(as_written).collect();
                self.push(&rest.join(" "));
            }
            Lead::Image => {
                if let Some((program, rest)) = rest.split_first() {
                    self.image(unquoted(program), rest);
                }
            }
            Lead::Packed => {
                if let Some((package, rest)) = rest.split_first() {
                    let name = package.text.rsplit(['#', '/']).next().unwrap_or_default();
                    let own = rest.iter().skip_while(|word| word.text == "--").map(as_written);
                    let words: Vec<String> = std::iter::once(name.to_owned()).chain(own).collect();
                    self.push(&words.join(" "));
                }
            }
            Lead::Within | Lead::Input => {}
        }
    }

    /// `docker run --entrypoint git IMAGE push`: the program, and the words after the image.
    fn image(&mut self, program: &str, rest: &[Word]) {
        let words = rest.iter().skip_while(|word| word.text.starts_with('-')).skip(1);
        let words: Vec<String> = words.map(as_written).collect();
        self.push(&format!("{program} {}", words.join(" ")));
    }

    /// A text as a line, and the parts of it that follow a possible lead.
    fn lines(&mut self, text: &str) {
        self.push(text);
        self.line(text);
    }

    /// `docker exec x git push`, `git submodule foreach 'git push'`; else only the options that
    /// take code.
    fn behind_verb(&mut self, name: &str) {
        let words = &self.command.words;
        let operands =
            program::arguments(name, words).filter_map(|(at, argument)| match argument {
                Argument::Operand(text) => Some((at, text)),
                Argument::Option(_) => None,
            });
        let verb = operands.take(DEEPEST_VERB).find(|(_, text)| is_running(text));
        if let Some((at, _)) = verb {
            self.operands(at + 1, false);
        }
        self.operands(1, true);
    }

    /// The words from `from` on as the start of a command, and each word as code; or only the
    /// values of options that take code.
    fn operands(&mut self, from: usize, only_options: bool) {
        let words: &'c [Word] = &self.command.words;
        // After more wrappers than are followed (S-32), only words without a wrapper can be new.
        let is_deep = self.command.via.len() >= MOST_WRAPPERS;
        let mut before: &str = "";
        for (at, word) in words.iter().enumerate().skip(from) {
            let text = unquoted(word);
            let is_option = text.starts_with('-');
            let option = text.split('=').next().unwrap_or_default();
            let program = self.command.program().unwrap_or_default();
            let text_due = is_text(before)
                || is_option && is_text(option)
                || sets_variable(program, before, text)
                || is_option && sets_variable(program, option, behind_equals(text));
            let code_due =
                takes_code(before) || (is_option && text.contains('=') && takes_code(option));
            before = if is_option { text } else { "" };
            if self.found.len() >= MOST_OF_COMMAND {
                return;
            }
            if only_options && !code_due {
                continue;
            }
            if text.contains(char::is_whitespace) {
                if !text_due || code_due {
                    self.line(text);
                }
                continue;
            }
            let base = text.rsplit('/').next().unwrap_or_default();
            let is_command =
                word.kind == WordKind::Literal && !base.is_empty() && (self.is_asked)(base);
            let is_more = is_deep && wrapper::find(base).is_some();
            if is_command && !is_more && at + 1 < words.len() && (!text_due || code_due) {
                let rest = words.get(at..).unwrap_or_default().iter();
                let rest: Vec<String> = rest.map(as_written).collect();
                self.push(&rest.join(" "));
            }
        }
    }

    /// A word with blanks: a line as it is, after `=`, or after a possible lead.
    fn line(&mut self, text: &str) {
        // A substitution is read elsewhere.
        if text.starts_with("$(") || text.starts_with('`') || !self.names(text) {
            return;
        }
        let text = text.trim_end_matches("\\n");
        self.push(text.trim_start_matches([':', '@', '+', '!', '\\']));
        if let Some((name, value)) = text.split_once('=')
            && !name.contains(char::is_whitespace)
        {
            self.push(value.trim_matches(['"', '\'']).trim_start_matches('!'));
        }
        let lower = text.to_ascii_lowercase();
        for mark in MARKS {
            let at = lower.find(mark).map(|at| at + mark.len());
            if let Some(line) = at.and_then(|at| text.get(at..)) {
                self.push(line.trim_matches(['"', '\'', '\\', '[', ']', '(', ')']));
            }
        }
    }
}

/// The value of a long option after its `=`.
fn behind_equals(text: &str) -> &str {
    text.split_once('=').map_or("", |(_, value)| value)
}

/// A word as it would be written on a line, with the quotes that it had or needs.
fn as_written(word: &Word) -> String {
    match word.kind {
        WordKind::Literal => quote(&word.text),
        WordKind::Pattern | WordKind::Expansion => word.source.clone(),
    }
}
