//! Which files does a call start, read or write? A program with its words is read as a line of a shell; a part that is
//! not known is reported.

use std::path::PathBuf;

use super::{Code, MOST, Term};
use crate::trust::loads::language::{Does, Language};
use crate::trust::loads::shell::{PRELOADED, SEARCHED};
use crate::trust::loads::value::{HOLE, Rest, Value};
use crate::trust::loads::{Note, Role, Scene, add_loads_of_script};

/// Names of arguments that are the program, and of those that say where it starts or how a file is opened.
const PROGRAM: &[&str] = &["args", "cmd", "command"];
const DIRECTORY: &str = "cwd";
const MODE: &[&str] = &["mode", "flag", "flags"];
/// What a line has in place of a text that is known only when it runs.
const UNKNOWN: &str = "\"$_\"";

/// The words of one start, each with its values.
type Arguments = Vec<Vec<Value>>;

impl Code<'_> {
    /// Follows what the arguments of a started program run.
    pub(super) fn follow_started_program(
        &mut self,
        arguments: Vec<Term>,
        does: Does,
        note: &Note,
        start: usize,
    ) {
        if self.collects {
            return;
        }
        let directory = self.directory_argument(&arguments, start);
        let is_unknown = |value: &Value| value.is_own && !value.is_known();
        for argument in &arguments {
            for term in argument.clone().into_alternatives() {
                let values = match term {
                    Term::List(entries) => self.values_of_terms(entries, start),
                    other => self.values_of_term(other, start),
                };
                self.add_paths_of_unknown_use(&values, start);
                if values.iter().any(is_unknown) {
                    self.loads.add_unresolved_note(note.clone());
                }
            }
        }
        let has_directory = directory.is_some();
        let bases = match directory {
            Some(directory) => vec![directory],
            None => self.possible_working_directories(),
        };
        for words in self.program_arguments(arguments, does, start) {
            let most = words.iter().map(Vec::len).max().unwrap_or(0).min(MOST);
            for pick in 0..most {
                let line = match words.as_slice() {
                    [word] => {
                        word.get(pick).or(word.last()).map(shell_line_template).unwrap_or_default()
                    }
                    words => shell_line_of_words(words, pick),
                };
                // The same line finds the same once more.
                if !self.lines.insert(line.clone()) && bases.len() == 1 && !has_directory {
                    continue;
                }
                for base in &bases {
                    let scene = Scene { script: None, base, within: Some(note), ..self.scene };
                    add_loads_of_script(Language::Shell, &line, scene, self.loads);
                }
            }
        }
    }

    /// Returns the directories that may be the script's working directory.
    fn possible_working_directories(&self) -> Vec<PathBuf> {
        let base = Value::from_path(self.scene.base);
        let entered = self.entered.iter().filter_map(|value| value.resolve_from(&base));
        std::iter::once(self.scene.base.to_owned()).chain(entered).collect()
    }

    fn values_of_terms(&mut self, entries: Vec<Term>, start: usize) -> Vec<Value> {
        let mut all = Vec::new();
        for entry in entries {
            all.extend(self.values_of_term(entry, start));
        }
        all
    }

    /// Returns the directory in which a program starts, if the arguments name it and it is known.
    fn directory_argument(&mut self, arguments: &[Term], start: usize) -> Option<PathBuf> {
        let found = arguments.iter().find_map(|argument| match argument {
            Term::Keyword(name, term) if name == DIRECTORY => Some((**term).clone()),
            Term::Object(entries) => {
                let entry = entries.iter().find(|(name, _)| name == DIRECTORY);
                entry.map(|(_, term)| term.clone())
            }
            _ => None,
        })?;
        let value = self.values_of_term(found, start).into_iter().find(Value::is_known)?;
        value.resolve_from(&Value::from_path(self.scene.base))
    }

    /// Returns the words of the program, or of each program that it may be.
    fn program_arguments(
        &mut self,
        arguments: Vec<Term>,
        does: Does,
        start: usize,
    ) -> Vec<Arguments> {
        let is_word = |term: &Term| !matches!(term, Term::Keyword(..) | Term::Object(_));
        let mut words: Vec<Term> = arguments.iter().filter(|term| is_word(term)).cloned().collect();
        if words.is_empty() {
            words.extend(arguments.into_iter().filter_map(program_named_by_keyword));
        }
        if let Does::Replaces(at) = does {
            words.drain(..at.min(words.len()));
        }
        let mut words = words.into_iter();
        let Some(first) = words.next() else { return Vec::new() };
        let rest: Vec<Term> = words.collect();
        let mut all = Vec::new();
        for first in first.into_alternatives().into_iter().take(MOST) {
            let mut found = match first {
                Term::List(entries) => {
                    entries.into_iter().map(|entry| self.values_of_term(entry, start)).collect()
                }
                other => vec![self.values_of_term(other, start)],
            };
            if does == Does::Node {
                found.insert(0, vec![Value::from_text("node")]);
            }
            if does != Does::Line {
                self.add_program_words(&mut found, &rest, does, start);
            }
            all.push(found);
        }
        all
    }

    /// Adds the words behind a program. For a call that replaces this process, skips the first,
    /// which is the program's name.
    fn add_program_words(
        &mut self,
        found: &mut Arguments,
        rest: &[Term],
        does: Does,
        start: usize,
    ) {
        let mut skips = matches!(does, Does::Replaces(_));
        for argument in rest {
            for term in argument.clone().into_alternatives().into_iter().take(1) {
                let words = match term {
                    Term::List(entries) => entries,
                    other => vec![other],
                };
                for word in words {
                    if !std::mem::take(&mut skips) {
                        let values = self.values_of_term(word, start);
                        found.push(values);
                    }
                }
            }
        }
    }

    /// Adds a file that is opened or written, or a directory that is listed.
    pub(super) fn add_opened_file(
        &mut self,
        mut arguments: Vec<Term>,
        does: Does,
        note: &Note,
        start: usize,
    ) {
        if self.collects {
            return;
        }
        let mode = arguments.iter().find_map(|argument| match argument {
            Term::Keyword(name, term) if MODE.contains(&&**name) => Some((**term).clone()),
            _ => None,
        });
        let mode = mode.or_else(|| arguments.get(1).cloned());
        let modes = mode.map(|mode| self.values_of_term(mode, start)).unwrap_or_default();
        let has = |signs: &[char]| modes.iter().any(|mode| mode.text.contains(signs));
        let is_written = match does {
            Does::Writes => true,
            Does::Opens => has(&['w', 'a', 'x', '+']),
            Does::OpensLast => has(&['>']),
            _ => false,
        };
        if does == Does::OpensLast {
            let last = arguments.pop().into_iter().collect();
            if has(&['|']) {
                return self.follow_started_program(last, Does::Line, note, start);
            }
            arguments = last;
        }
        for (at, argument) in arguments.into_iter().enumerate() {
            let values = self.values_of_term(argument, start);
            if at > 0 {
                self.add_paths_of_unknown_use(&values, start);
                continue;
            }
            let role = if is_written { Role::Writes } else { Role::Reads };
            for value in values {
                self.add_file_use(value, role, note, start);
            }
        }
    }

    fn add_file_use(&mut self, value: Value, role: Role, note: &Note, start: usize) {
        let trimmed = value.text.trim_start_matches(['<', ' ']).to_owned();
        let value = Value { text: trimmed, ..value };
        if value.is_own && role == Role::Reads {
            return self.add_paths_of_unknown_use(&[value], start);
        }
        let is_pattern = value.is_known() && value.text.contains(['*', '?']);
        let value = if is_pattern { Value { rest: Rest::Unknown, ..value } } else { value };
        for base in self.possible_working_directories().iter().filter(|_| !value.text.is_empty()) {
            self.loads.add_load(&value, &Value::from_path(base), role, note.clone());
        }
    }

    /// Returns the values that an assignment gives an environment variable. Adds the paths by which
    /// the variable leads programs to code, if its value is known.
    pub(super) fn add_loads_of_env_variable(
        &mut self,
        name: &str,
        term: Term,
        start: usize,
    ) -> Vec<Value> {
        let values = self.values_of_term(term, start);
        let base = Value::from_path(self.scene.base);
        let note = self.build_note_at(start, &format!("{name}="));
        for value in values.iter().filter(|_| !self.collects) {
            if PRELOADED.contains(&name) && value.is_known() {
                self.loads.add_load(value, &base, Role::Runs(None), note.clone());
            }
            let all = format!("{}:{}", value.text, value.tail);
            let parts = all.split(':').filter(|part| !part.is_empty() && !part.contains(HOLE));
            for part in parts.filter(|_| SEARCHED.contains(&name)) {
                let directory =
                    Value { is_own: value.is_own, ..Value::from_text(format!("{part}/.")) };
                self.loads.add_load(&directory, &base, Role::Directory, note.clone());
            }
        }
        values
    }

    /// Adds the texts passed to an unknown function that are files of the project, because it may
    /// read them.
    pub(super) fn add_passed_project_files(&mut self, values: &[Value], start: usize) {
        if self.collects {
            return;
        }
        let base = Value::from_path(self.scene.base);
        let is_path =
            |value: &&Value| value.is_known() && !value.is_own && value.text.contains(['.', '/']);
        for value in values.iter().filter(is_path) {
            let is_file =
                value.resolve_from(&base).is_some_and(|path| self.scene.disk.is_file(&path));
            if is_file {
                let note =
                    self.build_note_at(start, self.text.get(start..self.at).unwrap_or_default());
                self.loads.add_load(value, &base, Role::Reads, note);
            }
        }
    }
}

/// Returns the program, if the argument is a keyword argument or an object that names it.
fn program_named_by_keyword(argument: Term) -> Option<Term> {
    let is_program = |name: &str| PROGRAM.contains(&name);
    match argument {
        Term::Keyword(name, term) if is_program(&name) => Some(*term),
        Term::Object(entries) => {
            entries.into_iter().find(|(name, _)| is_program(name)).map(|(_, term)| term)
        }
        _ => None,
    }
}

/// Returns the arguments as a shell line; of a word with several values, it uses one.
fn shell_line_of_words(words: &[Vec<Value>], pick: usize) -> String {
    let words = words.iter().map(|values| {
        let Some(value) = values.get(pick).or(values.last()) else { return UNKNOWN.to_owned() };
        let quoted = tenterhook_shell::quote_word(&value.text);
        match value.rest {
            Rest::Nothing => quoted,
            _ if value.text.is_empty() => UNKNOWN.to_owned(),
            _ => format!("{quoted}{UNKNOWN}"),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns a line as it is written, with a variable in place of each unknown text.
fn shell_line_template(value: &Value) -> String {
    let mut line = String::new();
    let mut quote: Option<char> = None;
    let hole = if value.is_known() { "" } else { HOLE };
    let text = format!("{}{hole}{}", value.text, value.tail);
    let mut escaped = false;
    for c in text.chars() {
        if HOLE.starts_with(c) {
            line.push_str(match quote {
                Some('"') => "$_",
                Some(_) => "'\"$_\"'",
                None => UNKNOWN,
            });
            continue;
        }
        match (quote, c) {
            _ if escaped => {}
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        escaped = !escaped && c == '\\' && quote != Some('\'');
        line.push(c);
    }
    line
}
