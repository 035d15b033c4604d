//! The description of a subagent for the model. `subagent.rs` runs it.

use serde_json::json;

use super::{Effect, Running, Tool, Workplace, failed_output};
use crate::conversation::Call;
use crate::model::ToolSpec;

/// The tool's name.
pub(crate) const NAME: &str = "Task";

pub(super) struct Task;

impl Tool for Task {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.into(),
            about: "Gives a task to a subagent with a separate conversation, and returns its last words.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "description": {"type": "string", "description": "The task in a few words."},
                    "prompt": {"type": "string", "description": "Everything that the subagent must know."},
                    "subagent_type": {"type": "string", "description": "What kind of agent; `general` by default."},
                    "isolation": {"type": "string", "enum": ["worktree"], "description": "Work in a separate Git worktree."}
                },
                "required": ["description", "prompt"],
                "additionalProperties": false
            }),
        }
    }

    /// What it does is asked about inside, call by call.
    fn effect(&self) -> Effect {
        Effect::Looks
    }

    fn run<'a>(&'a self, _call: &'a Call, _place: &'a Workplace) -> Running<'a> {
        Box::pin(async { failed_output("a subagent has no subagents") })
    }
}
