//! An object of an answer with every key that was written, and the strict parser that builds it from the start of a
//! text. Bounded in depth and values.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Deviation, Laxity, MAX_DEPTH, MAX_NODES, MAX_SHADOWED};

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(Value),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// An object and where in the text it ends.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) tree: Tree,
    pub(super) end: usize,
    pub(super) laxity: Option<Laxity>,
}

/// Why no object was read.
#[derive(Debug)]
pub(super) enum Stop {
    Limit(Deviation),
    /// Not an object; `at` is how far the parser came, `torn` whether the text ended too early.
    Broken {
        at: usize,
        torn: bool,
    },
}

/// Counts depth and values while a parser goes.
pub(super) struct Budget {
    nodes: Cell<usize>,
    limit: Cell<Option<Deviation>>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { nodes: Cell::new(0), limit: Cell::new(None) }
    }

    /// Counts one value at `depth`; `Err` if the tree is full or too deep.
    pub(super) fn count_value(&self, depth: usize) -> Result<(), ()> {
        self.nodes.set(self.nodes.get() + 1);
        let limit = if depth > MAX_DEPTH {
            Deviation::TooDeep
        } else if self.nodes.get() > MAX_NODES {
            Deviation::TooBig
        } else {
            return Ok(());
        };
        self.limit.set(Some(limit));
        Err(())
    }

    pub(super) fn exceeded_limit(&self) -> Option<Deviation> {
        self.limit.take()
    }
}

/// Parses the object at the start of `text`: strictly, and with `lenient` if that fails.
pub(super) fn parse_object_with_fallback(
    text: &str,
    lenient: fn(&str) -> Result<Parsed, Stop>,
) -> Result<Parsed, Stop> {
    match parse_object_strictly(text) {
        Err(Stop::Broken { at, torn }) => lenient(text).map_err(|stop| match stop {
            Stop::Limit(limit) => Stop::Limit(limit),
            Stop::Broken { at: lenient, torn: also } => {
                Stop::Broken { at: at.max(lenient), torn: torn || also }
            }
        }),
        read => read,
    }
}

fn parse_object_strictly(text: &str) -> Result<Parsed, Stop> {
    let budget = Budget::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Seed { depth: 1, budget: &budget }.deserialize(&mut deserializer);
    let end = deserializer.into_iter::<IgnoredAny>().byte_offset();
    match read {
        Ok(tree @ Tree::Object(_)) => Ok(Parsed { tree, end, laxity: None }),
        Ok(_) => Err(Stop::Broken { at: end, torn: false }),
        Err(error) => Err(match budget.exceeded_limit() {
            Some(limit) => Stop::Limit(limit),
            None => Stop::Broken { at: end, torn: error.is_eof() },
        }),
    }
}

#[derive(Clone, Copy)]
struct Seed<'a> {
    depth: usize,
    budget: &'a Budget,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Seed<'_> {
    fn into_leaf<E: serde::de::Error>(self, value: impl Into<Value>) -> Result<Tree, E> {
        self.budget.count_value(0).map_err(|()| E::custom("limit"))?;
        Ok(Tree::Leaf(value.into()))
    }

    fn into_child_seed<E: serde::de::Error>(self) -> Result<Self, E> {
        self.budget.count_value(self.depth).map_err(|()| E::custom("limit"))?;
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Tree, E> {
        self.into_leaf(Value::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, truth: bool) -> Result<Tree, E> {
        self.into_leaf(truth)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Tree, E> {
        self.into_leaf(number)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Tree, E> {
        self.into_leaf(number)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Tree, E> {
        let number = Number::from_f64(number).ok_or_else(|| E::custom("not a number"))?;
        self.into_leaf(Value::Number(number))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Tree, E> {
        self.into_leaf(text)
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Tree, E> {
        self.into_leaf(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let inner = self.into_child_seed()?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Tree::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let inner = self.into_child_seed()?;
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<String>()? {
            entries.push((key, access.next_value_seed(inner)?));
        }
        Ok(Tree::Object(entries))
    }
}

impl Tree {
    /// Returns the paths, as child indices, of entries that a later entry with the same key hides,
    /// and of the entries inside them.
    pub(super) fn shadowed_duplicates(&self) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        self.collect_duplicates(&mut Vec::new(), &mut found);
        found
    }

    fn collect_duplicates(&self, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        // One more than is kept is enough to know that it is too many.
        if found.len() > MAX_SHADOWED {
            return;
        }
        let last: HashMap<&str, usize> = match self {
            Self::Object(entries) => {
                entries.iter().enumerate().map(|(at, (key, _))| (key.as_str(), at)).collect()
            }
            Self::Leaf(_) | Self::Array(_) => HashMap::new(),
        };
        for (at, (key, child)) in self.children().enumerate() {
            path.push(at);
            if key.is_some_and(|key| last.get(key) != Some(&at)) {
                found.push(path.clone());
            }
            child.collect_duplicates(path, found);
            path.pop();
        }
    }

    fn children(&self) -> Box<dyn Iterator<Item = (Option<&str>, &Self)> + '_> {
        match self {
            Self::Leaf(_) => Box::new(std::iter::empty()),
            Self::Array(items) => Box::new(items.iter().map(|item| (None, item))),
            Self::Object(entries) => {
                Box::new(entries.iter().map(|(key, child)| (Some(key.as_str()), child)))
            }
        }
    }

    /// Returns the path as text: keys separated by dots, and `[]` for a list.
    pub(super) fn dotted_path(&self, path: &[usize]) -> String {
        let mut tree = self;
        let mut name = String::new();
        for at in path {
            let Some((key, child)) = tree.children().nth(*at) else { break };
            match key {
                Some(key) if name.is_empty() => name.push_str(key),
                Some(key) => {
                    name.push('.');
                    name.push_str(key);
                }
                None => name.push_str("[]"),
            }
            tree = child;
        }
        name
    }

    /// Returns the fields of an object, with the last value of each key, except along the path
    /// `chosen`, which selects its own value.
    pub(super) fn fields_choosing_duplicate(&self, chosen: Option<&[usize]>) -> Map<String, Value> {
        let Self::Object(entries) = self else { return Map::new() };
        let (first, rest) = match chosen.and_then(<[usize]>::split_first) {
            Some((first, rest)) => (Some(*first), Some(rest)),
            None => (None, None),
        };
        let pinned = first.and_then(|at| entries.get(at)).map(|(key, _)| key);
        let mut fields = Map::new();
        for (at, (key, child)) in entries.iter().enumerate() {
            if Some(at) == first {
                fields.insert(key.clone(), child.to_value_choosing_duplicate(rest));
            } else if Some(key) != pinned {
                fields.insert(key.clone(), child.to_value_choosing_duplicate(None));
            }
        }
        fields
    }

    fn to_value_choosing_duplicate(&self, chosen: Option<&[usize]>) -> Value {
        match self {
            Self::Leaf(value) => value.clone(),
            Self::Object(_) => Value::Object(self.fields_choosing_duplicate(chosen)),
            Self::Array(items) => {
                let split = chosen.and_then(<[usize]>::split_first);
                let item = |(at, item): (usize, &Self)| match split {
                    Some((first, rest)) if *first == at => {
                        item.to_value_choosing_duplicate(Some(rest))
                    }
                    _ => item.to_value_choosing_duplicate(None),
                };
                items.iter().enumerate().map(item).collect()
            }
        }
    }
}
