//! Reads what a program printed as JSON: strictly, and where that fails leniently, naming every way in which the text
//! deviates from "exactly one object". Knows no key, no dialect and no verdict: it hands over data, and what a deviation
//! may still mean is decided elsewhere. Rules J-1 to J-18 of `docs/spec/answers-json.md`.
//!
//! Time is linear in the text, the stack is bounded, and no text makes it panic.

mod decode;
mod lines;
mod pairs;
mod relaxed;
mod tree;

use std::fmt;

use serde_json::{Map, Value};

use lines::Candidate;
use tree::{Stop, Tree};

use crate::text::without_controls;

/// How deep an answer may nest (J-4). The deepest answer of any dialect is five levels plus the rewritten tool input.
pub const MAX_DEPTH: usize = 64;
/// How many values an answer may hold (J-4). A large answer is one long string; ten thousand values are a mistake.
pub const MAX_NODES: usize = 10_000;
/// How many objects are read (J-4): more than a debug log of one run.
pub const MAX_OBJECTS: usize = 256;
/// How many values that a later duplicate hides are kept (J-6).
pub const MAX_SHADOWED: usize = 16;

/// A text that a program printed, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The text, decoded, without byte order mark.
    pub text: String,
    /// Whether it began with a byte order mark, which is tolerated (J-3).
    pub bom: bool,
    /// What it holds.
    pub found: Found,
    /// How it deviates from one strict object; of plain text, only how it is encoded.
    pub deviations: Vec<Deviation>,
}

/// What a text holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Nothing but white space (J-1).
    Empty,
    /// Text that holds no object which was meant as an answer (J-2).
    Text,
    /// One object.
    Object(Object),
    /// Two objects or more, in the order of the text.
    Several(Vec<Object>),
    /// An object that could not be read: its complete pairs of a key and a string, truth value or `null`, from any
    /// depth, in the order of the text (J-15).
    Pairs(Vec<(String, Value)>),
}

/// An object of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// Its fields; of a key that was written twice, the last value.
    pub fields: Map<String, Value>,
    /// The object again for each value that a later duplicate hides, with that value in its place (J-6). Whoever looks
    /// for a denial looks here too.
    pub shadowed: Vec<Map<String, Value>>,
}

/// One way to deviate from "exactly one strict object".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// Text, then an object from the start of a line to the end of the text (J-7).
    TextBefore,
    /// An object, then text (J-8).
    TextAfter,
    /// Text, an object on lines of its own, text (J-9).
    TextAround,
    /// More than one object (J-10).
    SeveralObjects,
    /// A key that its object already had; the path with dots (J-6).
    DuplicateKey(String),
    /// The whole text is one fenced block that holds an object (J-11).
    Fenced,
    /// The whole text is an array of one object (J-12).
    InArray,
    /// The whole text is a string, or has the quotes of one, that holds an object (J-13).
    InString,
    /// JSON only to a lenient reader (J-14).
    Relaxed(Laxity),
    /// Begins like an object, but breaks off or is broken (J-15).
    Torn,
    /// UTF-16 (J-16).
    Utf16,
    /// Bytes that are not UTF-8; they became U+FFFD (J-17).
    InvalidUtf8,
    /// Colours, other escape sequences or stray control characters in or around the object; they were taken out (J-18).
    Controls,
    /// Nested deeper than [`MAX_DEPTH`] (J-4).
    TooDeep,
    /// More than [`MAX_NODES`] values, [`MAX_OBJECTS`] objects or [`MAX_SHADOWED`] hidden duplicates, or too many broken
    /// objects (J-4).
    TooBig,
}

/// What a lenient reader of JSON took (J-14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Laxity {
    /// A `//`, `/* */` or `#` comment.
    Comment,
    /// A comma before `}` or `]`.
    TrailingComma,
    /// A string in single quotes.
    SingleQuotes,
    /// `True`, `False` or `None`.
    PythonLiteral,
    /// A key without quotes.
    UnquotedKey,
}

impl Laxity {
    const fn words(self) -> &'static str {
        match self {
            Self::Comment => "a comment",
            Self::TrailingComma => "a comma before the closing bracket",
            Self::SingleQuotes => "single quotes",
            Self::PythonLiteral => "a Python literal",
            Self::UnquotedKey => "a key without quotes",
        }
    }
}

impl Deviation {
    /// The rule of `docs/spec/answers-json.md`.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::TooDeep | Self::TooBig => "J-4",
            Self::DuplicateKey(_) => "J-6",
            Self::TextBefore => "J-7",
            Self::TextAfter => "J-8",
            Self::TextAround => "J-9",
            Self::SeveralObjects => "J-10",
            Self::Fenced => "J-11",
            Self::InArray => "J-12",
            Self::InString => "J-13",
            Self::Relaxed(_) => "J-14",
            Self::Torn => "J-15",
            Self::Utf16 => "J-16",
            Self::InvalidUtf8 => "J-17",
            Self::Controls => "J-18",
        }
    }

    /// A stable name, such as `text-before`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TextBefore => "text-before",
            Self::TextAfter => "text-after",
            Self::TextAround => "text-around",
            Self::SeveralObjects => "several-objects",
            Self::DuplicateKey(_) => "duplicate-key",
            Self::Fenced => "fenced",
            Self::InArray => "in-array",
            Self::InString => "in-string",
            Self::Relaxed(_) => "relaxed-json",
            Self::Torn => "torn-json",
            Self::Utf16 => "utf-16",
            Self::InvalidUtf8 => "invalid-utf-8",
            Self::Controls => "control-characters",
            Self::TooDeep => "too-deep",
            Self::TooBig => "too-big",
        }
    }

    /// What the program should do instead.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::TextBefore | Self::TextAfter | Self::TextAround => {
                "print the JSON object alone on stdout, and everything else on stderr"
            }
            Self::SeveralObjects => "print exactly one object",
            Self::DuplicateKey(_) => "write each key once",
            Self::Fenced => "print the object without the fence",
            Self::InArray => "print the object without the array",
            Self::InString => "print the object itself: it was quoted, or serialized twice",
            Self::Relaxed(_) => "write strict JSON; `jq` or a JSON library does",
            Self::Torn => "build the JSON with `jq` or a JSON library, which escape quotes",
            Self::Utf16 | Self::InvalidUtf8 => "write UTF-8",
            Self::Controls => "print the object without colours and control characters",
            Self::TooDeep | Self::TooBig => "print a smaller object",
        }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TextBefore => f.write_str("text before the JSON object"),
            Self::TextAfter => f.write_str("text after the JSON object"),
            Self::TextAround => f.write_str("text before and after the JSON object"),
            Self::SeveralObjects => f.write_str("more than one JSON object"),
            Self::DuplicateKey(path) => write!(f, "the key `{path}` is written twice"),
            Self::Fenced => f.write_str("the JSON object is in a Markdown fence"),
            Self::InArray => f.write_str("the JSON object is in an array"),
            Self::InString => f.write_str("the JSON object is in quotes"),
            Self::Relaxed(laxity) => write!(f, "not strict JSON: {}", laxity.words()),
            Self::Torn => f.write_str("the JSON object is broken or breaks off"),
            Self::Utf16 => f.write_str("the text is UTF-16"),
            Self::InvalidUtf8 => f.write_str("the text is not valid UTF-8"),
            Self::Controls => f.write_str("control characters in or around the JSON object"),
            Self::TooDeep => write!(f, "the JSON is nested deeper than {MAX_DEPTH} levels"),
            Self::TooBig => f.write_str("the JSON has too many values"),
        }
    }
}

impl Object {
    /// Every way to read the object: once for a clean one, and once more for each hidden duplicate.
    pub fn readings(&self) -> impl Iterator<Item = &Map<String, Value>> {
        std::iter::once(&self.fields).chain(&self.shadowed)
    }
}

impl Reading {
    /// The object, if the text is exactly one, strictly (J-3).
    #[must_use]
    pub fn strict(&self) -> Option<&Map<String, Value>> {
        match &self.found {
            Found::Object(object) if self.deviations.is_empty() => Some(&object.fields),
            _ => None,
        }
    }

    /// The objects that were found, strict or not.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        match &self.found {
            Found::Object(object) => std::slice::from_ref(object),
            Found::Several(objects) => objects,
            Found::Empty | Found::Text | Found::Pairs(_) => &[],
        }
    }

    /// The pairs of an object that could not be read.
    #[must_use]
    pub fn pairs(&self) -> &[(String, Value)] {
        match &self.found {
            Found::Pairs(pairs) => pairs,
            _ => &[],
        }
    }

    /// Whether the first character that is not white space is `{`: what many agents take for the promise of JSON.
    #[must_use]
    pub fn begins_with_brace(&self) -> bool {
        self.text.trim_start().starts_with('{')
    }
}

/// Reads what a program printed; the caller has bounded its size.
#[must_use]
pub fn read(bytes: &[u8]) -> Reading {
    let decoded = decode::decode(bytes);
    let mut reader = Reader { deviations: Vec::from_iter(decoded.deviation.clone()) };
    let mut found = reader.read(decoded.text.trim());
    let strict = matches!(found, Found::Object(_)) && reader.deviations.is_empty();
    if !strict && decoded.text.contains(is_stray) {
        let mut again = Reader { deviations: Vec::from_iter(decoded.deviation) };
        again.note(Deviation::Controls);
        let better = again.read(without_controls(&decoded.text).trim());
        if !matches!(better, Found::Empty | Found::Text) {
            (reader, found) = (again, better);
        }
    }
    if found == Found::Text {
        // What was tried in vain is no deviation; how the text is encoded stays true.
        reader.deviations.retain(|it| matches!(it, Deviation::InvalidUtf8 | Deviation::Utf16));
    }
    Reading { found, deviations: reader.deviations, bom: decoded.bom, text: decoded.text }
}

/// A control character that JSON has no place for, not even as white space.
fn is_stray(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

struct Reader {
    deviations: Vec<Deviation>,
}

impl Reader {
    fn read(&mut self, text: &str) -> Found {
        match text.chars().next() {
            None => Found::Empty,
            Some('{') => self.braced(text),
            Some(_) => match self.wrapped(text) {
                Some(object) => Found::Object(object),
                None => self.lined(text),
            },
        }
    }

    fn note(&mut self, deviation: Deviation) {
        if !self.deviations.contains(&deviation) {
            self.deviations.push(deviation);
        }
    }

    fn braced(&mut self, text: &str) -> Found {
        let (tree, end) = match tree::parse(text, relaxed::parse) {
            Ok(parsed) => self.noting(parsed),
            Err(Stop::Limit(limit)) => return self.pairs(text, limit),
            Err(Stop::Broken { .. }) => {
                return match self.unescaped(text) {
                    Some(object) => Found::Object(object),
                    None => self.pairs(text, Deviation::Torn),
                };
            }
        };
        let mut trees = vec![tree];
        let mut rest = text.get(end..).unwrap_or_default();
        // Objects that follow each other without text between them need no line of their own.
        while rest.trim_start().starts_with('{') {
            let next = rest.trim_start();
            match tree::parse(next, relaxed::parse) {
                Ok(parsed) => {
                    let (tree, end) = self.noting(parsed);
                    trees.push(tree);
                    rest = next.get(end..).unwrap_or_default();
                }
                Err(Stop::Limit(limit)) => return self.pairs(text, limit),
                Err(Stop::Broken { .. }) => break,
            }
            if trees.len() > MAX_OBJECTS {
                return self.pairs(text, Deviation::TooBig);
            }
        }
        if !rest.trim().is_empty() {
            self.note(Deviation::TextAfter);
            match lines::candidates(rest) {
                Ok(more) => trees.extend(more.into_iter().map(|it| self.noting(it.parsed).0)),
                Err(limit) => return self.pairs(text, limit),
            }
        }
        self.objects(text, trees)
    }

    fn lined(&mut self, text: &str) -> Found {
        let candidates = match lines::candidates(text) {
            Ok(candidates) => candidates,
            Err(limit) => return self.pairs(text, limit),
        };
        let Some(last) = candidates.last().map(Candidate::end) else {
            return match lines::torn_tail(text) {
                Some(tail) => {
                    self.note(Deviation::TextBefore);
                    self.pairs(tail, Deviation::Torn)
                }
                None => Found::Text,
            };
        };
        let runs_to_end = text.get(last..).unwrap_or_default().trim().is_empty();
        self.note(if runs_to_end { Deviation::TextBefore } else { Deviation::TextAround });
        let trees = candidates.into_iter().map(|it| self.noting(it.parsed).0).collect();
        self.objects(text, trees)
    }

    /// Records what was lenient about a parsed object.
    fn noting(&mut self, parsed: tree::Parsed) -> (Tree, usize) {
        if let Some(laxity) = parsed.laxity {
            self.note(Deviation::Relaxed(laxity));
        }
        (parsed.tree, parsed.end)
    }

    fn objects(&mut self, text: &str, trees: Vec<Tree>) -> Found {
        if trees.len() > 1 {
            self.note(Deviation::SeveralObjects);
        }
        let mut objects = Vec::with_capacity(trees.len());
        for tree in trees {
            match self.object(&tree) {
                Some(object) => objects.push(object),
                None => return self.pairs(text, Deviation::TooBig),
            }
        }
        match <[Object; 1]>::try_from(objects) {
            Ok([object]) => Found::Object(object),
            Err(objects) => Found::Several(objects),
        }
    }

    /// `None` when more is hidden by duplicates than is kept.
    fn object(&mut self, tree: &Tree) -> Option<Object> {
        let duplicates = tree.duplicates();
        if duplicates.len() > MAX_SHADOWED {
            return None;
        }
        for path in &duplicates {
            self.note(Deviation::DuplicateKey(tree.name(path)));
        }
        let shadowed = duplicates.iter().map(|path| tree.fields(Some(path.as_slice()))).collect();
        Some(Object { fields: tree.fields(None), shadowed })
    }

    /// An object that is the whole text but for one wrapping: a fence, an array, quotes.
    fn wrapped(&mut self, text: &str) -> Option<Object> {
        let (deviation, inner) = if let Some(inner) = lines::fenced(text) {
            (Deviation::Fenced, inner.to_owned())
        } else if let Some(inner) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            (Deviation::InArray, inner.to_owned())
        } else {
            (Deviation::InString, unquote(text)?)
        };
        self.whole(inner.trim(), deviation)
    }

    /// `{\"decision\": \"block\"}`: what some shells make of escaped quotes.
    fn unescaped(&mut self, text: &str) -> Option<Object> {
        if !text.starts_with("{\\\"") {
            return None;
        }
        let inner: String = serde_json::from_str(&format!("\"{text}\"")).ok()?;
        self.whole(&inner, Deviation::InString)
    }

    fn whole(&mut self, inner: &str, deviation: Deviation) -> Option<Object> {
        if !inner.starts_with('{') {
            return None;
        }
        match tree::parse(inner, relaxed::parse) {
            Ok(parsed) if parsed.end == inner.len() => {
                self.note(deviation);
                let (tree, _) = self.noting(parsed);
                self.object(&tree)
            }
            Ok(_) | Err(_) => None,
        }
    }

    fn pairs(&mut self, text: &str, why: Deviation) -> Found {
        self.note(why);
        Found::Pairs(pairs::find(text))
    }
}

/// The content of a text that is one string, in double quotes (serialized twice) or single ones (a shell that keeps them).
fn unquote(text: &str) -> Option<String> {
    match text.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')) {
        Some(inner) => Some(inner.to_owned()),
        None if text.starts_with('"') => serde_json::from_str(text).ok(),
        None => None,
    }
}

#[cfg(test)]
mod tests;
