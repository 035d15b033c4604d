//! The digest of an approved entry: SHA-256 over named fields with their lengths, so that no two different
//! things have the same bytes. Pure.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of some bytes alone, as `sha256sum` prints it for a file.
    #[must_use]
    pub fn hash(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Parses what [`Display`](fmt::Display) writes: 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Returns the first digits, which are enough for people to tell two digests apart.
    #[must_use]
    pub fn short_text(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    /// At once, and not digit by digit: a source with twenty hooks writes thousands of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit =
            |half: u8| DIGITS.get(usize::from(half)).map_or('0', |digit| char::from(*digit));
        let mut text = String::with_capacity(64);
        text.extend(self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
        f.write_str(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A digest in the making: each field with its name and its length.
pub struct Canon(Sha256);

impl Canon {
    /// Starts a digest with the kind of what it is the digest of.
    pub fn new(what: &str) -> Self {
        Self(Sha256::new()).with_field("is", what)
    }

    /// Adds a field.
    pub fn with_field(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        for bytes in [name.as_bytes(), value.as_ref()] {
            self.0.update((bytes.len() as u64).to_be_bytes());
            self.0.update(bytes);
        }
        self
    }

    /// Adds a field that may be absent, which differs from an empty one.
    pub fn with_optional_field(self, name: &str, value: Option<impl AsRef<[u8]>>) -> Self {
        match value {
            Some(value) => self.with_field(name, value),
            None => self.with_field(name, "").with_field("absent", name),
        }
    }

    /// Adds a list: its length, then each item.
    pub fn with_list_field<T: AsRef<[u8]>>(
        self,
        name: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let values: Vec<T> = values.into_iter().collect();
        let counted = self.with_field(name, values.len().to_string());
        values.into_iter().fold(counted, |all, value| all.with_field("item", value))
    }

    /// Returns the digest of all fields.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-3.
    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let one = Digest::hash(b"abc");
        assert_eq!(
            one.to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(one.short_text(), "ba7816bf8f01");
        assert_eq!(Digest::parse(&one.to_string()), Some(one));
        let long = "0".repeat(65);
        for text in ["", "ba78", "G", &one.to_string().to_uppercase(), &long] {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }

    /// T-3: two meanings have two digests, wherever their fields are cut.
    #[test]
    fn fields_are_kept_apart() {
        let all = [
            Canon::new("x").with_field("ab", "c").finish(),
            Canon::new("x").with_field("a", "bc").finish(),
            Canon::new("x").with_list_field("a", ["b", "c"]).finish(),
            Canon::new("x").with_list_field("a", ["bc"]).finish(),
            Canon::new("x").with_optional_field("a", Some("")).finish(),
            Canon::new("x").with_optional_field("a", None::<&str>).finish(),
            Canon::new("y").finish(),
        ];
        let apart: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(apart.len(), all.len());
    }
}
