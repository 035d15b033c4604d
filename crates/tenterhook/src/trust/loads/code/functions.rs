//! Which parameters have the functions of a script, and over what do its loops go? Follows no calls.

use super::{Code, PREFIXES, Term};
use crate::trust::loads::language::Language;
use crate::trust::loads::split;
use crate::trust::loads::value::Value;

impl Code<'_> {
    /// A function that has no name but the variable that it is assigned to.
    pub(super) fn is_lambda(&mut self, name: &str) -> bool {
        let rest = self.rest();
        let plain = rest.strip_prefix("async").map_or(rest, str::trim_start);
        let at = self.at + rest.len() - plain.len();
        let (from, to, mark) = if let Some(behind) = plain.strip_prefix("lambda") {
            let end = behind.find([':', '\n']).unwrap_or(behind.len());
            (at + "lambda".len(), at + "lambda".len() + end, ":")
        } else if plain.starts_with('(') || plain.starts_with("function") {
            let open = at + plain.find('(').unwrap_or_default();
            let mark = if plain.starts_with('(') { "=>" } else { "{" };
            (open + 1, split::closing(self.text, open + 1, '(', ')'), mark)
        } else {
            let end =
                plain.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(plain.len());
            (at, at + end, "=>")
        };
        let behind = self.text.get(to..).unwrap_or_default().trim_start_matches(')').trim_start();
        let parameters = self.text.get(from..to).unwrap_or_default();
        let Some(body) = behind.strip_prefix(mark).filter(|_| from <= to) else { return false };
        self.parameters(name, parameters);
        self.function = name.to_owned();
        self.at = self.text.len() - body.len() - usize::from(mark == "{");
        self.blank(true);
        if !self.rest().starts_with('{') {
            let start = self.at;
            let term = self.choice(self.floor);
            self.bindings.bind(&format!("{name}()"), term.clone());
            let values = self.values(term, start);
            self.escape(&values, start);
        }
        true
    }

    /// The definition of a function or a class, behind the word that begins it.
    pub(super) fn definition(&mut self, word: &str) {
        self.blank(false);
        let Some(name) = self.identifier().map(str::to_owned) else { return };
        if word == "class" {
            self.bindings.class = name;
            return;
        }
        if let Some(inner) = self.rest().strip_prefix('(') {
            let end = split::closing(self.text, self.at + 1, '(', ')');
            let length = end.saturating_sub(self.at + 1).min(inner.len());
            let parameters = inner.get(..length).unwrap_or_default().to_owned();
            self.parameters(&name, &parameters);
            if name == "__init__" {
                let class = self.bindings.class.clone();
                self.parameters(&class, &parameters);
            }
            self.at = end;
        }
        self.function = name;
    }

    pub(super) fn parameters(&mut self, function: &str, text: &str) {
        let mut names = Vec::new();
        for parameter in text.split(',') {
            let (name, default) = parameter.split_once('=').unwrap_or((parameter, ""));
            let name = name.split(':').next().unwrap_or_default();
            let name = name.trim().trim_start_matches(['*', '.', '&', '{', '[']);
            if matches!(name, "self" | "cls") || name.is_empty() {
                continue;
            }
            let default = default.trim();
            let inner = default.get(1..default.len().saturating_sub(1)).unwrap_or_default();
            if default.starts_with(['"', '\'']) && !inner.contains(['"', '\'', '\\']) {
                self.bindings.bind(name, Term::Values(vec![Value::text(inner)]));
            }
            names.push(name.to_owned());
        }
        self.bindings.functions.insert(function.to_owned(), names);
    }

    /// `for NAME in EXPRESSION`, in a statement or within a list.
    pub(super) fn each(&mut self) -> bool {
        let start = self.at;
        let found = self.identifier() == Some("for") && self.each_entry();
        if !found {
            self.at = start;
        }
        found
    }

    fn each_entry(&mut self) -> bool {
        self.blank(false);
        if self.language == Language::Node {
            if !self.rest().starts_with('(') {
                return false;
            }
            self.at += 1;
            self.blank(false);
        }
        let mut names = Vec::new();
        while let Some(word) = self.identifier() {
            if matches!(word, "in" | "of") {
                break;
            }
            if !PREFIXES.contains(&word) {
                names.push(word.to_owned());
            }
            self.blank(false);
            if self.rest().starts_with(',') {
                self.at += 1;
                self.blank(false);
            }
        }
        let word = self.text.get(..self.at).unwrap_or_default();
        if names.is_empty() || !(word.ends_with(" in") || word.ends_with(" of")) {
            return false;
        }
        self.blank(false);
        let start = self.at;
        let term = self.choice(self.floor + 1);
        self.bind_entries(&names, term, start);
        true
    }

    fn bind_entries(&mut self, names: &[String], term: Term, start: usize) {
        match (names, term) {
            (_, Term::Any(terms)) => {
                terms.into_iter().for_each(|term| self.bind_entries(names, term, start));
            }
            ([name], Term::List(entries)) => {
                entries.into_iter().for_each(|entry| self.bindings.bind(name, entry));
            }
            (names, Term::List(entries)) => {
                for entry in entries {
                    let Term::List(parts) = entry else { continue };
                    names.iter().zip(parts).for_each(|(name, part)| self.bindings.bind(name, part));
                }
            }
            (names, term) => {
                let values = self.values(term, start);
                self.escape(&values, start);
                names.iter().for_each(|name| self.bindings.bind(name, Term::unknown()));
            }
        }
    }
}
