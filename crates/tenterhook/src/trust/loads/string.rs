//! Evaluates a quoted text of a script, with the expressions that are put into it.

use super::code::{Code, combine_values};
use super::language::Language;
use super::split;
use super::value::Value;

/// Letters before a quote of Python.
const PYTHON_PREFIXES: &[&str] = &["f", "r", "b", "u", "fr", "rf", "br", "rb"];

/// How a text ends, and which expressions are put into it.
struct Quote {
    end: &'static str,
    /// What begins an expression in it, up to `}`.
    hole: Option<&'static str>,
    /// Whether variables stand in it by their names.
    has_names: bool,
    /// Whether it may span lines.
    has_lines: bool,
}

impl Code<'_> {
    /// Reads the string at the current position, if one begins there.
    pub(super) fn read_string(&mut self, depth: usize) -> Option<Vec<Value>> {
        let start = self.at;
        let letters = self.remaining_text().find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(0);
        let prefix = self.remaining_text().get(..letters).unwrap_or_default().to_ascii_lowercase();
        let is_prefix = self.language == Language::Python && PYTHON_PREFIXES.contains(&&*prefix);
        if is_prefix {
            self.at += letters;
        } else if letters > 0 {
            return None;
        }
        let Some(quote) = self.read_opening_quote(prefix.contains('f')) else {
            self.at = start;
            return None;
        };
        Some(self.read_quoted_text(&quote, depth))
    }

    /// Reads the opening quote that begins here.
    fn read_opening_quote(&mut self, is_formatted: bool) -> Option<Quote> {
        let rest = self.remaining_text();
        let first =
            ["\"\"\"", "'''", "\"", "'", "`"].into_iter().find(|quote| rest.starts_with(quote))?;
        let is_triple = first.len() == 3;
        let (end, hole, has_names, has_lines) = match (self.language, first) {
            (Language::Python, "`") => return None,
            (Language::Python, _) => (first, is_formatted.then_some("{"), false, is_triple),
            (_, "\"\"\"" | "'''") => (first.get(..1).unwrap_or(first), None, false, false),
            (Language::Node, "`") => (first, Some("${"), false, true),
            (Language::Ruby, "\"" | "`") => (first, Some("#{"), false, true),
            (Language::Perl, "\"" | "`") => (first, None, true, true),
            (_, "`") => return None,
            (_, _) => {
                (first, None, false, matches!(self.language, Language::Perl | Language::Ruby))
            }
        };
        self.at += end.len();
        Some(Quote { end, hole, has_names, has_lines })
    }

    fn read_quoted_text(&mut self, quote: &Quote, depth: usize) -> Vec<Value> {
        let mut values = vec![Value::from_text("")];
        let mut plain = String::new();
        loop {
            let rest = self.remaining_text();
            let Some(c) = rest.chars().next() else { break };
            if rest.starts_with(quote.end) {
                self.at += quote.end.len();
                break;
            }
            if c == '\n' && !quote.has_lines {
                // It was no text: an apostrophe of a comment, or the like.
                break;
            }
            let hole = quote.hole.filter(|hole| rest.starts_with(hole));
            let is_name = quote.has_names
                && c == '$'
                && rest.get(1..).is_some_and(|rest| {
                    rest.starts_with(|c: char| c.is_alphabetic() || "_{0".contains(c))
                });
            if hole.is_none() && !is_name {
                self.at += c.len_utf8();
                if c == '\\' {
                    let escaped = self.remaining_text().chars().next();
                    self.at += escaped.map_or(0, char::len_utf8);
                    plain.extend(escaped);
                } else {
                    plain.push(c);
                }
                continue;
            }
            let found = match hole {
                Some(hole) => self.read_interpolation(hole.len(), depth),
                None => self.read_perl_variable(),
            };
            values = combine_values(
                &values,
                &[Value::from_text(std::mem::take(&mut plain))],
                |one, other| one.append(other),
            );
            values = combine_values(&values, &found, |one, other| one.append(other));
        }
        combine_values(&values, &[Value::from_text(plain)], |one, other| one.append(other))
    }

    /// Reads an expression in a string.
    fn read_interpolation(&mut self, opening: usize, depth: usize) -> Vec<Value> {
        let start = self.at;
        let end = split::closing_bracket_index(self.text, start + opening, '{', '}');
        self.at = start + opening;
        let term = self.read_expression(depth + 2);
        let values = self.values_of_term(term, start);
        self.at = end + 1;
        if values.is_empty() { vec![Value::unknown()] } else { values }
    }

    /// Reads a Perl variable in a string.
    fn read_perl_variable(&mut self) -> Vec<Value> {
        let start = self.at;
        let is_braced = self.remaining_text().starts_with("${");
        let name = match is_braced {
            true => {
                let inner = self
                    .remaining_text()
                    .get(2..)
                    .and_then(|rest| rest.split('}').next())
                    .unwrap_or_default();
                self.at += inner.len() + 3;
                format!("${inner}")
            }
            false => self.read_identifier().unwrap_or("$").to_owned(),
        };
        self.at = self.at.max(start + 1);
        let term = self.term_of_name(name);
        self.values_of_term(term, start)
    }
}
