//! Which values has an expression? Its operands, attributes and operators, in whichever of the languages; what a function does is
//! asked in `call`.

use super::{Code, DEEPEST, PREFIXES, Term, product};
use crate::trust::loads::language::{Language, Makes};
use crate::trust::loads::value::Value;

impl Code<'_> {
    /// Terms that are joined by an operator.
    pub(in crate::trust::loads) fn expression(&mut self, depth: usize) -> Term {
        self.depth = depth;
        let start = self.at;
        let mut term = self.term(depth + 1);
        loop {
            let before = self.at;
            self.blank(depth > 1);
            let c = self.peek().filter(|c| self.names.joins.contains(c));
            let is_operator = c.is_some()
                && !self.rest().get(1..).is_some_and(|rest| rest.starts_with(['=', '+', '/', '.']));
            let Some(c) = c.filter(|_| is_operator) else {
                self.at = before;
                return term;
            };
            self.at += 1;
            self.blank(true);
            let next = self.term(depth + 1);
            let (left, right) = (self.values(term, start), self.values(next, start));
            term = Term::Values(product(&left, &right, |one, other| {
                if c == '/' { one.join(other) } else { one.then(other) }
            }));
        }
    }

    /// One operand with what is called on it.
    pub(in crate::trust::loads) fn term(&mut self, depth: usize) -> Term {
        if depth > DEEPEST {
            self.at += self.peek().map_or(0, char::len_utf8);
            return Term::Values(Vec::new());
        }
        let start = self.at;
        let mut term = self.primary(depth);
        loop {
            let is_dot = self.rest().starts_with('.') && self.language != Language::Perl;
            let skipped = if self.rest().starts_with("?.") || self.rest().starts_with("->") {
                2
            } else {
                usize::from(is_dot)
            };
            if skipped > 0
                && self
                    .rest()
                    .get(skipped..)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            {
                self.at += skipped;
                let name = self.identifier().unwrap_or_default();
                term = self.attribute(term, name, depth, start);
            } else if self.rest().starts_with('(') {
                let arguments = self.list(')', depth);
                term = self.call(term, arguments, start);
            } else if self.rest().starts_with('[')
                || self.rest().starts_with('{')
                    && matches!(&term, Term::Name(name) if name == "$ENV")
            {
                let close = if self.rest().starts_with('[') { ']' } else { '}' };
                let index = self
                    .rest()
                    .get(1..)
                    .and_then(|rest| rest.split(close).next())
                    .unwrap_or_default()
                    .to_owned();
                let arguments = self.list(close, depth);
                term = self.index(term, &index, arguments, start);
            } else {
                return self.command(term, depth, start);
            }
        }
    }

    pub(in crate::trust::loads) fn primary(&mut self, depth: usize) -> Term {
        let start = self.at;
        if let Some(values) = self.string(depth) {
            return Term::Values(values);
        }
        match self.peek() {
            Some('(') => {
                let mut entries = self.list(')', depth);
                match (entries.len(), entries.pop()) {
                    (1, Some(term)) => term,
                    (_, last) => Term::List(
                        entries
                            .into_iter()
                            .chain(last)
                            .map(|term| self.values(term, start))
                            .collect(),
                    ),
                }
            }
            Some('[') => {
                let entries = self.list(']', depth);
                Term::List(entries.into_iter().map(|term| self.values(term, start)).collect())
            }
            _ => match self.identifier() {
                Some(word) if PREFIXES.contains(&word) => {
                    self.blank(false);
                    if word == "self" { Term::Name(String::new()) } else { self.primary(depth) }
                }
                Some(word) => self.named(word.to_owned()),
                None => {
                    self.at += self.peek().map_or(0, char::len_utf8);
                    Term::Values(vec![Value::unknown()])
                }
            },
        }
    }

    /// The entries between brackets, the first of which stands at the current place.
    pub(in crate::trust::loads) fn list(&mut self, close: char, depth: usize) -> Vec<Term> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.blank(true);
            match self.peek() {
                None => return entries,
                Some(c) if c == close => {
                    self.at += 1;
                    return entries;
                }
                Some(',') => self.at += 1,
                Some(_) => {
                    let (before, start) = (self.at, self.at);
                    // A keyword argument is its value.
                    if self.identifier().is_some()
                        && self.rest().starts_with('=')
                        && !self.rest().starts_with("==")
                        && !self.rest().starts_with("=>")
                    {
                        self.at += 1;
                    } else {
                        self.at = before;
                    }
                    entries.push(self.expression(depth + 2));
                    self.at = self.at.max(start + 1);
                }
            }
        }
    }

    pub(in crate::trust::loads) fn attribute(
        &mut self,
        term: Term,
        name: &str,
        depth: usize,
        start: usize,
    ) -> Term {
        match term {
            Term::Name(before) => {
                let full =
                    if before.is_empty() { name.to_owned() } else { format!("{before}.{name}") };
                if self
                    .names
                    .base
                    .iter()
                    .any(|base| base.strip_suffix("()").unwrap_or(base) == full)
                {
                    return Term::Values(vec![Value::path(self.scene.base)]);
                }
                if before.ends_with("env") && self.makes("env").is_some() {
                    return Term::Values(self.variable(name));
                }
                self.named(full)
            }
            Term::Values(values) => {
                if self.rest().starts_with('(') {
                    let arguments = self.list(')', depth);
                    return self.method(values, name, arguments, start);
                }
                match self.makes(name) {
                    Some(Makes::Parents) => Term::Values(
                        values
                            .into_iter()
                            .map(|value| Value { text: format!("{}\0", value.text), ..value })
                            .collect(),
                    ),
                    Some(makes) => Term::Values(self.make(makes, &[values], start)),
                    None => {
                        self.escape(&values, start);
                        Term::Values(vec![Value::unknown()])
                    }
                }
            }
            Term::List(_) => Term::Values(self.values(term, start)),
        }
    }

    pub(in crate::trust::loads) fn method(
        &mut self,
        values: Vec<Value>,
        name: &str,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let Some(makes) = self.makes(name) else {
            self.escape(&values, start);
            for argument in arguments {
                let values = self.values(argument, start);
                self.escape(&values, start);
            }
            return Term::Values(vec![Value::unknown()]);
        };
        let mut all = vec![values];
        for argument in arguments {
            all.push(self.values(argument, start));
        }
        Term::Values(self.make(makes, &all, start))
    }

    pub(in crate::trust::loads) fn index(
        &mut self,
        term: Term,
        index: &str,
        arguments: Vec<Term>,
        start: usize,
    ) -> Term {
        let plain = index.trim().trim_matches(['"', '\'']);
        match term {
            Term::Name(name) => {
                let full = format!("{name}[{plain}]");
                let short = name.rsplit('.').next().unwrap_or(&name);
                if self.makes(short) == Some(Makes::Variable) {
                    return Term::Values(self.variable(plain));
                }
                self.named(full)
            }
            // `parents[N]`
            Term::Values(values) if values.iter().any(|value| value.text.ends_with('\0')) => {
                let count = plain.parse::<usize>().unwrap_or(0).min(DEEPEST);
                let up = |value: Value| {
                    (0..=count).fold(
                        Value { text: value.text.trim_end_matches('\0').to_owned(), ..value },
                        |value, _| value.parent(),
                    )
                };
                Term::Values(values.into_iter().map(up).collect())
            }
            other => {
                for argument in arguments {
                    let values = self.values(argument, start);
                    self.escape(&values, start);
                }
                Term::Values(self.values(other, start))
            }
        }
    }
}
