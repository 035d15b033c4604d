//! Which values has an operand that stands alone: a text, a name, a list or a table?

use super::{Code, PREFIXES, Term};
use crate::trust::loads::language::{Does, Language};

impl Code<'_> {
    pub(in crate::trust::loads) fn read_operand(&mut self, depth: usize) -> Term {
        let start = self.at;
        if let Some(values) = self.read_string(depth) {
            let is_line = self.text.get(start..).is_some_and(|rest| rest.starts_with('`'));
            if is_line && self.language != Language::Node {
                return self.evaluate_listed_function(
                    Does::Line,
                    vec![Term::Values(values)],
                    start,
                );
            }
            return Term::Values(values);
        }
        match self.peek_char() {
            Some('/') if self.is_regex_start() => self.skip_regex(),
            Some('(') => {
                let mut entries = self.read_list(')', depth);
                match entries.len() {
                    1 => entries.remove(0),
                    _ => Term::List(entries),
                }
            }
            Some('[') => Term::List(self.read_list(']', depth)),
            Some('{') if self.is_table_start() => {
                let entries = self.read_list('}', depth).into_iter();
                let named = entries.map(|entry| match entry {
                    Term::Keyword(name, term) => (name, *term),
                    entry => (String::new(), entry),
                });
                Term::Object(named.collect())
            }
            Some('{') if self.language == Language::Node && depth > self.floor + 1 => {
                self.read_block(depth + 1);
                Term::Values(Vec::new())
            }
            _ => match self.read_identifier() {
                Some(word) if PREFIXES.contains(&word) => {
                    self.skip_blanks(false);
                    if word == "self" {
                        Term::Name(String::new())
                    } else {
                        self.read_operand(depth)
                    }
                }
                Some(word) => self.term_of_name(word.to_owned()),
                None => {
                    self.at += self.peek_char().map_or(0, char::len_utf8);
                    Term::unknown()
                }
            },
        }
    }

    /// Returns whether the slash here begins a regular expression and is not a division, which
    /// would follow an operand.
    fn is_regex_start(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default().trim_end_matches([' ', '\t']);
        let is_operand = |c: char| c.is_alphanumeric() || "_$)]}\"'`".contains(c);
        self.language != Language::Python
            && (!before.ends_with(is_operand) || before.ends_with("return"))
    }

    /// Skips a regular expression, whose quotes begin no string.
    fn skip_regex(&mut self) -> Term {
        let (mut is_escaped, mut in_class) = (false, false);
        let line = self.remaining_text().split('\n').next().unwrap_or_default();
        let end = line.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '/' && !is_escaped && !in_class;
            match c {
                _ if is_escaped => {}
                '[' => in_class = true,
                ']' => in_class = false,
                _ => {}
            }
            is_escaped = *c == '\\' && !is_escaped;
            ends
        });
        self.at += end.map_or(1, |(at, _)| at + 1);
        Term::Values(Vec::new())
    }

    /// Returns whether the brace here begins a table and not a block.
    fn is_table_start(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default().trim_end();
        match self.language {
            Language::Python => true,
            Language::Node => {
                before.ends_with(['=', '(', ',', ':', '[', '?', '&', '|'])
                    || before.ends_with("return")
                    || before.ends_with("default")
            }
            _ => false,
        }
    }

    /// Reads the entries between brackets. The opening bracket is at the current position.
    pub(in crate::trust::loads) fn read_list(&mut self, close: char, depth: usize) -> Vec<Term> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.skip_blanks(true);
            match self.peek_char() {
                None => return entries,
                Some(c) if c == close => {
                    self.at += 1;
                    return entries;
                }
                Some(',' | ';') => self.at += 1,
                Some(c) if "=<>!?:&|%-~^".contains(c) => self.at += 1,
                Some(_) => {
                    let start = self.at;
                    self.read_list_entry(close, depth, &mut entries);
                    self.at = self.at.max(start + 1);
                }
            }
        }
    }

    fn read_list_entry(&mut self, close: char, depth: usize, entries: &mut Vec<Term>) {
        if self.read_for_loop() {
            return;
        }
        let spread = self.remaining_text().len()
            - self.remaining_text().trim_start_matches(['*', '.']).len();
        self.at += spread;
        let start = self.at;
        let key = self.read_identifier().map(str::to_owned);
        self.skip_blanks(false);
        let rest = self.remaining_text();
        let is_keyword =
            rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
        let is_key = close == '}' && rest.starts_with(':');
        if let Some(key) = key.filter(|_| is_keyword || is_key) {
            self.at += 1;
            self.skip_blanks(true);
            let term = self.read_choice(depth + 2);
            return entries.push(Term::Keyword(key, Box::new(term)));
        }
        self.at = start;
        let term = self.read_choice(depth + 2);
        self.skip_blanks(true);
        if close == '}' && self.remaining_text().starts_with(':') {
            self.at += 1;
            self.skip_blanks(true);
            let keys = self.values_of_term(term, start);
            let key = keys.first().map(|key| key.text.clone()).unwrap_or_default();
            let term = self.read_choice(depth + 2);
            return entries.push(Term::Keyword(key, Box::new(term)));
        }
        match term {
            Term::List(more) if spread > 0 => entries.extend(more),
            // `...(X)`, `**options`
            _ if spread > 0 => entries.push(Term::unknown()),
            term => entries.push(term),
        }
    }
}
