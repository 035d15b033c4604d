//! What Claude Code can be told on each of its events, and where it stands (BR-20). Data only; observed of 2.1.197 and 2.1.330.

use crate::answer::Power;
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};

/// Everything.
pub(super) static REPLIES: Replies =
    Replies { agent: "Claude Code", lead: "", hears_stderr: true, tools: &[], events: EVENTS };

const OUT: &str = "hookSpecificOutput";
const NAMED: (&[&str], Part) = (&[OUT, "hookEventName"], Part::Event);

const BLOCK: Phrase = &[(&["decision"], Part::Word("block")), (&["reason"], Part::Reason)];
const CONTEXT: Phrase = &[NAMED, (&[OUT, "additionalContext"], Part::Given)];
const MESSAGE: Phrase = &[(&["systemMessage"], Part::Given)];
const STOP: Phrase = &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)];
const WATCH: Phrase = &[NAMED, (&[OUT, "watchPaths"], Part::Given)];

/// The decision about a tool call.
macro_rules! permission {
    ($word:literal) => {
        &[
            NAMED,
            (&[OUT, "permissionDecision"], Part::Word($word)),
            (&[OUT, "permissionDecisionReason"], Part::Reason),
        ]
    };
}

/// Alone, `continue: false` ends the turn after the tool has run.
const STOP_TOOL: Phrase = &[
    (&["continue"], Part::Flag(false)),
    (&["stopReason"], Part::Reason),
    NAMED,
    (&[OUT, "permissionDecision"], Part::Word("deny")),
    (&[OUT, "permissionDecisionReason"], Part::Reason),
];

const GATE: &[(Power, Phrase)] = &[
    (Power::Deny, permission!("deny")),
    (Power::Ask, permission!("ask")),
    (Power::Defer, permission!("defer")),
    (Power::Allow, permission!("allow")),
    (Power::Input, &[NAMED, (&[OUT, "updatedInput"], Part::Given)]),
    (Power::Stop, STOP_TOOL),
    (Power::Context, CONTEXT),
    (Power::Message, MESSAGE),
];

const PERMISSION: &[(Power, Phrase)] = &[
    (
        Power::Deny,
        &[
            NAMED,
            (&[OUT, "decision", "behavior"], Part::Word("deny")),
            (&[OUT, "decision", "message"], Part::Reason),
        ],
    ),
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
    // Silence: the user is about to be asked.
    (Power::Ask, &[]),
    (Power::Allow, &[NAMED, (&[OUT, "decision", "behavior"], Part::Word("allow"))]),
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
    (Power::Message, MESSAGE),
];

const FEEDBACK: &[(Power, Phrase)] = &[
    (Power::Deny, BLOCK),
    (Power::Stop, STOP),
    (Power::Context, CONTEXT),
    (Power::Message, MESSAGE),
];

const RESULT: &[(Power, Phrase)] = &[
    (Power::Deny, BLOCK),
    (Power::Stop, STOP),
    (Power::Context, CONTEXT),
    (Power::Output, &[NAMED, (&[OUT, "updatedToolOutput"], Part::Given)]),
    (Power::Message, MESSAGE),
];

const WATCHES: &[(Power, Phrase)] = &[(Power::Watch, WATCH), (Power::Message, MESSAGE)];
const TELLS: &[(Power, Phrase)] = &[(Power::Message, MESSAGE)];
const ADDS: &[(Power, Phrase)] =
    &[(Power::Context, CONTEXT), (Power::Stop, STOP), (Power::Message, MESSAGE)];

/// Exit code 2 is the only denial that these hear.
const ENDS: &[(Power, Phrase)] =
    &[(Power::Deny, &[]), (Power::Stop, STOP), (Power::Message, MESSAGE)];

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> Say {
    Say { can, ..Say::of(event) }
}

const EVENTS: &[Say] = &[
    Say {
        carries: &[
            ("sessionTitle", &[OUT, "sessionTitle"]),
            ("reloadSkills", &[OUT, "reloadSkills"]),
        ],
        // `continue: false` has no effect here: observed.
        ..say(
            "SessionStart",
            &[
                (Power::Context, CONTEXT),
                (Power::InitialMessage, &[NAMED, (&[OUT, "initialUserMessage"], Part::Given)]),
                (Power::Watch, WATCH),
                (Power::Message, MESSAGE),
            ],
        )
    },
    say("Setup", ADDS),
    Say {
        carries: &[
            ("sessionTitle", &[OUT, "sessionTitle"]),
            ("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"]),
        ],
        ..say("UserPromptSubmit", FEEDBACK)
    },
    Say {
        carries: &[("suppressOriginalPrompt", &[OUT, "suppressOriginalPrompt"])],
        ..say("UserPromptExpansion", FEEDBACK)
    },
    say("MessageDisplay", &[(Power::Output, &[NAMED, (&[OUT, "displayContent"], Part::Given)])]),
    say("PreToolUse", GATE),
    Say { only_with_consent: true, ..say("PermissionRequest", PERMISSION) },
    say(
        "PermissionDenied",
        &[
            (Power::Retry, &[NAMED, (&[OUT, "retry"], Part::Given)]),
            (Power::Stop, STOP),
            (Power::Message, MESSAGE),
        ],
    ),
    Say {
        carries: &[("classifierContext", &[OUT, "classifierContext"])],
        ..say("PostToolUse", RESULT)
    },
    say("PostToolUseFailure", FEEDBACK),
    say("PostToolBatch", FEEDBACK),
    say("Notification", &[(Power::Context, CONTEXT)]),
    say("SubagentStart", ADDS),
    say("SubagentStop", FEEDBACK),
    say("Stop", FEEDBACK),
    say("TaskCreated", &[(Power::Deny, BLOCK), (Power::Message, MESSAGE)]),
    Say { by_exit: true, ..say("TaskCompleted", ENDS) },
    Say { by_exit: true, ..say("TeammateIdle", ENDS) },
    say("ConfigChange", &[(Power::Deny, BLOCK), (Power::Message, MESSAGE)]),
    say("CwdChanged", WATCHES),
    say("FileChanged", WATCHES),
    say("DirectoryAdded", TELLS),
    say("PreCompact", &[(Power::Deny, BLOCK), (Power::Message, MESSAGE)]),
    say("PostCompact", TELLS),
    say(
        "PreModelSwitch",
        &[
            (Power::Deny, permission!("deny")),
            (Power::Ask, permission!("ask")),
            (Power::Allow, permission!("allow")),
            (Power::Message, MESSAGE),
        ],
    ),
    say("PostModelSwitch", ADDS),
    Say {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..say("Elicitation", &[(Power::Deny, &[NAMED, (&[OUT, "action"], Part::Word("decline"))])])
    },
    Say {
        carries: &[("action", &[OUT, "action"]), ("content", &[OUT, "content"])],
        ..say(
            "ElicitationResult",
            &[(Power::Deny, &[NAMED, (&[OUT, "action"], Part::Word("decline"))])],
        )
    },
];
