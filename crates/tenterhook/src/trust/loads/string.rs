//! Evaluates a quoted text of a script, with the expressions that are put into it.

use super::code::{Code, product};
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
    /// The text at the current place, if one begins there.
    pub(super) fn string(&mut self, depth: usize) -> Option<Vec<Value>> {
        let start = self.at;
        let letters = self.rest().find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(0);
        let prefix = self.rest().get(..letters).unwrap_or_default().to_ascii_lowercase();
        let is_prefix = self.language == Language::Python && PYTHON_PREFIXES.contains(&&*prefix);
        if is_prefix {
            self.at += letters;
        } else if letters > 0 {
            return None;
        }
        let Some(quote) = self.quote(prefix.contains('f')) else {
            self.at = start;
            return None;
        };
        Some(self.quoted(&quote, depth))
    }

    /// The quote that begins here; what is read goes on behind it.
    fn quote(&mut self, is_formatted: bool) -> Option<Quote> {
        let rest = self.rest();
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

    fn quoted(&mut self, quote: &Quote, depth: usize) -> Vec<Value> {
        let mut values = vec![Value::text("")];
        let mut plain = String::new();
        loop {
            let rest = self.rest();
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
                    let escaped = self.rest().chars().next();
                    self.at += escaped.map_or(0, char::len_utf8);
                    plain.extend(escaped);
                } else {
                    plain.push(c);
                }
                continue;
            }
            let found = match hole {
                Some(hole) => self.hole(hole.len(), depth),
                None => self.interpolated(),
            };
            values = product(&values, &[Value::text(std::mem::take(&mut plain))], |one, other| {
                one.then(other)
            });
            values = product(&values, &found, |one, other| one.then(other));
        }
        product(&values, &[Value::text(plain)], |one, other| one.then(other))
    }

    /// An expression in a text.
    fn hole(&mut self, opening: usize, depth: usize) -> Vec<Value> {
        let start = self.at;
        let end = split::closing(self.text, start + opening, '{', '}');
        self.at = start + opening;
        let term = self.expression(depth + 2);
        let values = self.values(term, start);
        self.at = end + 1;
        if values.is_empty() { vec![Value::unknown()] } else { values }
    }

    /// A variable of Perl in a text.
    fn interpolated(&mut self) -> Vec<Value> {
        let start = self.at;
        let is_braced = self.rest().starts_with("${");
        let name = match is_braced {
            true => {
                let inner = self
                    .rest()
                    .get(2..)
                    .and_then(|rest| rest.split('}').next())
                    .unwrap_or_default();
                self.at += inner.len() + 3;
                format!("${inner}")
            }
            false => self.identifier().unwrap_or("$").to_owned(),
        };
        self.at = self.at.max(start + 1);
        let term = self.named(name);
        self.values(term, start)
    }
}
