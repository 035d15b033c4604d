//! Finds the variables of a shell text, and whether the shell splits their values. A scanner for
//! lints, not a parser: the engine's shell parser decides about hooks.

/// One `$NAME` or `${...}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variable<'a> {
    /// The name, up to the first character that a name cannot hold.
    pub(crate) name: &'a str,
    /// All of it as written.
    pub(crate) text: &'a str,
    /// Whether the shell splits its value at spaces.
    pub(super) splits: bool,
    /// Whether it is in single quotes, where the shell replaces nothing.
    pub(super) is_literal: bool,
    /// The text behind it.
    pub(super) after: &'a str,
    /// Whether it is `${a.b}`: a placeholder of another system, not a shell variable.
    pub(crate) is_template: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Plain,
    Single,
    Double,
    Substitution,
    Backticks,
    Parenthesis,
}

/// The variables of `text` in its order.
pub(crate) fn find(text: &str) -> Vec<Variable<'_>> {
    let mut scan = Scan { text, at: 0, word: 0, in_test: false, within: vec![Within::Plain] };
    let mut found = Vec::new();
    while scan.at < text.len() {
        if let Some(variable) = scan.step() {
            found.push(variable);
        }
    }
    found
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The offset at which the current word began.
    word: usize,
    /// Whether the scanner is in `[[ ... ]]`, where the shell splits nothing.
    in_test: bool,
    within: Vec<Within>,
}

impl<'a> Scan<'a> {
    fn top(&self) -> Within {
        self.within.last().copied().unwrap_or(Within::Plain)
    }

    fn toggle(&mut self, within: Within) {
        if self.top() == within {
            self.within.pop();
        } else {
            self.within.push(within);
        }
    }

    fn close(&mut self) {
        if matches!(self.top(), Within::Substitution | Within::Parenthesis) {
            self.within.pop();
        }
    }

    fn end_word(&mut self) {
        match self.text.get(self.word..self.at) {
            Some("[[") => self.in_test = true,
            Some("]]") => self.in_test = false,
            _ => {}
        }
        self.word = self.at + 1;
    }

    fn step(&mut self) -> Option<Variable<'a>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(next) = rest.chars().next() else {
            self.at = self.text.len();
            return None;
        };
        let is_single = self.top() == Within::Single;
        let is_double = self.top() == Within::Double;
        match next {
            '\'' if !is_double => self.toggle(Within::Single),
            '$' => return self.dollar(rest),
            _ if is_single => {}
            '"' => self.toggle(Within::Double),
            '\\' => self.at += rest.chars().nth(1).map_or(0, char::len_utf8),
            '`' => self.toggle(Within::Backticks),
            _ if is_double => {}
            '(' => {
                self.end_word();
                self.within.push(Within::Parenthesis);
            }
            ')' => {
                self.end_word();
                self.close();
            }
            ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' => self.end_word(),
            _ => {}
        }
        self.at += next.len_utf8();
        None
    }

    fn dollar(&mut self, rest: &'a str) -> Option<Variable<'a>> {
        let after = rest.get(1..).unwrap_or_default();
        if after.starts_with('(') && self.top() != Within::Single {
            self.within.push(Within::Substitution);
            self.at += 2;
            self.word = self.at;
            return None;
        }
        let (name, length) = match after.strip_prefix('{') {
            Some(inner) => {
                let end = inner.find('}').unwrap_or(inner.len());
                (name(inner), (end + 3).min(rest.len()))
            }
            None => (name(after), name(after).len() + 1),
        };
        let text = rest.get(..length).unwrap_or(rest);
        let splits = !matches!(self.top(), Within::Single | Within::Double)
            && !self.in_test
            && !self.is_assignment();
        let is_literal = self.top() == Within::Single;
        self.at += text.len();
        let is_template = text.starts_with("${")
            && text.get(2 + name.len()..).is_some_and(|rest| rest.starts_with('.'));
        let after = rest.get(text.len()..).unwrap_or_default();
        (!name.is_empty()).then_some(Variable {
            name,
            text,
            splits,
            is_literal,
            after,
            is_template,
        })
    }

    /// Whether the current word is `NAME=...` so far: the shell does not split an assigned value.
    fn is_assignment(&self) -> bool {
        let so_far = self.text.get(self.word..self.at).unwrap_or_default();
        let start = name(so_far);
        !start.is_empty() && so_far.get(start.len()..).is_some_and(|rest| rest.starts_with('='))
    }
}

/// The name of a variable at the start of `text`.
pub(super) fn name(text: &str) -> &str {
    let digits_first = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    if digits_first { "" } else { text.get(..end).unwrap_or_default() }
}
