//! What do the names of a script stand for? Assignments, parameters, loops and functions under other names, with every value that a
//! name is given anywhere; which of them it has when a line runs is not decided.

use std::collections::HashMap;

use super::{Code, MOST, PREFIXES, Term};
use crate::trust::loads::language::{Does, Language};
use crate::trust::loads::split;
use crate::trust::loads::value::Value;

/// Methods that add their arguments to a list.
const EXTENDS: &[&str] = &["append", "extend", "insert", "push", "unshift"];
/// Names of the table of environment variables.
const ENVIRONMENT: &[&str] = &["os.environ", "environ", "process.env", "ENV", "$ENV"];

/// Most parts of one value that is kept, and of all values of a script: people write smaller lists of words.
const MOST_PARTS: usize = 200;
const MOST_PARTS_OF_ALL: usize = 50_000;

/// The names of one script.
#[derive(Clone, Debug, Default)]
pub(in crate::trust::loads) struct Bindings {
    terms: HashMap<String, Vec<Term>>,
    /// The parameters of each function.
    pub(super) functions: HashMap<String, Vec<String>>,
    /// Modules all of whose names are names of the script.
    pub(in crate::trust::loads) whole_modules: Vec<String>,
    /// How many parts the values of all names have.
    size: usize,
    /// The class whose functions are read.
    pub(super) class: String,
}

impl Bindings {
    pub(in crate::trust::loads) fn bind_name(&mut self, name: &str, term: Term) {
        if matches!(&term, Term::Name(other) if other == name) {
            return;
        }
        let size = term.count_parts_up_to(MOST_PARTS);
        let is_small = size <= MOST_PARTS && self.size + size <= MOST_PARTS_OF_ALL;
        let term = if is_small { term } else { Term::unknown() };
        let known = self.terms.entry(name.to_owned()).or_default();
        if known.contains(&term) {
            return;
        }
        self.size += size.min(MOST_PARTS);
        if known.len() < MOST {
            known.push(term);
        } else if known.len() == MOST {
            known.push(Term::unknown());
        }
    }

    /// Binds a module to its own name, which another module may also have.
    pub(in crate::trust::loads) fn bind_module(&mut self, module: &str) {
        if let Some(terms) = self.terms.get_mut(module)
            && !terms.iter().any(|term| matches!(term, Term::Name(name) if name == module))
        {
            terms.push(Term::Name(module.to_owned()));
        }
    }

    pub(super) fn bound_term(&self, name: &str) -> Option<Term> {
        match self.terms.get(name)?.as_slice() {
            [] => None,
            [term] => Some(term.clone()),
            terms => Some(Term::any_of(terms.to_vec())),
        }
    }

    /// Returns whether the script defines a function of this name.
    pub(super) fn is_defined_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Binds the parameters of a function to the arguments of a call.
    pub(super) fn bind_arguments(&mut self, name: &str, arguments: &[Term]) {
        let short = name.rsplit('.').next().unwrap_or(name);
        let Some(parameters) = self.functions.get(name).or_else(|| self.functions.get(short))
        else {
            return;
        };
        let parameters = parameters.clone();
        let mut free = parameters.iter();
        for argument in arguments {
            match argument {
                Term::Keyword(name, term) => self.bind_name(name, (**term).clone()),
                term => {
                    if let Some(parameter) = free.next() {
                        self.bind_name(parameter, term.clone());
                    }
                }
            }
        }
    }
}

impl Code<'_> {
    /// Reads `NAME = EXPRESSION` and returns the values, if an assignment begins here.
    pub(super) fn read_assignment(&mut self) -> Option<Vec<Value>> {
        while let Some(word) = self.read_identifier() {
            self.skip_blanks(false);
            let mut name = word.to_owned();
            while self.remaining_text().starts_with('.') && self.language != Language::Perl {
                self.at += 1;
                name = format!("{name}.{}", self.read_identifier()?);
            }
            if let Some(list) = self.list_extended_by_call(&name) {
                return Some(self.read_list_extension(&list));
            }
            self.skip_blanks(false);
            let key = self.read_assigned_env_variable(&name);
            if self.remaining_text().starts_with(": ") && self.language != Language::Perl {
                let annotation =
                    self.remaining_text().find(['=', '\n', ',', '{', '(']).filter(|at| {
                        self.remaining_text().get(*at..).is_some_and(|rest| rest.starts_with('='))
                    })?;
                self.at += annotation;
            }
            if let Some(sign) = self.peek_assignment_operator() {
                let start = self.at;
                self.at += sign.len();
                self.skip_blanks(true);
                if self.read_lambda(&name) {
                    return Some(Vec::new());
                }
                let term = self.read_choice(self.floor);
                return Some(match key {
                    Some(key) => self.add_loads_of_env_variable(&key, term, start),
                    None => self.assign_term(&name, term, sign, start),
                });
            }
            if !PREFIXES.contains(&word) {
                return None;
            }
            self.skip_blanks(false);
            if self.language == Language::Node && self.remaining_text().starts_with('{') {
                return self.read_destructuring();
            }
        }
        None
    }

    /// Returns the assignment operator that begins here.
    fn peek_assignment_operator(&self) -> Option<&'static str> {
        let rest = self.remaining_text();
        let sign =
            ["||=", "??=", "+=", ".=", "="].into_iter().find(|sign| rest.starts_with(sign))?;
        let is_other = ["==", "=>", "=~"].iter().any(|other| rest.starts_with(other));
        (!is_other).then_some(sign)
    }

    /// Returns the name of the list that a call of the method `name` extends.
    fn list_extended_by_call(&self, name: &str) -> Option<String> {
        let (list, method) = name.rsplit_once('.')?;
        (EXTENDS.contains(&method)
            && self.remaining_text().starts_with('(')
            && !self.adds_search_directory(name))
        .then(|| list.to_owned())
    }

    fn read_list_extension(&mut self, list: &str) -> Vec<Value> {
        let start = self.at;
        let added = self.read_list(')', self.floor);
        let mut entries = Vec::new();
        for term in added {
            match term {
                Term::List(more) => entries.extend(more),
                term => entries.push(term),
            }
        }
        self.assign_term(list, Term::List(entries), "+=", start)
    }

    /// Returns whether a call of this name adds a directory in which modules are searched.
    fn adds_search_directory(&self, name: &str) -> bool {
        let rows = self.names.does.iter();
        let mut searches = rows.filter(|(_, does)| *does == Does::Searches);
        let full = self.resolve_name(name);
        searches.any(|(row, _)| *row == full)
    }

    /// Returns the full name, in which the first part is replaced by what it is bound to.
    fn resolve_name(&self, name: &str) -> String {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        match self.bindings.bound_term(first) {
            Some(Term::Name(full)) if rest.is_empty() => full,
            Some(Term::Name(full)) => format!("{full}.{rest}"),
            _ => name.to_owned(),
        }
    }

    /// Returns the environment variable that an assignment to `name` sets.
    fn read_assigned_env_variable(&mut self, name: &str) -> Option<String> {
        let full = self.resolve_name(name);
        if let Some((table, key)) = full.rsplit_once('.')
            && ENVIRONMENT.contains(&table)
        {
            return Some(key.to_owned());
        }
        let close = match self.peek_char()? {
            '[' => ']',
            '{' if full == "$ENV" => '}',
            _ => return None,
        };
        if !ENVIRONMENT.contains(&&*full) {
            return None;
        }
        let end = self.remaining_text().find(close)?;
        let key = self.remaining_text().get(1..end)?.trim_matches(['"', '\'']).to_owned();
        self.at += end + 1;
        self.skip_blanks(false);
        Some(key)
    }

    fn assign_term(&mut self, name: &str, term: Term, sign: &str, start: usize) -> Vec<Value> {
        let full = self.resolve_name(name);
        let is_search = self.names.does.iter().any(|(row, does)| {
            *does == Does::Searches && row.rsplit_once('.').is_some_and(|(of, _)| of == full)
        });
        if is_search {
            self.add_search_directories(vec![term], start);
            return Vec::new();
        }
        let plain = name.strip_prefix("self.").unwrap_or(name);
        let term = match (sign, self.bindings.bound_term(plain)) {
            // A second round adds nothing.
            ("+=" | ".=", Some(Term::Any(_))) if !self.collects => return Vec::new(),
            ("+=" | ".=", Some(before)) => self.concatenate(before, term, start),
            _ => term,
        };
        self.bindings.bind_name(plain, term.clone());
        self.values_of_term(term, start)
    }

    /// Reads `const {a, b: c} = MODULE`.
    fn read_destructuring(&mut self) -> Option<Vec<Value>> {
        let end = split::closing_bracket_index(self.text, self.at + 1, '{', '}');
        let names = self.text.get(self.at + 1..end)?.to_owned();
        self.at = end + 1;
        self.skip_blanks(true);
        self.peek_assignment_operator()?;
        self.at += 1;
        self.skip_blanks(true);
        let start = self.at;
        let term = self.read_choice(self.floor);
        self.bind_members(&names, ':', &term);
        Some(self.values_of_term(term, start))
    }

    /// Binds the names that are imported from a module or an object, each perhaps under another
    /// name.
    pub(in crate::trust::loads) fn bind_members(
        &mut self,
        names: &str,
        separator: char,
        term: &Term,
    ) {
        for pair in names.split(',') {
            let pair = pair.split('=').next().unwrap_or_default().trim();
            let pair = pair.strip_prefix("type ").unwrap_or(pair);
            let (name, bound) = match separator {
                ':' => pair.split_once(':').unwrap_or((pair, pair)),
                _ => pair.split_once(" as ").unwrap_or((pair, pair)),
            };
            let (name, bound) = (name.trim(), bound.trim());
            let is_name = |text: &str| {
                !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
            };
            if is_name(name) && is_name(bound) {
                let found = self.member_of_term(term, name);
                self.bindings.bind_name(bound, found);
            }
        }
    }

    /// Returns the member of a module or an object that has this name.
    pub(super) fn member_of_term(&self, term: &Term, name: &str) -> Term {
        match term {
            Term::Name(of) if of.is_empty() => self.term_of_name(name.to_owned()),
            Term::Name(of) => self.term_of_name(format!("{of}.{name}")),
            Term::Any(terms) => {
                Term::any_of(terms.iter().map(|term| self.member_of_term(term, name)).collect())
            }
            Term::Object(entries) => {
                let entry = entries.iter().find(|(key, _)| key == name);
                entry.map_or_else(Term::unknown, |(_, term)| term.clone())
            }
            _ => Term::unknown(),
        }
    }

    /// Returns the term for a name, which may be the script's own path, the working directory, or a
    /// variable.
    pub(in crate::trust::loads) fn term_of_name(&self, name: String) -> Term {
        let own = self.script_path();
        if self.names.file.contains(&&*name) {
            return Term::Values(own.into_iter().collect());
        }
        if self.names.directory.contains(&&*name) {
            return Term::Values(own.map(Value::parent).into_iter().collect());
        }
        let plain = name.strip_prefix('.').unwrap_or(&name);
        if let Some((_, program)) = self.names.programs.iter().find(|(row, _)| *row == plain) {
            return Term::Values(vec![Value::from_text(*program)]);
        }
        self.bindings.bound_term(plain).unwrap_or_else(|| Term::Name(plain.to_owned()))
    }
}
