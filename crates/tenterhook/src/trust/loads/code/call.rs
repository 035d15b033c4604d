//! What does a call do with the paths that it is handed? Makes another path of them, or loads, starts or evaluates what they name, by
//! the vocabulary of the language.

use super::{Code, MOST, Term, combine_values};
use crate::trust::loads::Note;
use crate::trust::loads::language::{Does, Language, Makes};
use crate::trust::loads::value::Value;
use crate::trust::loads::vocabulary::{COMPARES, DISTINCT, MODULES};

/// Returns the name of a module as the tables contain it: without the prefix `node:`.
pub(in crate::trust::loads) fn module_name(text: &str) -> &str {
    text.strip_prefix("node:").unwrap_or(text)
}

impl Code<'_> {
    pub(in crate::trust::loads) fn env_values(&self, name: &str) -> Vec<Value> {
        self.scene.env_value(name).map_or_else(|| vec![Value::unknown()], |value| vec![value])
    }

    pub(in crate::trust::loads) fn path_function(&self, name: &str) -> Option<Makes> {
        self.names.makes.iter().find(|(row, _)| *row == name).map(|(_, makes)| *makes)
    }

    /// Returns the effect of a function that the tables list; `None` if the script itself defines
    /// the function.
    pub(in crate::trust::loads) fn function_effect(&self, name: &str) -> Option<Does> {
        let (of, short) = name.rsplit_once('.').unwrap_or(("", name));
        if self.bindings.is_defined_function(name) {
            return None;
        }
        let is_known =
            |row: &str| row == name || row == short && (of.is_empty() || MODULES.contains(&of));
        let of_module = |row: &str| {
            let parts = row.rsplit_once('.').filter(|_| of.is_empty());
            parts.is_some_and(|(module, function)| {
                function == name && self.bindings.whole_modules.iter().any(|known| known == module)
            })
        };
        let is_distinct = DISTINCT.contains(&short);
        let of_any = |row: &str| is_distinct && row.rsplit('.').next() == Some(short);
        let rows = self.names.does.iter();
        let mut known = rows.filter(|(row, _)| is_known(row) || of_module(row) || of_any(row));
        known.next().map(|(_, does)| *does)
    }

    /// Evaluates a call of the function that a term names.
    pub(in crate::trust::loads) fn evaluate_call_of_term(
        &mut self,
        term: Term,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let name = match term {
            Term::Name(name) => name,
            Term::Method(values, name) => {
                return self.evaluate_method(values, &name, arguments, start);
            }
            Term::Any(terms) => {
                let mut all = Vec::new();
                for term in terms {
                    let result = self.evaluate_call_of_term(term, arguments.clone(), start);
                    if !all.contains(&result) {
                        all.push(result);
                    }
                }
                return Term::any_of(all);
            }
            term => {
                let values = self.values_of_term(term, start);
                // `cwd()` has no arguments, and is the directory itself.
                return if arguments.is_empty() {
                    Term::Values(values)
                } else {
                    self.evaluate_unknown_function("", arguments, start)
                };
            }
        };
        if self.names.base.contains(&&*format!("{name}()")) {
            return Term::Values(vec![Value::from_path(self.scene.base)]);
        }
        if let Some(does) = self.function_effect(&name) {
            return self.evaluate_listed_function(does, arguments, start);
        }
        self.bindings.bind_arguments(&name, &arguments);
        let (of, short) = name.rsplit_once('.').unwrap_or(("", &name));
        match short {
            "createRequire" => return Term::Name("require".to_owned()),
            "getattr" => return self.evaluate_getattr(arguments, start),
            _ => {}
        }
        let is_known =
            |row: &str| row == name || row == short && (of.is_empty() || MODULES.contains(&of));
        let makes = self
            .names
            .makes
            .iter()
            .find(|(row, _)| is_known(row) || name.ends_with("::dirname") && *row == "dirname");
        match makes.map(|(_, makes)| *makes) {
            Some(Makes::Variable) => self.evaluate_env_get(arguments, start),
            Some(makes) => self.evaluate_path_function(makes, arguments, start),
            None => self.evaluate_unknown_function(&name, arguments, start),
        }
    }

    /// Evaluates `os.environ.get(NAME, DEFAULT)`.
    fn evaluate_env_get(&mut self, arguments: Vec<Term>, start: usize) -> Term {
        let mut values = Vec::new();
        for (at, argument) in arguments.into_iter().enumerate() {
            let given = self.values_of_term(argument, start);
            values.extend(if at == 0 {
                given.iter().filter_map(|value| self.scene.env_value(&value.text)).collect()
            } else {
                given
            });
        }
        if values.is_empty() { Term::unknown() } else { Term::Values(values) }
    }

    /// Evaluates a function that makes a path from terms. Called with a function, it returns that
    /// function.
    fn evaluate_path_function(
        &mut self,
        makes: Makes,
        mut arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        if makes == Makes::Same {
            match arguments.first() {
                Some(Term::Name(_)) => {
                    let function = arguments.remove(0);
                    if !arguments.is_empty() {
                        self.evaluate_call_of_term(function.clone(), arguments, start);
                    }
                    return function;
                }
                Some(Term::List(_) | Term::Any(_)) => return arguments.remove(0),
                _ => {}
            }
        }
        let all: Vec<_> =
            arguments.into_iter().map(|argument| self.values_of_term(argument, start)).collect();
        Term::Values(self.path_function_values(makes, &all, start))
    }

    /// Evaluates `getattr(MODULE, NAME)`.
    fn evaluate_getattr(&mut self, arguments: Vec<Term>, start: usize) -> Term {
        let mut arguments = arguments.into_iter();
        let (Some(of), Some(name)) = (arguments.next(), arguments.next()) else {
            return Term::unknown();
        };
        let names = self.values_of_term(name, start);
        match names.first().filter(|name| name.is_known()) {
            Some(name) => self.member_of_term(&of, &name.text),
            None => Term::unknown(),
        }
    }

    /// Evaluates a call of an unknown function, which may call a function among its arguments with
    /// the arguments behind it.
    pub(in crate::trust::loads) fn evaluate_unknown_function(
        &mut self,
        name: &str,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let short = name.rsplit('.').next().unwrap_or_default();
        for (at, argument) in arguments.iter().enumerate() {
            if let Term::Name(function) = argument
                && self.function_effect(function).is_some()
            {
                let behind = arguments.get(at + 1..).unwrap_or_default().to_vec();
                self.evaluate_call_of_term(argument.clone(), behind, start);
            }
        }
        for argument in arguments {
            let values = self.values_of_term(argument, start);
            self.add_paths_of_unknown_use(&values, start);
            // What a function of the script opens is found there.
            if !COMPARES.contains(&short) && !self.bindings.is_defined_function(short) {
                self.add_passed_project_files(&values, start);
            }
        }
        if name.is_empty() {
            return Term::unknown();
        }
        self.bindings.bound_term(&format!("{name}()")).unwrap_or_else(Term::unknown)
    }

    /// Evaluates a method call on a value.
    pub(in crate::trust::loads) fn evaluate_method(
        &mut self,
        values: Vec<Value>,
        name: &str,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        if let Some((_, does)) = self.names.methods.iter().find(|(row, _)| *row == name) {
            let all = std::iter::once(Term::Values(values)).chain(arguments);
            return self.evaluate_listed_function(*does, all.collect(), start);
        }
        if name == "join"
            && let [Term::List(entries)] = arguments.as_slice()
        {
            let between = values.first().cloned().unwrap_or_else(|| Value::from_text(" "));
            return self.join_texts(entries.clone(), &between, start);
        }
        if DISTINCT.contains(&name) && values.iter().all(|value| !value.is_known()) {
            return self.evaluate_call_of_term(Term::Name(name.to_owned()), arguments, start);
        }
        let Some(makes) = self.path_function(name) else {
            self.add_paths_of_unknown_use(&values, start);
            return self.evaluate_unknown_function(name, arguments, start);
        };
        let mut all = vec![values];
        for argument in arguments {
            all.push(self.values_of_term(argument, start));
        }
        Term::Values(self.path_function_values(makes, &all, start))
    }

    /// Returns the values that a function makes from its arguments.
    pub(in crate::trust::loads) fn path_function_values(
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
                let all = arguments.iter().skip(1).fold(first, |all, next| {
                    combine_values(&all, next, |one, other| one.join_path(other))
                });
                let real: Vec<Value> = all.iter().map(|value| self.real_path(value)).collect();
                if all != real && all.iter().any(|value| value.is_own) {
                    let note =
                        self.build_note_at(start, "it follows the link that it was started by");
                    self.loads.add_copy_difference_note(note);
                }
                real
            }
            Makes::Parent => first.into_iter().map(Value::parent).collect(),
            Makes::Name => first.iter().map(Value::file_name).collect(),
            Makes::Join => arguments.iter().skip(1).fold(first, |all, next| {
                combine_values(&all, next, |one, other| one.join_path(other))
            }),
            Makes::From => match second {
                Some(directory) => {
                    combine_values(directory, &first, |one, other| one.join_path(other))
                }
                None => first,
            },
            Makes::Beside => match second {
                Some(file) => {
                    combine_values(file, &first, |one, other| one.parent().join_path(other))
                }
                None => first,
            },
        }
    }

    /// Evaluates a call of a function that the tables list: adds what it loads, starts, opens or
    /// writes.
    pub(in crate::trust::loads) fn evaluate_listed_function(
        &mut self,
        does: Does,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let shown = self.text.get(start..self.at).unwrap_or_default().to_owned();
        let note = self.build_note_at(start, &shown);
        match does {
            Does::Searches => self.add_search_directories(arguments, start),
            Does::Enters => {
                for argument in arguments {
                    let values = self.values_of_term(argument, start);
                    self.add_paths_of_unknown_use(&values, start);
                    let known = values.into_iter().filter(|value| value.is_known());
                    self.entered.extend(known.take(MOST));
                    self.entered.truncate(MOST);
                }
            }
            Does::Module => return self.add_module_named_by_argument(arguments, &note, start),
            Does::Runs(wanted) => {
                for (at, argument) in arguments.into_iter().enumerate() {
                    let values = self.values_of_term(argument, start);
                    if at == wanted {
                        values.iter().for_each(|value| self.add_module(value, false, &note));
                    } else {
                        self.add_paths_of_unknown_use(&values, start);
                    }
                }
            }
            Does::Starts | Does::Replaces(_) | Does::Line | Does::Node => {
                self.follow_started_program(arguments, does, &note, start);
            }
            Does::Opens | Does::OpensLast | Does::Lists | Does::Writes => {
                self.add_opened_file(arguments, does, &note, start);
            }
            Does::Evaluates => {
                let mut is_seen = arguments.is_empty();
                for argument in arguments {
                    let values = self.values_of_term(argument, start);
                    is_seen |= values.iter().all(Value::is_known) && !values.is_empty();
                    self.add_paths_of_unknown_use(&values, start);
                }
                if !is_seen {
                    self.loads.add_unresolved_note(note);
                }
            }
        }
        Term::unknown()
    }

    /// Adds the module that a call loads by a text. The module's name then stands for the text.
    fn add_module_named_by_argument(
        &mut self,
        arguments: Vec<Term>,
        note: &Note,
        start: usize,
    ) -> Term {
        let mut found = Term::unknown();
        for (at, argument) in arguments.into_iter().enumerate() {
            let values = match argument {
                // `require Foo::Bar`
                Term::Name(name) if self.language == Language::Perl => vec![Value::from_text(name)],
                other => self.values_of_term(other, start),
            };
            if at > 0 {
                self.add_paths_of_unknown_use(&values, start);
                continue;
            }
            if let Some(name) = values.first().filter(|value| value.is_known())
                && !name.text.starts_with(['.', '/'])
            {
                found = Term::Name(module_name(&name.text).to_owned());
            }
            values.iter().for_each(|value| self.add_module(value, true, note));
        }
        found
    }

    /// Adds directories in which modules are searched from now on.
    pub(in crate::trust::loads) fn add_search_directories(
        &mut self,
        arguments: Vec<Term>,
        start: usize,
    ) {
        let note = self.build_note_at(start, self.text.get(start..self.at).unwrap_or_default());
        for argument in arguments {
            let mut values = Vec::new();
            for term in argument.into_alternatives() {
                match term {
                    Term::List(entries) => {
                        for entry in entries {
                            values.extend(self.values_of_term(entry, start));
                        }
                    }
                    other => values.extend(self.values_of_term(other, start)),
                }
            }
            for value in values {
                if value.is_known() && value.text.contains(|c: char| !c.is_ascii_digit()) {
                    self.search.push(value);
                } else if value.is_own {
                    self.loads.add_unresolved_note(note.clone());
                }
            }
        }
    }

    /// Reads the arguments behind a function's name that has no brackets.
    pub(in crate::trust::loads) fn read_call_without_brackets(
        &mut self,
        term: Term,
        depth: usize,
        start: usize,
    ) -> Term {
        let is_command =
            matches!(&term, Term::Name(name) if self.names.commands.contains(&name.as_str()));
        let is_appended = matches!(&term, Term::Name(name) if self.names.does.iter().any(|(row, does)| row == name && *does == Does::Searches));
        self.skip_blanks(false);
        if is_appended && self.remaining_text().starts_with("<<") {
            self.at += 2;
            self.skip_blanks(false);
            let next = self.read_expression(depth + 1);
            self.add_search_directories(vec![next], start);
            return Term::Values(Vec::new());
        }
        if !is_command
            || self.remaining_text().starts_with(['{', ';', '\n', ',', ')', '=', '.', '}'])
            || self.remaining_text().starts_with(|c: char| c.is_ascii_digit())
        {
            return term;
        }
        let mut arguments = vec![self.read_expression(depth + 1)];
        self.skip_blanks(false);
        while self.remaining_text().starts_with(',') {
            self.at += 1;
            self.skip_blanks(true);
            arguments.push(self.read_expression(depth + 1));
            self.skip_blanks(false);
        }
        self.evaluate_call_of_term(term, arguments, start)
    }
}
