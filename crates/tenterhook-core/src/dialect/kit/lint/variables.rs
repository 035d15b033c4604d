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

/// Finds the variables of `text`, in its order.
pub(crate) fn find_variables(text: &str) -> Vec<Variable<'_>> {
    let mut scan = Scan { text, at: 0, word: 0, in_test: false, within: vec![Within::Plain] };
    let mut found = Vec::new();
    while scan.at < text.len() {
        if let Some(variable) = scan.scan_next_char() {
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
    fn quoting_context(&self) -> Within {
        self.within.last().copied().unwrap_or(Within::Plain)
    }

    fn toggle_quoting(&mut self, within: Within) {
        if self.quoting_context() == within {
            self.within.pop();
        } else {
            self.within.push(within);
        }
    }

    fn close_parenthesis(&mut self) {
        if matches!(self.quoting_context(), Within::Substitution | Within::Parenthesis) {
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

    fn scan_next_char(&mut self) -> Option<Variable<'a>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(next) = rest.chars().next() else {
            self.at = self.text.len();
            return None;
        };
        let is_single = self.quoting_context() == Within::Single;
        let is_double = self.quoting_context() == Within::Double;
        match next {
            '\'' if !is_double => self.toggle_quoting(Within::Single),
            '$' => return self.read_dollar_expansion(rest),
            _ if is_single => {}
            '"' => self.toggle_quoting(Within::Double),
            '\\' => self.at += rest.chars().nth(1).map_or(0, char::len_utf8),
            '`' => self.toggle_quoting(Within::Backticks),
            _ if is_double => {}
            '(' => {
                self.end_word();
                self.within.push(Within::Parenthesis);
            }
            ')' => {
                self.end_word();
                self.close_parenthesis();
            }
            ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' => self.end_word(),
            _ => {}
        }
        self.at += next.len_utf8();
        None
    }

    fn read_dollar_expansion(&mut self, rest: &'a str) -> Option<Variable<'a>> {
        let after = rest.get(1..).unwrap_or_default();
        if after.starts_with('(') && self.quoting_context() != Within::Single {
            self.within.push(Within::Substitution);
            self.at += 2;
            self.word = self.at;
            return None;
        }
        let (name, length) = match after.strip_prefix('{') {
            Some(inner) => {
                let end = inner.find('}').unwrap_or(inner.len());
                (variable_name_prefix(inner), (end + 3).min(rest.len()))
            }
            None => (variable_name_prefix(after), variable_name_prefix(after).len() + 1),
        };
        let text = rest.get(..length).unwrap_or(rest);
        let splits = !matches!(self.quoting_context(), Within::Single | Within::Double)
            && !self.in_test
            && !self.is_in_assignment();
        let is_literal = self.quoting_context() == Within::Single;
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

    /// Returns `true` if the current word is `NAME=...` so far: the shell does not split an
    /// assigned value.
    fn is_in_assignment(&self) -> bool {
        let so_far = self.text.get(self.word..self.at).unwrap_or_default();
        let start = variable_name_prefix(so_far);
        !start.is_empty() && so_far.get(start.len()..).is_some_and(|rest| rest.starts_with('='))
    }
}

/// Returns the name of a variable at the start of `text`.
pub(super) fn variable_name_prefix(text: &str) -> &str {
    let digits_first = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    if digits_first { "" } else { text.get(..end).unwrap_or_default() }
}
