//! What a file says about the record of firings: `[record]`, and what that comes to. Values only.

use std::path::PathBuf;

/// How much of what people and models said is on record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Content {
    /// Its digest and length.
    #[default]
    Nothing,
    /// All but what looks like a secret.
    Redacted,
    /// All of it.
    Full,
}

impl Content {
    /// Every word that configs use for it.
    pub const WORDS: &'static [(&'static str, Self)] =
        &[("none", Self::Nothing), ("redacted", Self::Redacted), ("full", Self::Full)];

    /// Returns the content for a word of a config file.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, content)| *content)
    }

    /// Returns the word for it in config files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Redacted => "redacted",
            Self::Full => "full",
        }
    }
}

/// What one file says; what it leaves out is left to others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordTable {
    /// Whether firings are recorded.
    pub enabled: Option<bool>,
    /// Where.
    pub dir: Option<PathBuf>,
    /// How much.
    pub content: Option<Content>,
    /// For how many days.
    pub keep_days: Option<u32>,
    /// In how many bytes.
    pub max_bytes: Option<u64>,
    /// Whether nothing may happen that is not on record.
    pub required: Option<bool>,
}

/// For how many days records are kept where no file says so.
pub const KEEP_DAYS: u32 = 30;
/// In how many bytes.
pub const MAX_BYTES: u64 = 64 << 20;

impl RecordTable {
    /// Merges two tables: a key that `self` does not set comes from `weaker`.
    #[must_use]
    pub fn with_fallback(self, weaker: Self) -> Self {
        Self {
            enabled: self.enabled.or(weaker.enabled),
            dir: self.dir.or(weaker.dir),
            content: self.content.or(weaker.content),
            keep_days: self.keep_days.or(weaker.keep_days),
            max_bytes: self.max_bytes.or(weaker.max_bytes),
            required: self.required.or(weaker.required),
        }
    }

    /// Merges the user's table with the organization's `managed` one, whose keys win. If that one
    /// requires records, the user can neither disable nor move them, nor shorten their retention
    /// below the default (C-77).
    #[must_use]
    pub fn with_managed(self, managed: Self) -> Self {
        if managed.required != Some(true) {
            return managed.with_fallback(self);
        }
        let left = Self {
            enabled: None,
            dir: None,
            keep_days: self.keep_days.filter(|days| *days >= KEEP_DAYS),
            max_bytes: self.max_bytes.filter(|bytes| *bytes >= MAX_BYTES),
            ..self
        };
        managed.with_fallback(left)
    }

    /// Returns the keys that this table sets to another value than `held`, the table in effect.
    pub(crate) fn overridden_keys(&self, held: &Self) -> Vec<&'static str> {
        fn is_overridden<T: PartialEq>(own: Option<&T>, held: Option<&T>) -> bool {
            own.is_some() && own != held
        }
        // `enabled` defaults to true: a file that sets it to true does not contradict.
        let on = held.enabled.or(Some(true));
        let keys = [
            ("enabled", is_overridden(self.enabled.as_ref(), on.as_ref())),
            ("dir", is_overridden(self.dir.as_ref(), held.dir.as_ref())),
            ("content", is_overridden(self.content.as_ref(), held.content.as_ref())),
            ("keep_days", is_overridden(self.keep_days.as_ref(), held.keep_days.as_ref())),
            ("max_bytes", is_overridden(self.max_bytes.as_ref(), held.max_bytes.as_ref())),
            ("required", is_overridden(self.required.as_ref(), held.required.as_ref())),
        ];
        keys.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }
}
