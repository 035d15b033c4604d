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
pub use shown::put_objects_on_own_lines;
use tree::{Stop, Tree};
pub use whole::{Whole, read_whole_object};

use crate::text::remove_control_sequences;

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
    /// Returns every way to read the object: once for an object without duplicate keys, and once
    /// more for each hidden duplicate.
    pub(crate) fn possible_readings(&self) -> impl Iterator<Item = &Map<String, Value>> {
        std::iter::once(&self.fields).chain(&self.shadowed)
    }
}

impl Reading {
    /// Returns the object if the text is exactly one strict JSON object (J-3).
    #[must_use]
    pub(crate) fn as_strict_object(&self) -> Option<&Map<String, Value>> {
        match &self.found {
            Found::Object(object) if self.deviations.is_empty() => Some(&object.fields),
            _ => None,
        }
    }

    /// Returns the object if the text is exactly one as parsers commonly read it: the last value of
    /// a repeated key, and invalid bytes as they are.
    #[must_use]
    pub(crate) fn as_lenient_object(&self) -> Option<&Map<String, Value>> {
        let passed = |deviation: &Deviation| {
            matches!(deviation, Deviation::DuplicateKey(_) | Deviation::InvalidUtf8)
        };
        match &self.found {
            Found::Object(object) if self.deviations.iter().all(passed) => Some(&object.fields),
            _ => None,
        }
    }

    /// Returns the objects that were found, strict or not.
    #[must_use]
    pub(crate) fn found_objects(&self) -> &[Object] {
        match &self.found {
            Found::Object(object) => std::slice::from_ref(object),
            Found::Several(objects) => objects,
            Found::Empty | Found::Text | Found::Pairs(_) => &[],
        }
    }

    /// Returns the key-value pairs of an object that could not be read whole.
    #[must_use]
    pub(crate) fn torn_pairs(&self) -> &[(String, Value)] {
        match &self.found {
            Found::Pairs(pairs) => pairs,
            _ => &[],
        }
    }

    /// Returns true if the first character other than white space is `{`, which many agents take as
    /// the start of JSON.
    #[must_use]
    pub(crate) fn begins_with_brace(&self) -> bool {
        self.text.trim_start().starts_with('{')
    }
}

/// Reads what a program printed. The caller has bounded its size.
#[must_use]
pub(crate) fn read_output(bytes: &[u8]) -> Reading {
    let decoded = decode::decode_output(bytes);
    let mut reader = Reader::with_decoding_deviation(decoded.deviation.clone());
    let mut found = reader.find_objects_in_text(decoded.text.trim());
    // Only where nothing was found as it stands: taking out an escape sequence can take JSON with it.
    let none = matches!(found, Found::Text | Found::Pairs(_));
    if none && decoded.text.contains(is_stray_control) {
        let mut again = Reader::with_decoding_deviation(decoded.deviation);
        again.add_deviation(Deviation::Controls);
        let better = again.find_objects_in_text(remove_control_sequences(&decoded.text).trim());
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

/// Returns true for a control character that JSON does not allow, not even as white space.
fn is_stray_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

struct Reader {
    deviations: Vec<Deviation>,
    /// The same, to look one up: a text can have tens of thousands.
    noted: HashSet<Deviation>,
}

impl Reader {
    /// Creates a reader for a text whose decoding had this deviation.
    fn with_decoding_deviation(decoding: Option<Deviation>) -> Self {
        let mut reader = Self { deviations: Vec::new(), noted: HashSet::new() };
        decoding.into_iter().for_each(|decoding| reader.add_deviation(decoding));
        reader
    }

    fn find_objects_in_text(&mut self, text: &str) -> Found {
        match text.chars().next() {
            None => Found::Empty,
            Some('{') => self.read_text_from_brace(text),
            Some(_) => match self.read_wrapped_object(text) {
                Some(object) => Found::Object(object),
                None => self.read_objects_on_lines(text),
            },
        }
    }

    fn add_deviation(&mut self, deviation: Deviation) {
        if self.noted.insert(deviation.clone()) {
            self.deviations.push(deviation);
        }
    }

    fn read_text_from_brace(&mut self, text: &str) -> Found {
        let (tree, end) = match tree::parse_object_with_fallback(text, relaxed::parse_relaxed) {
            Ok(parsed) => self.take_tree_noting_laxity(parsed),
            Err(Stop::Limit(limit)) => return self.fall_back_to_pairs(text, limit),
            Err(Stop::Broken { .. }) => {
                return match self.read_escaped_object(text) {
                    Some(object) => Found::Object(object),
                    None => self.fall_back_to_pairs(text, Deviation::Torn),
                };
            }
        };
        let mut trees = vec![tree];
        let mut rest = text.get(end..).unwrap_or_default();
        // Objects that follow each other without text between them need no separate line.
        while rest.trim_start().starts_with('{') {
            let next = rest.trim_start();
            match tree::parse_object_with_fallback(next, relaxed::parse_relaxed) {
                Ok(parsed) => {
                    let (tree, end) = self.take_tree_noting_laxity(parsed);
                    trees.push(tree);
                    rest = next.get(end..).unwrap_or_default();
                }
                Err(Stop::Limit(limit)) => return self.fall_back_to_pairs(text, limit),
                Err(Stop::Broken { .. }) => break,
            }
            if trees.len() > MAX_OBJECTS {
                return self.fall_back_to_pairs(text, Deviation::TooBig);
            }
        }
        if !rest.trim().is_empty() {
            self.add_deviation(Deviation::TextAfter);
            match lines::find_candidate_objects(rest) {
                Ok(more) => trees.extend(
                    more.into_iter()
                        .map(|candidate| self.take_tree_noting_laxity(candidate.parsed).0),
                ),
                Err(limit) => return self.fall_back_to_pairs(text, limit),
            }
        }
        self.found_from_trees(text, trees)
    }

    fn read_objects_on_lines(&mut self, text: &str) -> Found {
        let candidates = match lines::find_candidate_objects(text) {
            Ok(candidates) => candidates,
            Err(limit) => return self.fall_back_to_pairs(text, limit),
        };
        let Some(last) = candidates.last().map(Candidate::end_offset) else {
            return match lines::find_torn_tail(text) {
                Some(tail) => {
                    self.add_deviation(Deviation::TextBefore);
                    self.fall_back_to_pairs(tail, Deviation::Torn)
                }
                None => Found::Text,
            };
        };
        let runs_to_end = text.get(last..).unwrap_or_default().trim().is_empty();
        self.add_deviation(if runs_to_end { Deviation::TextBefore } else { Deviation::TextAround });
        let trees = candidates
            .into_iter()
            .map(|candidate| self.take_tree_noting_laxity(candidate.parsed).0)
            .collect();
        self.found_from_trees(text, trees)
    }

    /// Records the leniency of a parsed object, and returns its tree and end.
    fn take_tree_noting_laxity(&mut self, parsed: tree::Parsed) -> (Tree, usize) {
        if let Some(laxity) = parsed.laxity {
            self.add_deviation(Deviation::Relaxed(laxity));
        }
        (parsed.tree, parsed.end)
    }

    fn found_from_trees(&mut self, text: &str, trees: Vec<Tree>) -> Found {
        if trees.len() > 1 {
            self.add_deviation(Deviation::SeveralObjects);
        }
        let mut objects = Vec::with_capacity(trees.len());
        for tree in trees {
            match self.object_from_tree(&tree) {
                Some(object) => objects.push(object),
                None => return self.fall_back_to_pairs(text, Deviation::TooBig),
            }
        }
        match <[Object; 1]>::try_from(objects) {
            Ok([object]) => Found::Object(object),
            Err(objects) => Found::Several(objects),
        }
    }

    /// Converts a tree to an object; `None` if duplicate keys hide too many values.
    fn object_from_tree(&mut self, tree: &Tree) -> Option<Object> {
        let duplicates = tree.shadowed_duplicates();
        if duplicates.len() > MAX_SHADOWED {
            return None;
        }
        for path in &duplicates {
            self.add_deviation(Deviation::DuplicateKey(tree.dotted_path(path)));
        }
        let shadowed = duplicates
            .iter()
            .map(|path| tree.fields_choosing_duplicate(Some(path.as_slice())))
            .collect();
        Some(Object { fields: tree.fields_choosing_duplicate(None), shadowed })
    }

    /// Reads an object that is the whole text except for one wrapper: a fence, an array or quotes.
    fn read_wrapped_object(&mut self, text: &str) -> Option<Object> {
        let (deviation, inner) = if let Some(inner) = lines::fenced_content(text) {
            (Deviation::Fenced, inner.to_owned())
        } else if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (Deviation::InArray, inner.to_owned())
        } else {
            (Deviation::InString, unquote(text)?)
        };
        self.read_unwrapped_object(inner.trim(), deviation)
    }

    /// Reads `{\"decision\": \"block\"}`, which some shells make of escaped quotes.
    fn read_escaped_object(&mut self, text: &str) -> Option<Object> {
        if !text.starts_with("{\\\"") {
            return None;
        }
        let inner: String = serde_json::from_str(&format!("\"{text}\"")).ok()?;
        self.read_unwrapped_object(&inner, Deviation::InString)
    }

    /// Reads an object that is the whole text `inner`, and records `deviation`; `None` if it is no
    /// such object.
    fn read_unwrapped_object(&mut self, inner: &str, deviation: Deviation) -> Option<Object> {
        if !inner.starts_with('{') {
            return None;
        }
        match tree::parse_object_with_fallback(inner, relaxed::parse_relaxed) {
            Ok(parsed) if parsed.end == inner.len() => {
                self.add_deviation(deviation);
                let (tree, _) = self.take_tree_noting_laxity(parsed);
                self.object_from_tree(&tree)
            }
            Ok(_) | Err(_) => None,
        }
    }

    fn fall_back_to_pairs(&mut self, text: &str, why: Deviation) -> Found {
        self.add_deviation(why);
        Found::Pairs(pairs::find_key_value_pairs(text))
    }
}

/// Returns the content of a text that is one string, in double quotes (serialized twice) or single
/// quotes (kept by a shell).
fn unquote(text: &str) -> Option<String> {
    match text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => Some(inner.to_owned()),
        None if text.starts_with('"') => serde_json::from_str(text).ok(),
        None => None,
    }
}

#[cfg(test)]
mod tests;
