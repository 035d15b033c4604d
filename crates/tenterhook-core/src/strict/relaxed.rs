//! Reads an object that is JSON only to a lenient reader (J-14): comments, trailing commas, single quotes, keys without
//! quotes, Python's literals. Not: missing commas, bare words as values, numbers that JSON lacks.

use serde_json::{Number, Value};

use super::Laxity;
use super::tree::{Budget, Parsed, Stop, Tree};

/// Reads the object that `text` begins with.
pub(super) fn parse(text: &str) -> Result<Parsed, Stop> {
    let mut cursor = Cursor { text, at: 0, laxity: None, budget: Budget::new() };
    match cursor.object(1) {
        Ok(tree) => Ok(Parsed { tree, end: cursor.at, laxity: cursor.laxity }),
        Err(Broken) => Err(match cursor.budget.limit() {
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
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Broken> {
        if self.eat(token) { Ok(()) } else { Err(Broken) }
    }

    fn took(&mut self, laxity: Laxity) {
        self.laxity.get_or_insert(laxity);
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), Broken> {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let rest = self.rest();
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
            self.took(Laxity::Comment);
            self.at += end;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Tree, Broken> {
        self.expect("{")?;
        self.budget.take(depth).map_err(|()| Broken)?;
        let mut entries = Vec::new();
        self.list("}", |cursor| {
            let key = match cursor.peek() {
                Some(quote @ ('"' | '\'')) => cursor.string(quote)?,
                _ => cursor.bare_key()?,
            };
            cursor.skip()?;
            cursor.expect(":")?;
            cursor.skip()?;
            entries.push((key, cursor.value(depth + 1)?));
            Ok(())
        })?;
        Ok(Tree::Object(entries))
    }

    fn array(&mut self, depth: usize) -> Result<Tree, Broken> {
        self.expect("[")?;
        self.budget.take(depth).map_err(|()| Broken)?;
        let mut items = Vec::new();
        self.list("]", |cursor| {
            items.push(cursor.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Tree::Array(items))
    }

    /// Items with commas between them, up to and with `close`.
    fn list(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.skip()?;
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            self.skip()?;
            let comma = self.eat(",");
            self.skip()?;
            if self.eat(close) {
                if comma {
                    self.took(Laxity::TrailingComma);
                }
                return Ok(());
            }
            if !comma {
                return Err(Broken);
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Tree, Broken> {
        match self.peek() {
            Some('{') => return self.object(depth),
            Some('[') => return self.array(depth),
            _ => self.budget.take(0).map_err(|()| Broken)?,
        }
        match self.peek() {
            Some(quote @ ('"' | '\'')) => self.string(quote).map(Value::String).map(Tree::Leaf),
            _ => self.bareword().map(Tree::Leaf),
        }
    }

    fn bare_key(&mut self) -> Result<String, Broken> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(rest.len());
        let key = rest.get(..end).filter(|key| !key.is_empty()).ok_or(Broken)?;
        self.at += end;
        self.took(Laxity::UnquotedKey);
        Ok(key.to_owned())
    }

    fn bareword(&mut self) -> Result<Value, Broken> {
        let rest = self.rest();
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
            self.took(Laxity::PythonLiteral);
        }
        Ok(value)
    }

    /// A string on one line. Double-quoted ones follow JSON; in single quotes, `\'` and Python's `\xNN` exist too.
    fn string(&mut self, quote: char) -> Result<String, Broken> {
        let rest = self.rest();
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
            self.took(Laxity::SingleQuotes);
        }
        decode(inner, quote).ok_or(Broken)
    }
}

fn decode(inner: &str, quote: char) -> Option<String> {
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
