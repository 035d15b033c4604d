//! What Claude Code can be told on each of its events, and where it stands (BR-20). Data only; observed of 2.1.197 and 2.1.330.

use crate::answer::Power;
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, ALLOW_REQUEST, ASK_CALL, BLOCK, CHANGE_CALL, CONTEXT, DEFER_CALL, DENY_CALL,
    DENY_REQUEST, LEAVE_REQUEST, MESSAGE, NAMED, STOP, Said,
};
use crate::dialect::kit::reply::{Part, Replies, Say};

/// Everything.
pub(super) static REPLIES: Replies =
    Replies { agent: "Claude Code", lead: "", hears_stderr: true, tools: &[], events: EVENTS };

const OUT: &str = "hookSpecificOutput";
const WATCH: Said = (Power::Watch, &[NAMED, (&[OUT, "watchPaths"], Part::Given)]);

/// Alone, `continue: false` ends the turn after the tool has run.
const STOP_CALL: Said = (
    Power::Stop,
    &[
        (&["continue"], Part::Flag(false)),
        (&["stopReason"], Part::Reason),
        NAMED,
        (&[OUT, "permissionDecision"], Part::Word("deny")),
        (&[OUT, "permissionDecisionReason"], Part::Reason),
    ],
);

const GATE: &[Said] =
    &[DENY_CALL, ASK_CALL, DEFER_CALL, ALLOW_CALL, CHANGE_CALL, STOP_CALL, CONTEXT, MESSAGE];

/// A malformed answer or a changed line lets a skill's line run, or loses the reason: only these are read (BR-91).
const SKILL_GATE: &[Said] = &[DENY_CALL, STOP_CALL, MESSAGE];

const REQUEST: &[Said] = &[
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

const FEEDBACK: &[Said] = &[BLOCK, STOP, CONTEXT, MESSAGE];
const WATCHES: &[Said] = &[WATCH, MESSAGE];
const TELLS: &[Said] = &[MESSAGE];
const ADDS: &[Said] = &[CONTEXT, STOP, MESSAGE];
const OUTPUT: Said = (Power::Output, &[NAMED, (&[OUT, "updatedToolOutput"], Part::Given)]);
const DECLINE: Said = (Power::Deny, &[NAMED, (&[OUT, "action"], Part::Word("decline"))]);

/// Exit code 2 is the only denial that these hear.
const ENDS: &[Said] = &[(Power::Deny, &[]), STOP, MESSAGE];

static EVENTS: &[Say] = &[
    Say {
        carries: &[
            ("sessionTitle", &[OUT, "sessionTitle"]),
            ("reloadSkills", &[OUT, "reloadSkills"]),
        ],
        // `continue: false` has no effect here: observed.
        ..Say::can(
            "SessionStart",
            &[
                CONTEXT,
                (Power::InitialMessage, &[NAMED, (&[OUT, "initialUserMessage"], Part::Given)]),
                WATCH,
                MESSAGE,
            ],
        )
    },
    Say::can("Setup", ADDS),
    Say {
        carries: &[
            ("sessionTitle", &[OUT, "sessionTitle"]),
            ("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"]),
        ],
        ..Say::can("UserPromptSubmit", FEEDBACK)
    },
    Say {
        carries: &[("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"])],
        ..Say::can("UserPromptExpansion", FEEDBACK)
    },
    Say::can(
        "MessageDisplay",
        &[(Power::Output, &[NAMED, (&[OUT, "displayContent"], Part::Given)])],
    ),
    Say::can("PreToolUse", GATE),
    Say::can("PreSkillShellCommand", SKILL_GATE),
    Say { only_with_consent: true, ..Say::can("PermissionRequest", REQUEST) },
    Say::can(
        "PermissionDenied",
        &[(Power::Retry, &[NAMED, (&[OUT, "retry"], Part::Given)]), STOP, MESSAGE],
    ),
    Say {
        carries: &[("classifierContext", &[OUT, "classifierContext"])],
        ..Say::can("PostToolUse", &[BLOCK, STOP, CONTEXT, OUTPUT, MESSAGE])
    },
    Say::can("PostToolUseFailure", FEEDBACK),
    Say::can("PostToolBatch", FEEDBACK),
    Say::can("Notification", &[CONTEXT]),
    Say::can("SubagentStart", ADDS),
    Say::can("SubagentStop", FEEDBACK),
    Say::can("Stop", FEEDBACK),
    Say::can("TaskCreated", &[BLOCK, MESSAGE]),
    Say { by_exit: true, ..Say::can("TaskCompleted", ENDS) },
    Say { by_exit: true, ..Say::can("TeammateIdle", ENDS) },
    Say::can("ConfigChange", &[BLOCK, MESSAGE]),
    Say::can("CwdChanged", WATCHES),
    Say::can("FileChanged", WATCHES),
    Say::can("DirectoryAdded", TELLS),
    Say::can("PreCompact", &[BLOCK, MESSAGE]),
    Say::can("PostCompact", TELLS),
    Say::can("PreModelSwitch", &[DENY_CALL, ASK_CALL, ALLOW_CALL, MESSAGE]),
    Say::can("PostModelSwitch", ADDS),
    Say {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..Say::can("Elicitation", &[DECLINE])
    },
    Say {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..Say::can("ElicitationResult", &[DECLINE])
    },
];
