//! The values that an agent demands in a file, and the first that is something else: for one such
//! value it refuses the whole file. Knows no agent; a dialect brings its tables.

use crate::diagnostic::Span;
use crate::dialect::EventRow;
use crate::matcher::{Matcher, MatcherSpec};
use crate::syntax::{Entry, Node, NodeValue};

/// The values that a key may have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Bool,
    Text,
    /// A text that is a regular expression, or `*`.
    Pattern,
    /// A text with a scheme, as `new URL` in JavaScript requires.
    Url,
    /// A whole number from the given one.
    Whole(u64),
    /// A whole number of 32 bits, which may be negative.
    Int32,
    /// Any number.
    Number,
    /// A number above 0.
    AboveZero,
    /// A list of texts.
    Texts,
    /// Any list.
    List,
    /// A list whose items all have that shape.
    Items(&'static Shape),
    /// Any object.
    Object,
    /// `null`, or that shape.
    OrNull(&'static Shape),
    OneOf(&'static [&'static str]),
    /// An object with these keys, of which the second list is required; further keys are ignored.
    Keys(Keys, &'static [&'static str]),
    /// An object with these keys; the agent ignores any other value.
    KeysIfObject(Keys),
    /// An object in which the agent's events have that shape; it ignores any other value.
    Events(fn() -> &'static [EventRow], &'static Shape),
    /// An object whose `type` selects its other keys.
    ByType(&'static [(&'static str, Keys, &'static [&'static str])]),
    /// An object whose values all have that shape.
    Each(&'static Shape),
    /// A boolean or a list.
    BoolOrList,
    /// A boolean, a text, a number or a list.
    Option,
}

/// The keys of an object, with the shape of each.
pub(crate) type Keys = &'static [(&'static str, Shape)];

/// A value for which an agent refuses the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusedValue {
    /// Its keys and indices, joined by dots.
    pub(crate) path: String,
    /// Where it is written, or the object that lacks it.
    pub(crate) span: Span,
    /// Where its key is written, if it has one.
    pub(crate) key_span: Option<Span>,
    /// The mistake, as the rest of a sentence that begins with the path.
    pub(crate) fault: String,
}

/// An event of which an agent runs no hook because of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoppedEvent {
    /// The event as written.
    pub(crate) event: String,
    pub(crate) value: RefusedValue,
    /// Whether hooks of the event in other files run.
    pub(crate) is_of_one_file: bool,
}

impl StoppedEvent {
    /// Returns the effect of the value, as a sentence.
    pub(crate) fn effect(&self, agent: &str) -> String {
        let files = if self.is_of_one_file { "in this file" } else { "of any file" };
        format!("{agent} runs no hook of `{}`, {files}", self.event)
    }
}

impl RefusedValue {
    /// Returns a sentence that names the value and the mistake.
    pub(crate) fn sentence(&self) -> String {
        format!("`{}` {}", self.path, self.fault)
    }
}

impl Shape {
    /// Returns the first value in `node` that does not have this shape.
    pub(crate) fn find_refused_value(self, node: &Node) -> Option<RefusedValue> {
        self.find_refused_value_below(node, &Path { text: String::new(), key_span: None })
    }

    /// Returns the first value in an entry that does not have this shape.
    pub(crate) fn find_refused_value_in_entry(self, entry: &Entry) -> Option<RefusedValue> {
        self.find_refused_value_below(
            &entry.node,
            &Path { text: entry.key.clone(), key_span: Some(entry.key_span) },
        )
    }

    fn find_refused_value_below(self, node: &Node, path: &Path) -> Option<RefusedValue> {
        if !self.node_has_right_kind(node) {
            let found = match node.value {
                NodeValue::Number(_) => node.to_json().to_string(),
                NodeValue::String(_) if matches!(self, Self::Pattern) => node.to_json().to_string(),
                _ => node.kind_with_article().to_owned(),
            };
            let fault = format!("takes {}, found {found}", self.describe_expected_value());
            return Some(path.new_refused_value(node.span, fault));
        }
        match self {
            Self::OrNull(shape) if !node.is_null() => shape.find_refused_value_below(node, path),
            Self::Items(shape) => node.as_array()?.iter().enumerate().find_map(|(at, item)| {
                shape.find_refused_value_below(item, &path.path_of_item(at))
            }),
            Self::Each(shape) => {
                let mut entries = node.entries().iter();
                entries.find_map(|entry| {
                    shape.find_refused_value_below(&entry.node, &path.path_of_entry(entry))
                })
            }
            Self::Keys(keys, required) => find_missing_or_refused_key(node, keys, required, path),
            Self::KeysIfObject(keys) => find_missing_or_refused_key(node, keys, &[], path),
            Self::Events(rows, shape) => rows().iter().find_map(|row| {
                let entry = node.entry(&row.name)?;
                shape.find_refused_value_below(&entry.node, &path.path_of_entry(entry))
            }),
            Self::ByType(types) => {
                let Some(entry) = node.entry("type") else {
                    return Some(
                        path.path_of_key("type").new_refused_value(node.span, MISSING.to_owned()),
                    );
                };
                let name = entry.node.as_str().unwrap_or_default();
                match types.iter().find(|(known, ..)| *known == name) {
                    Some((_, keys, required)) => {
                        find_missing_or_refused_key(node, keys, required, path)
                    }
                    None => {
                        let fault = format!(
                            "takes {}",
                            quote_and_join_with_or(types.iter().map(|(name, ..)| *name))
                        );
                        Some(path.path_of_entry(entry).new_refused_value(entry.node.span, fault))
                    }
                }
            }
            _ => None,
        }
    }

    /// Returns the first known key that an object has twice, for agents that refuse such a file.
    pub(crate) fn find_repeated_key(self, node: &Node) -> Option<RefusedValue> {
        self.find_repeated_key_below(node, &Path { text: String::new(), key_span: None })
    }

    fn find_repeated_key_below(self, node: &Node, path: &Path) -> Option<RefusedValue> {
        if let Self::OrNull(shape) = self {
            return shape.find_repeated_key_below(node, path);
        }
        if let Self::Items(shape) = self {
            let mut items = node.as_array()?.iter().enumerate();
            return items.find_map(|(at, item)| {
                shape.find_repeated_key_below(item, &path.path_of_item(at))
            });
        }
        let mut seen = Vec::new();
        node.entries().iter().find_map(|entry| {
            let shape = self.shape_of_key(node, &entry.key)?;
            let path = path.path_of_entry(entry);
            if seen.contains(&entry.key.as_str()) {
                let fault = "is written twice".to_owned();
                return Some(path.new_refused_value(entry.node.span, fault));
            }
            seen.push(&entry.key);
            shape.find_repeated_key_below(&entry.node, &path)
        })
    }

    /// Returns the shape of a known key of an object with this shape.
    fn shape_of_key(self, node: &Node, key: &str) -> Option<Self> {
        let shape_in = |keys: Keys| keys.iter().find(|(known, _)| *known == key).map(|(_, s)| *s);
        match self {
            Self::Keys(keys, _) | Self::KeysIfObject(keys) => shape_in(keys),
            Self::Each(shape) => Some(*shape),
            Self::Events(rows, shape) => rows().iter().find(|row| row.name == key).map(|_| *shape),
            Self::ByType(_) if key == "type" => Some(Self::Text),
            Self::ByType(types) => {
                let kind = node.get("type").and_then(Node::as_str)?;
                types
                    .iter()
                    .find(|(known, ..)| *known == kind)
                    .and_then(|(_, keys, _)| shape_in(keys))
            }
            _ => None,
        }
    }

    /// Returns `true` if the node itself has this shape; its content may be wrong.
    fn node_has_right_kind(self, node: &Node) -> bool {
        match self {
            Self::KeysIfObject(_) | Self::Events(..) => true,
            Self::Bool => node.as_bool().is_some(),
            Self::Text => node.as_str().is_some(),
            Self::Pattern => node.as_str().is_some_and(|text| {
                let spec = || MatcherSpec::Regex(text.to_owned());
                text == "*" || Matcher::new(spec()).compile().is_ok()
            }),
            Self::Url => node.as_str().is_some_and(has_url_scheme),
            Self::Whole(least) => node.to_json().as_u64().is_some_and(|number| number >= least),
            Self::Int32 => {
                node.to_json().as_i64().is_some_and(|number| i32::try_from(number).is_ok())
            }
            Self::Number => node.as_f64().is_some(),
            Self::AboveZero => node.as_f64().is_some_and(|number| number > 0.0),
            Self::List | Self::Items(_) => node.as_array().is_some(),
            Self::Texts => node
                .as_array()
                .is_some_and(|items| items.iter().all(|item| item.as_str().is_some())),
            Self::Object | Self::Keys(..) | Self::ByType(_) | Self::Each(_) => {
                node.as_object().is_some()
            }
            Self::OrNull(shape) => node.is_null() || shape.node_has_right_kind(node),
            Self::OneOf(words) => node.as_str().is_some_and(|word| words.contains(&word)),
            Self::BoolOrList => node.as_bool().is_some() || node.as_array().is_some(),
            Self::Option => !matches!(node.value, NodeValue::Null | NodeValue::Object(_)),
        }
    }

    fn describe_expected_value(self) -> String {
        let text = match self {
            Self::KeysIfObject(_) | Self::Events(..) => "any value",
            Self::Bool => "`true` or `false`",
            Self::Text => "a string",
            Self::Pattern => "a regular expression",
            Self::Url => "a URL that begins with its scheme",
            Self::Whole(0) => "a whole number",
            Self::Whole(_) => "a whole number above 0",
            Self::Int32 => "a whole number",
            Self::Number => "a number",
            Self::AboveZero => "a number above 0",
            Self::Texts => "an array of strings",
            Self::List | Self::Items(_) => "an array",
            Self::Object | Self::Keys(..) | Self::ByType(_) | Self::Each(_) => "an object",
            Self::BoolOrList => "`true`, `false` or an array",
            Self::Option => "a string, a number, a boolean or an array",
            Self::OrNull(shape) => return shape.describe_expected_value(),
            Self::OneOf(words) => return quote_and_join_with_or(words.iter().copied()),
        };
        text.to_owned()
    }
}

const MISSING: &str = "is missing";

fn quote_and_join_with_or<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    words.join(" or ")
}

fn has_url_scheme(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(letter)
            && !rest.trim_matches('/').is_empty()
    })
}

/// Returns the first required key that `node` lacks, otherwise the first value that does not have
/// the shape of its key.
fn find_missing_or_refused_key(
    node: &Node,
    keys: Keys,
    required: &[&str],
    path: &Path,
) -> Option<RefusedValue> {
    if let Some(key) = required.iter().find(|key| node.get(key).is_none()) {
        return Some(path.path_of_key(key).new_refused_value(node.span, MISSING.to_owned()));
    }
    keys.iter().find_map(|(key, shape)| {
        let entry = node.entry(key)?;
        shape.find_refused_value_below(&entry.node, &path.path_of_entry(entry))
    })
}

/// The path of a value, and the span of its key.
struct Path {
    text: String,
    key_span: Option<Span>,
}

impl Path {
    fn path_of_key(&self, key: &str) -> Self {
        let dot = if self.text.is_empty() { "" } else { "." };
        Self { text: format!("{}{dot}{key}", self.text), key_span: None }
    }

    fn path_of_entry(&self, entry: &Entry) -> Self {
        Self { key_span: Some(entry.key_span), ..self.path_of_key(&entry.key) }
    }

    fn path_of_item(&self, at: usize) -> Self {
        self.path_of_key(&at.to_string())
    }

    /// Creates the refused value at this path.
    fn new_refused_value(&self, span: Span, fault: String) -> RefusedValue {
        RefusedValue { path: self.text.clone(), span, key_span: self.key_span, fault }
    }
}
