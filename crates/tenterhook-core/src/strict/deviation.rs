//! The ways in which a text deviates from one strict object, with the words for each. Judges none.

use std::fmt;

use super::MAX_DEPTH;

/// One way to deviate from "exactly one strict object".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Deviation {
    /// Text, then an object from the start of a line to the end of the text (J-7).
    TextBefore,
    /// An object, then text (J-8).
    TextAfter,
    /// Text, an object on separate lines, text (J-9).
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
    /// More than [`MAX_NODES`](super::MAX_NODES) values, [`MAX_OBJECTS`](super::MAX_OBJECTS) objects or [`MAX_SHADOWED`](super::MAX_SHADOWED) hidden duplicates, or too many broken
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
    const fn description(self) -> &'static str {
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
    /// Returns the number of the rule in `docs/spec/answers-json.md`.
    #[must_use]
    pub const fn spec_rule_number(&self) -> &'static str {
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

    /// Returns a stable name, such as `text-before`.
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

    /// Returns what the program should print instead.
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
            Self::Relaxed(laxity) => write!(f, "not strict JSON: {}", laxity.description()),
            Self::Torn => f.write_str("the JSON object is broken or breaks off"),
            Self::Utf16 => f.write_str("the text is UTF-16"),
            Self::InvalidUtf8 => f.write_str("the text is not valid UTF-8"),
            Self::Controls => f.write_str("control characters in or around the JSON object"),
            Self::TooDeep => write!(f, "the JSON is nested deeper than {MAX_DEPTH} levels"),
            Self::TooBig => f.write_str("the JSON has too many values"),
        }
    }
}
