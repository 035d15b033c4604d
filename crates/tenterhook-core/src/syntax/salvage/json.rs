//! The parts of a broken JSON text that are whole. One pass, no recursion deeper than the limit of the reader.

use super::Saved;
use crate::syntax::{Entry, MAX_DEPTH, Node, NodeValue, Span, number_or_text};

pub(super) fn salvage(text: &str) -> Saved {
    let mut reader = Reader { text, at: 0, depth: 0, saved: Saved::default() };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip();
    if reader.peek() != Some(b'{') {
        reader.lose(reader.at);
        // The text before the object is lost, the object is not.
        reader.at = text.find('{').unwrap_or(text.len());
    }
    let root = reader.value();
    reader.skip();
    // A bracket too many hides nothing.
    if !reader.rest().chars().all(|c| c.is_whitespace() || "}],".contains(c)) {
        reader.lose(reader.at);
    }
    Saved { root, ..reader.saved }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    saved: Saved,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn lose(&mut self, at: usize) {
        self.saved.lost.push(Span::new(at, at));
    }

    /// White space and comments. One that is not closed goes to the end, and so is what it hides.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => {
                        self.lose(self.at);
                        self.text.len() - self.at
                    }
                }
            } else {
                return;
            };
            self.at += comment;
        }
    }

    fn value(&mut self) -> Option<Node> {
        let start = self.at;
        let value = match self.peek()? {
            b'{' if self.depth < MAX_DEPTH => self.inside(Self::object),
            b'[' if self.depth < MAX_DEPTH => self.inside(Self::array),
            b'"' => NodeValue::String(self.string()?),
            _ => self.bareword()?,
        };
        Some(Node { span: Span::new(start, self.at), value })
    }

    fn inside(&mut self, read: fn(&mut Self) -> (NodeValue, bool)) -> NodeValue {
        let start = self.at;
        self.at += 1;
        self.depth += 1;
        let (value, whole) = read(self);
        self.depth -= 1;
        if !whole {
            self.saved.torn.push(Span::new(start, self.at));
        }
        value
    }

    fn object(&mut self) -> (NodeValue, bool) {
        let (mut entries, mut whole) = (Vec::new(), true);
        loop {
            self.skip();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return (NodeValue::Object(entries), whole);
                }
                Some(b',') => self.at += 1,
                Some(b'"') => match self.member() {
                    Some(entry) => entries.push(entry),
                    None => whole = self.miss(),
                },
                // The bracket of what is round it: this was not closed.
                None | Some(b']') => {
                    self.lose(self.at);
                    return (NodeValue::Object(entries), false);
                }
                Some(_) => whole = self.miss(),
            }
        }
    }

    fn member(&mut self) -> Option<Entry> {
        let start = self.at;
        let key = self.string()?;
        let key_span = Span::new(start, self.at);
        self.skip();
        if self.peek() != Some(b':') {
            return None;
        }
        self.at += 1;
        self.skip();
        let node = self.value()?;
        Some(Entry { key, key_span, node })
    }

    fn array(&mut self) -> (NodeValue, bool) {
        let (mut items, mut whole) = (Vec::new(), true);
        loop {
            self.skip();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return (NodeValue::Array(items), whole);
                }
                Some(b',') => self.at += 1,
                None | Some(b'}') => {
                    self.lose(self.at);
                    return (NodeValue::Array(items), false);
                }
                // A key in a list: the list was not closed.
                Some(_) => match self.value() {
                    Some(item) => {
                        items.push(item);
                        self.skip();
                        if self.peek() == Some(b':') {
                            whole = self.miss();
                        }
                    }
                    None => whole = self.miss(),
                },
            }
        }
    }

    /// Passes over what has no place here: one word, or one character. Never past a bracket, which stands for itself.
    fn miss(&mut self) -> bool {
        self.lose(self.at);
        let rest = self.rest();
        let word = rest.find(|c: char| "{}[],:\"\n".contains(c)).unwrap_or(rest.len());
        let sign = rest.chars().next().map_or(0, char::len_utf8);
        let passed = match rest.as_bytes().first() {
            Some(b'}' | b']' | b'{' | b'[') if word == 0 => self.block(),
            _ => word.max(sign),
        };
        self.at += passed.min(rest.len());
        false
    }

    /// How long a bracketed part is without a known position, such as one that is nested too deep.
    fn block(&self) -> usize {
        let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b'\n' => quoted = false,
                b'{' | b'[' if !quoted => depth += 1,
                b'}' | b']' if !quoted => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        self.rest().len()
    }

    /// A string on one line; one that goes on after its line lost its end.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let mut escaped = false;
        for (at, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                b'\n' => {
                    self.at += at;
                    return None;
                }
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at += at + 1;
                    let written = self.text.get(start..self.at)?;
                    return serde_json::from_str(written).ok();
                }
                _ => {}
            }
        }
        self.at = self.text.len();
        None
    }

    fn bareword(&mut self) -> Option<NodeValue> {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || "{}[],:\"".contains(c));
        let word = rest.get(..end.unwrap_or(rest.len()))?;
        let value = match word {
            "null" => NodeValue::Null,
            "true" => NodeValue::Bool(true),
            "false" => NodeValue::Bool(false),
            // At the very end of the text a number may have lost its last digits.
            _ if end.is_some() && word.parse::<serde_json::Number>().is_ok() => {
                number_or_text(word)
            }
            _ => return None,
        };
        self.at += word.len();
        Some(value)
    }
}
