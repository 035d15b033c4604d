//! What a person said of their guard: approved, refused, allowed once, paused. Told as a record of its own (RE-6); changes nothing.

use serde_json::{Map, json};

use super::chain::digest_of;
use super::entry::{Body, put};

/// What was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserActionKind {
    /// The hooks of a source run as they were shown.
    Approve,
    /// They do not, and nobody is asked again.
    Refuse,
    /// What was said of a source is forgotten.
    Forget,
    /// One call passes that was denied.
    AllowOnce,
    /// Self-protection rests.
    Pause,
    /// It does no longer.
    PauseEnd,
}

impl UserActionKind {
    /// The word for it in records.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Refuse => "refuse",
            Self::Forget => "forget",
            Self::AllowOnce => "allow once",
            Self::Pause => "pause",
            Self::PauseEnd => "pause end",
        }
    }
}

/// One thing that a person said.
#[derive(Clone, Copy, Debug)]
pub struct UserAction<'a> {
    /// What.
    pub kind: UserActionKind,
    /// Of what: the source of an approval, the code of a denied call, the seconds of a pause; empty where there is nothing to say.
    pub about: &'a str,
    /// What exactly was shown: the digest of a review, or the text of a call, of which no more than its digest is on record.
    pub shown: &'a str,
}

impl UserAction<'_> {
    pub(super) fn body(&self) -> Body {
        let mut said = Map::new();
        put(&mut said, "what", self.kind.word());
        if !self.about.is_empty() {
            put(&mut said, "about", self.about);
        }
        if !self.shown.is_empty() {
            put(&mut said, "digest", digest_of(self.shown.as_bytes()));
        }
        let mut body = Body::new();
        put(&mut body, "kind", "said");
        put(&mut body, "said", json!(said));
        body
    }
}
