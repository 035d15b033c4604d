//! The replies that Hermes accepts on each event, and how it reads the answers of its hooks (HE-40 to
//! HE-44). Data.

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::{Answer, Power};
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
    EventReplies::with_phrases("pre_tool_call", &[DENY]),
    EventReplies::with_phrases("pre_verify", &[DENY]),
    EventReplies::with_phrases("pre_llm_call", &[CONTEXT]),
];

/// Either key may hold the reason of either denial.
const DENY_WITH_REASON: PowerPhrase = (Power::Deny, &[(&["action"], Part::Word("block")), REASON]);
const BLOCK_WITH_MESSAGE: PowerPhrase =
    (Power::Deny, &[(&["decision"], Part::Word("block")), MESSAGE]);
const CONTINUE: PowerPhrase = (Power::Deny, &[(&["action"], Part::Word("continue")), MESSAGE]);

/// How it reads answers: the replies above, and further forms.
pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[
        ("pre_tool_call", &[DENY, DENY_WITH_REASON, BLOCK, BLOCK_WITH_MESSAGE]),
        ("pre_verify", &[DENY, DENY_WITH_REASON, CONTINUE, BLOCK, BLOCK_WITH_MESSAGE]),
    ],
    ended: |output| match output.code {
        0 => Answer::default(),
        _ => output.failed_answer(),
    },
    denial: Protocol { halt: Halt::Foreign, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};
