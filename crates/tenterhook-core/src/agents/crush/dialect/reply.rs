//! The replies that Crush accepts on each event, and how it reads the answers of its hooks (CR-40 to
//! CR-43). Tables, except for exit codes and changes, which Crush merges into the call.

use serde_json::{Map, Value};

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Power::{Allow, Context, Deny, Input, Stop};
use crate::answer::{Answer, Effects};
use crate::dialect::kit::call::Vocabulary;
use crate::dialect::kit::reply::phrases::{ALLOW_CALL, CHANGE_CALL, DENY_CALL};
use crate::dialect::kit::reply::{EventReplies, InputFault, Part, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};
use crate::event::Event;

pub(super) static REPLIES: Replies = Replies::new("Crush", TOOLS, EVENTS);

/// The phrase of a decision with its reason.
macro_rules! decision {
    ($word:literal) => {
        &[(&["decision"], Part::Word($word)), (&["reason"], Part::Reason)]
    };
}

static EVENTS: &[EventReplies] = &[
    EventReplies {
        input: new_input,
        ..EventReplies::with_phrases(
            "PreToolUse",
            &[
                (Deny, decision!("deny")),
                (Allow, decision!("allow")),
                (Stop, &[(&["halt"], Part::Flag(true)), (&["reason"], Part::Reason)]),
                (Input, &[(&["updated_input"], Part::Given)]),
                (Context, &[(&["context"], Part::GivenTexts)]),
            ],
        )
    },
    EventReplies::with_phrases("PreCompact", &[(Deny, decision!("deny"))]),
];

pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[("PreToolUse", &[DENY_CALL, ALLOW_CALL, CHANGE_CALL])],
    carried: &["version", "continue", "suppressOutput", "systemMessage"],
    input: merge_into_call,
    ended: read_plain_output,
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Returns the input of a change in Crush's names. Crush merges it into the call, so a key that the
/// change leaves out is `null`.
fn new_input(event: &Event, input: &Value) -> Result<Value, InputFault> {
    let mut input = WORDS.to_agent_input(event, input);
    let call = event.payload.get("tool_input").map(|call| WORDS.to_agent_input(event, call));
    if let (Some(new), Some(Value::Object(call))) = (input.as_object_mut(), call) {
        for key in call.keys() {
            new.entry(key.as_str()).or_insert(Value::Null);
        }
    }
    Ok(input)
}

/// Returns the call with the change of a hook, in neutral names.
fn merge_into_call(words: &Vocabulary, event: &Event, change: &Value) -> Value {
    let change = words.to_neutral_input(event, change);
    let call = event.payload.get("tool_input").and_then(Value::as_object);
    let mut merged: Map<String, Value> = call.cloned().unwrap_or_default();
    merged.extend(change.as_object().cloned().unwrap_or_default());
    merged.into()
}

/// Reads an exit code: 2 denies, 49 ends the turn, and any other code but 0 is a failure.
fn read_plain_output(output: &Ended<'_>) -> Answer {
    let reason = Some(output.stderr).filter(|reason| !reason.is_empty());
    match output.code {
        0 => Answer::default(),
        2 if output.can_be_denied() => {
            Answer::deny(reason.unwrap_or("the hook exited with code 2"))
        }
        49 => {
            let stop = Some(crate::answer::Stop { reason: reason.map(str::to_owned) });
            Answer::default().with(Effects { stop, ..Effects::default() })
        }
        _ => output.failed_answer(),
    }
}
