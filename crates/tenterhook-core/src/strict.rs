//! Reads what a program printed as JSON: strictly, and where that fails leniently, naming every way in which the text
//! deviates from "exactly one object". Knows no key, no dialect and no verdict: it hands over data, and what a deviation
//! may still mean is decided elsewhere. Rules J-1 to J-20 of `docs/spec/answers-json.md`.
//!
//! Time is linear in the text, the stack is bounded, and no text makes it panic.

mod decode;
mod deviation;
mod lines;
mod pairs;
mod relaxed;
mod shown;
mod tree;
mod whole;

use std::collections::HashSet;

use serde_json::{Map, Value};

pub(crate) use deviation::{Deviation, Laxity};
use lines::Candidate;
pub use shown::out_of_prose;
use tree::{Stop, Tree};
pub use whole::{Whole, whole};

use crate::text::without_controls;

/// How deep an answer may nest (J-4). The deepest answer of any dialect is five levels plus the rewritten tool input.
pub(crate) const MAX_DEPTH: usize = 64;
/// How many values an answer may hold (J-4). A large answer is one long string; ten thousand values are a mistake.
pub(crate) const MAX_NODES: usize = 10_000;
/// How many objects are read (J-4): more than a debug log of one run.
pub(crate) const MAX_OBJECTS: usize = 256;
/// How many values that a later duplicate hides are kept (J-6).
pub(crate) const MAX_SHADOWED: usize = 16;

/// A text that a program printed, read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
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
pub(crate) enum Found {
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
pub(crate) struct Object {
    /// Its fields; of a key that was written twice, the last value.
    pub fields: Map<String, Value>,
    /// The object again for each value that a later duplicate hides, with that value in its place (J-6). A caller that looks
    /// for a denial looks here too.
    pub shadowed: Vec<Map<String, Value>>,
}

impl Object {
    /// Every way to read the object: once for a clean one, and once more for each hidden duplicate.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &Map<String, Value>> {
        std::iter::once(&self.fields).chain(&self.shadowed)
    }
}

impl Reading {
    /// The object, if the text is exactly one, strictly (J-3).
    #[must_use]
    pub(crate) fn strict(&self) -> Option<&Map<String, Value>> {
        match &self.found {
            Found::Object(object) if self.deviations.is_empty() => Some(&object.fields),
            _ => None,
        }
    }

    /// The object, if the text is exactly one as parsers commonly read it: of a repeated key the last value, and broken
    /// bytes as they come.
    #[must_use]
    pub(crate) fn common(&self) -> Option<&Map<String, Value>> {
        let passed = |deviation: &Deviation| {
            matches!(deviation, Deviation::DuplicateKey(_) | Deviation::InvalidUtf8)
        };
        match &self.found {
            Found::Object(object) if self.deviations.iter().all(passed) => Some(&object.fields),
            _ => None,
        }
    }

    /// The objects that were found, strict or not.
    #[must_use]
    pub(crate) fn objects(&self) -> &[Object] {
        match &self.found {
            Found::Object(object) => std::slice::from_ref(object),
            Found::Several(objects) => objects,
            Found::Empty | Found::Text | Found::Pairs(_) => &[],
        }
    }

    /// The pairs of an object that could not be read.
    #[must_use]
    pub(crate) fn pairs(&self) -> &[(String, Value)] {
        match &self.found {
            Found::Pairs(pairs) => pairs,
            _ => &[],
        }
    }

    /// Whether the first character that is not white space is `{`: what many agents take for the promise of JSON.
    #[must_use]
    pub(crate) fn begins_with_brace(&self) -> bool {
        self.text.trim_start().starts_with('{')
    }
}

/// Reads what a program printed; the caller has bounded its size.
#[must_use]
pub(crate) fn read(bytes: &[u8]) -> Reading {
    let decoded = decode::decode(bytes);
    let mut reader = Reader::after(decoded.deviation.clone());
    let mut found = reader.read(decoded.text.trim());
    // Only where nothing was found as it stands: taking out an escape sequence can take JSON with it.
    let none = matches!(found, Found::Text | Found::Pairs(_));
    if none && decoded.text.contains(is_stray) {
        let mut again = Reader::after(decoded.deviation);
        again.note(Deviation::Controls);
        let better = again.read(without_controls(&decoded.text).trim());
        let pairs = matches!(better, Found::Pairs(_)) && found == Found::Text;
        if pairs || matches!(better, Found::Object(_) | Found::Several(_)) {
            (reader, found) = (again, better);
        }
    }
    if found == Found::Text {
        // What was tried in vain is no deviation; how the text is encoded stays true.
        reader
            .deviations
            .retain(|deviation| matches!(deviation, Deviation::InvalidUtf8 | Deviation::Utf16));
    }
    Reading { found, deviations: reader.deviations, bom: decoded.bom, text: decoded.text }
}

/// A control character that JSON has no place for, not even as white space.
fn is_stray(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

struct Reader {
    deviations: Vec<Deviation>,
    /// The same, to look one up: a text can have tens of thousands.
    noted: HashSet<Deviation>,
}

impl Reader {
    /// A reader of a text that was decoded with this deviation.
    fn after(decoding: Option<Deviation>) -> Self {
        let mut reader = Self { deviations: Vec::new(), noted: HashSet::new() };
        decoding.into_iter().for_each(|decoding| reader.note(decoding));
        reader
    }

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
        if self.noted.insert(deviation.clone()) {
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
        // Objects that follow each other without text between them need no separate line.
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
                Ok(more) => {
                    trees.extend(more.into_iter().map(|candidate| self.noting(candidate.parsed).0))
                }
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
        let trees =
            candidates.into_iter().map(|candidate| self.noting(candidate.parsed).0).collect();
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
            self.note(Deviation::DuplicateKey(tree.dotted_path(path)));
        }
        let shadowed = duplicates.iter().map(|path| tree.fields(Some(path.as_slice()))).collect();
        Some(Object { fields: tree.fields(None), shadowed })
    }

    /// An object that is the whole text but for one wrapping: a fence, an array, quotes.
    fn wrapped(&mut self, text: &str) -> Option<Object> {
        let (deviation, inner) = if let Some(inner) = lines::fenced(text) {
            (Deviation::Fenced, inner.to_owned())
        } else if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
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
    match text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => Some(inner.to_owned()),
        None if text.starts_with('"') => serde_json::from_str(text).ok(),
        None => None,
    }
}

#[cfg(test)]
mod tests;
