//! The hook points of subagents, of the tasks that stand for them, and of their worktrees.

use std::path::Path;

use tenterhook::Event;

use super::{Hooks, Verdict};

impl Hooks {
    fn task_event(&self, name: &str, id: &str, subject: &str, description: &str) -> Event {
        self.new_event(name)
            .with("task_id", id)
            .with("task_subject", subject)
            .with("task_description", description)
    }

    /// Fires the event before a task is created.
    pub(crate) async fn fire_before_task_creation(
        &self,
        id: &str,
        subject: &str,
        description: &str,
    ) -> Verdict {
        self.fire_and_wait_for_hooks(self.task_event("TaskCreated", id, subject, description)).await
    }

    /// Fires the event before a task is done.
    pub(crate) async fn fire_before_task_completion(
        &self,
        id: &str,
        subject: &str,
        description: &str,
    ) -> Verdict {
        self.fire_and_wait_for_hooks(self.task_event("TaskCompleted", id, subject, description))
            .await
    }

    /// Fires the event at the start of this subagent.
    pub(crate) async fn fire_subagent_started(&self, task: &str, prompt: &str) -> Verdict {
        let event =
            self.new_event("SubagentStart").with("description", task).with("prompt", prompt);
        self.fire_and_wait_for_hooks(event).await
    }

    /// Fires the event before a worktree is made. A hook may make it and return its path.
    pub(crate) async fn fire_before_worktree_creation(&self, name: &str) -> Verdict {
        self.fire_and_wait_for_hooks(self.new_event("WorktreeCreate").with("name", name)).await
    }

    /// Fires the event before a worktree is removed.
    pub(crate) async fn fire_before_worktree_removal(&self, path: &Path) {
        let path = path.display().to_string();
        self.fire_and_wait_for_hooks(self.new_event("WorktreeRemove").with("worktree_path", path))
            .await;
    }
}
