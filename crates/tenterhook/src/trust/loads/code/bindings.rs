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
    pub(in crate::trust::loads) fn bind(&mut self, name: &str, term: Term) {
        if matches!(&term, Term::Name(other) if other == name) {
            return;
        }
        let size = term.size(MOST_PARTS);
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

    /// A module that keeps its name, which may be one that another module has, too.
    pub(in crate::trust::loads) fn imported(&mut self, module: &str) {
        if let Some(terms) = self.terms.get_mut(module)
            && !terms.iter().any(|term| matches!(term, Term::Name(name) if name == module))
        {
            terms.push(Term::Name(module.to_owned()));
        }
    }

    pub(super) fn term(&self, name: &str) -> Option<Term> {
        match self.terms.get(name)?.as_slice() {
            [] => None,
            [term] => Some(term.clone()),
            terms => Some(Term::any(terms.to_vec())),
        }
    }

    /// Whether a function of the script has this name.
    pub(super) fn is_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Gives the parameters of a function the arguments of a call.
    pub(super) fn call(&mut self, name: &str, arguments: &[Term]) {
        let short = name.rsplit('.').next().unwrap_or(name);
        let Some(parameters) = self.functions.get(name).or_else(|| self.functions.get(short))
        else {
            return;
        };
        let parameters = parameters.clone();
        let mut free = parameters.iter();
        for argument in arguments {
            match argument {
                Term::Keyword(name, term) => self.bind(name, (**term).clone()),
                term => {
                    if let Some(parameter) = free.next() {
                        self.bind(parameter, term.clone());
                    }
                }
            }
        }
    }
}

impl Code<'_> {
    /// `NAME = EXPRESSION`: the values, where it is one.
    pub(super) fn assignment(&mut self) -> Option<Vec<Value>> {
        while let Some(word) = self.identifier() {
            self.blank(false);
            let mut name = word.to_owned();
            while self.rest().starts_with('.') && self.language != Language::Perl {
                self.at += 1;
                name = format!("{name}.{}", self.identifier()?);
            }
            if let Some(list) = self.extended(&name) {
                return Some(self.extend(&list));
            }
            self.blank(false);
            let key = self.key(&name);
            if self.rest().starts_with(": ") && self.language != Language::Perl {
                let annotation = self.rest().find(['=', '\n', ',', '{', '(']).filter(|at| {
                    self.rest().get(*at..).is_some_and(|rest| rest.starts_with('='))
                })?;
                self.at += annotation;
            }
            if let Some(sign) = self.sign() {
                let start = self.at;
                self.at += sign.len();
                self.blank(true);
                if self.is_lambda(&name) {
                    return Some(Vec::new());
                }
                let term = self.choice(self.floor);
                return Some(match key {
                    Some(key) => self.environment(&key, term, start),
                    None => self.assign(&name, term, sign, start),
                });
            }
            if !PREFIXES.contains(&word) {
                return None;
            }
            self.blank(false);
            if self.language == Language::Node && self.rest().starts_with('{') {
                return self.taken_apart();
            }
        }
        None
    }

    /// The sign of an assignment that stands here.
    fn sign(&self) -> Option<&'static str> {
        let rest = self.rest();
        let sign =
            ["||=", "??=", "+=", ".=", "="].into_iter().find(|sign| rest.starts_with(sign))?;
        let is_other = ["==", "=>", "=~"].iter().any(|other| rest.starts_with(other));
        (!is_other).then_some(sign)
    }

    /// The list that a method of this name adds to.
    fn extended(&self, name: &str) -> Option<String> {
        let (list, method) = name.rsplit_once('.')?;
        (EXTENDS.contains(&method) && self.rest().starts_with('(') && !self.adds_directory(name))
            .then(|| list.to_owned())
    }

    fn extend(&mut self, list: &str) -> Vec<Value> {
        let start = self.at;
        let added = self.list(')', self.floor);
        let mut entries = Vec::new();
        for term in added {
            match term {
                Term::List(more) => entries.extend(more),
                term => entries.push(term),
            }
        }
        self.assign(list, Term::List(entries), "+=", start)
    }

    /// Whether a call of this name adds to where modules are looked up.
    fn adds_directory(&self, name: &str) -> bool {
        let rows = self.names.does.iter();
        let mut searches = rows.filter(|(_, does)| *does == Does::Searches);
        let full = self.full_name(name);
        searches.any(|(row, _)| *row == full)
    }

    /// The name with what its beginning stands for.
    fn full_name(&self, name: &str) -> String {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        match self.bindings.term(first) {
            Some(Term::Name(full)) if rest.is_empty() => full,
            Some(Term::Name(full)) => format!("{full}.{rest}"),
            _ => name.to_owned(),
        }
    }

    /// The environment variable that an assignment to `name` sets.
    fn key(&mut self, name: &str) -> Option<String> {
        let full = self.full_name(name);
        if let Some((table, key)) = full.rsplit_once('.')
            && ENVIRONMENT.contains(&table)
        {
            return Some(key.to_owned());
        }
        let close = match self.peek()? {
            '[' => ']',
            '{' if full == "$ENV" => '}',
            _ => return None,
        };
        if !ENVIRONMENT.contains(&&*full) {
            return None;
        }
        let end = self.rest().find(close)?;
        let key = self.rest().get(1..end)?.trim_matches(['"', '\'']).to_owned();
        self.at += end + 1;
        self.blank(false);
        Some(key)
    }

    fn assign(&mut self, name: &str, term: Term, sign: &str, start: usize) -> Vec<Value> {
        let full = self.full_name(name);
        let is_search = self.names.does.iter().any(|(row, does)| {
            *does == Does::Searches && row.rsplit_once('.').is_some_and(|(of, _)| of == full)
        });
        if is_search {
            self.searches(vec![term], start);
            return Vec::new();
        }
        let plain = name.strip_prefix("self.").unwrap_or(name);
        let term = match (sign, self.bindings.term(plain)) {
            // A second round adds nothing.
            ("+=" | ".=", Some(Term::Any(_))) if !self.collects => return Vec::new(),
            ("+=" | ".=", Some(before)) => self.joined(before, term, start),
            _ => term,
        };
        self.bindings.bind(plain, term.clone());
        self.values(term, start)
    }

    /// `const {a, b: c} = MODULE`
    fn taken_apart(&mut self) -> Option<Vec<Value>> {
        let end = split::closing(self.text, self.at + 1, '{', '}');
        let names = self.text.get(self.at + 1..end)?.to_owned();
        self.at = end + 1;
        self.blank(true);
        self.sign()?;
        self.at += 1;
        self.blank(true);
        let start = self.at;
        let term = self.choice(self.floor);
        self.take(&names, ':', &term);
        Some(self.values(term, start))
    }

    /// Binds the names that are taken out of a module or an object, each perhaps under another name.
    pub(in crate::trust::loads) fn take(&mut self, names: &str, separator: char, term: &Term) {
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
                let found = self.part(term, name);
                self.bindings.bind(bound, found);
            }
        }
    }

    /// What a module or an object has under a name.
    pub(super) fn part(&self, term: &Term, name: &str) -> Term {
        match term {
            Term::Name(of) if of.is_empty() => self.named(name.to_owned()),
            Term::Name(of) => self.named(format!("{of}.{name}")),
            Term::Any(terms) => Term::any(terms.iter().map(|term| self.part(term, name)).collect()),
            Term::Object(entries) => {
                let entry = entries.iter().find(|(key, _)| key == name);
                entry.map_or_else(Term::unknown, |(_, term)| term.clone())
            }
            _ => Term::unknown(),
        }
    }

    /// A name that may be the script's own path, the working directory, or a variable.
    pub(in crate::trust::loads) fn named(&self, name: String) -> Term {
        let own = self.own();
        if self.names.file.contains(&&*name) {
            return Term::Values(own.into_iter().collect());
        }
        if self.names.directory.contains(&&*name) {
            return Term::Values(own.map(Value::parent).into_iter().collect());
        }
        let plain = name.strip_prefix('.').unwrap_or(&name);
        if let Some((_, program)) = self.names.programs.iter().find(|(row, _)| *row == plain) {
            return Term::Values(vec![Value::text(*program)]);
        }
        self.bindings.term(plain).unwrap_or_else(|| Term::Name(plain.to_owned()))
    }
}
