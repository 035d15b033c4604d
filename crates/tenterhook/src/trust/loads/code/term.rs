//! Which values has an expression? Its operands, attributes and operators, in whichever of the languages; what a function does is
//! asked in `call`.

use super::{Code, DEEPEST, MOST, combine_values};
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

    /// Returns a term that is one of `terms`. If there are too many, the rest becomes unknown.
    pub(super) fn any_of(terms: Vec<Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for term in terms.into_iter().flat_map(Self::into_alternatives) {
            if all.len() < MOST && !all.contains(&term) {
                all.push(term);
            } else if all.len() == MOST && !all.contains(&term) {
                all.push(Self::unknown());
                break;
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::Any(all) }
    }

    /// Returns how many parts the term has, counting no further than `most`.
    pub(super) fn count_parts_up_to(&self, most: usize) -> usize {
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
            size += part.count_parts_up_to(most - size.min(most));
        }
        size
    }

    /// Returns each term that this one may be.
    pub(super) fn into_alternatives(self) -> Vec<Self> {
        match self {
            Self::Any(terms) => terms.into_iter().flat_map(Self::into_alternatives).collect(),
            Self::Keyword(_, term) => term.into_alternatives(),
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
    /// Reads expressions one of which is the value: `A or B`, `A if X else B`, `X ? A : B`.
    pub(in crate::trust::loads) fn read_choice(&mut self, depth: usize) -> Term {
        let mut all = vec![self.read_expression(depth)];
        let mut has_question = false;
        for _ in 0..DEEPEST {
            let before = self.at;
            self.skip_blanks(depth > 1);
            let Some((sign, choice)) = self.peek_choice_operator(has_question) else {
                self.at = before;
                break;
            };
            self.at += sign.len();
            self.skip_blanks(true);
            let next = self.read_expression(depth.max(1));
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
        Term::any_of(all)
    }

    fn peek_choice_operator(&self, has_question: bool) -> Option<(&'static str, Choice)> {
        let rest = self.remaining_text();
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

    /// Reads terms that are joined by operators.
    pub(in crate::trust::loads) fn read_expression(&mut self, depth: usize) -> Term {
        self.depth = depth;
        let start = self.at;
        let mut term = self.read_term(depth + 1);
        loop {
            let before = self.at;
            self.skip_blanks(depth > 1);
            if self.language == Language::Python && self.remaining_text().starts_with("% ") {
                self.at += 1;
                self.skip_blanks(true);
                let put = self.read_term(depth + 1);
                let put = self.values_of_term(put, start);
                self.add_paths_of_unknown_use(&put, start);
                term = Term::Values(
                    self.values_of_term(term, start)
                        .iter()
                        .map(Value::fill_format_with_unknown)
                        .collect(),
                );
                continue;
            }
            let c = self.peek_char().filter(|c| self.names.joins.contains(c));
            let is_operator = c.is_some()
                && !self
                    .remaining_text()
                    .get(1..)
                    .is_some_and(|rest| rest.starts_with(['=', '+', '/', '.']));
            let Some(c) = c.filter(|_| is_operator) else {
                self.at = before;
                return term;
            };
            self.at += 1;
            self.skip_blanks(true);
            let next = self.read_term(depth + 1);
            term = match c {
                '/' => {
                    let (left, right) =
                        (self.values_of_term(term, start), self.values_of_term(next, start));
                    Term::Values(combine_values(&left, &right, Value::join_path))
                }
                _ => self.concatenate(term, next, start),
            };
        }
    }

    /// Returns two texts, or two lists, joined.
    pub(super) fn concatenate(&mut self, left: Term, right: Term, start: usize) -> Term {
        let is_list = |term: &Term| {
            term.clone().into_alternatives().iter().any(|term| matches!(term, Term::List(_)))
        };
        if !is_list(&left) && !is_list(&right) {
            let (left, right) =
                (self.values_of_term(left, start), self.values_of_term(right, start));
            return Term::Values(combine_values(&left, &right, Value::append));
        }
        let mut all = Vec::new();
        for one in left.into_alternatives().into_iter().take(MOST) {
            for other in right.clone().into_alternatives().into_iter().take(MOST) {
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
        Term::any_of(all)
    }

    /// Reads one operand and the calls, members and indexes that follow it.
    pub(in crate::trust::loads) fn read_term(&mut self, depth: usize) -> Term {
        if depth > DEEPEST {
            self.at += self.peek_char().map_or(0, char::len_utf8);
            return Term::Values(Vec::new());
        }
        let start = self.at;
        let mut term = self.read_operand(depth);
        loop {
            let is_dot = self.remaining_text().starts_with('.') && self.language != Language::Perl;
            let skipped = if self.remaining_text().starts_with("?.")
                || self.remaining_text().starts_with("->")
            {
                2
            } else {
                usize::from(is_dot)
            };
            if skipped > 0
                && self
                    .remaining_text()
                    .get(skipped..)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            {
                self.at += skipped;
                let name = self.read_identifier().unwrap_or_default();
                let is_call = self.remaining_text().starts_with('(');
                term = self.attribute_of_term(term, name, is_call, start);
            } else if self.remaining_text().starts_with('(') {
                let arguments = self.read_list(')', depth);
                term = self.evaluate_call_of_term(term, arguments, start);
            } else if self.remaining_text().starts_with('`') && matches!(term, Term::Name(_)) {
                let text = self.read_string(depth).unwrap_or_default();
                term = self.evaluate_call_of_term(term, vec![Term::Values(text)], start);
            } else if self.remaining_text().starts_with('[')
                || self.remaining_text().starts_with('{')
                    && matches!(&term, Term::Name(name) if name == "$ENV")
            {
                let close = if self.remaining_text().starts_with('[') { ']' } else { '}' };
                let index = self
                    .remaining_text()
                    .get(1..)
                    .and_then(|rest| rest.split(close).next())
                    .unwrap_or_default()
                    .to_owned();
                let arguments = self.read_list(close, depth);
                term = self.index_term(term, &index, arguments, start);
            } else {
                return self.read_call_without_brackets(term, depth, start);
            }
        }
    }

    pub(in crate::trust::loads) fn attribute_of_term(
        &mut self,
        term: Term,
        name: &str,
        is_call: bool,
        start: usize,
    ) -> Term {
        match term {
            Term::Name(before) => self.attribute_of_name(&before, name),
            Term::Values(values) if is_call => Term::Method(values, name.to_owned()),
            Term::Values(values) => match self.path_function(name) {
                Some(Makes::Parents) => Term::Values(
                    values
                        .into_iter()
                        .map(|value| Value { text: format!("{}\0", value.text), ..value })
                        .collect(),
                ),
                Some(makes) => Term::Values(self.path_function_values(makes, &[values], start)),
                None => {
                    self.add_paths_of_unknown_use(&values, start);
                    Term::unknown()
                }
            },
            Term::Any(terms) => {
                let terms = terms.into_iter();
                Term::any_of(
                    terms.map(|term| self.attribute_of_term(term, name, is_call, start)).collect(),
                )
            }
            Term::Keyword(_, term) => self.attribute_of_term(*term, name, is_call, start),
            Term::Object(_) => self.member_of_term(&term, name),
            Term::List(entries) if name == "concat" || name == "join" => {
                self.evaluate_list_method(entries, name)
            }
            // A list in another order is the same list.
            Term::List(_) => term,
            Term::Method(..) => Term::unknown(),
        }
    }

    fn attribute_of_name(&mut self, before: &str, name: &str) -> Term {
        let full = if before.is_empty() { name.to_owned() } else { format!("{before}.{name}") };
        if self.names.base.iter().any(|base| base.strip_suffix("()").unwrap_or(base) == full) {
            return Term::Values(vec![Value::from_path(self.scene.base)]);
        }
        if before.ends_with("env") && self.path_function("env").is_some() {
            return Term::Values(self.env_values(name));
        }
        self.term_of_name(full)
    }

    /// Evaluates a method of a list, such as `[...].join(" ")`. Reads the arguments.
    fn evaluate_list_method(&mut self, entries: Vec<Term>, name: &str) -> Term {
        let start = self.at;
        if !self.remaining_text().starts_with('(') {
            return Term::List(entries);
        }
        let arguments = self.read_list(')', self.depth);
        if name == "concat" {
            return arguments
                .into_iter()
                .fold(Term::List(entries), |all, more| self.concatenate(all, more, start));
        }
        let between = arguments.into_iter().next().map(|term| self.values_of_term(term, start));
        let between = between.and_then(|values| values.into_iter().next());
        self.join_texts(entries, &between.unwrap_or_else(|| Value::from_text(",")), start)
    }

    /// Returns the texts of a list joined, with `between` between each two.
    pub(super) fn join_texts(&mut self, entries: Vec<Term>, between: &Value, start: usize) -> Term {
        let mut all: Option<Vec<Value>> = None;
        for entry in entries {
            let values = self.values_of_term(entry, start);
            all = Some(match all {
                None => values,
                Some(before) => {
                    combine_values(&before, &values, |one, other| one.append(between).append(other))
                }
            });
        }
        Term::Values(all.unwrap_or_else(|| vec![Value::from_text("")]))
    }

    pub(in crate::trust::loads) fn index_term(
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
                if self.path_function(short) == Some(Makes::Variable) {
                    return Term::Values(self.env_values(plain));
                }
                match self.term_of_name(full) {
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
            Term::Any(terms) => Term::any_of(
                terms
                    .into_iter()
                    .map(|term| self.index_term(term, index, arguments.clone(), start))
                    .collect(),
            ),
            Term::Object(entries) => match entries.iter().find(|(key, _)| key == plain) {
                Some((_, term)) => term.clone(),
                None => Term::any_of(entries.into_iter().map(|(_, term)| term).collect()),
            },
            Term::List(entries) => match plain.parse::<usize>() {
                Ok(at) => entries.get(at).cloned().unwrap_or_else(Term::unknown),
                // `list[1:]`
                Err(_) if index.contains(':') => Term::List(entries),
                Err(_) => Term::any_of(entries),
            },
            other => {
                for argument in arguments {
                    let values = self.values_of_term(argument, start);
                    self.add_paths_of_unknown_use(&values, start);
                }
                Term::Values(self.values_of_term(other, start))
            }
        }
    }
}
