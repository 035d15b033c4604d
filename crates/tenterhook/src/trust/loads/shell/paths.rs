//! Which words of a shell command are paths beside the script, and which variables lead programs to code?

use tenterhook_shell::{Redirect, Target, Word};

use super::{HARMLESS, Shell};
use crate::trust::loads::value::{Rest, Value};
use crate::trust::loads::{Loads, Role};

/// Variables that lead programs to code, as a list of directories.
const SEARCHED: &[&str] =
    &["LD_LIBRARY_PATH", "NODE_PATH", "PATH", "PERL5LIB", "PYTHONPATH", "RUBYLIB"];
/// Variables that name a file which programs run first.
const PRELOADED: &[&str] = &["BASH_ENV", "ENV", "LD_PRELOAD", "PYTHONSTARTUP"];
/// Programs that run the file behind an option.
const OPTIONS: &[(&str, &[&str])] = &[
    ("awk", &["-f", "--file"]),
    ("gawk", &["-f", "--file"]),
    ("jq", &["-f", "--from-file"]),
    ("make", &["-f", "--file", "--makefile"]),
    ("mawk", &["-f"]),
    ("node", &["-r", "--require", "--import"]),
    ("sed", &["-f", "--file"]),
];
/// Programs that write the files they are handed.
const WRITERS: &[&str] =
    &["install", "mkdir", "mktemp", "mv", "rm", "rmdir", "tee", "touch", "truncate"];
/// Operators of redirections that write.
const WRITES: &[&str] = &["&>", "&>>", ">", ">>", ">|", ">&"];

impl Shell<'_> {
    pub(super) fn redirect(&mut self, redirect: &Redirect, text: &str, loads: &mut Loads) {
        let Target::Word(word) = &redirect.target else { return };
        let role =
            if WRITES.contains(&redirect.operator.as_str()) { Role::Writes } else { Role::Reads };
        if redirect.operator == "<<<" {
            return;
        }
        self.uses(word, role, text, loads);
    }

    /// The words of a program that may be paths beside the script.
    pub(super) fn arguments(
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
        let mut runs_next = false;
        for word in arguments {
            if runs_next {
                self.runs(word, None, text, loads);
            } else if HARMLESS.contains(&program) {
                self.uses(word, Role::Probes, text, loads);
            } else {
                let role = if WRITERS.contains(&program) { Role::Writes } else { Role::Reads };
                self.uses(word, role, text, loads);
            }
            runs_next = options.contains(&word.text.as_str());
        }
    }

    /// A word that is a path beside the script, if it is one.
    pub(super) fn uses(&self, word: &Word, role: Role, text: &str, loads: &mut Loads) {
        if !word.is_dynamic() && !self.directory().is_own {
            return;
        }
        for value in self.expand(&word.source, 0) {
            if !value.is_own || !value.text.starts_with('/') {
                continue;
            }
            let at = self.note(text, &word.source, &word.source);
            let role = match (role, value.rest) {
                (Role::Writes, _) => Role::Writes,
                (_, Rest::Nothing) => role,
                (Role::Probes, _) => continue,
                _ => Role::Around,
            };
            self.add(&value, role, &at, loads);
        }
    }

    /// A variable that leads programs to code.
    pub(super) fn leads(&self, name: &str, values: &[Value], text: &str, loads: &mut Loads) {
        for value in values {
            let at = || self.note(text, &format!("{name}="), name);
            if PRELOADED.contains(&name) && value.is_known() {
                self.add(value, Role::Runs(None), &at(), loads);
            }
            if SEARCHED.contains(&name) && name != "PATH" {
                for part in value.text.split(':').filter(|part| !part.is_empty()) {
                    let directory =
                        Value { is_own: value.is_own, ..Value::text(format!("{part}/.")) };
                    self.add(&directory, Role::Directory, &at(), loads);
                }
            }
        }
    }

    /// A program that is looked up in directories of `PATH` that the script names.
    pub(super) fn searched(&self, program: &str, text: &str, loads: &mut Loads) {
        if program.contains(['/', '$', '"', '=']) || HARMLESS.contains(&program) {
            return;
        }
        for value in self.variables.get("PATH").into_iter().flatten() {
            for part in value.text.split(':').filter(|part| !part.is_empty()) {
                let path =
                    Value { is_own: value.is_own, ..Value::text(format!("{part}/{program}")) };
                let is_ours = path
                    .resolved(&self.directory())
                    .is_some_and(|path| self.scene.is_in_project(&path));
                if is_ours {
                    let at = self.note(text, program, program);
                    self.add(&path, Role::Runs(None), &at, loads);
                }
            }
        }
    }
}
