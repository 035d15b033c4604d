//! What values do expressions work on? They borrow from the event and the rule wherever they can.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value as Json;
use tenterhook_shell::{Assignment, Redirect, SimpleCommand, Target, Word};

use super::eval::{ELEMENT, Machine, Stop};
use super::history::PastCall;
use super::vocabulary::Kind;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Text<'a>),
    List(List<'a>),
    /// The known elements of a list that may have more (RU-44).
    Open(List<'a>),
    Map(Map<'a>),
    Record(Record<'a>),
}

/// A text, borrowed or made.
#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    Borrowed(&'a str),
    Made(Rc<str>),
}

/// A list; those of the event are read in place.
#[derive(Clone, Debug)]
pub(super) enum List<'a> {
    Made(Rc<[Value<'a>]>),
    Json(&'a [Json]),
    Words(&'a [Word]),
    Commands(&'a [SimpleCommand]),
    Redirects(&'a [Redirect]),
    Assignments(&'a [Assignment]),
    PastCalls(&'a [PastCall]),
}

/// An object.
#[derive(Clone, Debug)]
pub(super) enum Map<'a> {
    Made(Rc<[(Text<'a>, Value<'a>)]>),
    Json(&'a serde_json::Map<String, Json>),
}

/// A record of the shell reader.
#[derive(Clone, Copy, Debug)]
pub(super) enum Record<'a> {
    Command(&'a SimpleCommand),
    Redirect(&'a Redirect),
    Assignment(&'a Assignment),
    PastCall(&'a PastCall),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::Borrowed(text)
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self::Made(text.into())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> From<&'a Arc<str>> for Value<'a> {
    fn from(text: &'a Arc<str>) -> Self {
        Self::Text(Text::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> From<std::borrow::Cow<'a, str>> for Value<'a> {
    fn from(text: std::borrow::Cow<'a, str>) -> Self {
        match text {
            std::borrow::Cow::Borrowed(text) => text.into(),
            std::borrow::Cow::Owned(text) => text.into(),
        }
    }
}

impl<'a> From<&'a Json> for Value<'a> {
    fn from(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => number
                .as_i64()
                .map_or_else(|| Self::Double(number.as_f64().unwrap_or(f64::NAN)), Self::Int),
            Json::String(text) => text.as_str().into(),
            Json::Array(items) => Self::List(List::Json(items)),
            Json::Object(fields) => Self::Map(Map::Json(fields)),
        }
    }
}

impl<'a> FromIterator<Value<'a>> for Value<'a> {
    fn from_iter<I: IntoIterator<Item = Value<'a>>>(items: I) -> Self {
        Self::List(List::Made(items.into_iter().collect()))
    }
}

impl<'a> List<'a> {
    /// Converts the list to a value. An open list may have more elements than are known (RU-44).
    pub(super) fn into_value(self, is_open: bool) -> Value<'a> {
        if is_open { Value::Open(self) } else { Value::List(self) }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Made(items) => items.len(),
            Self::Json(items) => items.len(),
            Self::Words(items) => items.len(),
            Self::Commands(items) => items.len(),
            Self::Redirects(items) => items.len(),
            Self::Assignments(items) => items.len(),
            Self::PastCalls(items) => items.len(),
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<Value<'a>> {
        Some(match self {
            Self::Made(items) => items.get(at)?.clone(),
            Self::Json(items) => (*items).get(at)?.into(),
            Self::Words(items) => (*items).get(at)?.text.as_str().into(),
            Self::Commands(items) => Value::Record(Record::Command((*items).get(at)?)),
            Self::Redirects(items) => Value::Record(Record::Redirect((*items).get(at)?)),
            Self::Assignments(items) => Value::Record(Record::Assignment((*items).get(at)?)),
            Self::PastCalls(items) => Value::Record(Record::PastCall((*items).get(at)?)),
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Value<'a>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

impl<'a> Map<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Made(fields) => fields.len(),
            Self::Json(fields) => fields.len(),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'a>> {
        match self {
            Self::Made(fields) => {
                fields.iter().find(|(name, _)| **name == *key).map(|(_, value)| value.clone())
            }
            Self::Json(fields) => (*fields).get(key).map(Value::from),
        }
    }

    /// Returns the steps to find a key: maps of the event are hashed, maps of the rule are searched
    /// linearly.
    pub(super) fn search_cost(&self) -> usize {
        match self {
            Self::Made(fields) => fields.len() / 4,
            Self::Json(_) => 0,
        }
    }

    pub(super) fn fields(&self) -> Vec<(Text<'a>, Value<'a>)> {
        match self {
            Self::Made(fields) => fields.to_vec(),
            Self::Json(fields) => {
                fields.iter().map(|(key, value)| (key.as_str().into(), value.into())).collect()
            }
        }
    }
}

impl Record<'_> {
    pub(super) fn record_kind(&self) -> Kind {
        match self {
            Self::Command(_) => Kind::Command,
            Self::Redirect(_) => Kind::Redirect,
            Self::Assignment(_) => Kind::Assignment,
            Self::PastCall(_) => Kind::PastCall,
        }
    }

    /// Returns the cost of a comparison.
    pub(super) fn comparison_cost(&self) -> usize {
        let text = |text: &str| 1 + text.len() / 16;
        match self {
            Self::Command(command) => {
                let words = command.words.iter().map(|word| text(&word.source)).sum::<usize>();
                100 + words + 10 * (command.redirects.len() + command.assignments.len())
            }
            Self::Redirect(Redirect { target: Target::HereDocument { body, .. }, .. }) => {
                text(body)
            }
            Self::Redirect(Redirect { target: Target::Word(word), .. }) => text(&word.source),
            Self::Redirect(_) => 1,
            Self::Assignment(assignment) => text(&assignment.value.source),
            Self::PastCall(call) => 1 + call.programs.len(),
        }
    }
}

impl Value<'_> {
    /// Returns true if it is a list that may have more elements than are known.
    pub(super) const fn is_open_ended_list(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Returns the kind of the value, in words for people.
    pub(super) fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Double(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) | Self::Open(_) => "an array",
            Self::Map(_) => "an object",
            Self::Record(record) => record.record_kind().kind_name(),
        }
    }

    /// Returns the cost of a walk over the value: bytes of a text, elements of a list.
    pub(super) fn walk_cost(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Double(_) | Self::Record(_) => 1,
            Self::Text(text) => text.len(),
            Self::List(list) | Self::Open(list) => list.len(),
            Self::Map(map) => map.len(),
        }
    }

    /// Compares two values if they have an order.
    pub(super) fn partial_order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => Some(left.cmp(right)),
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(right)),
            (Self::Text(left), Self::Text(right)) => Some((**left).cmp(&**right)),
            _ => self.as_f64()?.partial_cmp(&other.as_f64()?),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "beside a double an integer is one")]
    fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            _ => None,
        }
    }

    /// Converts the value to JSON, counting steps for each part. A record becomes its command line.
    pub(super) fn to_json(&self, machine: &Machine<'_, '_>) -> Result<Json, Stop> {
        machine.spend_steps(1 + self.walk_cost() / 16)?;
        Ok(match self {
            Self::Null => Json::Null,
            Self::Bool(flag) => (*flag).into(),
            Self::Int(number) => (*number).into(),
            Self::Double(number) => (*number).into(),
            Self::Text(text) => (**text).into(),
            Self::List(list) | Self::Open(list) => {
                list.iter().map(|value| value.to_json(machine)).collect::<Result<_, _>>()?
            }
            Self::Map(map) => {
                machine.spend_steps(map.len() * ELEMENT)?;
                let fields = map.fields().into_iter();
                let fields =
                    fields.map(|(key, value)| Ok(((*key).to_owned(), value.to_json(machine)?)));
                Json::Object(fields.collect::<Result<_, Stop>>()?)
            }
            Self::Record(record) => {
                machine.spend_steps(record.comparison_cost())?;
                record.to_string().into()
            }
        })
    }

    /// Writes the value for people: a text as it is, the elements of a list separated by commas.
    pub(super) fn write_for_people(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(flag) => write!(out, "{flag}"),
            Self::Int(number) => write!(out, "{number}"),
            Self::Double(number) => write!(out, "{}", Json::from(*number)),
            Self::Text(text) => out.write_str(text),
            Self::Record(record) => write!(out, "{record}"),
            Self::List(list) | Self::Open(list) => {
                for (at, item) in list.iter().enumerate() {
                    out.write_str(if at == 0 { "" } else { ", " })?;
                    item.write_for_people(out)?;
                }
                Ok(())
            }
            Self::Map(map) => write_map_as_json(map, out),
        }
    }
}

/// Writes an object as JSON.
fn write_map_as_json(map: &Map<'_>, out: &mut impl fmt::Write) -> fmt::Result {
    let quoted = |text: &str, out: &mut dyn fmt::Write| write!(out, "{}", Json::from(text));
    out.write_str("{")?;
    for (at, (key, value)) in map.fields().into_iter().enumerate() {
        out.write_str(if at == 0 { "" } else { "," })?;
        quoted(&key, out)?;
        out.write_str(":")?;
        write_as_json(&value, out)?;
    }
    out.write_str("}")
}

fn write_as_json(value: &Value<'_>, out: &mut impl fmt::Write) -> fmt::Result {
    match value {
        Value::Text(text) => write!(out, "{}", Json::from(&**text)),
        Value::Record(record) => write!(out, "{}", Json::from(record.to_string())),
        Value::List(list) | Value::Open(list) => {
            out.write_str("[")?;
            for (at, item) in list.iter().enumerate() {
                out.write_str(if at == 0 { "" } else { "," })?;
                write_as_json(&item, out)?;
            }
            out.write_str("]")
        }
        other => other.write_for_people(out),
    }
}

impl fmt::Display for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => f.write_str(&command.unquoted_text()),
            Self::Redirect(redirect) => f.write_str(&redirect.operator),
            Self::Assignment(assignment) => {
                write!(f, "{}={}", assignment.name, assignment.value.text)
            }
            Self::PastCall(call) => f.write_str(&call.tool),
        }
    }
}
