//! The replies that Cursor accepts on each event, and how it reads the answers of its hooks (CU-40
//! to CU-46). Data, except for exit codes and checks of types.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::vocabulary::{CHANGEABLE, NEUTRAL_MCP, TOOLS, WORDS};
use crate::answer::Answer;
use crate::answer::Power::{Allow, Ask, Context, Deny, Env, Input, Message, Stop};
use crate::dialect::EventRow;
use crate::dialect::kit::reply::phrases::{BLOCK, PowerPhrase};
use crate::dialect::kit::reply::{EventReplies, InputFault, Part, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};
use crate::dialect::tools::find_tool_by_neutral_name;
use crate::event::Event;

/// With `failClosed`, Cursor denies without output (CU-44).
pub(super) static REPLIES: Replies =
    Replies { silence: |_| "{}", ..Replies::new("Cursor", TOOLS, EVENTS) };

pub(super) static ACTION_REPLIES: Replies = Replies::new("Cursor", TOOLS, ACTION_EVENTS);

/// The decision about an action, with the reason for the user and for the model.
macro_rules! permission {
    ($power:ident, $word:literal) => {
        (
            $power,
            &[
                (&["permission"], Part::Word($word)),
                (&["user_message"], Part::Reason),
                (&["agent_message"], Part::Reason),
            ],
        )
    };
}

const DENY: PowerPhrase = permission!(Deny, "deny");
const ASK: PowerPhrase = permission!(Ask, "ask");
const ALLOW: PowerPhrase = (Allow, &[(&["permission"], Part::Word("allow"))]);
const CHANGE: PowerPhrase = (Input, &[(&["updated_input"], Part::Given)]);
const CONTEXT: PowerPhrase = (Context, &[(&["additional_context"], Part::Given)]);
const REFUSE: PowerPhrase =
    (Deny, &[(&["continue"], Part::Flag(false)), (&["user_message"], Part::Reason)]);
const END: PowerPhrase =
    (Stop, &[(&["continue"], Part::Flag(false)), (&["user_message"], Part::Reason)]);
const ENV: PowerPhrase = (Env, &[(&["env"], Part::Given)]);
const MESSAGE: PowerPhrase = (Message, &[(&["user_message"], Part::Given)]);

/// Replies by event. Before a tool, the executor acts on "deny" alone: a question would run.
static EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("sessionStart", &[END, CONTEXT, ENV]),
    EventReplies::with_phrases("beforeSubmitPrompt", &[REFUSE, CONTEXT]),
    EventReplies {
        input: changed_input,
        ..EventReplies::with_phrases("preToolUse", &[DENY, ALLOW, CHANGE, CONTEXT])
    },
    EventReplies::with_phrases("postToolUse", &[CONTEXT]),
    EventReplies::with_phrases("postToolUseFailure", &[CONTEXT]),
    EventReplies::with_phrases("subagentStart", &[DENY, ALLOW]),
    EventReplies::with_phrases("subagentStop", &[BLOCK]),
    EventReplies::with_phrases("stop", &[BLOCK]),
    EventReplies::with_phrases("preCompact", &[MESSAGE]),
    EventReplies::with_phrases("beforeTabFileRead", &[DENY, ALLOW]),
];

static ACTION_EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("beforeShellExecution", &[DENY, ASK, ALLOW]),
    EventReplies::with_phrases("beforeMCPExecution", &[DENY, ASK, ALLOW]),
    EventReplies::with_phrases("beforeReadFile", &[DENY, ALLOW]),
];

/// How it reads answers: the replies above, and a question before a tool.
pub(super) static FORM: ReplyForm = FORM_OF_TOOLS;

/// The same, for the other table of events to begin with.
pub(super) const FORM_OF_TOOLS: ReplyForm = ReplyForm {
    more: &[("preToolUse", &[ASK]), ("subagentStart", &[ASK])],
    carried: &["continue", "followup_message", "loop_limit"],
    part: find_last_object,
    counts: has_valid_types,
    ended: read_plain_output,
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Returns a changed input with Cursor's keys, if Cursor takes each change (CU-31).
fn changed_input(event: &Event, input: &Value) -> Result<Value, InputFault> {
    let name = event.text("tool_name").unwrap_or_default();
    let own = find_tool_by_neutral_name(TOOLS, name).and_then(|tool| tool.own.first().copied());
    let own = own.unwrap_or(name);
    let changed = WORDS.to_agent_input(event, input);
    let before = event.payload.get("tool_input").map(|old| WORDS.to_agent_input(event, old));
    let before = before.as_ref().and_then(Value::as_object);
    let takes = |key: &str| {
        let keys = CHANGEABLE.iter().find(|(tool, _)| *tool == own).map(|(_, keys)| *keys);
        name.starts_with(NEUTRAL_MCP) || keys.is_some_and(|keys| keys.contains(&key))
    };
    let old = |key: &str| before.and_then(|before| before.get(key));
    let new = changed.as_object();
    let is_taken = new.is_some_and(|new| {
        new.iter().all(|(key, value)| takes(key) || old(key) == Some(value))
            && before.is_none_or(|before| before.keys().all(|key| new.contains_key(key)))
    });
    if is_taken { Ok(changed) } else { Err(InputFault::OtherTool { tool: own.to_owned() }) }
}

/// The events on which an invalid answer denies, by their own names (CU-42).
const PERMISSION_EVENTS: &[&str] = &[
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "subagentStart",
    "preToolUse",
];

/// Returns the object at the end of the output: Cursor ignores lines before it. A `followup_message`
/// becomes the block that it is.
fn find_last_object<'a>(stdout: &'a [u8], _: &'a str) -> Cow<'a, [u8]> {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim();
    let parse = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let starts = text.char_indices().rev().filter(|(_, char)| *char == '{');
    let found = parse(text).or_else(|| {
        let ends = text.ends_with('}');
        ends.then(|| starts.take(MOST_BRACES).find_map(|(at, _)| parse(text.get(at..)?))).flatten()
    });
    let Some(mut object) = found else { return stdout.into() };
    let follows = object.get("followup_message").and_then(Value::as_str);
    if let Some(message) = follows.filter(|text| !text.trim().is_empty()).map(str::to_owned) {
        object.insert("decision".to_owned(), "block".into());
        object.insert("reason".to_owned(), message.into());
    }
    serde_json::to_vec(&object).map_or_else(|_| stdout.into(), Cow::Owned)
}

/// How many braces are tried as the start of the object.
const MOST_BRACES: usize = 1000;

/// Returns whether each known key has the type that Cursor checks (CU-42).
fn has_valid_types(row: &EventRow, _: i32, object: &Map<String, Value>) -> bool {
    let is_valid = |(key, value): (&String, &Value)| match key.as_str() {
        "permission" => value.as_str().is_some_and(|word| ["allow", "deny", "ask"].contains(&word)),
        "user_message" | "agent_message" | "additional_context" | "followup_message" => {
            value.is_string()
        }
        "continue" => value.is_boolean(),
        "updated_input" | "env" => value.is_object(),
        _ => true,
    };
    !PERMISSION_EVENTS.contains(&&*row.name) || object.iter().all(is_valid)
}

/// Reads output without a valid object: exit code 2 denies with stdout, else stderr, as the reason;
/// before an action, so does a text that is no valid object (CU-41, CU-42).
fn read_plain_output(output: &Ended<'_>) -> Answer {
    let is_permission = PERMISSION_EVENTS.contains(&&*output.row.name);
    let refuses = is_permission || output.row.name == "beforeSubmitPrompt";
    match (output.code, output.stdout) {
        (0, "") => Answer::default(),
        (0, _) if is_permission => {
            Answer::deny("the hook printed no valid answer, which Cursor takes for a denial")
        }
        (2, "") if refuses && output.stderr.is_empty() => {
            Answer::deny("the hook exited with code 2")
        }
        (2, "") if refuses => Answer::deny(output.stderr),
        (2, reason) if refuses => Answer::deny(reason),
        (0, _) => Answer::default(),
        _ => output.failed_answer(),
    }
}
