//! The hash chain of the record: each line names the digest of the line before it, so that a change
//! is found (RE-10). Pure text and digests; opens no file.
//!
//! A line is one JSON object that begins with its version, its number and the digest of the line
//! before, and ends with its own digest, computed over every byte before `,"hash":`. Lines are
//! written by hand and read by position, so that each record has exactly one valid form.

use sha2::{Digest as _, Sha256};

use serde_json::{Map, Value};

/// A SHA-256 digest.
pub(super) type Digest = [u8; 32];

/// How a line of this version begins.
const BEGINS: &str = "{\"v\":1,\"seq\":";
const PREV: &str = ",\"prev\":\"";
const HASH: &str = ",\"hash\":\"";
const ENDS: &str = "\"}";
const HEX: usize = 64;

/// The end of a chain: the number and digest of its last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) digest: Digest,
}

/// The position that a valid line states: its number and digest, and the digest before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sealed {
    pub(super) link: Link,
    pub(super) prev: Digest,
}

impl Sealed {
    /// Returns whether this line directly follows `before`.
    pub(super) fn directly_follows(&self, before: &Link) -> bool {
        self.link.seq == before.seq + 1 && self.prev == before.digest
    }
}

/// Returns the line for `body` after `before`, with its line break, and the new end of the chain.
pub(super) fn seal_record(before: &Link, body: &Map<String, Value>) -> (String, Link) {
    let seq = before.seq + 1;
    let body = serde_json::to_string(body).unwrap_or_default();
    let inner = body.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    let comma = if inner.is_empty() { "" } else { "," };
    let prev = digest_to_hex(&before.digest);
    let mut line = format!("{BEGINS}{seq}{PREV}{prev}\"{comma}{inner}");
    let digest: Digest = Sha256::digest(line.as_bytes()).into();
    line.push_str(HASH);
    line.push_str(&digest_to_hex(&digest));
    line.push_str(ENDS);
    line.push('\n');
    (line, Link { seq, digest })
}

/// Parses a line without its line break; `None` if any byte was changed.
pub(super) fn parse_sealed_line(line: &[u8]) -> Option<Sealed> {
    let line = std::str::from_utf8(line).ok()?;
    let (before, last) = line.strip_suffix(ENDS)?.rsplit_once(HASH)?;
    let digest = digest_from_hex(last)?;
    if digest != Digest::from(Sha256::digest(before.as_bytes())) {
        return None;
    }
    let rest = before.strip_prefix(BEGINS)?;
    let (seq, rest) = rest.split_once(PREV)?;
    let prev = digest_from_hex(rest.get(..HEX)?)?;
    Some(Sealed { link: Link { seq: seq.parse().ok()?, digest }, prev })
}

/// The digest of some bytes, in the form that records use.
pub(super) fn sha256_text(bytes: &[u8]) -> String {
    format!("sha256:{}", digest_to_hex(&Sha256::digest(bytes).into()))
}

pub(super) fn digest_to_hex(digest: &Digest) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |byte: u8| DIGITS.get(usize::from(byte)).copied().unwrap_or('0');
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Parses lower-case hexadecimal digits only, so that each digest has one spelling.
pub(super) fn digest_from_hex(text: &str) -> Option<Digest> {
    let nibble = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut digest = Digest::default();
    if text.len() != HEX {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = nibble(*high)? << 4 | nibble(*low)?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> (String, Link) {
        let mut body = Map::new();
        body.insert("kind".to_owned(), "end".into());
        body.insert("event".to_owned(), ",\"hash\":\"".into());
        seal_record(&Link { seq: 6, digest: [7; 32] }, &body)
    }

    /// RE-10.
    #[test]
    fn a_line_says_what_it_follows_and_is_json() {
        let (line, link) = line();
        let sealed = parse_sealed_line(line.trim_end().as_bytes()).expect("whole");
        assert_eq!(sealed.link, link);
        assert!(sealed.directly_follows(&Link { seq: 6, digest: [7; 32] }));
        assert!(!sealed.directly_follows(&Link { seq: 6, digest: [8; 32] }));
        assert!(!sealed.directly_follows(&Link { seq: 5, digest: [7; 32] }));
        let value: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!((&value["seq"], &value["kind"]), (&7.into(), &"end".into()));
    }

    /// RE-10: every single bit of every byte.
    #[test]
    fn no_bit_of_a_line_changes_unseen() {
        let (line, _) = line();
        let whole = line.trim_end().as_bytes();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.to_vec();
                changed[at] ^= 1 << bit;
                assert_eq!(parse_sealed_line(&changed), None, "byte {at}, bit {bit}");
            }
        }
    }
}
