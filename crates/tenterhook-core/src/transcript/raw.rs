//! JSON that is looked into only as far as it is needed: fields as they stand, whatever their type. Knows the shapes of agents'
//! lines only as far as they tell them apart.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Agent;

/// A line that is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unread;

impl From<serde_json::Error> for Unread {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// A field, as it stands.
pub(crate) type Field<'a> = Option<&'a RawValue>;

/// What can be asked of a field: a wrong type is an absence, never an error.
pub(crate) trait Ask<'a> {
    /// Its text.
    fn text(self) -> Option<Cow<'a, str>>;
    /// Whether it is `true`.
    fn yes(self) -> bool;
    /// The JSON of it; nothing for `null`.
    fn json(self) -> Option<&'a str>;
    /// Whether it is an object.
    fn braced(self) -> bool;
    /// It, read as this.
    fn read<T: Deserialize<'a>>(self) -> Option<T>;
    /// A whole number.
    fn number(self) -> Option<i64>;
    /// The text of it as it is written, with its escapes: plain words stand in it as they are.
    fn written(self) -> Option<&'a str>;
}

impl<'a> Ask<'a> for Field<'a> {
    fn text(self) -> Option<Cow<'a, str>> {
        let json = self?.get();
        let inside = json.strip_prefix('"')?.strip_suffix('"')?;
        match memchr::memchr(b'\\', inside.as_bytes()) {
            None => Some(Cow::Borrowed(inside)),
            Some(_) => serde_json::from_str::<String>(json).ok().map(Cow::Owned),
        }
    }

    fn yes(self) -> bool {
        self.is_some_and(|field| field.get() == "true")
    }

    fn json(self) -> Option<&'a str> {
        self.map(RawValue::get).filter(|text| *text != "null")
    }

    fn braced(self) -> bool {
        self.is_some_and(|field| field.get().starts_with('{'))
    }

    fn read<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.json()?).ok()
    }

    fn number(self) -> Option<i64> {
        self.read()
    }

    fn written(self) -> Option<&'a str> {
        self?.get().strip_prefix('"')?.strip_suffix('"')
    }
}

/// An object that is read where it stands, in the one pass over its line; nothing where something else does.
pub(crate) struct Within<T>(Option<T>);

impl<T> Default for Within<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Within<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    pub(super) fn take(self) -> Option<T> {
        self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Within<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = deserializer.deserialize_any(Loose(PhantomData::<T>))?;
        Ok(Self(match read {
            Read::Object(object) => Some(object),
            Read::List(_) | Read::Text(_) | Read::Other => None,
        }))
    }
}

/// A text, or a list of objects, read where it stands.
#[derive(Default)]
pub(crate) enum Content<'a, T> {
    Text(Cow<'a, str>),
    List(Vec<T>),
    #[default]
    None,
}

impl<'a, T> Content<'a, T> {
    pub(crate) fn list(&self) -> &[T] {
        match self {
            Self::List(all) => all,
            Self::Text(_) | Self::None => &[],
        }
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Content<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match deserializer.deserialize_any(Loose(PhantomData::<T>))? {
            Read::Text(text) => Self::Text(text),
            Read::List(all) => Self::List(all),
            Read::Object(_) | Read::Other => Self::None,
        })
    }
}

/// What stood there.
enum Read<'de, T> {
    Object(T),
    List(Vec<T>),
    Text(Cow<'de, str>),
    Other,
}

/// Takes what stands there, whatever it is: a wrong type is an absence.
struct Loose<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Loose<T> {
    type Value = Read<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Read::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = all.next_element::<Within<T>>()? {
            list.extend(item.take());
        }
        Ok(Read::List(list))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Read::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Read::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Read::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Read::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Read::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Read::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Read::Other)
    }
}

/// When a text says that it was, in milliseconds since 1970.
pub(crate) fn time(text: Option<&str>) -> Option<i64> {
    text?.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

/// The fields by which lines are told apart.
#[derive(Deserialize)]
struct Shape<'a> {
    #[serde(borrow, default)]
    r#type: Field<'a>,
    #[serde(borrow, default)]
    payload: Field<'a>,
    #[serde(borrow, default)]
    data: Field<'a>,
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default, rename = "sessionId")]
    session: Field<'a>,
    #[serde(borrow, default)]
    uuid: Field<'a>,
    #[serde(borrow, default, rename = "projectHash")]
    project_hash: Field<'a>,
    #[serde(borrow, default, rename = "$set")]
    set: Field<'a>,
    #[serde(borrow, default)]
    message: Field<'a>,
    #[serde(borrow, default, rename = "systemPayload")]
    system_payload: Field<'a>,
    #[serde(borrow, default)]
    table: Field<'a>,
    #[serde(borrow, default)]
    info: Field<'a>,
    #[serde(borrow, default)]
    messages: Field<'a>,
    #[serde(borrow, default)]
    model: Field<'a>,
    #[serde(borrow, default)]
    cwd: Field<'a>,
    #[serde(borrow, default)]
    role: Field<'a>,
}

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow, default)]
    parts: Field<'a>,
}

pub(super) fn recognize(line: &[u8]) -> Option<Agent> {
    let shape: Shape<'_> = serde_json::from_slice(line).ok()?;
    let kind = shape.r#type.text();
    let kind = kind.as_deref().unwrap_or_default();
    let parts = || shape.message.read::<Parts<'_>>().is_some_and(|parts| parts.parts.is_some());
    let table: &[(bool, Agent)] = &[
        (shape.table.is_some() && shape.id.is_some(), Agent::OpenCode),
        (shape.info.braced() && shape.messages.is_some(), Agent::OpenCode),
        (shape.payload.is_some() && !kind.is_empty(), Agent::Codex),
        (shape.data.braced() && kind.contains('.'), Agent::Copilot),
        (shape.project_hash.is_some() || shape.set.is_some(), Agent::Gemini),
        (shape.session.is_some() && (shape.system_payload.is_some() || parts()), Agent::Qwen),
        (kind == "session" && shape.model.is_some() && shape.cwd.is_some(), Agent::Tenterhook),
        (kind == "message" && shape.role.is_some(), Agent::Tenterhook),
        (shape.session.is_some() && (shape.uuid.is_some() || !kind.is_empty()), Agent::Claude),
    ];
    table.iter().find_map(|(is, agent)| is.then_some(*agent))
}
