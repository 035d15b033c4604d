//! Lazy JSON: fields stay unparsed, of whatever type, until a decoder reads them. Knows the shapes
//! of agents' lines only as far as it needs them to recognize the agent.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::TranscriptAgent;

/// The error of a line that is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unread;

impl From<serde_json::Error> for Unread {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// Declares parts of a line: their fields borrow from the line, and are empty if missing.
macro_rules! borrowed_parts {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident<$line:lifetime> {
        $($(#[$about:meta])* $seen:vis $field:ident: $type:ty,)*
    })*) => {$(
        #[derive(serde::Deserialize)]
        $(#[$meta])*
        $vis struct $name<$line> {
            $(#[serde(borrow, default)] $(#[$about])* $seen $field: $type,)*
        }
    )*};
}
pub(crate) use borrowed_parts;

/// A field, unparsed.
pub(crate) type Field<'a> = Option<&'a RawValue>;

/// Readers of a field: a wrong type is an absence, never an error.
pub(crate) trait Ask<'a> {
    /// Returns the text of a string.
    fn string_value(self) -> Option<Cow<'a, str>>;
    /// Returns true if the value is `true`.
    fn holds_true(self) -> bool;
    /// Returns the JSON text; `None` for `null`.
    fn json_text(self) -> Option<&'a str>;
    /// Returns true if the value is an object.
    fn holds_object(self) -> bool;
    /// Deserializes the value as a `T`.
    fn deserialize_value<T: Deserialize<'a>>(self) -> Option<T>;
    /// Returns the value as an integer.
    fn integer_value(self) -> Option<i64>;
    /// Returns the text of a string with its JSON escapes, for searches in text that needs no
    /// escapes.
    fn escaped_string(self) -> Option<&'a str>;
}

impl<'a> Ask<'a> for Field<'a> {
    fn string_value(self) -> Option<Cow<'a, str>> {
        let json = self?.get();
        let inside = json.strip_prefix('"')?.strip_suffix('"')?;
        match memchr::memchr(b'\\', inside.as_bytes()) {
            None => Some(Cow::Borrowed(inside)),
            Some(_) => serde_json::from_str::<String>(json).ok().map(Cow::Owned),
        }
    }

    fn holds_true(self) -> bool {
        self.is_some_and(|field| field.get() == "true")
    }

    fn json_text(self) -> Option<&'a str> {
        self.map(RawValue::get).filter(|text| *text != "null")
    }

    fn holds_object(self) -> bool {
        self.is_some_and(|field| field.get().starts_with('{'))
    }

    fn deserialize_value<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.json_text()?).ok()
    }

    fn integer_value(self) -> Option<i64> {
        self.deserialize_value()
    }

    fn escaped_string(self) -> Option<&'a str> {
        self?.get().strip_prefix('"')?.strip_suffix('"')
    }
}

/// A nested object that is parsed in the same pass as its line; empty for any other type.
pub(crate) struct Within<T>(Option<T>);

impl<T> Default for Within<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Within<T> {
    pub(crate) fn as_object(&self) -> Option<&T> {
        self.0.as_ref()
    }

    pub(super) fn into_object(self) -> Option<T> {
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

/// A text, or a list of objects, parsed in the same pass as its line.
#[derive(Default)]
pub(crate) enum Content<'a, T> {
    Text(Cow<'a, str>),
    List(Vec<T>),
    #[default]
    None,
}

impl<'a, T> Content<'a, T> {
    pub(crate) fn as_list(&self) -> &[T] {
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

/// A JSON value as far as decoders need it.
enum Read<'de, T> {
    Object(T),
    List(Vec<T>),
    Text(Cow<'de, str>),
    Other,
}

/// Accepts a value of any type: a wrong type is an absence.
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
            list.extend(item.into_object());
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

/// Parses a timestamp into milliseconds since 1970.
pub(crate) fn parse_timestamp(text: Option<&str>) -> Option<i64> {
    text?.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

borrowed_parts! {
    /// The fields that distinguish the lines of agents.
    struct Shape<'a> {
        r#type: Field<'a>,
        payload: Field<'a>,
        data: Field<'a>,
        id: Field<'a>,
        #[serde(rename = "sessionId")]
        session: Field<'a>,
        uuid: Field<'a>,
        #[serde(rename = "projectHash")]
        project_hash: Field<'a>,
        #[serde(rename = "$set")]
        set: Field<'a>,
        message: Field<'a>,
        #[serde(rename = "systemPayload")]
        system_payload: Field<'a>,
        table: Field<'a>,
        info: Field<'a>,
        messages: Field<'a>,
        model: Field<'a>,
        cwd: Field<'a>,
        role: Field<'a>,
        #[serde(rename = "hostId")]
        host: Field<'a>,
        timestamp: Field<'a>,
        store_format: Field<'a>,
    }

    struct Parts<'a> {
        parts: Field<'a>,
    }
}

pub(super) fn recognize_agent_by_line(line: &[u8]) -> Option<TranscriptAgent> {
    let shape: Shape<'_> = serde_json::from_slice(line).ok()?;
    let kind = shape.r#type.string_value();
    let kind = kind.as_deref().unwrap_or_default();
    let parts = || {
        shape.message.deserialize_value::<Parts<'_>>().is_some_and(|parts| parts.parts.is_some())
    };
    let table: &[(bool, TranscriptAgent)] = &[
        (shape.table.is_some() && shape.id.is_some(), TranscriptAgent::OpenCode),
        (shape.info.holds_object() && shape.messages.is_some(), TranscriptAgent::OpenCode),
        (shape.payload.is_some() && !kind.is_empty(), TranscriptAgent::Codex),
        (shape.data.holds_object() && kind.contains('.'), TranscriptAgent::Copilot),
        (shape.project_hash.is_some() || shape.set.is_some(), TranscriptAgent::Gemini),
        (
            shape.session.is_some() && (shape.system_payload.is_some() || parts()),
            TranscriptAgent::Qwen,
        ),
        (
            kind == "session" && shape.model.is_some() && shape.cwd.is_some(),
            TranscriptAgent::Tenterhook,
        ),
        (kind == "session" && shape.timestamp.is_some(), TranscriptAgent::Pi),
        (shape.store_format.is_some(), TranscriptAgent::Vibe),
        (kind == "session_start" && shape.host.is_some(), TranscriptAgent::Droid),
        (kind == "message" && shape.role.is_some(), TranscriptAgent::Tenterhook),
        (
            shape.session.is_some() && (shape.uuid.is_some() || !kind.is_empty()),
            TranscriptAgent::Claude,
        ),
    ];
    table.iter().find_map(|(is, agent)| is.then_some(*agent))
}
