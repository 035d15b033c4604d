//! What Codex can be told on each of its events, and where it stands (BR-21). Data only; observed of 0.169.0, which takes an
//! object with any key too many for no answer and goes on.

use serde_json::Value;

use crate::answer::Power;
use crate::dialect::kit::reply::phrases::{
    ALLOW_REQUEST, BLOCK, CONTEXT, DENY_CALL, DENY_REQUEST, LEAVE_REQUEST, MESSAGE, NAMED, STOP,
    PowerPhrase,
};
use crate::dialect::kit::reply::{InputFault, Part, Replies, EventReplies};
use crate::event::Event;

/// Everything.
pub(super) static REPLIES: Replies =
    Replies { agent: "Codex", lead: "", hears_stderr: true, tools: &[], events: EVENTS };

/// The reason of a denial stands in for the output: there is no other way.
const OUTPUT: PowerPhrase =
    (Power::Output, &[(&["decision"], Part::Word("block")), (&["reason"], Part::GivenText)]);
/// A new input comes with consent.
const CHANGE: PowerPhrase = (
    Power::Input,
    &[
        NAMED,
        (&["hookSpecificOutput", "permissionDecision"], Part::Word("allow")),
        (&["hookSpecificOutput", "updatedInput"], Part::Given),
    ],
);
/// Where an end is the only denial.
const END: PowerPhrase = (Power::Deny, STOP.1);

static EVENTS: &[EventReplies] = &[
    EventReplies { instead: &[Power::Stop], ..EventReplies::can("SessionStart", &[CONTEXT, STOP, MESSAGE]) },
    EventReplies::can("UserPromptSubmit", &[BLOCK, STOP, CONTEXT, MESSAGE]),
    EventReplies::can("PreModelRequest", &[MESSAGE]),
    EventReplies::can("PostModelRequest", &[MESSAGE]),
    EventReplies { input: command, ..EventReplies::can("PreToolUse", &[DENY_CALL, CHANGE, CONTEXT, MESSAGE]) },
    EventReplies::can("PermissionRequest", &[DENY_REQUEST, LEAVE_REQUEST, ALLOW_REQUEST, MESSAGE]),
    EventReplies::can("PostToolUse", &[BLOCK, STOP, OUTPUT, CONTEXT, MESSAGE]),
    EventReplies::can("PreCompact", &[END, STOP, MESSAGE]),
    EventReplies::can("PostCompact", &[MESSAGE]),
    EventReplies::can("SubagentStart", &[CONTEXT, MESSAGE]),
    EventReplies::can("SubagentStop", &[BLOCK, STOP, MESSAGE]),
    EventReplies::can("Stop", &[BLOCK, STOP, MESSAGE]),
    EventReplies::can("Interrupt", &[MESSAGE]),
    EventReplies::can("SessionEnd", &[MESSAGE]),
];

/// A new input counts for the two tools that take a command, and with a command.
fn command(event: &Event, input: &Value) -> Result<Value, InputFault> {
    let tool = event.text("tool_name").unwrap_or_default();
    match (tool, input.get("command")) {
        ("Bash" | "apply_patch", Some(Value::String(command))) => {
            Ok(serde_json::json!({ "command": command }))
        }
        ("Bash" | "apply_patch", _) => Err(InputFault::NoCommand),
        _ => Err(InputFault::OtherTool { tool: tool.to_owned() }),
    }
}
