//! The replies that Codex accepts on each event, and their fields (BR-21). Data only; observed in
//! 0.169.0, which ignores an object with any unknown key.

use serde_json::Value;

use crate::answer::Power;
use crate::dialect::kit::reply::phrases::{
    ALLOW_REQUEST, BLOCK, CONTEXT, DENY_CALL, DENY_REQUEST, LEAVE_REQUEST, MESSAGE, NAMED,
    PowerPhrase, STOP,
};
use crate::dialect::kit::reply::{EventReplies, InputFault, Part, Replies};
use crate::event::Event;

/// All replies.
pub(super) static REPLIES: Replies = Replies::new("Codex", &[], EVENTS);

/// The reason of a denial replaces the output: the agent has no other field for it.
const OUTPUT: PowerPhrase =
    (Power::Output, &[(&["decision"], Part::Word("block")), (&["reason"], Part::GivenText)]);
/// A new input needs an `allow`.
const CHANGE: PowerPhrase = (
    Power::Input,
    &[
        NAMED,
        (&["hookSpecificOutput", "permissionDecision"], Part::Word("allow")),
        (&["hookSpecificOutput", "updatedInput"], Part::Given),
    ],
);
/// The denial of an event that accepts only a stop.
const END: PowerPhrase = (Power::Deny, STOP.1);

static EVENTS: &[EventReplies] = &[
    EventReplies {
        instead: &[Power::Stop],
        ..EventReplies::with_phrases("SessionStart", &[CONTEXT, STOP, MESSAGE])
    },
    EventReplies::with_phrases("UserPromptSubmit", &[BLOCK, STOP, CONTEXT, MESSAGE]),
    EventReplies::with_phrases("PreModelRequest", &[MESSAGE]),
    EventReplies::with_phrases("PostModelRequest", &[MESSAGE]),
    EventReplies {
        input: rewritten_command_input,
        ..EventReplies::with_phrases("PreToolUse", &[DENY_CALL, CHANGE, CONTEXT, MESSAGE])
    },
    EventReplies::with_phrases(
        "PermissionRequest",
        &[DENY_REQUEST, LEAVE_REQUEST, ALLOW_REQUEST, MESSAGE],
    ),
    EventReplies::with_phrases("PostToolUse", &[BLOCK, STOP, OUTPUT, CONTEXT, MESSAGE]),
    EventReplies::with_phrases("PreCompact", &[END, STOP, MESSAGE]),
    EventReplies::with_phrases("PostCompact", &[MESSAGE]),
    EventReplies::with_phrases("SubagentStart", &[CONTEXT, MESSAGE]),
    EventReplies::with_phrases("SubagentStop", &[BLOCK, STOP, MESSAGE]),
    EventReplies::with_phrases("Stop", &[BLOCK, STOP, MESSAGE]),
    EventReplies::with_phrases("Interrupt", &[MESSAGE]),
    EventReplies::with_phrases("SessionEnd", &[MESSAGE]),
];

/// Returns the new input of a call: Codex CLI accepts one only for the two tools with a `command`.
fn rewritten_command_input(event: &Event, input: &Value) -> Result<Value, InputFault> {
    let tool = event.text("tool_name").unwrap_or_default();
    match (tool, input.get("command")) {
        ("Bash" | "apply_patch", Some(Value::String(command))) => {
            Ok(serde_json::json!({ "command": command }))
        }
        ("Bash" | "apply_patch", _) => Err(InputFault::NoCommand),
        _ => Err(InputFault::OtherTool { tool: tool.to_owned() }),
    }
}
