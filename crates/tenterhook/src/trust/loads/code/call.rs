//! What does a call do with the paths that it is handed? Makes another path of them, or loads, starts or evaluates what they name, by
//! the vocabulary of the language.

use super::{Code, MOST, Term, product};
use crate::trust::loads::Note;
use crate::trust::loads::language::{Does, Language, Makes};
use crate::trust::loads::value::Value;
use crate::trust::loads::vocabulary::{COMPARES, DISTINCT, MODULES};

/// The name of a module as the tables have it: without the mark of those that Node brings.
pub(in crate::trust::loads) fn module_name(text: &str) -> &str {
    text.strip_prefix("node:").unwrap_or(text)
}

impl Code<'_> {
    pub(in crate::trust::loads) fn variable(&self, name: &str) -> Vec<Value> {
        self.scene.variable(name).map_or_else(|| vec![Value::unknown()], |value| vec![value])
    }

    pub(in crate::trust::loads) fn makes(&self, name: &str) -> Option<Makes> {
        self.names.makes.iter().find(|(row, _)| *row == name).map(|(_, makes)| *makes)
    }

    /// What a function does; a function of the script itself does none.
    pub(in crate::trust::loads) fn does(&self, name: &str) -> Option<Does> {
        let (of, short) = name.rsplit_once('.').unwrap_or(("", name));
        if self.bindings.is_function(name) {
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

    /// A call of what a term names.
    pub(in crate::trust::loads) fn call(
        &mut self,
        term: Term,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let name = match term {
            Term::Name(name) => name,
            Term::Method(values, name) => return self.method(values, &name, arguments, start),
            Term::Any(terms) => {
                let mut all = Vec::new();
                for term in terms {
                    let result = self.call(term, arguments.clone(), start);
                    if !all.contains(&result) {
                        all.push(result);
                    }
                }
                return Term::any(all);
            }
            term => {
                let values = self.values(term, start);
                // `cwd()` has no arguments, and is the directory itself.
                return if arguments.is_empty() {
                    Term::Values(values)
                } else {
                    self.unknown_call("", arguments, start)
                };
            }
        };
        if self.names.base.contains(&&*format!("{name}()")) {
            return Term::Values(vec![Value::path(self.scene.base)]);
        }
        if let Some(does) = self.does(&name) {
            return self.perform(does, arguments, start);
        }
        self.bindings.call(&name, &arguments);
        let (of, short) = name.rsplit_once('.').unwrap_or(("", &name));
        match short {
            "createRequire" => return Term::Name("require".to_owned()),
            "getattr" => return self.attribute_by_name(arguments, start),
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
            Some(Makes::Variable) => self.variable_or_default(arguments, start),
            Some(makes) => self.made(makes, arguments, start),
            None => self.unknown_call(&name, arguments, start),
        }
    }

    /// `os.environ.get(NAME, DEFAULT)`
    fn variable_or_default(&mut self, arguments: Vec<Term>, start: usize) -> Term {
        let mut values = Vec::new();
        for (at, argument) in arguments.into_iter().enumerate() {
            let given = self.values(argument, start);
            values.extend(if at == 0 {
                given.iter().filter_map(|value| self.scene.variable(&value.text)).collect()
            } else {
                given
            });
        }
        if values.is_empty() { Term::unknown() } else { Term::Values(values) }
    }

    /// What a function of paths makes of terms; one of a function is that function.
    fn made(&mut self, makes: Makes, mut arguments: Vec<Term>, start: usize) -> Term {
        if makes == Makes::Same {
            match arguments.first() {
                Some(Term::Name(_)) => {
                    let function = arguments.remove(0);
                    if !arguments.is_empty() {
                        self.call(function.clone(), arguments, start);
                    }
                    return function;
                }
                Some(Term::List(_) | Term::Any(_)) => return arguments.remove(0),
                _ => {}
            }
        }
        let all: Vec<_> =
            arguments.into_iter().map(|argument| self.values(argument, start)).collect();
        Term::Values(self.make(makes, &all, start))
    }

    /// `getattr(MODULE, NAME)`
    fn attribute_by_name(&mut self, arguments: Vec<Term>, start: usize) -> Term {
        let mut arguments = arguments.into_iter();
        let (Some(of), Some(name)) = (arguments.next(), arguments.next()) else {
            return Term::unknown();
        };
        let names = self.values(name, start);
        match names.first().filter(|name| name.is_known()) {
            Some(name) => self.part(&of, &name.text),
            None => Term::unknown(),
        }
    }

    /// A call of what is not known: a function among its arguments may be called with those behind it.
    pub(in crate::trust::loads) fn unknown_call(
        &mut self,
        name: &str,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let short = name.rsplit('.').next().unwrap_or_default();
        for (at, argument) in arguments.iter().enumerate() {
            if let Term::Name(function) = argument
                && self.does(function).is_some()
            {
                let behind = arguments.get(at + 1..).unwrap_or_default().to_vec();
                self.call(argument.clone(), behind, start);
            }
        }
        for argument in arguments {
            let values = self.values(argument, start);
            self.escape(&values, start);
            // What a function of the script opens is found there.
            if !COMPARES.contains(&short) && !self.bindings.is_function(short) {
                self.handed(&values, start);
            }
        }
        if name.is_empty() {
            return Term::unknown();
        }
        self.bindings.term(&format!("{name}()")).unwrap_or_else(Term::unknown)
    }

    /// A function of a value.
    pub(in crate::trust::loads) fn method(
        &mut self,
        values: Vec<Value>,
        name: &str,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        if let Some((_, does)) = self.names.methods.iter().find(|(row, _)| *row == name) {
            let all = std::iter::once(Term::Values(values)).chain(arguments);
            return self.perform(*does, all.collect(), start);
        }
        if name == "join"
            && let [Term::List(entries)] = arguments.as_slice()
        {
            let between = values.first().cloned().unwrap_or_else(|| Value::text(" "));
            return self.texts(entries.clone(), &between, start);
        }
        if DISTINCT.contains(&name) && values.iter().all(|value| !value.is_known()) {
            return self.call(Term::Name(name.to_owned()), arguments, start);
        }
        let Some(makes) = self.makes(name) else {
            self.escape(&values, start);
            return self.unknown_call(name, arguments, start);
        };
        let mut all = vec![values];
        for argument in arguments {
            all.push(self.values(argument, start));
        }
        Term::Values(self.make(makes, &all, start))
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
            Does::Enters => {
                for argument in arguments {
                    let values = self.values(argument, start);
                    self.escape(&values, start);
                    let known = values.into_iter().filter(|value| value.is_known());
                    self.entered.extend(known.take(MOST));
                    self.entered.truncate(MOST);
                }
            }
            Does::Module => return self.loads_module(arguments, &note, start),
            Does::Runs(wanted) => {
                for (at, argument) in arguments.into_iter().enumerate() {
                    let values = self.values(argument, start);
                    if at == wanted {
                        values.iter().for_each(|value| self.module(value, false, &note));
                    } else {
                        self.escape(&values, start);
                    }
                }
            }
            Does::Starts | Does::Replaces(_) | Does::Line | Does::Node => {
                self.starts(arguments, does, &note, start);
            }
            Does::Opens | Does::OpensLast | Does::Lists | Does::Writes => {
                self.opens(arguments, does, &note, start);
            }
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
        Term::unknown()
    }

    /// A module that is loaded by a text: its name stands for it from then on.
    fn loads_module(&mut self, arguments: Vec<Term>, note: &Note, start: usize) -> Term {
        let mut found = Term::unknown();
        for (at, argument) in arguments.into_iter().enumerate() {
            let values = match argument {
                // `require Foo::Bar`
                Term::Name(name) if self.language == Language::Perl => vec![Value::text(name)],
                other => self.values(other, start),
            };
            if at > 0 {
                self.escape(&values, start);
                continue;
            }
            if let Some(name) = values.first().filter(|value| value.is_known())
                && !name.text.starts_with(['.', '/'])
            {
                found = Term::Name(module_name(&name.text).to_owned());
            }
            values.iter().for_each(|value| self.module(value, true, note));
        }
        found
    }

    /// Directories in which modules are looked up from now on.
    pub(in crate::trust::loads) fn searches(&mut self, arguments: Vec<Term>, start: usize) {
        let note = self.note(start, self.text.get(start..self.at).unwrap_or_default());
        for argument in arguments {
            let mut values = Vec::new();
            for term in argument.each() {
                match term {
                    Term::List(entries) => {
                        for entry in entries {
                            values.extend(self.values(entry, start));
                        }
                    }
                    other => values.extend(self.values(other, start)),
                }
            }
            for value in values {
                if value.is_known() && value.text.contains(|c: char| !c.is_ascii_digit()) {
                    self.search.push(value);
                } else if value.is_own {
                    self.loads.unresolved(note.clone());
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
