//! The events that nearly every host has, with the fields that hooks read of them. Knows no dialect: the keys are the
//! neutral ones.

use std::path::PathBuf;

use serde_json::Value;

use super::{Event, Surroundings};

/// The agent is about to call a tool: what most gates are for.
pub const PRE_TOOL_USE: &str = "PreToolUse";

impl Surroundings {
    /// Creates the surroundings of a session that works in `cwd` and was started there.
    #[must_use]
    pub fn at(cwd: impl Into<PathBuf>) -> Self {
        let cwd = cwd.into();
        Self { project: cwd.clone(), cwd, ..Self::default() }
    }

    /// Sets the host's name for the session.
    #[must_use]
    pub fn session(self, id: impl Into<String>) -> Self {
        Self { session_id: id.into(), ..self }
    }
}

/// Each of these is without surroundings: [`Event::within`] says in which session it happens.
impl Event {
    fn new_without_surroundings(name: &str) -> Self {
        Self::new(name, Surroundings::default())
    }

    /// Sets the session in which the event happens.
    #[must_use]
    pub fn within(self, surroundings: &Surroundings) -> Self {
        Self { within: surroundings.clone(), ..self }
    }

    /// Creates the event that a session begins: `startup`, `resume`, `clear` or `compact`.
    #[must_use]
    pub fn session_start(source: &str) -> Self {
        Self::new_without_surroundings("SessionStart").with("source", source)
    }

    /// Creates the event that a session ends, for a reason such as `logout`.
    #[must_use]
    pub fn session_end(reason: &str) -> Self {
        Self::new_without_surroundings("SessionEnd").with("reason", reason)
    }

    /// Creates the event that the user submits a prompt.
    #[must_use]
    pub fn user_prompt_submit(prompt: &str) -> Self {
        Self::new_without_surroundings("UserPromptSubmit").with("prompt", prompt)
    }

    /// Creates the event that the agent is about to call a tool.
    #[must_use]
    pub fn pre_tool_use(name: &str, input: impl Into<Value>) -> Self {
        Self::new_without_surroundings(PRE_TOOL_USE)
            .with("tool_name", name)
            .with("tool_input", input)
    }

    /// Creates the event that a tool was called and returned.
    #[must_use]
    pub fn post_tool_use(name: &str, input: impl Into<Value>, response: impl Into<Value>) -> Self {
        Self::new_without_surroundings("PostToolUse")
            .with("tool_name", name)
            .with("tool_input", input)
            .with("tool_response", response)
    }

    /// Creates the event that a tool was called and failed.
    #[must_use]
    pub fn post_tool_use_failure(name: &str, input: impl Into<Value>, error: &str) -> Self {
        Self::new_without_surroundings("PostToolUseFailure")
            .with("tool_name", name)
            .with("tool_input", input)
            .with("error", error)
    }

    /// Creates the event that the agent wants to end its turn; `last` is its last message.
    #[must_use]
    pub fn stop(last: &str) -> Self {
        Self::new_without_surroundings("Stop")
            .with("stop_hook_active", false)
            .with("last_assistant_message", last)
    }

    /// Creates the event that the conversation is about to be summarized: `manual` or `auto`.
    #[must_use]
    pub fn pre_compact(trigger: &str) -> Self {
        Self::new_without_surroundings("PreCompact").with("trigger", trigger)
    }

    /// Creates the event that the agent notifies its user.
    #[must_use]
    pub fn notification(message: &str) -> Self {
        Self::new_without_surroundings("Notification").with("message", message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::DialectId;

    /// Every one of them is an event that the dialect with the most hooks has a row for.
    #[test]
    fn each_common_event_stands_in_the_table() {
        let events = [
            Event::session_start("startup"),
            Event::session_end("logout"),
            Event::user_prompt_submit("hello"),
            Event::pre_tool_use("Bash", json!({"command": "ls"})),
            Event::post_tool_use("Bash", json!({"command": "ls"}), "a"),
            Event::post_tool_use_failure("Bash", json!({"command": "ls"}), "gone"),
            Event::stop("done"),
            Event::pre_compact("auto"),
            Event::notification("hello"),
        ];
        for event in events {
            let row = DialectId::CLAUDE.dialect().event_row(&event.name);
            assert!(row.is_some(), "{}", event.name);
            assert!(!event.payload.is_empty(), "{}", event.name);
        }
    }

    #[test]
    fn an_event_happens_where_its_session_works() {
        let here = Surroundings::at("/repo").session("s1");
        let event = Event::pre_tool_use("Bash", json!({})).within(&here);
        assert_eq!(event.within, here);
        assert_eq!(event.within.project, PathBuf::from("/repo"));
    }
}
