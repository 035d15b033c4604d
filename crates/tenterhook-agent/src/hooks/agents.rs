//! The hook points of subagents, of the tasks that stand for them, and of their worktrees.

use std::path::Path;

use tenterhook::Event;

use super::{Hooks, Verdict};

impl Hooks {
    fn task(&self, name: &str, id: &str, subject: &str, description: &str) -> Event {
        self.event(name)
            .with("task_id", id)
            .with("task_subject", subject)
            .with("task_description", description)
    }

    /// A task is about to be created.
    pub(crate) async fn task_created(&self, id: &str, subject: &str, description: &str) -> Verdict {
        self.fire(self.task("TaskCreated", id, subject, description)).await
    }

    /// A task is about to be done.
    pub(crate) async fn task_completed(
        &self,
        id: &str,
        subject: &str,
        description: &str,
    ) -> Verdict {
        self.fire(self.task("TaskCompleted", id, subject, description)).await
    }

    /// This subagent begins.
    pub(crate) async fn subagent_started(&self, task: &str, prompt: &str) -> Verdict {
        let event = self.event("SubagentStart").with("description", task).with("prompt", prompt);
        self.fire(event).await
    }

    /// A worktree is about to be made; a hook may make it and say where it is.
    pub(crate) async fn worktree_wanted(&self, name: &str) -> Verdict {
        self.fire(self.event("WorktreeCreate").with("name", name)).await
    }

    /// A worktree is about to be removed.
    pub(crate) async fn worktree_removed(&self, path: &Path) {
        let path = path.display().to_string();
        self.fire(self.event("WorktreeRemove").with("worktree_path", path)).await;
    }
}
