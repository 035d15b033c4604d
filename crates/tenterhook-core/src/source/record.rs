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

/// The log of the system that records are also sent to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SystemLog {
    /// None.
    #[default]
    Off,
    /// The socket of syslog.
    Syslog,
    /// The socket of the journal of systemd.
    Journald,
}

impl SystemLog {
    /// Every word that configs use for it.
    pub const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("syslog", Self::Syslog), ("journald", Self::Journald)];

    /// Returns the log for a word of a config file.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, log)| *log)
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
    /// Which log of the system records are also sent to.
    pub system_log: Option<SystemLog>,
    /// The socket of that log, if it is elsewhere than usual.
    pub socket: Option<PathBuf>,
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
            system_log: self.system_log.or(weaker.system_log),
            socket: self.socket.or(weaker.socket),
        }
    }

    /// Merges the user's table with the organization's `managed` one, whose keys win. If that one
    /// requires records, the user can neither disable nor move them, nor shorten their retention
    /// below the default; if it sends them to a log, the user can neither disable them nor name
    /// another socket (C-77).
    #[must_use]
    pub fn with_managed(self, managed: Self) -> Self {
        let mut left = self;
        if managed.required == Some(true) {
            left.dir = None;
            left.keep_days = left.keep_days.filter(|days| *days >= KEEP_DAYS);
            left.max_bytes = left.max_bytes.filter(|bytes| *bytes >= MAX_BYTES);
        }
        let is_sent = managed.system_log.is_some_and(|log| log != SystemLog::Off);
        if is_sent {
            left.socket = None;
        }
        if is_sent || managed.required == Some(true) {
            left.enabled = None;
        }
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
            ("system_log", is_overridden(self.system_log.as_ref(), held.system_log.as_ref())),
            ("socket", is_overridden(self.socket.as_ref(), held.socket.as_ref())),
        ];
        keys.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }
}
