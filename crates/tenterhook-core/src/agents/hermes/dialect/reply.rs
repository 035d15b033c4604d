//! The replies that Hermes accepts on each event, and how it reads the answers of its hooks (HE-40 to
//! HE-44). Data.

use super::vocabulary::{TOOLS, WORDS, to_neutral_input};
use crate::answer::{Answer, Failure, Power};
use crate::diagnostic::Code;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::{BLOCK, PowerPhrase};
use crate::dialect::kit::reply::{EventReplies, Part, Replies};
use crate::dialect::kit::reply_form::ReplyForm;

pub(super) static REPLIES: Replies = Replies::new("Hermes", TOOLS, EVENTS);

const MESSAGE: (&[&str], Part) = (&["message"], Part::Reason);
const REASON: (&[&str], Part) = (&["reason"], Part::Reason);
const DENY: PowerPhrase = (Power::Deny, &[(&["action"], Part::Word("block")), MESSAGE]);
const CONTEXT: PowerPhrase = (Power::Context, &[(&["context"], Part::Given)]);

static EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases(GATE, &[DENY]),
    EventReplies::with_phrases("pre_verify", &[DENY]),
    EventReplies::with_phrases("pre_llm_call", &[CONTEXT]),
];

/// Either key may hold the reason of either denial.
const DENY_WITH_REASON: PowerPhrase = (Power::Deny, &[(&["action"], Part::Word("block")), REASON]);
const BLOCK_WITH_MESSAGE: PowerPhrase =
    (Power::Deny, &[(&["decision"], Part::Word("block")), MESSAGE]);
const CONTINUE: PowerPhrase = (Power::Deny, &[(&["action"], Part::Word("continue")), MESSAGE]);

const MODIFY: PowerPhrase =
    (Power::Input, &[(&["action"], Part::Word("modify")), (&["args"], Part::Given)]);
const MODIFY_BY_DECISION: PowerPhrase =
    (Power::Input, &[(&["decision"], Part::Word("modify")), (&["tool_input"], Part::Given)]);

/// The event on which an exit code of 2 denies, whatever the output.
pub(super) const GATE: &str = "pre_tool_call";

/// How it reads answers: the replies above, and further forms. 0.19 knows neither `modify` nor the
/// exit code; our replies use neither, so they mean the same to all versions.
pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[
        (GATE, &[DENY, DENY_WITH_REASON, BLOCK, BLOCK_WITH_MESSAGE, MODIFY, MODIFY_BY_DECISION]),
        ("pre_verify", &[DENY, DENY_WITH_REASON, CONTINUE, BLOCK, BLOCK_WITH_MESSAGE]),
    ],
    input: to_neutral_input,
    counts: |row, code, object| {
        let is_block = |key: &&str| object.get(*key).is_some_and(|value| value == "block");
        row.name != GATE || code != 2 || ["action", "decision"].iter().any(is_block)
    },
    ended: |output| match output.code {
        0 if output.row.name == GATE && !output.stdout.is_empty() => {
            let failure = Failure::new(Code::InvalidAnswer, "it printed no JSON object");
            Answer { failure: Some(failure), ..Answer::default() }
        }
        0 => Answer::default(),
        2 if output.row.name == GATE && output.stderr.is_empty() => {
            Answer::deny("the hook exited with code 2")
        }
        2 if output.row.name == GATE => Answer::deny(output.stderr),
        _ => output.failed_answer(),
    },
    denial: Protocol { halt: Halt::Foreign, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};
