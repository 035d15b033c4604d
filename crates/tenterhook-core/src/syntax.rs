//! Reads JSON, TOML, YAML and front matter into one tree with spans. Pure: knows no hook and no dialect.
//!
//! The tree keeps what a value type would lose: where each key and value stands, the order of keys, and keys that were
//! written twice. What the text does that its format forbids is a [`SyntaxFault`] beside the tree, so that the caller
//! decides how much it weighs. Nothing here panics or recurses deeper than [`MAX_DEPTH`], whatever the text is.

mod json;
mod salvage;
mod slashes;
mod toml;
mod yaml;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Number, Value};

use crate::diagnostic::{Location, Span};

pub use salvage::{Lists, parse_or_salvage};
pub(crate) use slashes::find_text_with_comment;
pub(crate) use toml::find_value_of_toml_1_1;

/// How deep a text may nest. Real hook configs stay below ten; 128 is the limit of `serde_json`, which the agents' own
/// parsers are near.
pub(crate) const MAX_DEPTH: usize = 128;

/// A value and its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The bytes of the value. For a TOML table, those of its header.
    pub span: Span,
    /// The value.
    pub value: NodeValue,
}

/// What a [`Node`] holds.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    /// `null`, or a YAML key without a value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that JSON can hold. Others (`inf`, `1e999`) stay the text that they were written as.
    Number(Number),
    /// A string; a TOML date is one too.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// Keys and values in the order of the text, keys that were written twice included.
    Object(Vec<Entry>),
}

/// One key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key, unquoted.
    pub key: String,
    /// The bytes of the key, quotes included.
    pub key_span: Span,
    /// The value.
    pub node: Node,
}

/// A key that its object already had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The key.
    pub key: String,
    /// Where it stood first.
    pub first: Span,
    /// The span of the repetition.
    pub again: Span,
}

/// The formats that hook configs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON; comments and trailing commas are read, and reported.
    Json,
    /// JSON5.
    Json5,
    /// TOML.
    Toml,
    /// The YAML between the first two `---` lines of a Markdown file.
    FrontMatter,
    /// One YAML document.
    Yaml,
}

/// A text, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The tree; `None` when the text is broken, empty, or has no front matter.
    pub root: Option<Node>,
    /// What the text does that its format forbids, in the order of the text.
    pub faults: Vec<SyntaxFault>,
    /// What of a broken text is not in the tree, which is then [salvaged](salvage): where each such part begins.
    pub lost: Vec<Span>,
    /// The objects of a salvaged tree of which a part is lost.
    pub torn: Vec<Span>,
}

/// One thing that a format forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Which thing.
    pub kind: FaultKind,
    /// Where.
    pub span: Span,
    /// The problem, in words.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// How a text departs from its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Not this format at all; there is no tree.
    Broken,
    /// Nothing but white space or comments; there is no tree.
    Empty,
    /// Deeper than [`MAX_DEPTH`], or larger than the reader takes; there is no tree.
    Limit,
    /// Read all the same, but a strict parser, such as the agent's own, refuses it.
    NotStrict(NotStrict),
}

/// What a strict parser refuses and this reader takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotStrict {
    /// The text begins with U+FEFF.
    ByteOrderMark,
    /// A `//` or `/* */` comment.
    Comment,
    /// A comma before `}` or `]`.
    TrailingComma,
    /// A value to JavaScript alone: half of a character, or a number beyond all numbers.
    Javascript,
    /// Something else, such as a raw line break in a string or a number with a leading zero.
    Other,
}

impl SyntaxFault {
    fn new(kind: FaultKind, span: Span, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Parses `text`; spans are byte offsets into it.
#[must_use]
pub fn parse_by_format(text: &str, format: Format) -> Parsed {
    match format {
        Format::Json => json::parse_json(text),
        Format::Json5 => json::parse_json5(text),
        Format::Toml => toml::parse_toml(text),
        Format::FrontMatter => yaml::parse_front_matter(text),
        Format::Yaml => yaml::parse_yaml(text),
    }
}

impl Parsed {
    fn from_fatal_fault(fault: SyntaxFault) -> Self {
        Self { faults: vec![fault], ..Self::default() }
    }

    /// Returns true if a part of `node` is lost, at any depth.
    #[must_use]
    pub(crate) fn is_torn(&self, node: &Node) -> bool {
        !self.torn.is_empty()
            && (self.torn.contains(&node.span) || node.any_child(|node| self.is_torn(node)))
    }

    /// Returns the fault because of which there is no tree, if any.
    #[must_use]
    pub fn fatal_fault(&self) -> Option<&SyntaxFault> {
        self.faults.iter().find(|fault| !matches!(fault.kind, FaultKind::NotStrict(_)))
    }
}

impl Entry {
    /// Moves the spans of the entry and its contents by `base` bytes.
    fn shift_spans(&mut self, base: usize) {
        self.key_span = self.key_span.shifted_by(base);
        self.node.shift_spans(base);
    }
}

impl Node {
    fn shift_spans(&mut self, base: usize) {
        self.span = self.span.shifted_by(base);
        match &mut self.value {
            NodeValue::Array(items) => items.iter_mut().for_each(|item| item.shift_spans(base)),
            NodeValue::Object(entries) => {
                entries.iter_mut().for_each(|entry| entry.shift_spans(base))
            }
            _ => {}
        }
    }

    /// Returns the value of `key`; the last one if the key is repeated, as parsers commonly do.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// Returns the entry of `key`; the last one if the key is repeated.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// Returns the entries of an object; empty for any other value.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            NodeValue::Object(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            NodeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the boolean, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            NodeValue::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// Returns the number, if this is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match &self.value {
            NodeValue::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// Returns the number, if this is a non-negative integer.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match &self.value {
            NodeValue::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    /// Returns the items, if this is a list.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.value {
            NodeValue::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the entries, if this is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&[Entry]> {
        match &self.value {
            NodeValue::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns true if this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.value == NodeValue::Null
    }

    fn any_child(&self, test: impl FnMut(&Self) -> bool) -> bool {
        let items = self.as_array().into_iter().flatten();
        items.chain(self.entries().iter().map(|entry| &entry.node)).any(test)
    }

    /// Returns the kind of the value with its article, for messages such as "expected a string,
    /// found an object".
    #[must_use]
    pub fn kind_with_article(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "null",
            NodeValue::Bool(_) => "a boolean",
            NodeValue::Number(_) => "a number",
            NodeValue::String(_) => "a string",
            NodeValue::Array(_) => "an array",
            NodeValue::Object(_) => "an object",
        }
    }

    /// Returns every repeated key, at any depth.
    #[must_use]
    pub fn duplicate_keys(&self) -> Vec<Duplicate> {
        let mut found = Vec::new();
        self.collect_duplicates(&mut found);
        found
    }

    fn collect_duplicates(&self, found: &mut Vec<Duplicate>) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for entry in self.entries() {
            match seen.get(entry.key.as_str()) {
                Some(first) => found.push(Duplicate {
                    key: entry.key.clone(),
                    first: *first,
                    again: entry.key_span,
                }),
                None => drop(seen.insert(&entry.key, entry.key_span)),
            }
            entry.node.collect_duplicates(found);
        }
        self.as_array().into_iter().flatten().for_each(|item| item.collect_duplicates(found));
    }

    /// Converts to a JSON value without spans; of a repeated key, the last value.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(truth) => Value::Bool(*truth),
            NodeValue::Number(number) => Value::Number(number.clone()),
            NodeValue::String(text) => Value::String(text.clone()),
            NodeValue::Array(items) => items.iter().map(Self::to_json).collect(),
            NodeValue::Object(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.node.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// Formats the position of a byte as "line 3, column 7", for help texts.
fn describe_position(text: &str, at: usize) -> String {
    let place = Location::find(&Arc::from(""), text, Span::new(at, at));
    format!("line {}, column {}", place.line, place.column)
}

/// Returns a number if JSON can represent it, otherwise the text.
fn number_or_text(number: &str) -> NodeValue {
    number
        .parse::<Number>()
        .map_or_else(|_| NodeValue::String(number.to_owned()), NodeValue::Number)
}

#[cfg(test)]
mod tests;
