//! Which words of a shell command are paths beside the script, and which variables lead programs to code?

use tenterhook_shell::{Redirect, Target, Word};

use super::{HARMLESS, Shell};
use crate::trust::loads::value::{Rest, Value};
use crate::trust::loads::{Loads, Note, Role};
use crate::trust::named;

/// Variables that lead programs to code, as a list of directories.
pub(in crate::trust::loads) const SEARCHED: &[&str] =
    &["LD_LIBRARY_PATH", "NODE_PATH", "PATH", "PERL5LIB", "PYTHONPATH", "RUBYLIB"];
/// Variables that name a file which programs run first.
pub(in crate::trust::loads) const PRELOADED: &[&str] =
    &["BASH_ENV", "ENV", "LD_PRELOAD", "PYTHONSTARTUP"];
/// Programs that run the file behind an option.
const OPTIONS: &[(&str, &[&str])] = &[
    ("awk", &["-f", "--file", "-i", "--include"]),
    ("gawk", &["-f", "--file"]),
    ("jq", &["-f", "--from-file"]),
    ("make", &["-f", "--file", "--makefile"]),
    ("mawk", &["-f"]),
    ("node", &["-r", "--require", "--import"]),
    ("sed", &["-f", "--file"]),
];
/// Programs that read patterns from the file behind an option.
const MATCHERS: &[&str] = &["egrep", "fgrep", "grep", "rg", "zgrep"];
/// Programs that write the files they are handed.
const WRITERS: &[&str] =
    &["install", "mkdir", "mktemp", "mv", "rm", "rmdir", "tee", "touch", "truncate"];
/// Operators of redirections that write.
const WRITES: &[&str] = &["&>", "&>>", ">", ">>", ">|", ">&"];

impl Shell<'_> {
    pub(super) fn read_redirect(&mut self, redirect: &Redirect, text: &str, loads: &mut Loads) {
        let Target::Word(word) = &redirect.target else { return };
        let role =
            if WRITES.contains(&redirect.operator.as_str()) { Role::Writes } else { Role::Reads };
        if redirect.operator == "<<<" || word.source.contains("<(") {
            return;
        }
        self.add_word_if_path(word, role, text, loads);
    }

    /// Reads the arguments of a program that may be paths beside the script.
    pub(super) fn read_path_arguments(
        &mut self,
        program: &str,
        arguments: &[Word],
        text: &str,
        loads: &mut Loads,
    ) {
        let options = OPTIONS
            .iter()
            .find(|(name, _)| *name == program)
            .map_or(&[][..], |(_, options)| options);
        let words: Vec<Word> =
            std::iter::once(Word::literal(program)).chain(arguments.iter().cloned()).collect();
        let uncounted = named::which_words_are_not_files(program, &words);
        let (mut runs_next, mut obeys_next) = (false, false);
        for (word, is_text) in arguments.iter().zip(uncounted) {
            let option = word.text.as_str();
            let short = option.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            if runs_next {
                self.add_executed_word(word, None, text, loads);
            } else if obeys_next {
                self.add_rules_file(&word.source, text, loads);
            } else if HARMLESS.contains(&program) {
                self.add_word_if_path(word, Role::Probes, text, loads);
            } else if WRITERS.contains(&program) {
                self.add_word_if_path(word, Role::Writes, text, loads);
            } else if word.is_dynamic() || !is_text {
                self.add_word_if_path(word, Role::Reads, text, loads);
            }
            runs_next = options.contains(&option);
            let is_matcher = MATCHERS.contains(&program);
            obeys_next =
                is_matcher && (short.is_some_and(|s| s.ends_with('f')) || option == "--file");
            let attached = short.and_then(|short| short.split_once('f'));
            let attached = attached.filter(|(flags, _)| !flags.contains(['e', 'm', 'A', 'B', 'C']));
            let attached = attached.map(|(_, path)| path);
            let attached = attached.or_else(|| option.strip_prefix("--file="));
            if let Some(path) = attached.filter(|path| is_matcher && !path.is_empty()) {
                self.add_rules_file(path, text, loads);
            }
        }
    }

    /// Adds a file of rules that a program follows: it is pinned, and is no script.
    fn add_rules_file(&self, source: &str, text: &str, loads: &mut Loads) {
        for value in self.expand_word(source, 0).iter().filter(|value| value.is_known()) {
            let at = self.build_note_at(text, source, source);
            self.add_path(value, Role::Includes, &at, loads);
        }
    }

    /// Adds a word if it is a path.
    pub(super) fn add_word_if_path(&self, word: &Word, role: Role, text: &str, loads: &mut Loads) {
        for value in self.expand_word(&word.source, 0) {
            let at = self.build_note_at(text, &word.source, &word.source);
            if !value.is_own || !value.text.starts_with('/') {
                self.add_project_path(&value, role, &at, loads);
                continue;
            }
            let role = match (role, value.rest) {
                (Role::Writes, _) => Role::Writes,
                (_, Rest::Nothing) => role,
                (Role::Probes, _) => continue,
                _ => Role::Around,
            };
            self.add_path(&value, role, &at, loads);
        }
    }

    /// Adds a file of the project that is read or written, if the word does not depend on where the
    /// script lies.
    fn add_project_path(&self, value: &Value, role: Role, at: &Note, loads: &mut Loads) {
        if !value.is_known() || value.text.is_empty() || role == Role::Probes {
            return;
        }
        let text = value.text.as_str();
        let attached = text.split_once('=').map_or(text, |(_, path)| path);
        let attached = attached.strip_prefix('@').unwrap_or(attached);
        for path in [text, attached] {
            let value = Value { is_own: value.is_own, ..Value::from_text(path) };
            for directory in &self.directories {
                let found =
                    value.resolve_from(directory).filter(|path| self.scene.is_in_project(path));
                if found.is_some_and(|path| role == Role::Writes || self.scene.disk.is_file(&path))
                {
                    loads.add_load(&value, directory, role, at.clone());
                }
            }
        }
    }

    /// Adds the paths in a variable that leads programs to code.
    pub(super) fn add_paths_of_variable(
        &self,
        name: &str,
        values: &[Value],
        text: &str,
        loads: &mut Loads,
    ) {
        for value in values {
            let at = || self.build_note_at(text, &format!("{name}="), name);
            if PRELOADED.contains(&name) && value.is_known() {
                self.add_path(value, Role::Runs(None), &at(), loads);
            }
            if SEARCHED.contains(&name) && name != "PATH" {
                for part in value.text.split(':').filter(|part| !part.is_empty()) {
                    let directory =
                        Value { is_own: value.is_own, ..Value::from_text(format!("{part}/.")) };
                    self.add_path(&directory, Role::Directory, &at(), loads);
                }
            }
        }
    }

    /// Adds a program that is searched in directories of `PATH` that the script sets.
    pub(super) fn add_program_found_in_path(&self, program: &str, text: &str, loads: &mut Loads) {
        if program.contains(['/', '$', '"', '=']) || HARMLESS.contains(&program) {
            return;
        }
        for value in self.variables.get("PATH").into_iter().flatten() {
            for part in value.text.split(':').filter(|part| !part.is_empty()) {
                let path =
                    Value { is_own: value.is_own, ..Value::from_text(format!("{part}/{program}")) };
                let is_ours = path
                    .resolve_from(&self.working_directory())
                    .is_some_and(|path| self.scene.is_in_project(&path));
                if is_ours {
                    let at = self.build_note_at(text, program, program);
                    self.add_path(&path, Role::Runs(None), &at, loads);
                }
            }
        }
    }
}
