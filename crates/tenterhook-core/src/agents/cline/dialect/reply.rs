//! The replies that Cline accepts on each event, and how it reads the answers of its hooks (BR-26,
//! CL-40 to CL-44). A denial ends the whole run; for the shell tool, the call is replaced by one
//! that prints the reason and fails. Cline reads a line that begins with `HOOK_CONTROL` and a tab,
//! and ignores the other lines.

use std::borrow::Cow;

use serde_json::{Value, json};
use tenterhook_shell::quote_word;

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Power::{self, Context, Deny, Input, Stop};
use crate::dialect::kit::call::Vocabulary;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::{EventReplies, InputFault, Part, Phrase, Replies};
use crate::dialect::kit::reply_form::ReplyForm;
use crate::event::Event;

pub(super) static REPLIES: Replies =
    Replies { lead: "HOOK_CONTROL\t", ..Replies::new("Cline", TOOLS, EVENTS) };

const CANCEL: Phrase = &[(&["cancel"], Part::Flag(true)), (&["errorMessage"], Part::Reason)];
const CONTEXT: Phrase = &[(&["contextModification"], Part::Given)];

const fn new_event_replies(event: &'static str, can: &'static [(Power, Phrase)]) -> EventReplies {
    EventReplies { can, input: agent_tool_input, ..EventReplies::empty(event) }
}

const EVENTS: &[EventReplies] = &[
    EventReplies {
        denies: failing_shell_call,
        ..new_event_replies(
            "PreToolUse",
            &[
                (Deny, CANCEL),
                (Stop, CANCEL),
                (Input, &[(&["overrideInput"], Part::Given)]),
                (Context, CONTEXT),
            ],
        )
    },
    new_event_replies("PostToolUse", &[(Stop, CANCEL), (Context, CONTEXT)]),
    new_event_replies("UserPromptSubmit", &[(Deny, CANCEL), (Stop, CANCEL), (Context, CONTEXT)]),
];

/// Builds a call of the shell tool that prints the reason and fails, so that the run continues.
fn failing_shell_call(event: &Event, reason: &str) -> Option<Value> {
    let is_shell = event.text("tool_name") == Some("Bash");
    let line = format!("printf '%s\\n' {}; exit 1", quote_word(reason));
    is_shell.then(|| json!({"overrideInput": {"commands": [line]}}))
}

/// Returns the input with the agent's keys; that of the shell tool as a list with one command.
fn agent_tool_input(event: &Event, input: &Value) -> Result<Value, InputFault> {
    let own = WORDS.to_agent_input(event, input);
    match (event.text("tool_name"), own.get("command").and_then(Value::as_str)) {
        (Some("Bash"), Some(command)) => Ok(json!({"commands": [command]})),
        (Some("Bash"), None) => Err(InputFault::NoCommand),
        _ => Ok(own),
    }
}

/// How it reads answers: the replies above, and further fields.
pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[
        ("PreToolUse", &[(Context, ALSO_CONTEXT)]),
        ("PostToolUse", &[(Context, ALSO_CONTEXT)]),
        ("UserPromptSubmit", &[(Context, ALSO_CONTEXT)]),
    ],
    carried: &["review"],
    part: last_control_line_or_all,
    input: neutral_tool_input,
    ended: |output| match output.code {
        0 => crate::answer::Answer::default(),
        _ => output.failed_answer(),
    },
    denial: Protocol { halt: Halt::Foreign, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

const ALSO_CONTEXT: Phrase = &[(&["context"], Part::Given)];
const LEAD: &[u8] = b"HOOK_CONTROL\t";

/// Returns the last line that begins with `LEAD`, else the whole output.
fn last_control_line_or_all<'a>(stdout: &'a [u8], _: &'a str) -> Cow<'a, [u8]> {
    let mut lines = stdout.rsplit(|byte| *byte == b'\n');
    lines.find_map(|line| line.strip_prefix(LEAD)).unwrap_or(stdout).into()
}

/// Returns the neutral input of a call, with a list of commands joined to one script.
fn neutral_tool_input(words: &Vocabulary, event: &Event, input: &Value) -> Value {
    let mut input = words.to_neutral_input(event, input);
    if let Some(fields) = input.as_object_mut().filter(|_| event.text("tool_name") == Some("Bash"))
    {
        let list = fields.get("commands").and_then(Value::as_array);
        let lines: Option<Vec<&str>> =
            list.and_then(|command| command.iter().map(Value::as_str).collect());
        if let Some(script) = lines.map(|lines| lines.join("\n")) {
            fields.shift_remove("commands");
            fields.insert("command".to_owned(), script.into());
        }
    }
    input
}
