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
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, content)| *content)
    }

    /// The word that configs use.
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

    /// What holds of the user's table where `managed` is the organisation's: what that one sets stands, and where it requires records
    /// the user neither switches them off, nor moves them, nor has them removed sooner than by default (C-77).
    #[must_use]
    pub fn under(self, managed: Self) -> Self {
        if managed.required != Some(true) {
            return managed.over(self);
        }
        let left = Self {
            enabled: None,
            dir: None,
            keep_days: self.keep_days.filter(|days| *days >= KEEP_DAYS),
            max_bytes: self.max_bytes.filter(|bytes| *bytes >= MAX_BYTES),
            ..self
        };
        managed.over(left)
    }

    /// The keys that it sets and that `held`, which is what holds in the end, does not have from it.
    pub(crate) fn without_effect(&self, held: &Self) -> Vec<&'static str> {
        fn differs<T: PartialEq>(own: Option<&T>, held: Option<&T>) -> bool {
            own.is_some() && own != held
        }
        // `enabled` defaults to true: a file that sets it to true does not contradict.
        let on = held.enabled.or(Some(true));
        let keys = [
            ("enabled", differs(self.enabled.as_ref(), on.as_ref())),
            ("dir", differs(self.dir.as_ref(), held.dir.as_ref())),
            ("content", differs(self.content.as_ref(), held.content.as_ref())),
            ("keep_days", differs(self.keep_days.as_ref(), held.keep_days.as_ref())),
            ("max_bytes", differs(self.max_bytes.as_ref(), held.max_bytes.as_ref())),
            ("required", differs(self.required.as_ref(), held.required.as_ref())),
        ];
        keys.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }
}
