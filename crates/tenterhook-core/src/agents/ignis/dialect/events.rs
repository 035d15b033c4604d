//! The event table of ignis, and its words for tools (I-5 to I-8). Data only.

use std::borrow::Cow;
use std::time::Duration;

use crate::answer::Power::{Deny, Input, Message, Output, Prompt};
use crate::answer::{Power, Powers};
use crate::dialect::tools::ToolWords;
use crate::dialect::{EventRow, Subject};
use crate::event::EventName;
use crate::hook::Phase;

/// How long a hook may take that says nothing itself: the same on every event.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A row. Whatever goes wrong with a hook, the value stays as it was and the turn goes on: this agent's iron rule.
const fn row(
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

/// Every event. `PostToolUse` comes after failures too, which is an event of its own in neutral words. The last two were
/// put off by the agent's authors and are taken up here; like all but prompts and tool calls, they cannot be blocked.
#[rustfmt::skip]
pub(super) static ROWS: &[EventRow] = &[
    row("UserPromptSubmit", "UserPromptSubmit", NONE, &[Deny, Prompt, Message], "the user sent a prompt, or a message into a running turn; the model has not seen it"),
    row("AssistantMessageRender", "MessageDisplay", NONE, &[Output, Message], "a message of the model is about to be shown; the history keeps the original"),
    row("PreToolUse", "PreToolUse", TOOL, &[Deny, Input, Message], "a tool is about to run; no permission has been asked for yet"),
    row("PostToolUse", "PostToolUse", TOOL, &[Output, Message], "a tool ran"),
    row("PostToolUse", "PostToolUseFailure", TOOL, &[Output, Message], "a tool failed (`isError`)"),
    row("SessionStart", "SessionStart", NONE, &[Message], "a session begins"),
    row("PreCompact", "PreCompact", NONE, &[Message], "the conversation is about to be compacted"),
];

/// What a failure after a tool is called in neutral words; a config has one name for both.
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

/// The row whose name a config writes.
pub(super) fn named(name: &str) -> Option<&'static EventRow> {
    ROWS.iter().find(|row| row.name == name)
}

/// An event that the agent does not have: hooks for it wait for one of that name and only observe it.
pub(super) fn unknown(event: &EventName) -> EventRow {
    let when = Cow::Borrowed("an event that ignis does not have");
    EventRow { when, ..EventRow::unknown(event, Powers::from_slice(&[Message]), TIMEOUT) }
}

/// When a hook of this event runs: chains rewrite, and what cannot rewrite observes.
pub(super) fn phase(row: Option<&EventRow>) -> Phase {
    let rewrites =
        |row: &EventRow| [Prompt, Output, Input].iter().any(|power| row.powers.has(*power));
    if row.is_some_and(rewrites) { Phase::Rewrite } else { Phase::Observe }
}
