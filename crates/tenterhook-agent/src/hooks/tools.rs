//! The hook points round a tool call.

use serde_json::Value;
use tenterhook::Event;

use super::{Hooks, Verdict};
use crate::conversation::Call;

impl Hooks {
    pub(super) fn call_event(&self, name: &str, call: &Call) -> Event {
        self.new_event(name)
            .with("tool_name", call.tool.as_str())
            .with("tool_input", call.input.clone())
            .with("tool_use_id", call.id.as_str())
    }

    /// Fires the event before a tool runs.
    pub(crate) async fn fire_before_tool(&self, call: &Call) -> Verdict {
        self.fire_and_wait_for_hooks(self.call_event("PreToolUse", call)).await
    }

    /// Fires the event before the user is asked for permission.
    pub(crate) async fn fire_before_permission_question(&self, call: &Call) -> Verdict {
        let rule = match crate::tool::text_argument(call, "command") {
            Some(command) => serde_json::json!({"toolName": call.tool, "ruleContent": command}),
            None => serde_json::json!({"toolName": call.tool}),
        };
        let suggestion = serde_json::json!({
            "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session",
        });
        let event = self
            .call_event("PermissionRequest", call)
            .with("permission_suggestions", vec![suggestion]);
        self.fire_and_wait_for_hooks(event).await
    }

    /// Fires the event for a refused tool call. Hooks may let the model try again.
    pub(crate) async fn fire_permission_denied(&self, call: &Call, reason: &str) -> Verdict {
        self.fire_and_wait_for_hooks(
            self.call_event("PermissionDenied", call).with("reason", reason),
        )
        .await
    }

    /// Fires the event after a tool ran.
    pub(crate) async fn fire_after_tool(&self, call: &Call, response: &Value) -> Verdict {
        self.fire_and_wait_for_hooks(
            self.call_event("PostToolUse", call).with("tool_response", response.clone()),
        )
        .await
    }

    /// Fires the event after a tool failed.
    pub(crate) async fn fire_tool_failed(
        &self,
        call: &Call,
        error: &str,
        exit_code: Option<i32>,
    ) -> Verdict {
        let event = self.tool_failure_event(call, error, false);
        self.fire_and_wait_for_hooks(match exit_code {
            Some(code) => event.with("exit_code", code),
            None => event,
        })
        .await
    }

    /// Fires the event for an interrupted tool in the background. Only the end of the program waits
    /// for its hooks.
    pub(crate) fn fire_tool_interrupted(
        &self,
        call: &Call,
        error: &str,
        then: impl FnOnce(Verdict) + Send + 'static,
    ) {
        let (event, hooks) = (self.tool_failure_event(call, error, true), self.clone());
        self.asides.spawn(async move { then(hooks.fire_and_wait_for_hooks(event).await) });
    }

    fn tool_failure_event(&self, call: &Call, error: &str, interrupted: bool) -> Event {
        self.call_event("PostToolUseFailure", call)
            .with("error", error)
            .with("is_interrupt", interrupted)
    }

    /// Fires the event after all tool calls of a reply.
    pub(crate) async fn fire_batch_done(&self, calls: &[Call]) -> Verdict {
        let calls = calls.iter().map(|call| {
            serde_json::json!({"tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.id})
        });
        self.fire_and_wait_for_hooks(
            self.new_event("PostToolBatch").with("tool_calls", calls.collect::<Vec<_>>()),
        )
        .await
    }

    /// Fires the event for the environment of a shell command, and returns its variables: those
    /// that hooks set so far, and those that they set for this one.
    pub(crate) async fn fire_for_shell_command_env(&self, call: &Call) -> Vec<(String, String)> {
        self.fire_and_wait_for_hooks(self.call_event("ShellEnv", call)).await;
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.session.env().into_iter().map(|(name, value)| (name, text(value))).collect()
    }
}
