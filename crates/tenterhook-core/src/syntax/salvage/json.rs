//! The parts of a broken JSON text that are whole. One pass, no recursion deeper than the limit of the reader.

use super::Saved;
use crate::syntax::{Entry, MAX_DEPTH, Node, NodeValue, Span, number_or_text};

pub(super) fn salvage_json(text: &str) -> Saved {
    let mut reader = Reader { text, at: 0, depth: 0, saved: Saved::default() };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip_blanks_and_comments();
    if reader.peek_byte() != Some(b'{') {
        reader.record_loss(reader.at);
        // The text before the object is lost, the object is not.
        reader.at = text.find('{').unwrap_or(text.len());
    }
    let root = reader.parse_value();
    reader.skip_blanks_and_comments();
    // A bracket too many hides nothing.
    if !reader.remaining_text().chars().all(|c| c.is_whitespace() || "}],".contains(c)) {
        reader.record_loss(reader.at);
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
    fn peek_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn remaining_text(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn record_loss(&mut self, at: usize) {
        self.saved.lost.push(Span::new(at, at));
    }

    /// Skips white space and comments. An unclosed comment extends to the end and is recorded as a
    /// loss.
    fn skip_blanks_and_comments(&mut self) {
        loop {
            let rest = self.remaining_text();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.remaining_text();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => {
                        self.record_loss(self.at);
                        self.text.len() - self.at
                    }
                }
            } else {
                return;
            };
            self.at += comment;
        }
    }

    fn parse_value(&mut self) -> Option<Node> {
        let start = self.at;
        let value = match self.peek_byte()? {
            b'{' if self.depth < MAX_DEPTH => self.parse_bracketed(Self::parse_object),
            b'[' if self.depth < MAX_DEPTH => self.parse_bracketed(Self::parse_array),
            b'"' => NodeValue::String(self.parse_string()?),
            _ => self.parse_bareword()?,
        };
        Some(Node { span: Span::new(start, self.at), value })
    }

    fn parse_bracketed(&mut self, read: fn(&mut Self) -> (NodeValue, bool)) -> NodeValue {
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

    fn parse_object(&mut self) -> (NodeValue, bool) {
        let (mut entries, mut whole) = (Vec::new(), true);
        loop {
            self.skip_blanks_and_comments();
            match self.peek_byte() {
                Some(b'}') => {
                    self.at += 1;
                    return (NodeValue::Object(entries), whole);
                }
                Some(b',') => self.at += 1,
                Some(b'"') => match self.parse_member() {
                    Some(entry) => entries.push(entry),
                    None => whole = self.skip_unexpected(),
                },
                // The bracket of what is round it: this was not closed.
                None | Some(b']') => {
                    self.record_loss(self.at);
                    return (NodeValue::Object(entries), false);
                }
                Some(_) => whole = self.skip_unexpected(),
            }
        }
    }

    fn parse_member(&mut self) -> Option<Entry> {
        let start = self.at;
        let key = self.parse_string()?;
        let key_span = Span::new(start, self.at);
        self.skip_blanks_and_comments();
        if self.peek_byte() != Some(b':') {
            return None;
        }
        self.at += 1;
        self.skip_blanks_and_comments();
        let node = self.parse_value()?;
        Some(Entry { key, key_span, node })
    }

    fn parse_array(&mut self) -> (NodeValue, bool) {
        let (mut items, mut whole) = (Vec::new(), true);
        loop {
            self.skip_blanks_and_comments();
            match self.peek_byte() {
                Some(b']') => {
                    self.at += 1;
                    return (NodeValue::Array(items), whole);
                }
                Some(b',') => self.at += 1,
                None | Some(b'}') => {
                    self.record_loss(self.at);
                    return (NodeValue::Array(items), false);
                }
                // A key in a list: the list was not closed.
                Some(_) => match self.parse_value() {
                    Some(item) => {
                        items.push(item);
                        self.skip_blanks_and_comments();
                        if self.peek_byte() == Some(b':') {
                            whole = self.skip_unexpected();
                        }
                    }
                    None => whole = self.skip_unexpected(),
                },
            }
        }
    }

    /// Skips one unexpected word, character or bracketed block, and records the loss.
    fn skip_unexpected(&mut self) -> bool {
        self.record_loss(self.at);
        let rest = self.remaining_text();
        let word = rest.find(|c: char| "{}[],:\"\n".contains(c)).unwrap_or(rest.len());
        let sign = rest.chars().next().map_or(0, char::len_utf8);
        let passed = match rest.as_bytes().first() {
            Some(b'}' | b']' | b'{' | b'[') if word == 0 => self.bracketed_block_length(),
            _ => word.max(sign),
        };
        self.at += passed.min(rest.len());
        false
    }

    /// Returns the length of the bracketed block that begins here, such as one that is nested too
    /// deep.
    fn bracketed_block_length(&self) -> usize {
        let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
        for (at, byte) in self.remaining_text().bytes().enumerate() {
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
        self.remaining_text().len()
    }

    /// Parses a string on one line; `None` if it is not closed on that line.
    fn parse_string(&mut self) -> Option<String> {
        let start = self.at;
        let mut escaped = false;
        for (at, byte) in self.remaining_text().bytes().enumerate().skip(1) {
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

    fn parse_bareword(&mut self) -> Option<NodeValue> {
        let rest = self.remaining_text();
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
