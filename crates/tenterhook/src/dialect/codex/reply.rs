//! What Codex can be told on each of its events, and where it stands (BR-21). Data only; observed of 0.169.0, which takes an
//! object with any key too many for no answer and goes on.

use serde_json::Value;

use crate::answer::Power;
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};
use crate::event::Event;

/// Everything.
pub(super) static REPLIES: Replies =
    Replies { agent: "Codex", lead: "", hears_stderr: true, tools: &[], events: EVENTS };

const OUT: &str = "hookSpecificOutput";
const NAMED: (&[&str], Part) = (&[OUT, "hookEventName"], Part::Event);

const BLOCK: Phrase = &[(&["decision"], Part::Word("block")), (&["reason"], Part::Reason)];
const CONTEXT: Phrase = &[NAMED, (&[OUT, "additionalContext"], Part::Given)];
const MESSAGE: Phrase = &[(&["systemMessage"], Part::Given)];
const STOP: Phrase = &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)];

const TELLS: &[(Power, Phrase)] = &[(Power::Message, MESSAGE)];
const STOPS: &[(Power, Phrase)] =
    &[(Power::Deny, BLOCK), (Power::Stop, STOP), (Power::Message, MESSAGE)];

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> Say {
    Say { can, ..Say::of(event) }
}

const EVENTS: &[Say] = &[
    Say {
        instead: &[Power::Stop],
        ..say(
            "SessionStart",
            &[(Power::Context, CONTEXT), (Power::Stop, STOP), (Power::Message, MESSAGE)],
        )
    },
    say(
        "UserPromptSubmit",
        &[
            (Power::Deny, BLOCK),
            (Power::Stop, STOP),
            (Power::Context, CONTEXT),
            (Power::Message, MESSAGE),
        ],
    ),
    say("PreModelRequest", TELLS),
    say("PostModelRequest", TELLS),
    Say {
        input: command,
        ..say(
            "PreToolUse",
            &[
                (
                    Power::Deny,
                    &[
                        NAMED,
                        (&[OUT, "permissionDecision"], Part::Word("deny")),
                        (&[OUT, "permissionDecisionReason"], Part::Reason),
                    ],
                ),
                (
                    Power::Input,
                    &[
                        NAMED,
                        (&[OUT, "permissionDecision"], Part::Word("allow")),
                        (&[OUT, "updatedInput"], Part::Given),
                    ],
                ),
                (Power::Context, CONTEXT),
                (Power::Message, MESSAGE),
            ],
        )
    },
    say(
        "PermissionRequest",
        &[
            (
                Power::Deny,
                &[
                    NAMED,
                    (&[OUT, "decision", "behavior"], Part::Word("deny")),
                    (&[OUT, "decision", "message"], Part::Reason),
                ],
            ),
            // Silence: the user is about to be asked.
            (Power::Ask, &[]),
            (Power::Allow, &[NAMED, (&[OUT, "decision", "behavior"], Part::Word("allow"))]),
            (Power::Message, MESSAGE),
        ],
    ),
    say(
        "PostToolUse",
        &[
            (Power::Deny, BLOCK),
            (Power::Stop, STOP),
            // The reason of a denial stands in for the output: there is no other way.
            (
                Power::Output,
                &[(&["decision"], Part::Word("block")), (&["reason"], Part::GivenText)],
            ),
            (Power::Context, CONTEXT),
            (Power::Message, MESSAGE),
        ],
    ),
    say("PreCompact", &[(Power::Deny, STOP), (Power::Stop, STOP), (Power::Message, MESSAGE)]),
    say("PostCompact", TELLS),
    say("SubagentStart", &[(Power::Context, CONTEXT), (Power::Message, MESSAGE)]),
    say("SubagentStop", STOPS),
    say("Stop", STOPS),
    say("Interrupt", TELLS),
    say("SessionEnd", TELLS),
];

/// A new input counts for the two tools that take a command, and with a command.
fn command(event: &Event, input: &Value) -> Result<Value, String> {
    let tool = event.text("tool_name").unwrap_or_default();
    match (tool, input.get("command")) {
        ("Bash" | "apply_patch", Some(Value::String(command))) => {
            Ok(serde_json::json!({ "command": command }))
        }
        ("Bash" | "apply_patch", _) => Err("a changed call needs a `command`".to_owned()),
        _ => Err(format!("it takes no changed call of `{tool}`")),
    }
}
