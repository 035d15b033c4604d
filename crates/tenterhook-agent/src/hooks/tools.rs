//! The hook points round a tool call.

use serde_json::Value;
use tenterhook::Event;

use super::{Hooks, Verdict};
use crate::conversation::Call;

impl Hooks {
    pub(super) fn about(&self, name: &str, call: &Call) -> Event {
        self.event(name)
            .with("tool_name", call.tool.as_str())
            .with("tool_input", call.input.clone())
            .with("tool_use_id", call.id.as_str())
    }

    /// A tool is about to run.
    pub(crate) async fn before_tool(&self, call: &Call) -> Verdict {
        self.fire(self.about("PreToolUse", call)).await
    }

    /// The user is about to be asked for permission.
    pub(crate) async fn permission_asked(&self, call: &Call) -> Verdict {
        let rule = match crate::tool::text(call, "command") {
            Some(command) => serde_json::json!({"toolName": call.tool, "ruleContent": command}),
            None => serde_json::json!({"toolName": call.tool}),
        };
        let suggestion = serde_json::json!({
            "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session",
        });
        let event =
            self.about("PermissionRequest", call).with("permission_suggestions", vec![suggestion]);
        self.fire(event).await
    }

    /// A tool call was refused; whether the model may try again.
    pub(crate) async fn permission_denied(&self, call: &Call, reason: &str) -> Verdict {
        self.fire(self.about("PermissionDenied", call).with("reason", reason)).await
    }

    /// A tool ran.
    pub(crate) async fn after_tool(&self, call: &Call, response: &Value) -> Verdict {
        self.fire(self.about("PostToolUse", call).with("tool_response", response.clone())).await
    }

    /// A tool failed.
    pub(crate) async fn tool_failed(
        &self,
        call: &Call,
        error: &str,
        exit_code: Option<i32>,
    ) -> Verdict {
        let event = self.failure(call, error, false);
        self.fire(match exit_code {
            Some(code) => event.with("exit_code", code),
            None => event,
        })
        .await
    }

    /// A tool was interrupted. Only the end of the program waits for what hooks make of that.
    pub(crate) fn tool_interrupted(
        &self,
        call: &Call,
        error: &str,
        then: impl FnOnce(Verdict) + Send + 'static,
    ) {
        let (event, hooks) = (self.failure(call, error, true), self.clone());
        self.asides.run(async move { then(hooks.fire(event).await) });
    }

    fn failure(&self, call: &Call, error: &str, interrupted: bool) -> Event {
        self.about("PostToolUseFailure", call)
            .with("error", error)
            .with("is_interrupt", interrupted)
    }

    /// All tool calls of one reply are done.
    pub(crate) async fn batch_done(&self, calls: &[Call]) -> Verdict {
        let calls = calls.iter().map(|call| {
            serde_json::json!({"tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.id})
        });
        self.fire(self.event("PostToolBatch").with("tool_calls", calls.collect::<Vec<_>>())).await
    }

    /// The variables for a shell command: what hooks set so far, and what they set for this one.
    pub(crate) async fn shell_env(&self, call: &Call) -> Vec<(String, String)> {
        self.fire(self.about("ShellEnv", call)).await;
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.session.env().into_iter().map(|(name, value)| (name, text(value))).collect()
    }
}
