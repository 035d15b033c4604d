//! Which parameters have the functions of a script, and over what do its loops go? Follows no calls.

use super::{Code, PREFIXES, Term};
use crate::trust::loads::language::Language;
use crate::trust::loads::split;
use crate::trust::loads::value::Value;

impl Code<'_> {
    /// Reads the beginning of a function that has no name except the variable to which it is
    /// assigned. Returns `false` if none begins here.
    pub(super) fn read_lambda(&mut self, name: &str) -> bool {
        let rest = self.remaining_text();
        let plain = rest.strip_prefix("async").map_or(rest, str::trim_start);
        let at = self.at + rest.len() - plain.len();
        let (from, to, mark) = if let Some(behind) = plain.strip_prefix("lambda") {
            let end = behind.find([':', '\n']).unwrap_or(behind.len());
            (at + "lambda".len(), at + "lambda".len() + end, ":")
        } else if plain.starts_with('(') || plain.starts_with("function") {
            let open = at + plain.find('(').unwrap_or_default();
            let mark = if plain.starts_with('(') { "=>" } else { "{" };
            (open + 1, split::closing_bracket_index(self.text, open + 1, '(', ')'), mark)
        } else {
            let end =
                plain.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(plain.len());
            (at, at + end, "=>")
        };
        let behind = self.text.get(to..).unwrap_or_default().trim_start_matches(')').trim_start();
        let parameters = self.text.get(from..to).unwrap_or_default();
        let Some(body) = behind.strip_prefix(mark).filter(|_| from <= to) else { return false };
        self.bind_parameters(name, parameters);
        self.function = name.to_owned();
        self.at = self.text.len() - body.len() - usize::from(mark == "{");
        self.skip_blanks(true);
        if !self.remaining_text().starts_with('{') {
            let start = self.at;
            let term = self.read_choice(self.floor);
            self.bindings.bind_name(&format!("{name}()"), term.clone());
            let values = self.values_of_term(term, start);
            self.add_paths_of_unknown_use(&values, start);
        }
        true
    }

    /// Reads the definition of a function or a class, behind its keyword.
    pub(super) fn read_definition(&mut self, word: &str) {
        self.skip_blanks(false);
        let Some(name) = self.read_identifier().map(str::to_owned) else { return };
        if word == "class" {
            self.bindings.class = name;
            return;
        }
        if let Some(inner) = self.remaining_text().strip_prefix('(') {
            let end = split::closing_bracket_index(self.text, self.at + 1, '(', ')');
            let length = end.saturating_sub(self.at + 1).min(inner.len());
            let parameters = inner.get(..length).unwrap_or_default().to_owned();
            self.bind_parameters(&name, &parameters);
            if name == "__init__" {
                let class = self.bindings.class.clone();
                self.bind_parameters(&class, &parameters);
            }
            self.at = end;
        }
        self.function = name;
    }

    pub(super) fn bind_parameters(&mut self, function: &str, text: &str) {
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
                self.bindings.bind_name(name, Term::Values(vec![Value::from_text(inner)]));
            }
            names.push(name.to_owned());
        }
        self.bindings.functions.insert(function.to_owned(), names);
    }

    /// Reads `for NAME in EXPRESSION`, in a statement or within a list. Returns `false` if none
    /// begins here.
    pub(super) fn read_for_loop(&mut self) -> bool {
        let start = self.at;
        let found = self.read_identifier() == Some("for") && self.read_for_clause();
        if !found {
            self.at = start;
        }
        found
    }

    fn read_for_clause(&mut self) -> bool {
        self.skip_blanks(false);
        if self.language == Language::Node {
            if !self.remaining_text().starts_with('(') {
                return false;
            }
            self.at += 1;
            self.skip_blanks(false);
        }
        let mut names = Vec::new();
        while let Some(word) = self.read_identifier() {
            if matches!(word, "in" | "of") {
                break;
            }
            if !PREFIXES.contains(&word) {
                names.push(word.to_owned());
            }
            self.skip_blanks(false);
            if self.remaining_text().starts_with(',') {
                self.at += 1;
                self.skip_blanks(false);
            }
        }
        let word = self.text.get(..self.at).unwrap_or_default();
        if names.is_empty() || !(word.ends_with(" in") || word.ends_with(" of")) {
            return false;
        }
        self.skip_blanks(false);
        let start = self.at;
        let term = self.read_choice(self.floor + 1);
        self.bind_loop_names(&names, term, start);
        true
    }

    fn bind_loop_names(&mut self, names: &[String], term: Term, start: usize) {
        match (names, term) {
            (_, Term::Any(terms)) => {
                terms.into_iter().for_each(|term| self.bind_loop_names(names, term, start));
            }
            ([name], Term::List(entries)) => {
                entries.into_iter().for_each(|entry| self.bindings.bind_name(name, entry));
            }
            (names, Term::List(entries)) => {
                for entry in entries {
                    let Term::List(parts) = entry else { continue };
                    names
                        .iter()
                        .zip(parts)
                        .for_each(|(name, part)| self.bindings.bind_name(name, part));
                }
            }
            (names, term) => {
                let values = self.values_of_term(term, start);
                self.add_paths_of_unknown_use(&values, start);
                names.iter().for_each(|name| self.bindings.bind_name(name, Term::unknown()));
            }
        }
    }
}
