//! What does a call do with the paths that it is handed? Makes another path of them, or loads, starts or evaluates what they name, by
//! the vocabulary of the language.

use super::{Code, MODULES, Term, product};
use crate::trust::loads::language::{Does, Language, Makes};
use crate::trust::loads::value::Value;
use crate::trust::loads::{Role, Scene, read_into};

impl Code<'_> {
    pub(in crate::trust::loads) fn variable(&self, name: &str) -> Vec<Value> {
        self.scene.variable(name).map_or_else(|| vec![Value::unknown()], |value| vec![value])
    }

    pub(in crate::trust::loads) fn makes(&self, name: &str) -> Option<Makes> {
        self.names.makes.iter().find(|(row, _)| *row == name).map(|(_, makes)| *makes)
    }

    /// A call of what a term names.
    pub(in crate::trust::loads) fn call(
        &mut self,
        term: Term,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let Term::Name(name) = term else {
            let values = self.values(term, start);
            // `cwd()` has no arguments, and is the directory itself.
            return if arguments.is_empty() {
                Term::Values(values)
            } else {
                self.unknown_call(arguments, start)
            };
        };
        if self.names.base.contains(&&*format!("{name}()")) {
            return Term::Values(vec![Value::path(self.scene.base)]);
        }
        let (of, short) = name.rsplit_once(['.']).unwrap_or(("", &name));
        let is_known =
            |row: &str| row == name || row == short && (of.is_empty() || MODULES.contains(&of));
        if let Some((_, does)) = self.names.does.iter().find(|(row, _)| is_known(row)) {
            return self.perform(*does, arguments, start);
        }
        let makes = self.names.makes.iter().find(|(row, _)| {
            is_known(row) || *row == name || name.ends_with("::dirname") && *row == "dirname"
        });
        match makes.map(|(_, makes)| *makes) {
            Some(Makes::Variable) => {
                let mut values = Vec::new();
                for (at, argument) in arguments.into_iter().enumerate() {
                    let given = self.values(argument, start);
                    values.extend(if at == 0 {
                        given.iter().filter_map(|value| self.scene.variable(&value.text)).collect()
                    } else {
                        given
                    });
                }
                Term::Values(if values.is_empty() { vec![Value::unknown()] } else { values })
            }
            Some(makes) => {
                let mut all = Vec::new();
                for argument in arguments {
                    all.push(self.values(argument, start));
                }
                Term::Values(self.make(makes, &all, start))
            }
            None => self.unknown_call(arguments, start),
        }
    }

    pub(in crate::trust::loads) fn unknown_call(
        &mut self,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        for argument in arguments {
            let values = self.values(argument, start);
            self.escape(&values, start);
        }
        Term::Values(vec![Value::unknown()])
    }

    /// What a function of paths makes of its arguments.
    pub(in crate::trust::loads) fn make(
        &mut self,
        makes: Makes,
        arguments: &[Vec<Value>],
        start: usize,
    ) -> Vec<Value> {
        let first = arguments.first().cloned().unwrap_or_default();
        let second = arguments.get(1);
        match makes {
            Makes::Same | Makes::Variable | Makes::Parents => first,
            Makes::Real => {
                let all = arguments
                    .iter()
                    .skip(1)
                    .fold(first, |all, next| product(&all, next, |one, other| one.join(other)));
                let real: Vec<Value> = all.iter().map(|value| self.real(value)).collect();
                if all != real && all.iter().any(|value| value.is_own) {
                    let note = self.note(start, "it follows the link that it was started by");
                    self.loads.bound(note);
                }
                real
            }
            Makes::Parent => first.into_iter().map(Value::parent).collect(),
            Makes::Name => first.iter().map(Value::file_name).collect(),
            Makes::Join => arguments
                .iter()
                .skip(1)
                .fold(first, |all, next| product(&all, next, |one, other| one.join(other))),
            Makes::From => match second {
                Some(directory) => product(directory, &first, |one, other| one.join(other)),
                None => first,
            },
            Makes::Beside => match second {
                Some(file) => product(file, &first, |one, other| one.parent().join(other)),
                None => first,
            },
        }
    }

    pub(in crate::trust::loads) fn perform(
        &mut self,
        does: Does,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let shown = self.text.get(start..self.at).unwrap_or_default().to_owned();
        let note = self.note(start, &shown);
        match does {
            Does::Searches => self.searches(arguments, start),
            Does::Module | Does::Runs(_) => {
                let wanted = if let Does::Runs(at) = does { at } else { 0 };
                for (at, argument) in arguments.into_iter().enumerate() {
                    let values = match argument {
                        // `require Foo::Bar`
                        Term::Name(name) if self.language == Language::Perl => {
                            vec![Value::text(name)]
                        }
                        other => self.values(other, start),
                    };
                    if at != wanted {
                        self.escape(&values, start);
                        continue;
                    }
                    values.iter().for_each(|value| self.module(value, does == Does::Module, &note));
                }
            }
            Does::Starts | Does::Line => self.starts(arguments, does, start),
            Does::Evaluates => {
                let mut is_seen = arguments.is_empty();
                for argument in arguments {
                    let values = self.values(argument, start);
                    is_seen |= values.iter().all(Value::is_known) && !values.is_empty();
                    self.escape(&values, start);
                }
                if !is_seen {
                    self.loads.unresolved(note);
                }
            }
        }
        Term::Values(vec![Value::unknown()])
    }

    /// Directories in which modules are looked up from now on.
    pub(in crate::trust::loads) fn searches(&mut self, arguments: Vec<Term>, start: usize) {
        let note = self.note(start, self.text.get(start..self.at).unwrap_or_default());
        for argument in arguments {
            let values = match argument {
                Term::List(entries) => entries.concat(),
                other => self.values(other, start),
            };
            for value in values {
                if value.is_known() && value.text.contains(|c: char| !c.is_ascii_digit()) {
                    self.search.push(value);
                } else if value.is_own {
                    self.loads.unresolved(note.clone());
                }
            }
        }
    }

    /// A program that is started: scripts among its words are followed.
    pub(in crate::trust::loads) fn starts(
        &mut self,
        arguments: Vec<Term>,
        does: Does,
        start: usize,
    ) {
        let base = Value::path(self.scene.base);
        for (at, argument) in arguments.into_iter().enumerate() {
            let values = match argument {
                Term::List(entries) => entries.concat(),
                other => self.values(other, start),
            };
            self.escape(&values, start);
            if values.iter().any(|value| value.is_own && !value.is_known()) {
                let note = self.note(start, self.text.get(start..self.at).unwrap_or_default());
                self.loads.unresolved(note);
            }
            for value in values.iter().filter(|value| value.is_known() && !value.is_own) {
                let note = self.note(start, &value.text);
                if value.text.contains(' ') && (does == Does::Line || at == 0) {
                    let scene = Scene { script: None, ..self.scene };
                    read_into(Language::Shell, &value.text, scene, self.loads);
                } else if value.resolved(&base).is_some_and(|path| {
                    self.scene.is_in_project(&path) && self.scene.disk.is_file(&path)
                }) {
                    self.loads.add(value, &base, Role::Runs(None), note);
                }
            }
        }
    }

    /// Words that stand behind the name of a function without brackets.
    pub(in crate::trust::loads) fn command(
        &mut self,
        term: Term,
        depth: usize,
        start: usize,
    ) -> Term {
        let is_command =
            matches!(&term, Term::Name(name) if self.names.commands.contains(&name.as_str()));
        let is_appended = matches!(&term, Term::Name(name) if self.names.does.iter().any(|(row, does)| row == name && *does == Does::Searches));
        self.blank(false);
        if is_appended && self.rest().starts_with("<<") {
            self.at += 2;
            self.blank(false);
            let next = self.expression(depth + 1);
            self.searches(vec![next], start);
            return Term::Values(Vec::new());
        }
        if !is_command
            || self.rest().starts_with(['{', ';', '\n', ',', ')', '=', '.', '}'])
            || self.rest().starts_with(|c: char| c.is_ascii_digit())
        {
            return term;
        }
        let mut arguments = vec![self.expression(depth + 1)];
        self.blank(false);
        while self.rest().starts_with(',') {
            self.at += 1;
            self.blank(true);
            arguments.push(self.expression(depth + 1));
            self.blank(false);
        }
        self.call(term, arguments, start)
    }
}
