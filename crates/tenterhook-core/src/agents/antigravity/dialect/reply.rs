//! The replies that Antigravity accepts on each event, and how it reads the answers of its hooks
//! (AY-40 to AY-45). Tables, except for output without an answer.

use serde_json::{Map, Value};

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Answer;
use crate::answer::Power::{Allow, Ask, Context, Deny};
use crate::dialect::EventRow;
use crate::dialect::kit::answer::output_streams;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::PowerPhrase;
use crate::dialect::kit::reply::{EventReplies, Part, Replies};
use crate::dialect::kit::reply_form::{self, Ended, ReplyForm};
use crate::event::Event;
use crate::report::{End, Report};
use crate::strict;

pub(super) static REPLIES: Replies =
    Replies { silence: leave_call, ..Replies::new("Antigravity", TOOLS, EVENTS) };

/// The phrase of a decision with its reason.
macro_rules! decision {
    ($word:literal) => {
        &[(&["decision"], Part::Word($word)), (&["reason"], Part::Reason)]
    };
}

/// Leaves a call to the user's own settings. `allow` would grant the call, and older versions deny a
/// call without an answer (AY-42).
fn leave_call(event: &str) -> &'static str {
    if event == "PreToolUse" { r#"{"decision":"ask"}"# } else { "" }
}

const STEPS: PowerPhrase = (Context, &[(&["injectSteps"], Part::GivenInList("ephemeralMessage"))]);

static EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases(
        "PreToolUse",
        &[(Deny, decision!("deny")), (Ask, decision!("force_ask")), (Allow, decision!("allow"))],
    ),
    EventReplies::with_phrases("PreInvocation", &[STEPS]),
    EventReplies::with_phrases("PostInvocation", &[STEPS]),
    EventReplies::with_phrases("SessionStart", &[STEPS]),
    EventReplies::with_phrases("Stop", &[(Deny, decision!("continue"))]),
];

pub(super) static FORM: ReplyForm = ReplyForm {
    same: &[("ask", "force_ask")],
    carried: &["permissionOverrides", "terminationBehavior", "userMessage", "toolCall"],
    counts: is_answer_object,
    ended: read_plain_output,
    denial: Protocol { halt: Halt::Foreign, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads the report of a hook. A bare `ask` leaves the call to the user's own settings, as hooks do
/// that have no opinion (AY-42).
pub(super) fn read_answer(event: &Event, row: &EventRow, report: &Report) -> Answer {
    match row.event == "PreToolUse" && is_bare_ask(report) {
        true => Answer::default(),
        false => reply_form::read_report(&FORM, event, row, report),
    }
}

/// Returns `true` if a hook printed `ask` without a reason, and nothing else.
fn is_bare_ask(report: &Report) -> bool {
    let Ok((stdout, _)) = output_streams(report) else { return false };
    let read = strict::read_whole_object(stdout);
    let is_bare = read.is_ok_and(|read| {
        read.twice.is_empty()
            && read.fields.len() == 1
            && read.fields.get("decision").is_some_and(|decision| decision == "ask")
    });
    is_bare && report.failure().is_none() && matches!(report.end, End::Exited(0))
}

/// The decisions that Antigravity knows before a tool.
const DECISIONS: &[&str] = &["allow", "deny", "ask", "force_ask"];

/// Whether Antigravity reads `object` as an answer. Before a tool, any object without one of its
/// decisions denies (AY-41).
fn is_answer_object(row: &EventRow, code: i32, object: &Map<String, Value>) -> bool {
    let decision = object.get("decision").and_then(Value::as_str);
    match &*row.event {
        "PreToolUse" if decision == Some("deny") => true,
        "PreToolUse" => code == 0 && decision.is_some_and(|word| DECISIONS.contains(&word)),
        _ => code == 0,
    }
}

/// Reads output without an answer: before a tool, silence with exit code 0 passes, and everything
/// else denies (AY-41).
fn read_plain_output(output: &Ended<'_>) -> Answer {
    match (&*output.row.event, output.code, output.stdout, output.stderr) {
        ("PreToolUse", 0, "", _) => Answer::default(),
        ("PreToolUse", .., "") => Answer::deny("Antigravity cannot read the answer of the hook"),
        ("PreToolUse", .., reason) => Answer::deny(reason),
        (_, 0, ..) => Answer::default(),
        _ => output.failed_answer(),
    }
}
