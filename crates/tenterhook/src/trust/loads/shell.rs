//! What does a shell script load? Walks over its commands in the order of the text, with the values of its variables; runs nothing.
//!
//! Which branch runs is not decided: a variable has every value that the script assigns to it.

mod interpreter;
mod paths;
mod variables;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tenterhook_shell::{self as shell, Assignment, Doubt, Parsed, SimpleCommand, Word};

use super::language::Language;
use super::value::{Rest, Value};
use super::{DEEPEST, Loads, Note, Role, Scene, split};
use crate::trust::named;

pub(super) use paths::{PRELOADED, SEARCHED};

/// Commands whose arguments are assignments.
const DECLARES: &[&str] = &["declare", "export", "local", "readonly", "typeset"];
/// Programs that print files: what is evaluated of their output is code of a file.
const READERS: &[&str] =
    &["awk", "base64", "cat", "cut", "envsubst", "grep", "head", "sed", "tail", "tr", "<"];
/// Most characters of a script that a review shows as one reason.
const LONGEST_NOTE: usize = 80;
/// Texts of a line that may load a file.
const LOADERS: &[&str] = &["$0", "${0", "BASH_SOURCE", "source ", ". ", "eval "];
/// Programs that only print or compare what they are handed.
const HARMLESS: &[&str] = &[
    ":", "[", "[[", "basename", "dirname", "echo", "printf", "readlink", "realpath", "return",
    "test",
];
/// Most values of one variable.
const MOST_VALUES: usize = 6;

/// A shell script on the way through its commands.
pub(super) struct Shell<'a> {
    pub(super) scene: Scene<'a>,
    /// The file that is being read, which is not the one that was started in what that sources.
    file: PathBuf,
    pub(super) variables: HashMap<String, Vec<Value>>,
    pub(super) functions: HashMap<String, String>,
    arrays: HashMap<String, String>,
    /// The working directories that it may have come to, the last one last.
    directories: Vec<Value>,
    pub(super) follows_link: Cell<bool>,
    sourced: Vec<PathBuf>,
}

pub(super) fn add_shell_loads(text: &str, scene: Scene<'_>, loads: &mut Loads) {
    let mut shell = Shell {
        scene,
        file: scene.script.unwrap_or(scene.base).to_owned(),
        variables: HashMap::new(),
        functions: HashMap::new(),
        arrays: HashMap::new(),
        directories: vec![Value::from_path(scene.base)],
        follows_link: Cell::new(false),
        sourced: Vec::new(),
    };
    shell.read_script(text, loads);
    if shell.follows_link.get() {
        loads.add_copy_difference_note(shell.build_note_at(
            text,
            "",
            "it follows the link that it was started by",
        ));
    }
}

impl Shell<'_> {
    /// Returns the path by which the script was started.
    pub(super) fn script_path(&self) -> Option<Value> {
        self.scene.script_path()
    }

    /// Returns the path of the file that is being read.
    pub(super) fn current_file_path(&self) -> Option<Value> {
        self.scene.script.map(|_| Value::from_script_path(&self.file))
    }

    /// Returns the working directory to which the script changed last.
    pub(super) fn working_directory(&self) -> Value {
        self.directories.last().cloned().unwrap_or_else(Value::unknown)
    }

    /// Adds a path. A relative one is added from each possible working directory in which the file
    /// exists.
    fn add_path(&self, value: &Value, role: Role, at: &Note, loads: &mut Loads) {
        if value.text.starts_with('/') {
            return loads.add_load(value, &self.working_directory(), role, at.clone());
        }
        let is_there = |directory: &&Value| {
            let path = value.resolve_from(directory);
            path.is_some_and(|path| {
                self.scene.disk.is_file(&path) || self.scene.disk.is_directory(&path)
            })
        };
        let there: Vec<&Value> = self.directories.iter().filter(is_there).collect();
        for directory in &self.directories {
            let is_likely = there.contains(&directory)
                || there.is_empty() && Some(directory) == self.directories.last();
            let role = if is_likely { role } else { Role::Probes };
            loads.add_load(value, directory, role, at.clone());
        }
    }

    fn read_script(&mut self, text: &str, loads: &mut Loads) {
        let line = shell::parse_line(text);
        match line.parsed {
            Parsed::Doubtful(Doubt::TooLong | Doubt::TooDeep | Doubt::Syntax { .. }) => {
                self.read_lines(text, loads);
            }
            Parsed::Full | Parsed::Doubtful(_) => self.read_parsed_line(&line, text, loads),
        }
    }

    /// Reads each line separately, for a script that cannot be read as a whole.
    fn read_lines(&mut self, text: &str, loads: &mut Loads) {
        if text.lines().count() < 2 {
            return loads.add_unresolved_note(self.build_note_at(
                text,
                text,
                "the line cannot be read",
            ));
        }
        for single in text.replace("\\\n", " ").lines() {
            let line = shell::parse_line(single);
            match line.parsed {
                Parsed::Doubtful(Doubt::TooLong | Doubt::TooDeep | Doubt::Syntax { .. }) => {
                    if LOADERS.iter().any(|marker| single.contains(marker)) {
                        loads.add_unresolved_note(self.build_note_at(text, single, single.trim()));
                    }
                }
                Parsed::Full | Parsed::Doubtful(_) => self.read_parsed_line(&line, text, loads),
            }
        }
    }

    fn read_parsed_line(&mut self, line: &shell::Line, text: &str, loads: &mut Loads) {
        for redirect in &line.redirects {
            self.read_redirect(redirect, text, loads);
        }
        for function in &line.functions {
            self.functions.insert(function.name.clone(), function.body.clone());
        }
        for repeated in &line.loops {
            let values =
                repeated.words.iter().flat_map(|word| self.expand_word(&word.source, 0)).collect();
            self.add_variable_values(&repeated.variable, values);
        }
        let mut nested = substitution_texts(&line.commands);
        for command in &line.commands {
            for Assignment { name, value } in command.assignments.iter() {
                self.read_assignment(name, &value.source, text, loads);
            }
            self.read_command(command, text, &mut nested, loads);
            // Assigned once more: what is read later knows the loop's variable after what it is made of.
            for repeated in
                line.loops.iter().filter(|repeated| command.source().contains(&repeated.variable))
            {
                let values = repeated
                    .words
                    .iter()
                    .flat_map(|word| self.expand_word(&word.source, 0))
                    .collect();
                self.add_variable_values(&repeated.variable, values);
            }
        }
    }

    fn read_command(
        &mut self,
        command: &SimpleCommand,
        text: &str,
        nested: &mut Vec<String>,
        loads: &mut Loads,
    ) {
        for redirect in command.redirects.iter() {
            self.read_redirect(redirect, text, loads);
        }
        let Some((program, arguments)) = command.words.split_first() else { return };
        let name = program.text.as_str();
        if let Some(words) = self.array_words(program) {
            let rest = arguments.iter().map(|word| word.source.as_str());
            let line: Vec<&str> = std::iter::once(words.as_str()).chain(rest).collect();
            let line = line.join(" ");
            return self.read_nested_line(&line, loads);
        }
        if DECLARES.contains(&name) {
            for word in arguments {
                let Some((variable, _)) = word.source.split_once('=') else { continue };
                let source = word.source.get(variable.len() + 1..).unwrap_or_default().to_owned();
                self.read_assignment(variable, &source, text, loads);
            }
            return;
        }
        if matches!(name, "cd" | "pushd") {
            return self.change_directory(arguments, text, nested, loads);
        }
        if matches!(name, "." | "source") {
            return self.read_source_command(arguments, command, text, loads);
        }
        if name == "eval" {
            return self.read_composed_code(arguments, text, loads);
        }
        self.read_program_call(program, command, text, loads);
    }

    /// Reads a call of a program that is not a builtin: what it runs and reads.
    fn read_program_call(
        &mut self,
        program: &Word,
        command: &SimpleCommand,
        text: &str,
        loads: &mut Loads,
    ) {
        let (name, arguments) = (program.text.as_str(), command.words.get(1..).unwrap_or_default());
        let programs = self.expand_word(&program.source, 0);
        if programs.iter().any(|value| value.text.contains('/')) {
            self.add_executed_word(program, None, text, loads);
        }
        let name = programs
            .iter()
            .find(|value| value.is_known())
            .map_or(name, |value| value.text.as_str());
        let short = name.rsplit('/').next().unwrap_or(name);
        let mut rest = arguments;
        if self.functions.contains_key(short) {
            // A function of the script, whose body was read: it may run a script that it is handed.
            for word in arguments {
                if self.is_script_name(word) {
                    self.add_executed_word(word, None, text, loads);
                }
            }
        } else if let Some(language) = Language::of_interpreter(short) {
            rest = self.read_interpreter_options(language, command, text, loads);
        } else if programs.iter().any(|value| !value.is_known()) {
            self.note_unknown_program(program, &programs, text, loads);
            // `"$PYTHON" tools/x.py`
            let scripts = arguments
                .iter()
                .filter(|word| Language::of_file(Path::new(&word.text), b"").is_some());
            scripts.for_each(|word| self.add_executed_word(word, None, text, loads));
        }
        if !self.functions.contains_key(short) && named::runs_unnamed_code(short, &command.words) {
            let what = arguments.first().map(|word| format!(" {}", word.text)).unwrap_or_default();
            let shown = format!("what `{short}{what}` runs");
            loads.add_unnamed_note(self.build_note_at(text, &command.source(), &shown));
        }
        if named::inline_code_loads_files(short, &command.words) {
            let shown = format!("what the code handed to `{short}` loads");
            loads.add_unnamed_note(self.build_note_at(text, &command.source(), &shown));
        }
        self.add_program_found_in_path(name, text, loads);
        self.read_path_arguments(short, rest, text, loads);
    }

    /// Returns whether the extension of a word is that of a script.
    fn is_script_name(&self, word: &Word) -> bool {
        let values = self.expand_word(&word.source, 0);
        values.iter().any(|value| Language::of_file(Path::new(&value.text), b"").is_some())
    }

    /// Adds a word that is a script or a program and runs.
    fn add_executed_word(
        &mut self,
        word: &Word,
        language: Option<Language>,
        text: &str,
        loads: &mut Loads,
    ) {
        for value in self.expand_word(&word.source, 0) {
            let at = self.build_note_at(text, &word.source, &word.source);
            // A script whose name says its language is no module of it: what lies beside it is loaded, too.
            let by_name = Language::of_file(Path::new(&value.text), b"");
            let language = language.filter(|language| by_name != Some(*language));
            match value.rest {
                Rest::Nothing => self.add_path(&value, Role::Runs(language), &at, loads),
                _ => self.add_partly_known_path(&value, at, loads),
            }
        }
    }

    /// Adds a path of which only the beginning is known, where code is loaded.
    fn add_partly_known_path(&self, value: &Value, at: Note, loads: &mut Loads) {
        if value.rest == Rest::Parameter {
            return;
        }
        self.add_path(value, Role::Directory, &at, loads);
        if value.rest == Rest::Unknown {
            self.note_unknown_code(at, loads);
        }
    }

    /// Notes that something runs which cannot be named. If the code is part of a call's arguments,
    /// a copy runs the same.
    fn note_unknown_code(&self, at: Note, loads: &mut Loads) {
        if self.scene.within.is_some() {
            loads.add_unnamed_note(at)
        } else {
            loads.add_unresolved_note(at)
        }
    }

    /// Notes a program whose name is computed. A program that the entry names is known there.
    fn note_unknown_program(
        &self,
        program: &Word,
        values: &[Value],
        text: &str,
        loads: &mut Loads,
    ) {
        let is_computed = |value: &&Value| value.rest == Rest::Unknown && !value.is_own;
        if values.iter().any(|value| is_computed(&value)) {
            let shown = format!("`{}` is known only when it runs", program.source);
            loads.add_unnamed_note(self.build_note_at(text, &program.source, &shown));
        }
    }

    /// Reads a file that is sourced, with the variables of the file that sources it.
    fn read_sourced_file(&mut self, path: PathBuf, loads: &mut Loads) {
        let is_read = self.sourced.contains(&path) || self.file == path;
        if is_read || self.sourced.len() >= DEEPEST || !self.scene.is_in_project(&path) {
            return;
        }
        let Some(text) = self.scene.disk.read_text(&path) else { return };
        let outer = std::mem::replace(&mut self.file, path.clone());
        self.sourced.push(path);
        self.read_script(&text, loads);
        self.file = outer;
    }

    /// Reads code that the script composes.
    fn read_composed_code(&mut self, arguments: &[Word], text: &str, loads: &mut Loads) {
        for word in arguments {
            for value in self.expand_word(&word.source, 0) {
                let inner = word.source.trim_start_matches('"').strip_prefix("$(");
                let program = inner.and_then(|inner| {
                    split::split_commands(inner).first().map(|words| words.concat())
                });
                let is_printed = program
                    .is_some_and(|words| !READERS.iter().any(|name| words.starts_with(name)));
                if value.is_known() && self.sourced.len() < DEEPEST {
                    self.sourced.push(PathBuf::new());
                    self.read_script(&value.text, loads);
                } else if value.is_own || !is_printed {
                    loads.add_unresolved_note(self.build_note_at(
                        text,
                        &word.source,
                        &format!("eval {}", word.source),
                    ));
                }
            }
        }
    }

    fn change_directory(
        &mut self,
        arguments: &[Word],
        text: &str,
        nested: &mut Vec<String>,
        loads: &mut Loads,
    ) {
        let Some(word) = arguments.iter().rev().find(|word| !word.text.starts_with('-')) else {
            return;
        };
        // One within a substitution changes the directory of that alone.
        if let Some(at) = nested.iter().position(|inner| inner.contains(&word.source)) {
            nested.swap_remove(at);
            return;
        }
        let values = self.expand_word(&word.source, 0);
        for value in &values {
            let at = self.build_note_at(text, &word.source, &format!("cd {}", word.source));
            if value.depends_on_script_location(&self.working_directory()) {
                let inside = value.clone().append(&Value::from_text("/."));
                self.add_path(&inside, Role::Around, &at, loads);
            }
        }
        let current = self.working_directory();
        for value in values {
            let directory = current.clone().join_path(&value);
            if !self.directories.contains(&directory) && self.directories.len() < MOST_VALUES {
                self.directories.push(directory);
            }
        }
    }

    /// Returns a note with the line at which `found` first occurs in the file that is being read.
    fn build_note_at(&self, text: &str, found: &str, shown: &str) -> Note {
        if let Some(within) = self.scene.within {
            return within.clone();
        }
        let before = text.find(found).and_then(|at| text.get(..at)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Note { file: self.file.clone(), line, text: shown.chars().take(LONGEST_NOTE).collect() }
    }
}

/// Returns the texts of all substitutions in the words of these commands.
fn substitution_texts(commands: &[SimpleCommand]) -> Vec<String> {
    let mut found = Vec::new();
    let words = commands.iter().filter(|command| command.via.is_empty()).flat_map(|command| {
        let assigned = command.assignments.iter().map(|assignment| &assignment.value);
        command.words.iter().chain(assigned)
    });
    for word in words {
        let mut from = 0;
        while let Some(at) = word.source.get(from..).and_then(|rest| rest.find("$(")) {
            let start = from + at + 2;
            let end = split::closing_bracket_index(&word.source, start, '(', ')');
            let inner = word.source.get(start..end).unwrap_or_default();
            found.extend(std::iter::repeat_n(inner.to_owned(), inner.matches("cd ").count()));
            from = end.max(start);
        }
    }
    found
}
