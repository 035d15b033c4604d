//! The replies that Mistral Vibe accepts on each event, and how it reads the answers of its hooks
//! (VI-40 to VI-45). Data, except for output without an answer, and for changed calls.

use serde_json::{Map, Value};

use super::vocabulary::{START, TOOLS, WORDS, own_tool_name};
use crate::answer::Answer;
use crate::answer::Power::{Context, Deny, Input, Message, Output};
use crate::diagnostic::Code;
use crate::dialect::kit::reply::phrases::PowerPhrase;
use crate::dialect::kit::reply::{EventReplies, InputFault, Part, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};
use crate::event::Event;

pub(super) static REPLIES: Replies = Replies::new("Mistral Vibe", TOOLS, EVENTS);

const DENY: PowerPhrase =
    (Deny, &[(&["decision"], Part::Word("deny")), (&["reason"], Part::Reason)]);
/// Mistral Vibe shows the reason of a denial in place of the tool's output.
const OUTPUT: PowerPhrase =
    (Output, &[(&["decision"], Part::Word("deny")), (&["reason"], Part::GivenText)]);
const CHANGE: PowerPhrase = (Input, &[(&[SPECIFIC, "tool_input"], Part::Given)]);
const CONTEXT: PowerPhrase = (Context, &[(&[SPECIFIC, "additional_context"], Part::Given)]);
const MESSAGE: PowerPhrase = (Message, &[(&["system_message"], Part::Given)]);

const SPECIFIC: &str = "hook_specific_output";

static EVENTS: &[EventReplies] = &[
    EventReplies {
        input: accepted_tool_input,
        ..EventReplies::with_phrases("pre_tool", &[DENY, CHANGE, MESSAGE])
    },
    EventReplies::with_phrases("post_tool", &[DENY, OUTPUT, CONTEXT, MESSAGE]),
    EventReplies::with_phrases("post_agent", &[DENY, MESSAGE]),
];

/// How it reads answers: exactly the replies above, at exit code 0.
pub(super) static FORM: ReplyForm = ReplyForm {
    carried: &["decision", "reason"],
    ended: read_output_without_object,
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads output without an object: empty output passes, and anything else is a failure (VI-40).
fn read_output_without_object(output: &Ended<'_>) -> Answer {
    match (output.code, output.stdout) {
        (0, "") => Answer::default(),
        (0, _) => Answer::failed(Code::UnreadableAnswer, "it printed something that is no object"),
        _ => output.failed_answer(),
    }
}

/// The values that a field of a tool's input may have.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// A text that is not empty.
    SomeText,
    /// A whole number in these bounds.
    Whole(u64, u64),
    /// The same, or `null`.
    WholeOrNull(u64, u64),
    Flag,
    /// An object of texts.
    Texts,
}

/// The fields of a tool's input, as hooks write them; `true` if the tool needs it.
type Fields = &'static [(&'static str, Kind, bool)];

/// The tools whose input is known here. For an input with any other value or field, Mistral Vibe
/// ends the run (3.0.3).
const INPUTS: &[(&str, Fields)] = &[
    ("file_system.bash", &[("command", Kind::Text, true), ("timeout", Kind::Whole(1, 300), false)]),
    (
        START,
        &[
            ("command", Kind::SomeText, true),
            ("cwd", Kind::SomeText, false),
            ("env", Kind::Texts, false),
        ],
    ),
    (
        "file_system.read_file",
        &[
            ("file_path", Kind::Text, true),
            ("offset", Kind::Whole(0, u64::MAX), false),
            ("limit", Kind::WholeOrNull(1, u64::MAX), false),
        ],
    ),
    ("file_system.write_file", &[("file_path", Kind::Text, true), ("content", Kind::Text, true)]),
    (
        "file_system.edit",
        &[
            ("file_path", Kind::Text, true),
            ("old_string", Kind::SomeText, true),
            ("new_string", Kind::Text, true),
            ("replace_all", Kind::Flag, false),
        ],
    ),
];

/// What hooks of other agents write about a command, without effect on it. No tool has this key.
const LABEL: &str = "description";

/// Returns a changed input with the agent's keys, if Mistral Vibe certainly takes it (VI-45).
fn accepted_tool_input(event: &Event, input: &Value) -> Result<Value, InputFault> {
    let tool = own_tool_name(event).unwrap_or_default();
    let Some((_, fields)) = INPUTS.iter().find(|(name, _)| *name == tool) else {
        return Err(InputFault::OtherTool { tool });
    };
    let mut own = WORDS.to_agent_input(event, input);
    if let Some(given) = own.as_object_mut() {
        given.retain(|key, _| key != LABEL);
    }
    let key = match own.as_object() {
        Some(given) => first_refused_key(fields, given),
        None => Some("tool_input".to_owned()),
    };
    match key {
        Some(key) => Err(InputFault::Refused { tool, key }),
        None => Ok(own),
    }
}

/// Returns the first key that is unknown, is missing, or has a value of another kind.
fn first_refused_key(fields: Fields, given: &Map<String, Value>) -> Option<String> {
    let missing = fields.iter().find(|(key, _, needed)| *needed && !given.contains_key(*key));
    let refused = given.iter().find(|(key, value)| {
        let field = fields.iter().find(|(name, ..)| name == key);
        !field.is_some_and(|(_, kind, _)| kind.accepts_value(value))
    });
    missing.map(|(key, ..)| (*key).to_owned()).or_else(|| refused.map(|(key, _)| key.clone()))
}

impl Kind {
    fn accepts_value(self, value: &Value) -> bool {
        let is_within = |least: u64, most: u64| {
            value.as_u64().is_some_and(|number| (least..=most).contains(&number))
        };
        match self {
            Self::Text => value.is_string(),
            Self::SomeText => value.as_str().is_some_and(|text| !text.is_empty()),
            Self::Whole(least, most) => is_within(least, most),
            Self::WholeOrNull(least, most) => value.is_null() || is_within(least, most),
            Self::Flag => value.is_boolean(),
            Self::Texts => value.as_object().is_some_and(|map| map.values().all(Value::is_string)),
        }
    }
}
