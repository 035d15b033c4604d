//! The replies that Copilot CLI accepts on each event, in both forms, and how it reads the answers
//! of its hooks (BR-22, CP-40 to CP-46). Data, except for exit codes.

use std::borrow::Cow;

use super::vocabulary::{CAMEL, PASCAL, PASCAL_TOOLS, TOOLS};
use crate::answer::Answer;
use crate::answer::Power::{Allow, Ask, Context, Deny, Input, Output, Prompt, Stop};
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, ASK_CALL, BLOCK, CHANGE_CALL, DENY_CALL, LEAVE_REQUEST, PowerPhrase,
};
use crate::dialect::kit::reply::{EventReplies, Part, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static CAMEL_REPLIES: Replies = Replies::new("Copilot CLI", TOOLS, CAMEL_EVENTS);
pub(super) static PASCAL_REPLIES: Replies =
    Replies::new("Copilot CLI", PASCAL_TOOLS, PASCAL_EVENTS);

const CONTEXT: PowerPhrase = (Context, &[(&["additionalContext"], Part::Given)]);

macro_rules! flat {
    ($word:literal) => {
        &[
            (&["permissionDecision"], Part::Word($word)),
            (&["permissionDecisionReason"], Part::Reason),
        ]
    };
}

const PERMISSION: &[PowerPhrase] = &[
    (Deny, &[(&["behavior"], Part::Word("deny")), (&["message"], Part::Reason)]),
    (
        Stop,
        &[
            (&["behavior"], Part::Word("deny")),
            (&["message"], Part::Reason),
            (&["interrupt"], Part::Flag(true)),
        ],
    ),
    LEAVE_REQUEST,
    (Allow, &[(&["behavior"], Part::Word("allow"))]),
];

const PROMPT: &[PowerPhrase] = &[BLOCK, CONTEXT, (Prompt, &[(&["modifiedPrompt"], Part::Given)])];
const RESULT: &[(&[&str], Part)] = &[
    (&["modifiedResult", "resultType"], Part::Word("success")),
    (&["modifiedResult", "textResultForLlm"], Part::GivenText),
];

const fn new_event_replies(event: &'static str, can: &'static [PowerPhrase]) -> EventReplies {
    EventReplies {
        can,
        input: |event, input| Ok(CAMEL.to_agent_input(event, input)),
        ..EventReplies::empty(event)
    }
}

const CAMEL_EVENTS: &[EventReplies] = &[
    new_event_replies("sessionStart", &[CONTEXT]),
    new_event_replies("userPromptSubmitted", PROMPT),
    new_event_replies(
        "userPromptTransformed",
        &[(Prompt, &[(&["modifiedTransformedPrompt"], Part::Given)])],
    ),
    new_event_replies(
        "preToolUse",
        &[
            (Deny, flat!("deny")),
            (Ask, flat!("ask")),
            (Allow, flat!("allow")),
            (Input, &[(&["modifiedArgs"], Part::Given)]),
            CONTEXT,
        ],
    ),
    new_event_replies("permissionRequest", PERMISSION),
    new_event_replies("postToolUse", &[CONTEXT, (Output, RESULT)]),
    new_event_replies("agentStop", &[BLOCK]),
    new_event_replies("subagentStop", &[BLOCK]),
];

const PASCAL_EVENTS: &[EventReplies] = &[
    new_event_replies("SessionStart", &[CONTEXT]),
    new_event_replies("UserPromptSubmit", PROMPT),
    EventReplies {
        input: |event, input| Ok(PASCAL.to_agent_input(event, input)),
        ..new_event_replies("PreToolUse", &[DENY_CALL, ASK_CALL, ALLOW_CALL, CHANGE_CALL])
    },
    new_event_replies("PermissionRequest", PERMISSION),
    new_event_replies("PostToolUse", &[BLOCK, CONTEXT]),
    new_event_replies("Stop", &[BLOCK]),
    new_event_replies("SubagentStop", &[BLOCK]),
];

/// The camel-case form accepts no further fields.
pub(super) static FORM: ReplyForm = ReplyForm {
    carried: &["type", "suppressOutput"],
    part: strip_progress_lines,
    ended: answer_from_exit_code,
    ..ReplyForm::new(&CAMEL, &CAMEL_REPLIES)
};

pub(super) static PASCAL_FORM: ReplyForm = ReplyForm {
    more: &[("PreToolUse", &[CONTEXT])],
    carried: &["type", "suppressOutput"],
    part: strip_progress_lines,
    ended: answer_from_exit_code,
    ..ReplyForm::new(&PASCAL, &PASCAL_REPLIES)
};

/// Removes progress lines, which the agent shows and which are not a part of the answer.
fn strip_progress_lines<'a>(stdout: &'a [u8], _: &'a str) -> Cow<'a, [u8]> {
    let is_progress = |line: &&[u8]| {
        let value: Option<serde_json::Value> = serde_json::from_slice(line).ok();
        value.is_some_and(|value| value.get("type").is_some_and(|value| value == "progress"))
    };
    let mut lines = stdout.split(|byte| *byte == b'\n');
    if !lines.any(|line| is_progress(&line)) {
        return stdout.into();
    }
    let rest: Vec<&[u8]> =
        stdout.split(|byte| *byte == b'\n').filter(|stdout| !is_progress(stdout)).collect();
    rest.join(&b'\n').into()
}

/// Reads the exit code: before a tool, any code but 0 denies; on other events it is a failure.
fn answer_from_exit_code(output: &Ended<'_>) -> Answer {
    match (output.code, output.stderr) {
        (0, _) => Answer::default(),
        (code, "") if output.row.event == "PreToolUse" => {
            Answer::deny(format!("the hook exited with code {code}"))
        }
        (_, reason) if output.row.event == "PreToolUse" => Answer::deny(reason),
        _ => output.failed_answer(),
    }
}
