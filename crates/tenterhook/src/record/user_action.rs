//! Decisions of the user about hooks and rules, such as an approval or a pause, as records (RE-6).
//! Only describes a decision; does not carry it out.

use serde_json::{Map, json};

use super::chain::sha256_text;
use super::entry::{Body, insert_field};

/// Kinds of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserActionKind {
    /// Run the hooks of a source as they were shown.
    Approve,
    /// Never run them, and do not ask again.
    Refuse,
    /// Revoke the earlier decision about a source.
    Forget,
    /// Let one denied call pass.
    AllowOnce,
    /// Pause self-protection.
    Pause,
    /// End the pause.
    PauseEnd,
}

impl UserActionKind {
    /// The name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
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

/// One decision of the user.
#[derive(Clone, Copy, Debug)]
pub struct UserAction<'a> {
    /// What the user decided.
    pub kind: UserActionKind,
    /// The source of an approval, the code of a denied call, the seconds of a pause, or empty.
    pub about: &'a str,
    /// What the user saw: the digest of a review, or the text of a call. Only its digest is
    /// recorded.
    pub shown: &'a str,
}

impl UserAction<'_> {
    pub(super) fn body_for_record(&self) -> Body {
        let mut fields = Map::new();
        insert_field(&mut fields, "what", self.kind.name());
        if !self.about.is_empty() {
            insert_field(&mut fields, "about", self.about);
        }
        if !self.shown.is_empty() {
            insert_field(&mut fields, "digest", sha256_text(self.shown.as_bytes()));
        }
        let mut body = Body::new();
        insert_field(&mut body, "kind", "said");
        insert_field(&mut body, "said", json!(fields));
        body
    }
}
