//! Reads an object that is JSON only to a lenient reader (J-14): comments, trailing commas, single quotes, keys without
//! quotes, Python's literals. Not: missing commas, bare words as values, numbers that JSON lacks.

use serde_json::{Number, Value};

use super::Laxity;
use super::tree::{Budget, Parsed, Stop, Tree};

/// Parses the object at the start of `text` leniently.
pub(super) fn parse_relaxed(text: &str) -> Result<Parsed, Stop> {
    let mut cursor = Cursor { text, at: 0, laxity: None, budget: Budget::new() };
    match cursor.parse_object(1) {
        Ok(tree) => Ok(Parsed { tree, end: cursor.at, laxity: cursor.laxity }),
        Err(Broken) => Err(match cursor.budget.exceeded_limit() {
            Some(limit) => Stop::Limit(limit),
            None => Stop::Broken { at: cursor.at, torn: cursor.at >= text.len() },
        }),
    }
}

struct Broken;

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The first lenience that was needed.
    laxity: Option<Laxity>,
    budget: Budget,
}

impl<'a> Cursor<'a> {
    fn remaining_text(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.remaining_text().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.remaining_text().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Broken> {
        if self.eat(token) { Ok(()) } else { Err(Broken) }
    }

    fn record_laxity(&mut self, laxity: Laxity) {
        self.laxity.get_or_insert(laxity);
    }

    /// Skips white space and comments.
    fn skip_blanks_and_comments(&mut self) -> Result<(), Broken> {
        loop {
            self.at += self.remaining_text().len() - self.remaining_text().trim_start().len();
            let rest = self.remaining_text();
            let end = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => {
                        self.at = self.text.len();
                        return Err(Broken);
                    }
                }
            } else {
                return Ok(());
            };
            self.record_laxity(Laxity::Comment);
            self.at += end;
        }
    }

    fn parse_object(&mut self, depth: usize) -> Result<Tree, Broken> {
        self.expect("{")?;
        self.budget.count_value(depth).map_err(|()| Broken)?;
        let mut entries = Vec::new();
        self.parse_list_until("}", |cursor| {
            let key = match cursor.peek() {
                Some(quote @ ('"' | '\'')) => cursor.parse_string(quote)?,
                _ => cursor.parse_bare_key()?,
            };
            cursor.skip_blanks_and_comments()?;
            cursor.expect(":")?;
            cursor.skip_blanks_and_comments()?;
            entries.push((key, cursor.parse_value(depth + 1)?));
            Ok(())
        })?;
        Ok(Tree::Object(entries))
    }

    fn parse_array(&mut self, depth: usize) -> Result<Tree, Broken> {
        self.expect("[")?;
        self.budget.count_value(depth).map_err(|()| Broken)?;
        let mut items = Vec::new();
        self.parse_list_until("]", |cursor| {
            items.push(cursor.parse_value(depth + 1)?);
            Ok(())
        })?;
        Ok(Tree::Array(items))
    }

    /// Parses items separated by commas, up to and including `close`.
    fn parse_list_until(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.skip_blanks_and_comments()?;
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            self.skip_blanks_and_comments()?;
            let comma = self.eat(",");
            self.skip_blanks_and_comments()?;
            if self.eat(close) {
                if comma {
                    self.record_laxity(Laxity::TrailingComma);
                }
                return Ok(());
            }
            if !comma {
                return Err(Broken);
            }
        }
    }

    fn parse_value(&mut self, depth: usize) -> Result<Tree, Broken> {
        match self.peek() {
            Some('{') => return self.parse_object(depth),
            Some('[') => return self.parse_array(depth),
            _ => self.budget.count_value(0).map_err(|()| Broken)?,
        }
        match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                self.parse_string(quote).map(Value::String).map(Tree::Leaf)
            }
            _ => self.parse_bareword().map(Tree::Leaf),
        }
    }

    fn parse_bare_key(&mut self) -> Result<String, Broken> {
        let rest = self.remaining_text();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(rest.len());
        let key = rest.get(..end).filter(|key| !key.is_empty()).ok_or(Broken)?;
        self.at += end;
        self.record_laxity(Laxity::UnquotedKey);
        Ok(key.to_owned())
    }

    fn parse_bareword(&mut self) -> Result<Value, Broken> {
        let rest = self.remaining_text();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c)))
            .unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let (value, python) = match word {
            "true" => (Value::Bool(true), false),
            "false" => (Value::Bool(false), false),
            "null" => (Value::Null, false),
            "True" => (Value::Bool(true), true),
            "False" => (Value::Bool(false), true),
            "None" => (Value::Null, true),
            number => (Value::Number(number.parse::<Number>().map_err(|_| Broken)?), false),
        };
        self.at += end;
        if python {
            self.record_laxity(Laxity::PythonLiteral);
        }
        Ok(value)
    }

    /// Parses a string on one line. Double quotes follow JSON; in single quotes, `\'` and Python's
    /// `\xNN` are also allowed.
    fn parse_string(&mut self, quote: char) -> Result<String, Broken> {
        let rest = self.remaining_text();
        let mut escaped = false;
        let mut end = None;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else {
            // How far a string without an end reaches is treated like read text, for the caller's budget of work.
            self.at += rest.find('\n').unwrap_or(rest.len());
            return Err(Broken);
        };
        let inner = rest.get(1..end).unwrap_or_default();
        self.at += end + 1;
        if quote == '\'' {
            self.record_laxity(Laxity::SingleQuotes);
        }
        decode_string(inner, quote).ok_or(Broken)
    }
}

fn decode_string(inner: &str, quote: char) -> Option<String> {
    if quote == '"' {
        return serde_json::from_str(&format!("\"{inner}\"")).ok();
    }
    let mut json = String::with_capacity(inner.len() + 2);
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => match chars.next()? {
                '\'' => json.push('\''),
                'x' => {
                    json.push_str("\\u00");
                    json.extend([chars.next()?, chars.next()?]);
                }
                other => json.extend(['\\', other]),
            },
            c => json.push(c),
        }
    }
    serde_json::from_str(&format!("\"{json}\"")).ok()
}
