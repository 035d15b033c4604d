//! The hook points of a session's life.

use std::path::Path;

use tenterhook::Event;
use tenterhook_core::dialect::Dispatch;

use super::{Hooks, Verdict};
use crate::instructions::Instructions;
use crate::update::Update;

impl Hooks {
    /// A repository is set up, on request.
    pub(crate) async fn setup(&self, trigger: &str) -> Verdict {
        self.fire(self.event("Setup").with("trigger", trigger)).await
    }

    /// The session begins, resumes, or goes on after a clear or a compaction.
    pub(crate) async fn session_started(&self, source: &str, model: &str) -> Verdict {
        self.fire(self.event("SessionStart").with("source", source).with("model", model)).await
    }

    /// A session ends and the program goes on with a new one. The hooks that it added end with it.
    pub(crate) async fn session_ended(&self, reason: &str, turns: u64) {
        self.fire(self.session_end(reason, turns)).await;
        self.session.clear_hooks();
    }

    /// The session ends and the program with it. The hooks are started, and [`Hooks::finish`] waits for them (AG-34).
    pub(crate) async fn program_ends(&self, reason: &str, turns: u64) {
        self.dispatch(self.session_end(reason, turns), Dispatch::FireAndForget).await;
        self.session.clear_hooks();
    }

    fn session_end(&self, reason: &str, turns: u64) -> Event {
        self.event("SessionEnd").with("reason", reason).with("turns", turns)
    }

    /// The host shows the user something and does not wait for hooks.
    pub(crate) fn notify(&self, kind: &str, message: &str) {
        let event =
            self.event("Notification").with("notification_type", kind).with("message", message);
        let hooks = self.clone();
        tokio::spawn(async move { hooks.fire(event).await });
    }

    /// A directory was added to those that the agent may work in.
    pub(crate) async fn directory_added(&self, directory: &Path, source: &str) -> Verdict {
        let event = self
            .event("DirectoryAdded")
            .with("directory", directory.display().to_string())
            .with("source", source);
        self.fire(event).await
    }

    /// The conversation is about to be compacted.
    pub(crate) async fn before_compaction(&self, trigger: &str, instructions: &str) -> Verdict {
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

    /// The host went to another permission mode.
    pub(crate) async fn mode_changed(&self, from: &'static str, to: &'static str) {
        self.fact("permission_mode", to);
        self.updates.send(Update::Mode(to));
        self.fire(self.event("ModeChange").with("mode", to).with("previous_mode", from)).await;
    }

    /// The model is about to be switched.
    pub(crate) async fn before_model_switch(&self, from: &str, to: &str) -> Verdict {
        self.fire(self.event("PreModelSwitch").with("from_model", from).with("to_model", to)).await
    }

    /// The model was switched.
    pub(crate) async fn model_switched(&self, from: &str, to: &str) {
        self.fire(self.event("PostModelSwitch").with("from_model", from).with("to_model", to))
            .await;
    }

    /// The agent went to another directory.
    pub(crate) async fn cwd_changed(&self, from: &Path, to: &Path) {
        let event = self
            .event("CwdChanged")
            .with("old_cwd", from.display().to_string())
            .with("new_cwd", to.display().to_string());
        self.fire(event).await;
    }

    /// A file of instructions was loaded.
    pub(crate) async fn instructions_loaded(&self, instructions: &Instructions) {
        let mut event = self
            .event("InstructionsLoaded")
            .with("file_path", instructions.path.display().to_string())
            .with("memory_type", instructions.memory)
            .with("load_reason", instructions.reason);
        if let Some(parent) = &instructions.parent {
            event = event.with("parent_file_path", parent.display().to_string());
        }
        self.fire(event).await;
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
        let hooks = Hooks::of_room(&room);
        let run = Run::Unusable { part: tenterhook_core::hook::Unread::Entry, why: String::new() };
        hooks.session.add_hook(Hook::new(
            HookId::new("mine"),
            DialectId::NATIVE,
            EventName::from("Stop"),
            run,
        ));
        assert_eq!(hooks.session.hooks().hooks().len(), 1);
        hooks.session_ended("other", 0).await;
        assert!(hooks.session.hooks().hooks().is_empty());
    }
}
