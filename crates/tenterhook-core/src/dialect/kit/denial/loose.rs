//! Reads pairs of a key and a value from text that was meant as an object but does not parse as
//! one: without quotes, with the quotes of a book, with commas that are missing or too many,
//! unfinished. Gives data for a denial only; nothing that is read here may consent.

use serde_json::{Map, Number, Value};

use super::keys::{self, Key};

/// How deep objects are kept apart; what is deeper is read into the last one.
const DEPTH: usize = 128;

/// How often a key is read again before its last value stands for all that follow.
const REPEATS: usize = 8;

/// How many kinds of strings are looked for beyond their line where they end nowhere.
const QUOTES: usize = 32;

/// An object, read loosely.
#[derive(Debug, PartialEq)]
pub(super) struct Loose {
    pub(super) fields: Map<String, Value>,
    /// Where it ends in the text.
    pub(super) end: usize,
    /// The text ended before it.
    pub(super) torn: bool,
}

/// Reads the object or list that begins with the brace or bracket at the start of `text`, even if
/// it is not valid JSON.
pub(super) fn read_loose_json(text: &str) -> Loose {
    read_loose_json_cached(text, &mut Unclosed::default())
}

/// Like `read_loose_json`, with the results of earlier searches for the ends of strings in the same
/// text.
pub(super) fn read_loose_json_cached(text: &str, known: &mut Unclosed) -> Loose {
    let (unclosed, line) = (false, 0);
    let mut reader = Reader { text, at: 0, frames: Vec::new(), done: None, unclosed, line, known };
    while reader.at < text.len() && reader.done.is_none() {
        reader.read_next_token();
    }
    let torn = reader.done.is_none();
    while reader.done.is_none() && !reader.frames.is_empty() {
        reader.close_frame();
    }
    let fields = match reader.done {
        Some(Value::Object(fields)) => fields,
        Some(Value::Array(items)) => wrap_list_items(items),
        _ => Map::new(),
    };
    Loose { fields, end: reader.at, torn }
}

/// Strings that end nowhere, by their quotes and the backslashes before them, with how much of the
/// text is left where none ends any more. A text may have an object on each of its lines, and none
/// of them is to look through all of what follows again.
#[derive(Default)]
pub(super) struct Unclosed(Vec<(char, usize, usize)>);

impl Unclosed {
    /// Returns how many of the last `left` bytes may still hold the closing quote.
    fn searchable_len(&self, quote: char, slashes: usize, left: usize) -> usize {
        let known = self.0.iter().find(|row| (row.0, row.1) == (quote, slashes));
        match known {
            Some((.., none)) => left.saturating_sub(*none),
            None if self.0.len() < QUOTES => left,
            None => 0,
        }
    }

    /// Notes that no such string ends in the last `left` bytes.
    fn note_unclosed(&mut self, quote: char, slashes: usize, left: usize) {
        match self.0.iter_mut().find(|row| (row.0, row.1) == (quote, slashes)) {
            Some((.., none)) => *none = left.max(*none),
            None => self.0.push((quote, slashes, left)),
        }
    }
}

/// Wraps the items of a list in one object under the key `items`, if any of them holds a decision:
/// if one denies, the list denies.
fn wrap_list_items(items: Vec<Value>) -> Map<String, Value> {
    let holds = items.iter().any(|value| value.is_object() || value.is_array());
    let entries = holds.then(|| ("items".to_owned(), Value::Array(items)));
    entries.into_iter().collect()
}

/// An object or a list that is not closed yet.
#[derive(Default)]
struct Frame {
    list: bool,
    fields: Map<String, Value>,
    items: Vec<Value>,
    key: Option<String>,
    /// A word that is a key if a colon follows.
    word: Option<String>,
}

impl Frame {
    /// Adds a value to the list, or to the object under the waiting key.
    fn push_value(&mut self, value: Value) {
        if self.list {
            return self.items.push(value);
        }
        if let Some(mut key) = self.key.take() {
            // The same key again: the style of a key is not told apart, so both values are looked
            // at.
            let plain = key.len();
            while self.fields.contains_key(&key) && key.len() < plain + REPEATS {
                key.push('_');
            }
            self.fields.insert(key, value);
        }
    }

    /// Adds a complete word: as a value if a key waits for one, else as a possible key.
    fn push_word(&mut self, word: String, quoted: bool) {
        if self.key.is_some() || self.list {
            self.push_value(if quoted { Value::String(word) } else { parse_literal(&word) });
        } else {
            // `{:decision "deny"}`: a value without a separator.
            let key = self
                .word
                .take()
                .filter(|word| quoted && keys::classify_key(word).0 == Key::Decision);
            match key {
                Some(key) => {
                    self.key = Some(key);
                    self.push_value(Value::String(word));
                }
                None => self.word = Some(word),
            }
        }
    }
}

/// Parses an unquoted word: a boolean, null or number as languages write them, else a string.
fn parse_literal(word: &str) -> Value {
    match word {
        "true" | "True" | "TRUE" | "$true" => Value::Bool(true),
        "false" | "False" | "FALSE" | "$false" => Value::Bool(false),
        "null" | "None" | "undefined" | "nil" => Value::Null,
        _ => word.parse::<Number>().map_or_else(|_| Value::String(word.to_owned()), Value::Number),
    }
}

struct Reader<'a, 'k> {
    text: &'a str,
    at: usize,
    frames: Vec<Frame>,
    done: Option<Value>,
    /// A string did not end before the text did, so that none is looked for beyond its line any
    /// more.
    unclosed: bool,
    /// Where a line ends that was looked for; it may be over.
    line: usize,
    known: &'k mut Unclosed,
}

impl<'a> Reader<'a, '_> {
    /// Returns where the line of `start` ends. The end is searched once for each line, not for each
    /// string, because a line may be all that is kept.
    fn line_end(&mut self, start: usize) -> usize {
        if self.line < start {
            let rest = self.text.get(start..).unwrap_or_default();
            self.line = start + rest.find('\n').unwrap_or(rest.len());
        }
        self.line
    }

    fn remaining_text(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn read_next_token(&mut self) {
        let rest = self.remaining_text();
        let Some(c) = rest.chars().next() else { return };
        match c {
            '{' | '[' if self.frames.len() < DEPTH => {
                self.at += 1;
                self.frames.push(Frame { list: c == '[', ..Frame::default() });
            }
            '}' | ']' => {
                self.at += 1;
                self.close_frame();
            }
            ':' | '=' => {
                self.at += 1;
                if let Some(frame) = self.frames.last_mut()
                    && frame.key.is_none()
                {
                    frame.key = frame.word.take();
                }
            }
            '"' | '\'' | '`' => self.read_quoted_string(c, 0),
            '\\' => self.read_backslashes(),
            '/' if rest.starts_with("//") => self.at += rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            }
            // `u'deny'`: the letter belongs to the quote.
            'u' | 'b' | 'r' | 'f'
                if rest.get(1..).is_some_and(|rest| rest.starts_with(['"', '\''])) =>
            {
                self.at += 1;
            }
            c if c.is_alphanumeric() || "_$@-+.!*<".contains(c) => self.read_bare_word(),
            c => self.at += c.len_utf8(),
        }
    }

    /// Reads backslashes: those before an escaped quote, or of a line break printed as two
    /// characters.
    fn read_backslashes(&mut self) {
        let rest = self.remaining_text();
        let after = rest.trim_start_matches('\\');
        let slashes = rest.len() - after.len();
        match after.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                self.at += slashes;
                self.read_quoted_string(quote, slashes);
            }
            Some(c) => self.at += slashes + c.len_utf8(),
            None => self.at = self.text.len(),
        }
    }

    /// Reads a string up to a matching quote after which a value can end, so that quotes inside the
    /// string do not end it.
    fn read_quoted_string(&mut self, quote: char, slashes: usize) {
        let start = self.at + 1;
        let inner = self.text.get(start..).unwrap_or_default();
        let line = self.line_end(start).saturating_sub(start);
        let reach = if self.unclosed {
            line
        } else {
            self.known.searchable_len(quote, slashes, inner.len())
        };
        let within = inner.get(..reach).unwrap_or_default();
        let closing = within.match_indices(quote).find_map(|(at, _)| {
            let before = inner.get(..at)?;
            let escapes = before.len() - before.trim_end_matches('\\').len();
            (escapes == slashes && can_end_string(inner.get(at + 1..)?)).then_some((at, at + 1))
        });
        if closing.is_none() && !self.unclosed {
            self.known.note_unclosed(quote, slashes, inner.len());
            self.unclosed = true;
        }
        let (end, next) = closing.unwrap_or((line, line));
        let content = inner.get(..end).unwrap_or_default();
        let content = content.get(..content.len().saturating_sub(slashes)).unwrap_or(content);
        self.at = start + next;
        let word = unescape_string(content);
        if let Some(frame) = self.frames.last_mut() {
            frame.push_word(word, true);
        }
    }

    /// Reads a word without quotes: a key up to its colon, a value up to a comma, a bracket or the
    /// end of the line.
    fn read_bare_word(&mut self) {
        let rest = self.remaining_text();
        let value = self.frames.last().is_some_and(|frame| frame.key.is_some() || frame.list);
        let ends = |c: char| match c {
            ',' | ';' | '{' | '}' | '[' | ']' | '\n' | '"' => true,
            ':' | '=' | '\'' => !value,
            _ => false,
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().trim().trim_end_matches('\\').to_owned();
        self.at += end;
        if let Some(frame) = self.frames.last_mut() {
            frame.push_word(word, false);
        }
    }

    fn close_frame(&mut self) {
        let Some(mut frame) = self.frames.pop() else { return };
        if let Some(word) = frame.key.take().or_else(|| frame.word.take()).filter(|_| !frame.list) {
            // A key whose value never came.
            frame.fields.entry(word).or_insert(Value::Null);
        }
        let value =
            if frame.list { Value::Array(frame.items) } else { Value::Object(frame.fields) };
        match self.frames.last_mut() {
            Some(outer) => outer.push_value(value),
            None => self.done = Some(value),
        }
    }
}

/// Returns `true` if a string can end before `rest`.
fn can_end_string(rest: &str) -> bool {
    let next = rest.trim_start_matches([' ', '\t']);
    // A line break that was printed as two letters.
    let next = next.strip_prefix("\\n").unwrap_or(next).trim_start_matches('\\').chars().next();
    next.is_none_or(|c| {
        matches!(c, ',' | '}' | ']' | ':' | ';' | '=' | '\n' | '\r' | '"' | '\'' | '#' | '/')
    })
}

fn unescape_string(content: &str) -> String {
    serde_json::from_str(&format!("\"{}\"", content.replace('\n', "\\n")))
        .unwrap_or_else(|_| content.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_meant_as_an_object_gives_its_pairs() {
        for (text, fields) in [
            ("{decision:deny}", json!({"decision": "deny"})),
            ("{decision:deny,reason:no rm}", json!({"decision": "deny", "reason": "no rm"})),
            ("{a:{b:c,d:true}} tail", json!({"a": {"b": "c", "d": true}})),
            ("{\"a\": \"say \"no\" twice\", \"b\": 1}", json!({"a": "say \"no\" twice", "b": 1})),
            ("{,\"a\" \"b\": \"c\" 'd': 'e'}", json!({"b": "c", "d": "e"})),
            ("{u'a': u'don't', }", json!({"a": "don't"})),
            ("{\\\"a\\\": \\\"b\\\"}", json!({"a": "b"})),
            ("{\\n  \"a\": \"b\"\\n}", json!({"a": "b"})),
            ("{\"a\": \"half", json!({"a": "half"})),
            ("{\"a\": {\"b", json!({"a": {"b": null}})),
            ("[{a: b}, {}]", json!({"items": [{"a": "b"}, {}]})),
            ("{\"a\": Infinity, b => c}", json!({"a": "Infinity", "b": "c"})),
            (
                "{a: True, b: false, c: None, d: 3}",
                json!({"a": true, "b": false, "c": null, "d": 3}),
            ),
        ] {
            assert_eq!(Value::Object(read_loose_json(text).fields), fields, "{text}");
        }
        assert_eq!(read_loose_json("{a:b}}").end, 5);
        let deep = "{\"a\":".repeat(100_000);
        assert!(read_loose_json(&deep).torn);
    }

    /// As much as is kept of an output: looking through the rest of it at each string, or at each
    /// object, would take minutes.
    #[test]
    fn zoo_33_strings_that_end_nowhere_are_looked_for_once() {
        assert!(read_loose_json(&"{\"a\":".repeat(200_000)).torn);
        let text = "{\"a\n}\n".repeat(150_000);
        let (mut rest, mut known, mut objects) = (&*text, Unclosed::default(), 0);
        while rest.starts_with('{') {
            let read = read_loose_json_cached(rest, &mut known);
            assert_eq!(Value::Object(read.fields), json!({"a": null}));
            rest = rest.get(read.end..).unwrap_or_default().trim_start();
            objects += 1;
        }
        assert_eq!((objects, known.0.len()), (150_000, 1));
    }

    #[test]
    fn where_a_string_ends_is_the_same_whatever_was_looked_for_before() {
        let text = "{a: 'x} 'y' {\"b\n} {'c': \"d\"} {'e";
        let mut known = Unclosed::default();
        for at in text.match_indices('{').map(|(at, _)| at) {
            let rest = text.get(at..).unwrap();
            assert_eq!(read_loose_json_cached(rest, &mut known), read_loose_json(rest), "{rest}");
        }
    }
}
