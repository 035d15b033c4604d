//! The hook points of subagents and of the tasks that stand for them.

use super::{Hooks, Said};

impl Hooks {
    /// This subagent begins.
    pub(crate) async fn subagent_started(&self, task: &str) -> Said {
        self.fire(self.event("SubagentStart").with("description", task)).await
    }
}
