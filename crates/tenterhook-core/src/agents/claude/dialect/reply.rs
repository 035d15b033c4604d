//! The replies that Claude Code accepts on each event, and their fields (BR-20). Data only;
//! observed in 2.1.197 and 2.1.330.

use crate::answer::Power;
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, ALLOW_REQUEST, ASK_CALL, BLOCK, CHANGE_CALL, CONTEXT, DEFER_CALL, DENY_CALL,
    DENY_REQUEST, LEAVE_REQUEST, MESSAGE, NAMED, PowerPhrase, STOP,
};
use crate::dialect::kit::reply::{EventReplies, Part, Replies};

/// All replies.
pub(super) static REPLIES: Replies = Replies::new("Claude Code", &[], EVENTS);

const OUT: &str = "hookSpecificOutput";
const WATCH: PowerPhrase = (Power::Watch, &[NAMED, (&[OUT, "watchPaths"], Part::Given)]);

/// Alone, `continue: false` ends the turn after the tool has run.
const STOP_CALL: PowerPhrase = (
    Power::Stop,
    &[
        (&["continue"], Part::Flag(false)),
        (&["stopReason"], Part::Reason),
        NAMED,
        (&[OUT, "permissionDecision"], Part::Word("deny")),
        (&[OUT, "permissionDecisionReason"], Part::Reason),
    ],
);

const GATE: &[PowerPhrase] =
    &[DENY_CALL, ASK_CALL, DEFER_CALL, ALLOW_CALL, CHANGE_CALL, STOP_CALL, CONTEXT, MESSAGE];

/// A malformed answer or a changed line lets a skill's line run, or loses the reason: only these
/// work (BR-91).
const SKILL_GATE: &[PowerPhrase] = &[DENY_CALL, STOP_CALL, MESSAGE];

const REQUEST: &[PowerPhrase] = &[
    DENY_REQUEST,
    (
        Power::Stop,
        &[
            (&["continue"], Part::Flag(false)),
            (&["stopReason"], Part::Reason),
            NAMED,
            (&[OUT, "decision", "behavior"], Part::Word("deny")),
            (&[OUT, "decision", "message"], Part::Reason),
            (&[OUT, "decision", "interrupt"], Part::Flag(true)),
        ],
    ),
    LEAVE_REQUEST,
    ALLOW_REQUEST,
    (
        Power::Input,
        &[
            NAMED,
            (&[OUT, "decision", "behavior"], Part::Word("allow")),
            (&[OUT, "decision", "updatedInput"], Part::Given),
        ],
    ),
    (
        Power::Permissions,
        &[
            NAMED,
            (&[OUT, "decision", "behavior"], Part::Word("allow")),
            (&[OUT, "decision", "updatedPermissions"], Part::Given),
        ],
    ),
    MESSAGE,
];

const FEEDBACK: &[PowerPhrase] = &[BLOCK, STOP, CONTEXT, MESSAGE];
const WATCHES: &[PowerPhrase] = &[WATCH, MESSAGE];
const TELLS: &[PowerPhrase] = &[MESSAGE];
const ADDS: &[PowerPhrase] = &[CONTEXT, STOP, MESSAGE];
const OUTPUT: PowerPhrase = (Power::Output, &[NAMED, (&[OUT, "updatedToolOutput"], Part::Given)]);
const DECLINE: PowerPhrase = (Power::Deny, &[NAMED, (&[OUT, "action"], Part::Word("decline"))]);

/// These events accept only exit code 2 as a denial.
const ENDS: &[PowerPhrase] = &[(Power::Deny, &[]), STOP, MESSAGE];

static EVENTS: &[EventReplies] = &[
    EventReplies {
        carries: &[
            ("sessionTitle", &[OUT, "sessionTitle"]),
            ("reloadSkills", &[OUT, "reloadSkills"]),
        ],
        // `continue: false` has no effect here: observed.
        ..EventReplies::with_phrases(
            "SessionStart",
            &[
                CONTEXT,
                (Power::InitialMessage, &[NAMED, (&[OUT, "initialUserMessage"], Part::Given)]),
                WATCH,
                MESSAGE,
            ],
        )
    },
    EventReplies::with_phrases("Setup", ADDS),
    EventReplies {
        carries: &[
            ("sessionTitle", &[OUT, "sessionTitle"]),
            ("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"]),
        ],
        ..EventReplies::with_phrases("UserPromptSubmit", FEEDBACK)
    },
    EventReplies {
        carries: &[("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"])],
        ..EventReplies::with_phrases("UserPromptExpansion", FEEDBACK)
    },
    EventReplies::with_phrases(
        "MessageDisplay",
        &[(Power::Output, &[NAMED, (&[OUT, "displayContent"], Part::Given)])],
    ),
    EventReplies::with_phrases("PreToolUse", GATE),
    EventReplies::with_phrases("PreSkillShellCommand", SKILL_GATE),
    EventReplies {
        only_with_consent: true,
        ..EventReplies::with_phrases("PermissionRequest", REQUEST)
    },
    EventReplies::with_phrases(
        "PermissionDenied",
        &[(Power::Retry, &[NAMED, (&[OUT, "retry"], Part::Given)]), STOP, MESSAGE],
    ),
    EventReplies {
        carries: &[("classifierContext", &[OUT, "classifierContext"])],
        ..EventReplies::with_phrases("PostToolUse", &[BLOCK, STOP, CONTEXT, OUTPUT, MESSAGE])
    },
    EventReplies::with_phrases("PostToolUseFailure", FEEDBACK),
    EventReplies::with_phrases("PostToolBatch", FEEDBACK),
    EventReplies::with_phrases("Notification", &[CONTEXT]),
    EventReplies::with_phrases("SubagentStart", ADDS),
    EventReplies::with_phrases("SubagentStop", FEEDBACK),
    EventReplies::with_phrases("Stop", FEEDBACK),
    EventReplies::with_phrases("TaskCreated", &[BLOCK, MESSAGE]),
    EventReplies { by_exit: true, ..EventReplies::with_phrases("TaskCompleted", ENDS) },
    EventReplies { by_exit: true, ..EventReplies::with_phrases("TeammateIdle", ENDS) },
    EventReplies::with_phrases("ConfigChange", &[BLOCK, MESSAGE]),
    EventReplies::with_phrases("CwdChanged", WATCHES),
    EventReplies::with_phrases("FileChanged", WATCHES),
    EventReplies::with_phrases("DirectoryAdded", TELLS),
    EventReplies::with_phrases("PreCompact", &[BLOCK, MESSAGE]),
    EventReplies::with_phrases("PostCompact", TELLS),
    EventReplies::with_phrases("PreModelSwitch", &[DENY_CALL, ASK_CALL, ALLOW_CALL, MESSAGE]),
    EventReplies::with_phrases("PostModelSwitch", ADDS),
    EventReplies {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..EventReplies::with_phrases("Elicitation", &[DECLINE])
    },
    EventReplies {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..EventReplies::with_phrases("ElicitationResult", &[DECLINE])
    },
];
