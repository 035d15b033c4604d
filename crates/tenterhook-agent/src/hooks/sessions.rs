//! The hook points of a session's life.

use std::path::Path;

use tenterhook::Event;
use tenterhook_core::dialect::Dispatch;

use super::{Hooks, Verdict};
use crate::instructions::Instructions;
use crate::update::Update;

impl Hooks {
    /// Fires the event for a repository that is set up on request.
    pub(crate) async fn fire_setup(&self, trigger: &str) -> Verdict {
        self.fire_and_wait_for_hooks(self.new_event("Setup").with("trigger", trigger)).await
    }

    /// Fires the event when the session begins, resumes, or continues after a clear or a
    /// compaction.
    pub(crate) async fn fire_session_started(&self, source: &str, model: &str) -> Verdict {
        self.fire_and_wait_for_hooks(
            self.new_event("SessionStart").with("source", source).with("model", model),
        )
        .await
    }

    /// Fires the event when a session ends and the program continues with a new one. Hooks that the
    /// session added end with it.
    pub(crate) async fn fire_session_ended(&self, reason: &str, turns: u64) {
        self.fire_and_wait_for_hooks(self.session_end_event(reason, turns)).await;
        self.session.clear_hooks();
    }

    /// Fires the event when the session and the program end. It only starts the hooks, and
    /// [`Hooks::wait_for_running_hooks`] waits for them (AG-34).
    pub(crate) async fn fire_program_end(&self, reason: &str, turns: u64) {
        self.dispatch_event(self.session_end_event(reason, turns), Dispatch::FireAndForget).await;
        self.session.clear_hooks();
    }

    fn session_end_event(&self, reason: &str, turns: u64) -> Event {
        self.new_event("SessionEnd").with("reason", reason).with("turns", turns)
    }

    /// Fires the event for something that the host shows to the user. Does not wait for hooks.
    pub(crate) fn fire_notification(&self, kind: &str, message: &str) {
        let event =
            self.new_event("Notification").with("notification_type", kind).with("message", message);
        let hooks = self.clone();
        tokio::spawn(async move { hooks.fire_and_wait_for_hooks(event).await });
    }

    /// Fires the event for a directory that was added to those in which the agent may work.
    pub(crate) async fn fire_directory_added(&self, directory: &Path, source: &str) -> Verdict {
        let event = self
            .new_event("DirectoryAdded")
            .with("directory", directory.display().to_string())
            .with("source", source);
        self.fire_and_wait_for_hooks(event).await
    }

    /// Fires the event before the conversation is compacted.
    pub(crate) async fn fire_before_compaction(
        &self,
        trigger: &str,
        instructions: &str,
    ) -> Verdict {
        let event = self
            .new_event("PreCompact")
            .with("trigger", trigger)
            .with("custom_instructions", instructions);
        self.fire_and_wait_for_hooks(event).await
    }

    /// Fires the event after the conversation was compacted.
    pub(crate) async fn fire_compacted(&self, trigger: &str, summary: &str) {
        let event =
            self.new_event("PostCompact").with("trigger", trigger).with("compact_summary", summary);
        self.fire_and_wait_for_hooks(event).await;
    }

    /// Fires the event after the permission mode changed.
    pub(crate) async fn fire_mode_changed(&self, from: &'static str, to: &'static str) {
        self.set_session_fact("permission_mode", to);
        self.updates.send(Update::Mode(to));
        self.fire_and_wait_for_hooks(
            self.new_event("ModeChange").with("mode", to).with("previous_mode", from),
        )
        .await;
    }

    /// Fires the event before the model is switched.
    pub(crate) async fn fire_before_model_switch(&self, from: &str, to: &str) -> Verdict {
        self.fire_and_wait_for_hooks(
            self.new_event("PreModelSwitch").with("from_model", from).with("to_model", to),
        )
        .await
    }

    /// Fires the event after the model was switched.
    pub(crate) async fn fire_model_switched(&self, from: &str, to: &str) {
        self.fire_and_wait_for_hooks(
            self.new_event("PostModelSwitch").with("from_model", from).with("to_model", to),
        )
        .await;
    }

    /// Fires the event after the agent's working directory changed.
    pub(crate) async fn fire_cwd_changed(&self, from: &Path, to: &Path) {
        let event = self
            .new_event("CwdChanged")
            .with("old_cwd", from.display().to_string())
            .with("new_cwd", to.display().to_string());
        self.fire_and_wait_for_hooks(event).await;
    }

    /// Fires the event after a file of instructions was loaded.
    pub(crate) async fn fire_instructions_loaded(&self, instructions: &Instructions) {
        let mut event = self
            .new_event("InstructionsLoaded")
            .with("file_path", instructions.path.display().to_string())
            .with("memory_type", instructions.memory)
            .with("load_reason", instructions.reason);
        if let Some(parent) = &instructions.parent {
            event = event.with("parent_file_path", parent.display().to_string());
        }
        self.fire_and_wait_for_hooks(event).await;
    }
}

#[cfg(test)]
mod tests {
    use tenterhook_core::dialect::DialectId;
    use tenterhook_core::event::EventName;
    use tenterhook_core::hook::{Hook, HookId, Run};
    use tenterhook_testkit::Sandbox;

    use super::*;

    /// `FireSessionEndClearsSessionHooks`.
    #[tokio::test]
    async fn the_end_of_a_session_clears_its_hooks() {
        let room = Sandbox::new().unwrap();
        let hooks = Hooks::from_test_sandbox(&room);
        let run = Run::Unusable { part: tenterhook_core::hook::Unread::Entry, why: String::new() };
        hooks.session.add_hook(Hook::new(
            HookId::new("mine"),
            DialectId::NATIVE,
            EventName::from("Stop"),
            run,
        ));
        assert_eq!(hooks.session.hooks().hooks().len(), 1);
        hooks.fire_session_ended("other", 0).await;
        assert!(hooks.session.hooks().hooks().is_empty());
    }
}
