//! The tables of the events and tools of ignis (I-5 to I-8). Data only.

use std::borrow::Cow;
use std::time::Duration;

use crate::answer::Power::{Deny, Input, Message, Output, Prompt};
use crate::answer::{Power, Powers};
use crate::dialect::tools::ToolWords;
use crate::dialect::{EventRow, Subject};
use crate::event::EventName;
use crate::hook::Phase;

/// The timeout of a hook that sets none, on every event.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Builds the row of an event. If a hook fails, the agent keeps the value unchanged and continues
/// the turn.
const fn new_row(
    name: &'static str,
    event: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    EventRow::new((name, event), subject, powers, TIMEOUT, when)
}

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

/// Every event. The agent fires `PostToolUse` after failures too; the neutral events distinguish
/// them. The agent does not implement the last two yet. Only prompts and tool calls can be blocked.
#[rustfmt::skip]
pub(super) static ROWS: &[EventRow] = &[
    new_row("UserPromptSubmit", "UserPromptSubmit", NONE, &[Deny, Prompt, Message], "the user sent a prompt, or a message into a running turn; the model has not seen it"),
    new_row("AssistantMessageRender", "MessageDisplay", NONE, &[Output, Message], "a message of the model is about to be shown; the history keeps the original"),
    new_row("PreToolUse", "PreToolUse", TOOL, &[Deny, Input, Message], "a tool is about to run; no permission has been asked for yet"),
    new_row("PostToolUse", "PostToolUse", TOOL, &[Output, Message], "a tool ran"),
    new_row("PostToolUse", "PostToolUseFailure", TOOL, &[Output, Message], "a tool failed (`isError`)"),
    new_row("SessionStart", "SessionStart", NONE, &[Message], "a session begins"),
    new_row("PreCompact", "PreCompact", NONE, &[Message], "the conversation is about to be compacted"),
];

/// The neutral event of a failed tool call; a config uses the name `PostToolUse` for both.
pub(super) const AFTER_FAILURE: &str = "PostToolUseFailure";

/// The tools, and the keys of their inputs.
#[rustfmt::skip]
pub(super) const TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read_file"], neutral: "Read", keys: PATH },
    ToolWords { own: &["create_file"], neutral: "Write", keys: PATH },
    ToolWords { own: &["edit_file"], neutral: "Edit", keys: &[("path", "file_path"), ("old_text", "old_string"), ("new_text", "new_string")] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["agent"], neutral: "Agent", keys: &[] },
    ToolWords { own: &["todo_write"], neutral: "TodoWrite", keys: &[] },
];

const PATH: &[(&str, &str)] = &[("path", "file_path")];

/// The row of the event that a config calls `name`.
pub(super) fn find_event_row(name: &str) -> Option<&'static EventRow> {
    ROWS.iter().find(|row| row.name == name)
}

/// The row of an event that the agent does not have: its hooks only observe.
pub(super) fn unknown_event_row(event: &EventName) -> EventRow {
    let when = Cow::Borrowed("an event that ignis does not have");
    EventRow {
        when,
        ..EventRow::new_row_of_unknown_event(event, Powers::from_slice(&[Message]), TIMEOUT)
    }
}

/// The phase of the hooks of an event: `Rewrite` if they can change a value, else `Observe`.
pub(super) fn hook_phase(row: Option<&EventRow>) -> Phase {
    let rewrites =
        |row: &EventRow| [Prompt, Output, Input].iter().any(|power| row.powers.has(*power));
    if row.is_some_and(rewrites) { Phase::Rewrite } else { Phase::Observe }
}
