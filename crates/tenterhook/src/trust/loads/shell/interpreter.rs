//! Which code does an interpreter run: a file, a text among its words, or its standard input?

use std::path::PathBuf;

use tenterhook_shell::{SimpleCommand, Target, Word};

use super::Shell;
use crate::trust::loads::language::Language;
use crate::trust::loads::value::{Rest, Value};
use crate::trust::loads::{Loads, Note, Role, Scene, add_loads_of_script};

/// Names of the standard input.
const STANDARD_INPUT: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
/// Options with which nothing runs.
const INERT: &[&str] = &["--version", "--help", "-V", "-h", "-v", "-n"];
/// Options that load the file or module behind them.
const LOADS: &[&str] = &["-r", "--require", "--import", "--loader", "--experimental-loader"];
/// Words of interpreters before the name of a script.
const VERBS: &[&str] = &["run", "exec", "watch"];

impl Shell<'_> {
    /// Reads the arguments of an interpreter up to its script, and returns those behind the script.
    pub(super) fn read_interpreter_options<'w>(
        &mut self,
        language: Language,
        command: &'w SimpleCommand,
        text: &str,
        loads: &mut Loads,
    ) -> &'w [Word] {
        let mut words = command.words.get(1..).unwrap_or_default();
        let mut behind_option = false;
        while let Some((word, rest)) = words.split_first() {
            let option = word.text.as_str();
            if INERT.contains(&option) && rest.is_empty() {
                return rest;
            }
            if let Some(attached) = parse_code_option(language, option) {
                return match (attached, rest.split_first()) {
                    (Some(code), _) => {
                        self.read_code_argument(language, &Word::literal(code), text, loads);
                        rest
                    }
                    (None, Some((code, rest))) => {
                        self.read_code_argument(language, code, text, loads);
                        rest
                    }
                    (None, None) => rest,
                };
            }
            if let Some(module) = option.strip_prefix("-m").filter(|_| language == Language::Python)
            {
                self.read_module_option(module, word, rest.first(), text, loads);
                return rest.get(1..).unwrap_or_default();
            }
            let attached = option.split_once('=').filter(|(name, _)| LOADS.contains(name));
            if let Some((_, path)) = attached {
                self.add_executed_word(&Word::literal(path), Some(language), text, loads);
            } else if LOADS.contains(&option) && language != Language::Python {
                rest.iter()
                    .take(1)
                    .for_each(|word| self.add_executed_word(word, Some(language), text, loads));
                words = rest.get(1..).unwrap_or_default();
                continue;
            }
            let is_value = std::mem::take(&mut behind_option) && !self.word_may_be_file(word);
            if STANDARD_INPUT.contains(&option) || option == "-s" {
                self.read_code_from_stdin(language, command, text, loads);
                return rest;
            }
            if !option.starts_with('-')
                && !VERBS.contains(&option)
                && (!is_value || rest.is_empty())
            {
                self.add_executed_word(word, Some(language), text, loads);
                return rest;
            }
            behind_option = option.starts_with('-');
            words = rest;
        }
        self.read_code_from_stdin(language, command, text, loads);
        words
    }

    /// Reads `-m MODULE` or `-mMODULE`.
    fn read_module_option(
        &self,
        attached: &str,
        word: &Word,
        next: Option<&Word>,
        text: &str,
        loads: &mut Loads,
    ) {
        let next = next.map(|word| word.text.as_str()).unwrap_or_default();
        let module = if attached.is_empty() { next } else { attached };
        let code = format!("import {module}, {module}.__main__");
        let at = self.build_note_at(text, &word.source, &format!("-m {module}"));
        self.read_inline_code(Language::Python, &code, &at, loads);
    }

    fn word_may_be_file(&self, word: &Word) -> bool {
        let values = self.expand_word(&word.source, 0);
        values.iter().any(|value| {
            !value.is_known()
                || value
                    .resolve_from(&self.working_directory())
                    .is_some_and(|path| self.scene.disk.is_file(&path))
        })
    }

    /// Reads code in an argument of an interpreter.
    fn read_code_argument(
        &mut self,
        language: Language,
        word: &Word,
        text: &str,
        loads: &mut Loads,
    ) {
        let at = self.build_note_at(text, &word.source, &word.source);
        let is_variable = word.is_dynamic() && word.source.trim_matches('"').starts_with('$');
        // The reader of lines looks into the code of shells itself, where it is written there.
        if !word.is_dynamic() || !is_variable && language != Language::Shell {
            if language != Language::Shell {
                self.read_inline_code(language, &word.text, &at, loads);
            }
            return;
        }
        for value in self.expand_word(&word.source, 0) {
            match value.rest {
                Rest::Nothing => self.read_inline_code(language, &value.text, &at, loads),
                Rest::Parameter => {}
                _ => self.note_unknown_code(at.clone(), loads),
            }
        }
    }

    fn read_inline_code(&self, language: Language, code: &str, at: &Note, loads: &mut Loads) {
        let here = Value::from_path(self.scene.base);
        let bases = self.directories.iter().filter_map(|directory| directory.resolve_from(&here));
        for base in bases.collect::<Vec<_>>() {
            let scene = Scene { script: None, base: &base, within: Some(at), ..self.scene };
            add_loads_of_script(language, code, scene, loads);
        }
    }

    /// Reads the code that an interpreter gets on its standard input.
    fn read_code_from_stdin(
        &mut self,
        language: Language,
        command: &SimpleCommand,
        text: &str,
        loads: &mut Loads,
    ) {
        let shown = command.words.first().map(|word| word.text.clone()).unwrap_or_default();
        let at =
            self.build_note_at(text, &command.source(), &format!("what `{shown}` reads as code"));
        let mut is_read = false;
        for redirect in command.redirects.iter() {
            match &redirect.target {
                Target::HereDocument { body, .. } => {
                    self.read_here_document(language, body, &at, loads);
                    is_read = true;
                }
                Target::Word(word) if redirect.operator == "<<<" => {
                    self.read_code_argument(language, word, text, loads);
                    is_read = true;
                }
                Target::Word(word) if redirect.operator == "<" => {
                    if word.source.contains("<(") {
                        self.note_unknown_code(at.clone(), loads);
                    } else {
                        self.add_executed_word(word, Some(language), text, loads);
                    }
                    is_read = true;
                }
                _ => {}
            }
        }
        match &command.input {
            _ if is_read => {}
            Some(input) => self.read_here_document(language, input, &at, loads),
            None => self.note_unknown_code(at, loads),
        }
    }

    fn read_here_document(&mut self, language: Language, body: &str, at: &Note, loads: &mut Loads) {
        // The reader of lines looks into the code of shells itself.
        if language != Language::Shell {
            self.read_inline_code(language, body, at, loads);
        }
    }

    /// Reads code that commands print. Files among their arguments are code; what else they print
    /// is unknown.
    fn read_printed_code(
        &mut self,
        word: &Word,
        command: &SimpleCommand,
        text: &str,
        loads: &mut Loads,
    ) {
        let at = self.build_note_at(text, &word.source, &format!("source {}", word.source));
        for redirect in command.redirects.iter().filter(|redirect| redirect.operator == "<") {
            if let Target::Word(word) = &redirect.target {
                self.add_executed_word(word, Some(Language::Shell), text, loads);
                return;
            }
        }
        self.note_unknown_code(at, loads);
    }

    pub(super) fn read_source_command(
        &mut self,
        arguments: &[Word],
        command: &SimpleCommand,
        text: &str,
        loads: &mut Loads,
    ) {
        let Some(word) = arguments.iter().find(|word| word.text != "--") else { return };
        if word.source.contains("<(") || STANDARD_INPUT.contains(&&*word.text) {
            return self.read_printed_code(word, command, text, loads);
        }
        for value in self.expand_word(&word.source, 0) {
            let at = self.build_note_at(text, &word.source, &word.source);
            if !value.is_known() {
                self.add_partly_known_path(&value, at, loads);
                continue;
            }
            self.add_path(&value, Role::Includes, &at, loads);
            let paths: Vec<PathBuf> = self
                .directories
                .iter()
                .filter_map(|directory| value.resolve_from(directory))
                .collect();
            if paths.is_empty() {
                loads.add_unresolved_note(at);
            }
            paths.into_iter().for_each(|path| self.read_sourced_file(path, loads));
        }
    }
}

/// Parses an option that passes code. The inner value is the attached code; without one, the code
/// is the next word.
fn parse_code_option(language: Language, option: &str) -> Option<Option<&str>> {
    if let Some(long) = option.strip_prefix("--") {
        let (name, code) =
            long.split_once('=').map_or((long, None), |(name, code)| (name, Some(code)));
        return matches!(name, "eval" | "print" | "command").then_some(code);
    }
    let letters = option.strip_prefix('-')?;
    let marks: &[char] = match language {
        Language::Python | Language::Shell => &['c'],
        Language::Node => &['e', 'p'],
        Language::Ruby | Language::Perl => &['e', 'E'],
        Language::Package => &[],
    };
    let at = letters.find(marks)?;
    let flags = letters.get(..at)?;
    let takes_value: &[char] = match language {
        Language::Python => &['W', 'X', 'm', 'Q'],
        Language::Ruby | Language::Perl => &['I', 'M', 'm', 'r', 'C', 'x'],
        _ => &[],
    };
    if !flags.chars().all(char::is_alphanumeric) || letters.starts_with(takes_value) {
        return None;
    }
    let behind = letters.get(at + 1..).unwrap_or_default();
    let is_attached = behind.len() > 1 && language != Language::Shell;
    Some(is_attached.then_some(behind))
}
