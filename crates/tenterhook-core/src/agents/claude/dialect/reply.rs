//! The replies that Claude Code accepts on each event, and their fields (BR-20). Data only;
//! observed in 2.1.197 and 2.1.330.

use crate::answer::Power;
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, ALLOW_REQUEST, ASK_CALL, BLOCK, CHANGE_CALL, CONTEXT, DEFER_CALL, DENY_CALL,
    DENY_REQUEST, LEAVE_REQUEST, MESSAGE, NAMED, PowerPhrase, STOP,
};
use crate::dialect::kit::reply::{EventReplies, Part, Replies};

/// All replies.
pub(super) static REPLIES: Replies =
    Replies { agent: "Claude Code", lead: "", hears_stderr: true, tools: &[], events: EVENTS };

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
        ..EventReplies::can(
            "SessionStart",
            &[
                CONTEXT,
                (Power::InitialMessage, &[NAMED, (&[OUT, "initialUserMessage"], Part::Given)]),
                WATCH,
                MESSAGE,
            ],
        )
    },
    EventReplies::can("Setup", ADDS),
    EventReplies {
        carries: &[
            ("sessionTitle", &[OUT, "sessionTitle"]),
            ("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"]),
        ],
        ..EventReplies::can("UserPromptSubmit", FEEDBACK)
    },
    EventReplies {
        carries: &[("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"])],
        ..EventReplies::can("UserPromptExpansion", FEEDBACK)
    },
    EventReplies::can(
        "MessageDisplay",
        &[(Power::Output, &[NAMED, (&[OUT, "displayContent"], Part::Given)])],
    ),
    EventReplies::can("PreToolUse", GATE),
    EventReplies::can("PreSkillShellCommand", SKILL_GATE),
    EventReplies { only_with_consent: true, ..EventReplies::can("PermissionRequest", REQUEST) },
    EventReplies::can(
        "PermissionDenied",
        &[(Power::Retry, &[NAMED, (&[OUT, "retry"], Part::Given)]), STOP, MESSAGE],
    ),
    EventReplies {
        carries: &[("classifierContext", &[OUT, "classifierContext"])],
        ..EventReplies::can("PostToolUse", &[BLOCK, STOP, CONTEXT, OUTPUT, MESSAGE])
    },
    EventReplies::can("PostToolUseFailure", FEEDBACK),
    EventReplies::can("PostToolBatch", FEEDBACK),
    EventReplies::can("Notification", &[CONTEXT]),
    EventReplies::can("SubagentStart", ADDS),
    EventReplies::can("SubagentStop", FEEDBACK),
    EventReplies::can("Stop", FEEDBACK),
    EventReplies::can("TaskCreated", &[BLOCK, MESSAGE]),
    EventReplies { by_exit: true, ..EventReplies::can("TaskCompleted", ENDS) },
    EventReplies { by_exit: true, ..EventReplies::can("TeammateIdle", ENDS) },
    EventReplies::can("ConfigChange", &[BLOCK, MESSAGE]),
    EventReplies::can("CwdChanged", WATCHES),
    EventReplies::can("FileChanged", WATCHES),
    EventReplies::can("DirectoryAdded", TELLS),
    EventReplies::can("PreCompact", &[BLOCK, MESSAGE]),
    EventReplies::can("PostCompact", TELLS),
    EventReplies::can("PreModelSwitch", &[DENY_CALL, ASK_CALL, ALLOW_CALL, MESSAGE]),
    EventReplies::can("PostModelSwitch", ADDS),
    EventReplies {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..EventReplies::can("Elicitation", &[DECLINE])
    },
    EventReplies {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..EventReplies::can("ElicitationResult", &[DECLINE])
    },
];
