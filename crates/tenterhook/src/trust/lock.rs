//! The file `tenterhook.lock` at the root of a project: digests of hooks that are the same in every
//! checkout, and signatures over them, for users who pinned the key (T-50 to T-57).
//!
//! The file is parsed strictly, has a size limit, and proves nothing without a valid signature of a
//! pinned key. `signed` compares its digests with the files of the project.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::key::{PublicKey, SecretKey};
use crate::discover;
use tenterhook_core::entry::digest::Canon;

/// Its name, at the root of a project.
pub const LOCK: &str = "tenterhook.lock";
/// Largest lock file that is read.
const MOST_BYTES: u64 = 16 << 20;
/// Its form.
const VERSION: u32 = 1;

/// A lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    pub(super) sources: Vec<Signed>,
    signatures: Vec<Signature>,
}

/// The signed part of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Signed {
    /// The file, from the root of the project, with `/`.
    pub(super) path: String,
    /// The dialect of its format.
    pub(super) dialect: String,
    /// The digest of its review.
    pub(super) review: String,
    /// The identities of its entries.
    pub(super) entries: Vec<String>,
    /// The digest of its settings outside of entries.
    pub(super) rest: String,
    /// Its text, to block what an entry that is gone would block (T-17).
    pub(super) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    key: String,
    value: String,
}

/// Why a lock file cannot be read, and at which line and column.
type Unreadable = (String, Option<(usize, usize)>);

/// What a lock file proves for a set of pinned keys.
#[derive(Clone, Debug)]
pub(super) enum Vouched {
    /// There is no lock file, or no key is pinned.
    Nothing,
    /// It is signed by none of the keys: by whom.
    Strangers(Vec<String>),
    /// It cannot be read, or one of the keys did not sign what it says: why, and at which line and
    /// column.
    Unusable(String, Option<(usize, usize)>),
    /// This was signed, by this key.
    By(Lock, PublicKey),
}

impl Lock {
    pub(super) fn new(sources: Vec<Signed>) -> Self {
        Self { version: VERSION, sources, signatures: Vec::new() }
    }

    /// Adds a signature. Keeps earlier signatures over the same content, so that keys can rotate
    /// (T-55).
    pub(super) fn with_signature(mut self, key: &SecretKey, before: Option<Self>) -> Self {
        let bytes = self.signed_bytes();
        let before = before.filter(|lock| lock.signed_bytes() == bytes).map(|lock| lock.signatures);
        self.signatures = before.unwrap_or_default();
        let name = key.public_key().to_string();
        self.signatures.retain(|signature| signature.key != name);
        self.signatures.push(Signature { key: name, value: key.sign(&bytes) });
        self
    }

    /// Returns the keys that the file names as signers. They are not verified.
    pub fn signers(&self) -> impl Iterator<Item = &str> {
        self.signatures.iter().map(|signature| signature.key.as_str())
    }

    /// Returns how many sources the file covers.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns whether the file covers no source.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The text of the file.
    ///
    /// # Errors
    ///
    /// Never, as far as is known: all of it is text.
    pub fn text(&self) -> io::Result<String> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        Ok(format!("{text}\n"))
    }

    /// Returns the bytes that are signed. They depend on the meaning only, because a checkout may
    /// change the layout.
    fn signed_bytes(&self) -> Vec<u8> {
        let sources = self.sources.iter().map(|source| {
            let Signed { path, dialect, review, entries, rest, text } = source;
            let one =
                Canon::new("signed source").with_field("path", path).with_field("dialect", dialect);
            let one = one.with_field("review", review).with_list_field("entries", entries);
            one.with_field("rest", rest).with_field("text", text).finish().to_string()
        });
        let all = Canon::new("tenterhook.lock").with_field("version", self.version.to_string());
        format!("tenterhook.lock {VERSION}\n{}", all.with_list_field("sources", sources).finish())
            .into_bytes()
    }

    /// Reads the lock file of a project without verifying it; `None` if there is no such file.
    pub(super) fn read_from_project(project: &Path) -> Option<Result<Self, Unreadable>> {
        let bytes = match discover::read_regular_file(&project.join(LOCK), MOST_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(Err((error.to_string(), None))),
            Ok(bytes) => bytes,
        };
        Some(match serde_json::from_slice::<Self>(&bytes) {
            Err(error) => {
                let place = (error.line(), error.column().max(1));
                let text = error.to_string();
                let why = text.rsplit_once(" at line ").map_or(&*text, |pair| pair.0).to_owned();
                Err((why, Some(place)))
            }
            Ok(lock) if lock.version != VERSION => {
                Err((format!("it is of version {}, which is not known here", lock.version), None))
            }
            Ok(lock) => Ok(lock),
        })
    }
}

/// Verifies the lock file of a project against the pinned `keys`.
pub(super) fn verify_lock_file(project: &Path, keys: &[PublicKey]) -> Vouched {
    if keys.is_empty() {
        return Vouched::Nothing;
    }
    let lock = match Lock::read_from_project(project) {
        None => return Vouched::Nothing,
        Some(Err((why, place))) => return Vouched::Unusable(why, place),
        Some(Ok(lock)) => lock,
    };
    let bytes = lock.signed_bytes();
    let mut fails = None;
    for signature in &lock.signatures {
        let key = keys.iter().find(|key| key.to_string() == signature.key);
        match key {
            Some(key) if key.verifies(&bytes, &signature.value) => return Vouched::By(lock, *key),
            Some(key) => fails = Some(*key),
            None => {}
        }
    }
    match fails {
        // What was signed is not what it says: doubt restrains, as with a store that cannot be
        // believed (T-32).
        Some(key) => Vouched::Unusable(format!("`{key}` did not sign what it says"), None),
        None => Vouched::Strangers(lock.signers().map(str::to_owned).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-51, T-56: a lock file of an unknown version proves nothing, even with a valid signature.
    #[test]
    fn a_lock_of_another_form_is_not_believed() {
        let (project, key) = (tempfile::tempdir().expect("a directory"), SecretKey::new(&[7; 32]));
        for version in [VERSION, VERSION + 1] {
            let lock = Lock { version, ..Lock::new(Vec::new()) }.with_signature(&key, None);
            let text = lock.text().expect("its text");
            std::fs::write(project.path().join(LOCK), text).expect("a file");
            let is_believed = match verify_lock_file(project.path(), &[key.public_key()]) {
                Vouched::By(_, by) => by == key.public_key(),
                Vouched::Unusable(why, _) => !why.contains("it is of version 2"),
                other => panic!("{other:?}"),
            };
            assert_eq!(is_believed, version == VERSION, "{version}");
        }
    }
}
