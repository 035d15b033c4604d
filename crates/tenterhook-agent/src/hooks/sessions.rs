//! The hook points of a session's life.

use std::time::Duration;

use super::{Hooks, Said};

/// How long the hooks at the end of a session may hold up somebody who is leaving.
const LEAVING: Duration = Duration::from_millis(1500);

impl Hooks {
    /// A repository is set up, on request.
    pub(crate) async fn setup(&self, trigger: &str) -> Said {
        self.fire(self.event("Setup").with("trigger", trigger)).await
    }

    /// The session begins, resumes, or goes on after a clear or a compaction.
    pub(crate) async fn session_started(&self, source: &str, model: &str) -> Said {
        self.fire(self.event("SessionStart").with("source", source).with("model", model)).await
    }

    /// The session ends; never longer than its budget.
    pub(crate) async fn session_ended(&self, reason: &str, turns: u64) {
        let event = self.event("SessionEnd").with("reason", reason).with("turns", turns);
        self.fire_within(event, Some(LEAVING)).await;
    }

    /// The host tells the user something.
    pub(crate) async fn notified(&self, kind: &str, message: &str) {
        let event =
            self.event("Notification").with("notification_type", kind).with("message", message);
        self.fire(event).await;
    }

    /// The conversation is about to be compacted.
    pub(crate) async fn before_compaction(&self, trigger: &str, instructions: &str) -> Said {
        let event = self
            .event("PreCompact")
            .with("trigger", trigger)
            .with("custom_instructions", instructions);
        self.fire(event).await
    }

    /// The conversation was compacted.
    pub(crate) async fn compacted(&self, trigger: &str, summary: &str) {
        let event =
            self.event("PostCompact").with("trigger", trigger).with("compact_summary", summary);
        self.fire(event).await;
    }
}
