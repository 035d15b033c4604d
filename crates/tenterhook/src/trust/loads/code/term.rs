//! Which values has an expression? Its operands, attributes and operators, in whichever of the languages; what a function does is
//! asked in `call`.

use super::{Code, DEEPEST, MOST, product};
use crate::trust::loads::language::{Language, Makes};
use crate::trust::loads::value::Value;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::trust::loads) enum Term {
    /// A name that has no value, such as that of a function.
    Name(String),
    Values(Vec<Value>),
    /// A list and its entries.
    List(Vec<Term>),
    /// A table and its entries.
    Object(Vec<(String, Term)>),
    /// An argument that is handed over by its name.
    Keyword(String, Box<Term>),
    /// A function of a value.
    Method(Vec<Value>, String),
    /// One of these: which, is not decided.
    Any(Vec<Term>),
}

impl Term {
    pub(super) fn unknown() -> Self {
        Self::Values(vec![Value::unknown()])
    }

    /// One of these; of too many, what the others are is not known.
    pub(super) fn any(terms: Vec<Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for term in terms.into_iter().flat_map(Self::each) {
            if all.len() < MOST && !all.contains(&term) {
                all.push(term);
            } else if all.len() == MOST && !all.contains(&term) {
                all.push(Self::unknown());
                break;
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::Any(all) }
    }

    /// How many parts it has; more than `most` are not counted.
    pub(super) fn size(&self, most: usize) -> usize {
        let parts: Vec<&Self> = match self {
            Self::Name(_) | Self::Values(_) | Self::Method(..) => Vec::new(),
            Self::Keyword(_, term) => vec![term],
            Self::List(terms) | Self::Any(terms) => terms.iter().collect(),
            Self::Object(entries) => entries.iter().map(|(_, term)| term).collect(),
        };
        let mut size = 1;
        for part in parts {
            if size > most {
                break;
            }
            size += part.size(most - size.min(most));
        }
        size
    }

    /// Each thing that it may be.
    pub(super) fn each(self) -> Vec<Self> {
        match self {
            Self::Any(terms) => terms.into_iter().flat_map(Self::each).collect(),
            Self::Keyword(_, term) => term.each(),
            term => vec![term],
        }
    }
}

/// What an operator makes of the operands on its two sides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// It is one of them.
    Either,
    /// It is the second one, or the one behind `:`.
    Second,
    /// It is the first one.
    First,
    /// It is no text: the two are compared.
    Compared,
}

/// Operators between two operands; those of letters are words.
const CHOICES: &[(&str, Choice)] = &[
    ("||", Choice::Either),
    ("??", Choice::Either),
    ("&&", Choice::Either),
    ("or", Choice::Either),
    ("and", Choice::Either),
    ("else", Choice::Either),
    ("if", Choice::First),
    ("===", Choice::Compared),
    ("!==", Choice::Compared),
    ("==", Choice::Compared),
    ("!=", Choice::Compared),
    ("in", Choice::Compared),
    ("not in", Choice::Compared),
    ("?", Choice::Second),
];

impl Code<'_> {
    /// Expressions one of which is the value: `A or B`, `A if X else B`, `X ? A : B`.
    pub(in crate::trust::loads) fn choice(&mut self, depth: usize) -> Term {
        let mut all = vec![self.expression(depth)];
        let mut has_question = false;
        for _ in 0..DEEPEST {
            let before = self.at;
            self.blank(depth > 1);
            let Some((sign, choice)) = self.operator(has_question) else {
                self.at = before;
                break;
            };
            self.at += sign.len();
            self.blank(true);
            let next = self.expression(depth.max(1));
            match choice {
                Choice::Either => all.push(next),
                Choice::First => {}
                Choice::Compared => all = vec![Term::Values(Vec::new())],
                Choice::Second => {
                    has_question = true;
                    all = vec![next];
                }
            }
        }
        Term::any(all)
    }

    fn operator(&self, has_question: bool) -> Option<(&'static str, Choice)> {
        let rest = self.rest();
        if has_question && rest.starts_with(':') {
            return Some((":", Choice::Either));
        }
        let (sign, choice) = *CHOICES.iter().find(|(sign, _)| rest.starts_with(sign))?;
        let is_word = sign.starts_with(char::is_alphabetic);
        let behind = rest.get(sign.len()..).and_then(|behind| behind.chars().next());
        let is_longer = is_word && behind.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let is_if = matches!(sign, "if" | "in" | "not in") && self.language != Language::Python;
        let is_test = sign == "?" && (self.language == Language::Python || behind == Some('.'));
        (!is_longer && !is_if && !is_test).then_some((sign, choice))
    }

    /// Terms that are joined by an operator.
    pub(in crate::trust::loads) fn expression(&mut self, depth: usize) -> Term {
        self.depth = depth;
        let start = self.at;
        let mut term = self.term(depth + 1);
        loop {
            let before = self.at;
            self.blank(depth > 1);
            if self.language == Language::Python && self.rest().starts_with("% ") {
                self.at += 1;
                self.blank(true);
                let put = self.term(depth + 1);
                let put = self.values(put, start);
                self.escape(&put, start);
                term = Term::Values(self.values(term, start).iter().map(Value::filled).collect());
                continue;
            }
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
            term = match c {
                '/' => {
                    let (left, right) = (self.values(term, start), self.values(next, start));
                    Term::Values(product(&left, &right, Value::join))
                }
                _ => self.joined(term, next, start),
            };
        }
    }

    /// Two texts, or two lists, one behind the other.
    pub(super) fn joined(&mut self, left: Term, right: Term, start: usize) -> Term {
        let is_list =
            |term: &Term| term.clone().each().iter().any(|term| matches!(term, Term::List(_)));
        if !is_list(&left) && !is_list(&right) {
            let (left, right) = (self.values(left, start), self.values(right, start));
            return Term::Values(product(&left, &right, Value::then));
        }
        let mut all = Vec::new();
        for one in left.each().into_iter().take(MOST) {
            for other in right.clone().each().into_iter().take(MOST) {
                let mut entries = Vec::new();
                for part in [one.clone(), other] {
                    match part {
                        Term::List(part) => entries.extend(part),
                        part => entries.push(part),
                    }
                }
                all.push(Term::List(entries));
            }
        }
        Term::any(all)
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
                let is_call = self.rest().starts_with('(');
                term = self.attribute(term, name, is_call, start);
            } else if self.rest().starts_with('(') {
                let arguments = self.list(')', depth);
                term = self.call(term, arguments, start);
            } else if self.rest().starts_with('`') && matches!(term, Term::Name(_)) {
                let text = self.string(depth).unwrap_or_default();
                term = self.call(term, vec![Term::Values(text)], start);
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

    pub(in crate::trust::loads) fn attribute(
        &mut self,
        term: Term,
        name: &str,
        is_call: bool,
        start: usize,
    ) -> Term {
        match term {
            Term::Name(before) => self.attribute_of_name(&before, name),
            Term::Values(values) if is_call => Term::Method(values, name.to_owned()),
            Term::Values(values) => match self.makes(name) {
                Some(Makes::Parents) => Term::Values(
                    values
                        .into_iter()
                        .map(|value| Value { text: format!("{}\0", value.text), ..value })
                        .collect(),
                ),
                Some(makes) => Term::Values(self.make(makes, &[values], start)),
                None => {
                    self.escape(&values, start);
                    Term::unknown()
                }
            },
            Term::Any(terms) => {
                let terms = terms.into_iter();
                Term::any(terms.map(|term| self.attribute(term, name, is_call, start)).collect())
            }
            Term::Keyword(_, term) => self.attribute(*term, name, is_call, start),
            Term::Object(_) => self.part(&term, name),
            Term::List(entries) if name == "concat" || name == "join" => {
                self.list_method(entries, name)
            }
            // A list in another order is the same list.
            Term::List(_) => term,
            Term::Method(..) => Term::unknown(),
        }
    }

    fn attribute_of_name(&mut self, before: &str, name: &str) -> Term {
        let full = if before.is_empty() { name.to_owned() } else { format!("{before}.{name}") };
        if self.names.base.iter().any(|base| base.strip_suffix("()").unwrap_or(base) == full) {
            return Term::Values(vec![Value::path(self.scene.base)]);
        }
        if before.ends_with("env") && self.makes("env").is_some() {
            return Term::Values(self.variable(name));
        }
        self.named(full)
    }

    /// `[...].join(" ")`: the arguments are read here.
    fn list_method(&mut self, entries: Vec<Term>, name: &str) -> Term {
        let start = self.at;
        if !self.rest().starts_with('(') {
            return Term::List(entries);
        }
        let arguments = self.list(')', self.depth);
        if name == "concat" {
            return arguments
                .into_iter()
                .fold(Term::List(entries), |all, more| self.joined(all, more, start));
        }
        let between = arguments.into_iter().next().map(|term| self.values(term, start));
        let between = between.and_then(|values| values.into_iter().next());
        self.texts(entries, &between.unwrap_or_else(|| Value::text(",")), start)
    }

    /// The texts of a list with one text between each two.
    pub(super) fn texts(&mut self, entries: Vec<Term>, between: &Value, start: usize) -> Term {
        let mut all: Option<Vec<Value>> = None;
        for entry in entries {
            let values = self.values(entry, start);
            all = Some(match all {
                None => values,
                Some(before) => {
                    product(&before, &values, |one, other| one.then(between).then(other))
                }
            });
        }
        Term::Values(all.unwrap_or_else(|| vec![Value::text("")]))
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
                match self.named(full) {
                    // `module['name']`
                    Term::Name(_) if plain != index.trim() => self.attribute_of_name(&name, plain),
                    term => term,
                }
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
            Term::Any(terms) => Term::any(
                terms
                    .into_iter()
                    .map(|term| self.index(term, index, arguments.clone(), start))
                    .collect(),
            ),
            Term::Object(entries) => match entries.iter().find(|(key, _)| key == plain) {
                Some((_, term)) => term.clone(),
                None => Term::any(entries.into_iter().map(|(_, term)| term).collect()),
            },
            Term::List(entries) => match plain.parse::<usize>() {
                Ok(at) => entries.get(at).cloned().unwrap_or_else(Term::unknown),
                // `list[1:]`
                Err(_) if index.contains(':') => Term::List(entries),
                Err(_) => Term::any(entries),
            },
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
