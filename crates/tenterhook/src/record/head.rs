//! The head of the chain, stored apart from the records, so that a record that was cut off from the
//! end is missed (RE-11). Text in and out; opens no file.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::chain::{Link, digest_from_hex, digest_to_hex};

/// The fixed length of the head, because it is overwritten in place.
pub(super) const BYTES: usize = 512;

/// The head of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The last record.
    pub(super) link: Link,
    /// The file of the last record.
    pub(super) file: String,
    /// The length of that file.
    pub(super) bytes: u64,
    /// The number of records since the last one that reached the log of the system (RE-51).
    pub(super) unsent: u64,
}

impl Head {
    /// Returns the content of the head file: one line, padded with spaces.
    pub(super) fn to_line(&self) -> String {
        let Self { link, file, bytes, unsent } = self;
        let mut fields = json!({ "v": 1, "seq": link.seq, "hash": digest_to_hex(&link.digest), "file": file, "bytes": bytes });
        if let Some(object) = fields.as_object_mut().filter(|_| *unsent > 0) {
            object.insert("unsent".to_owned(), (*unsent).into());
        }
        let check = digest_to_hex(&Sha256::digest(fields.to_string().as_bytes()).into());
        let line = format!("{fields} {check}");
        let padding = " ".repeat((BYTES - 1).saturating_sub(line.len()));
        [&line, &padding, "\n"].concat()
    }

    /// Parses the content of the head file; `None` if any byte was changed.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let fields: Value =
            serde_json::from_slice(text.split(|byte| *byte == b' ').next()?).ok()?;
        let head = Self {
            link: Link {
                seq: fields.get("seq")?.as_u64()?,
                digest: digest_from_hex(fields.get("hash")?.as_str()?)?,
            },
            file: fields.get("file")?.as_str()?.to_owned(),
            bytes: fields.get("bytes")?.as_u64()?,
            unsent: fields.get("unsent").and_then(Value::as_u64).unwrap_or_default(),
        };
        (head.to_line().as_bytes() == text).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RE-11.
    #[test]
    fn a_head_is_read_as_it_was_written_or_not_at_all() {
        for unsent in [0, u64::MAX] {
            let head = Head {
                link: Link { seq: u64::MAX, digest: [9; 32] },
                file: "2026-11-22.1234.jsonl".to_owned(),
                bytes: u64::MAX,
                unsent,
            };
            let text = head.to_line();
            assert_eq!(text.len(), BYTES);
            assert_eq!(Head::parse(text.as_bytes()), Some(head));
            for at in 0..text.len() {
                let mut changed = text.clone().into_bytes();
                changed[at] ^= 1;
                assert_eq!(Head::parse(&changed), None, "byte {at}");
            }
        }
        assert_eq!(Head::parse(b""), None);
    }
}
