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

    /// What a word means.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(it, _)| *it == word).map(|(_, it)| *it)
    }

    /// The word that configs use.
    #[must_use]
    pub const fn word(self) -> &'static str {
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

impl RecordTable {
    /// What holds where `self` is the stronger file's and `weaker` the other's.
    #[must_use]
    pub fn over(self, weaker: Self) -> Self {
        Self {
            enabled: self.enabled.or(weaker.enabled),
            dir: self.dir.or(weaker.dir),
            content: self.content.or(weaker.content),
            keep_days: self.keep_days.or(weaker.keep_days),
            max_bytes: self.max_bytes.or(weaker.max_bytes),
            required: self.required.or(weaker.required),
        }
    }
}
