//! Reads a text that is one JSON object and nothing else, such as an event. Mends nothing and guesses nothing; a key that stands
//! twice is reported and not chosen between, for the next reader of the text may keep the other one. Rule J-20.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How many keys that stand twice are reported.
const MAX_REPORTED: usize = 16;
const UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// One JSON object, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whole {
    /// Its fields; of a key that stands twice, the last value.
    pub fields: Map<String, Value>,
    /// The keys that stand twice in one object, each with those above it: `tool_input.command`.
    pub twice: Vec<String>,
}

/// Why a text is not one JSON object. The message follows the name of the text.
#[derive(Debug, thiserror::Error)]
pub enum WholeError {
    /// The text has no content.
    #[error("is empty")]
    Empty,
    /// The text is in another encoding.
    #[error("is in UTF-16, not in UTF-8")]
    Utf16,
    /// The text is a JSON value of another type.
    #[error("is not a JSON object")]
    NotAnObject,
    /// The text is not JSON.
    #[error("is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Reads one JSON object.
///
/// # Errors
///
/// What the text is instead of an object.
pub fn read_whole_object(bytes: &[u8]) -> Result<Whole, WholeError> {
    // Editors on Windows put a mark before the text.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(WholeError::Empty);
    }
    if UTF16.iter().any(|mark| bytes.starts_with(mark))
        || bytes.iter().take(2).any(|byte| *byte == 0)
    {
        return Err(WholeError::Utf16);
    }
    let walk = Walk::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = Seed(&walk).deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    match read {
        Ok(Value::Object(fields)) => Ok(Whole { fields, twice: walk.twice.into_inner() }),
        Ok(_) => Err(WholeError::NotAnObject),
        Err(error) => Err(error.into()),
    }
}

/// Where the reader stands, and what it found.
#[derive(Default)]
struct Walk {
    above: RefCell<Vec<String>>,
    twice: RefCell<Vec<String>>,
}

impl Walk {
    fn report_duplicate(&self, key: &str) {
        let mut path = self.above.borrow().join(".");
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        let mut twice = self.twice.borrow_mut();
        if twice.len() < MAX_REPORTED && !twice.contains(&path) {
            twice.push(path);
        }
    }
}

/// Reads any value. The reader below bounds how deep they nest.
#[derive(Clone, Copy)]
struct Seed<'w>(&'w Walk);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
        Number::from_f64(number).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = pairs.next_key::<String>()? {
            if fields.contains_key(&key) {
                self.0.report_duplicate(&key);
            }
            self.0.above.try_borrow_mut().map_err(A::Error::custom)?.push(key);
            let value = pairs.next_value_seed(self)?;
            let key = self.0.above.try_borrow_mut().map_err(A::Error::custom)?.pop();
            fields.insert(key.unwrap_or_default(), value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// J-20.
    #[test]
    fn duplicate_key_is_reported_with_its_path() {
        let text = r#"{"a": 1, "b": {"c": [{"d": 1, "d": 2, "d": 3}], "c": 4}, "a": null}"#;
        let read = read_whole_object(text.as_bytes()).unwrap();
        assert_eq!(read.twice, ["b.c.d", "b.c", "a"]);
        assert_eq!(Value::Object(read.fields), json!({"a": null, "b": {"c": 4}}));
        // The same key, spelled in two ways.
        assert_eq!(read_whole_object(br#"{"a": 1, "\u0061": 2}"#).unwrap().twice, ["a"]);
        assert_eq!(read_whole_object(br#"{"a": {"x": 1}, "b": {"x": 1}}"#).unwrap().twice, [""; 0]);
    }

    /// J-20.
    #[test]
    fn what_is_read_is_what_stands_there() {
        let text = r#"{"a": [0, -1, 1.5, 18446744073709551615, true, null, "\ud83d\ude00", {}]}"#;
        let plain: Value = serde_json::from_str(text).unwrap();
        assert_eq!(Value::Object(read_whole_object(text.as_bytes()).unwrap().fields), plain);
        assert!(read_whole_object(b"\xef\xbb\xbf {} \n").is_ok());
    }

    /// J-20.
    #[test]
    fn text_that_is_no_object_is_refused_with_its_kind() {
        let deep = format!("{}1{}", "{\"a\":".repeat(2_000), "}".repeat(2_000));
        let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, why) in [
            (&b""[..], "is empty"),
            (b" \n\t", "is empty"),
            (b"\xef\xbb\xbf", "is empty"),
            (b"[]", "is not a JSON object"),
            (b"\"{}\"", "is not a JSON object"),
            (b"null", "is not a JSON object"),
            (b"{} {}", "trailing characters"),
            (b"{", "is not valid JSON"),
            (b"{\"a\": 1,}", "is not valid JSON"),
            (b"{\"a\": 1e999}", "number out of range"),
            (b"{\"a\": \"\xff\"}", "is not valid JSON"),
            (b"{\"a\": \"\\ud800\"}", "is not valid JSON"),
            (b"\xff\xfe{\x00}\x00", "UTF-16"),
            (&utf16, "UTF-16"),
            (deep.as_bytes(), "recursion limit"),
        ] {
            let text = read_whole_object(bytes).unwrap_err().to_string();
            assert!(text.contains(why), "{text}: {why}");
        }
    }
}
