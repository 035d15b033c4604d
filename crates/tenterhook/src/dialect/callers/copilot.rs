//! Copilot CLI 1.0.102: two forms, by how its files spell an event (BR-22). Names in small letters come without the name of the
//! event; those of Claude Code come in Claude Code's form.

use serde_json::{Map, Value};

use super::{Caller, caller, decode, end, named, own_input, row};
use crate::answer::Failure;
use crate::answer::Power::{self, Allow, Ask, Context, Deny, Input, Output, Prompt, Stop};
use crate::diagnostic::Code;
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};
use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventFault, EventRow, Roots};
use crate::event::Event;
use crate::hook::{Layer, OnFailure};
use crate::source::Source;

pub(super) static CAMEL: Dialect = Dialect {
    without_answer,
    loads,
    ..caller(Caller {
        id: DialectId::COPILOT,
        rows: || ROWS,
        decode: camel,
        replies: &CAMEL_REPLIES,
    })
};

pub(super) static PASCAL: Dialect = Dialect {
    without_answer,
    loads,
    ..caller(Caller {
        id: DialectId::COPILOT_PASCAL,
        rows: || PASCAL_ROWS,
        decode: pascal,
        replies: &PASCAL_REPLIES,
    })
};

/// A hook before a tool that fails denies there; one that is too late does not.
fn without_answer(event: &str, failure: &Failure) -> OnFailure {
    match event == "PreToolUse" && failure.code != Code::TimedOut {
        true => OnFailure::Block,
        false => OnFailure::Continue,
    }
}

/// It reads a project's settings of Claude Code, too.
fn loads(source: &Source, own: DialectId) -> bool {
    let of_project = matches!(source.layer, Layer::Project | Layer::Local);
    source.dialect == own || (of_project && source.dialect == DialectId::CLAUDE)
}

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    row("sessionStart", "SessionStart", &[]),
    row("sessionEnd", "SessionEnd", &[]),
    row("userPromptSubmitted", "UserPromptSubmit", &[Deny]),
    row("userPromptTransformed", "UserPromptExpansion", &[]),
    row("preToolUse", "PreToolUse", &[Deny, Ask]),
    row("permissionRequest", "PermissionRequest", &[Deny]),
    row("postToolUse", "PostToolUse", &[]),
    row("postToolUseFailure", "PostToolUseFailure", &[]),
    end("agentStop", "Stop"),
    row("subagentStart", "SubagentStart", &[]),
    end("subagentStop", "SubagentStop"),
    row("errorOccurred", "StopFailure", &[]),
    row("preCompact", "PreCompact", &[]),
    row("notification", "Notification", &[]),
];

#[rustfmt::skip]
static PASCAL_ROWS: &[EventRow] = &[
    row("SessionStart", "SessionStart", &[]),
    row("SessionEnd", "SessionEnd", &[]),
    row("UserPromptSubmit", "UserPromptSubmit", &[Deny]),
    row("PreToolUse", "PreToolUse", &[Deny, Ask]),
    row("PermissionRequest", "PermissionRequest", &[Deny]),
    row("PostToolUse", "PostToolUse", &[Deny]),
    row("PostToolUseFailure", "PostToolUseFailure", &[]),
    end("Stop", "Stop"),
    end("SubagentStop", "SubagentStop"),
    row("ErrorOccurred", "StopFailure", &[]),
    row("PreCompact", "PreCompact", &[]),
    row("Notification", "Notification", &[]),
];

const KEYS: super::Keys = &[
    ("sessionId", "session_id"),
    ("toolName", "tool_name"),
    ("toolArgs", "tool_input"),
    ("toolInput", "tool_input"),
    ("toolResult", "tool_response"),
    ("tool_result", "tool_response"),
    ("transcriptPath", "transcript_path"),
    ("stopReason", "stop_reason"),
    ("initialPrompt", "initial_prompt"),
    ("permissionSuggestions", "permission_suggestions"),
    ("hookName", ""),
];

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["powershell"], neutral: "PowerShell", keys: &[] },
    ToolWords { own: &["view"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["create"], neutral: "Write", keys: &[("path", "file_path"), ("file_text", "content")] },
    ToolWords { own: &["edit"], neutral: "Edit", keys: &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
];

/// Without the name of the event but on one: it is what was claimed, or what the fields say.
fn camel(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    if json.contains_key("hook_event_name") && !json.contains_key("sessionId") {
        return pascal(json, roots);
    }
    let has = |key: &str| json.contains_key(key);
    let name = match () {
        () if has("hookName") => named(json, "hookName", "Copilot CLI")?,
        () if has("hook_event_name") => named(json, "hook_event_name", "Copilot CLI")?,
        () if has("toolResult") => "postToolUse",
        () if has("toolArgs") => "preToolUse",
        () if has("transformedPrompt") => "userPromptTransformed",
        () if has("prompt") => "userPromptSubmitted",
        () if has("stopReason") => "agentStop",
        () if has("source") => "sessionStart",
        () => return Err(EventFault { message: "the event has no name".to_owned() }),
    };
    decode(name, json, KEYS, TOOLS, ROWS, roots)
}

fn pascal(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let key = if json.contains_key("hookName") { "hookName" } else { "hook_event_name" };
    let name = named(json, key, "Copilot CLI")?;
    // A request for a permission comes in small letters in both forms.
    let rows = if key == "hookName" { ROWS } else { PASCAL_ROWS };
    decode(name, json, KEYS, TOOLS, rows, roots)
}

static CAMEL_REPLIES: Replies = Replies {
    agent: "Copilot CLI",
    lead: "",
    hears_stderr: true,
    tools: TOOLS,
    events: CAMEL_EVENTS,
};
static PASCAL_REPLIES: Replies = Replies {
    agent: "Copilot CLI",
    lead: "",
    hears_stderr: true,
    tools: &[],
    events: PASCAL_EVENTS,
};

const OUT: &str = "hookSpecificOutput";
const NAMED: (&[&str], Part) = (&[OUT, "hookEventName"], Part::Event);
const BLOCK: Phrase = &[(&["decision"], Part::Word("block")), (&["reason"], Part::Reason)];
const CONTEXT: Phrase = &[(&["additionalContext"], Part::Given)];

macro_rules! flat {
    ($word:literal) => {
        &[
            (&["permissionDecision"], Part::Word($word)),
            (&["permissionDecisionReason"], Part::Reason),
        ]
    };
}

macro_rules! nested {
    ($word:literal) => {
        &[
            NAMED,
            (&[OUT, "permissionDecision"], Part::Word($word)),
            (&[OUT, "permissionDecisionReason"], Part::Reason),
        ]
    };
}

const PERMISSION: &[(Power, Phrase)] = &[
    (Deny, &[(&["behavior"], Part::Word("deny")), (&["message"], Part::Reason)]),
    (
        Stop,
        &[
            (&["behavior"], Part::Word("deny")),
            (&["message"], Part::Reason),
            (&["interrupt"], Part::Flag(true)),
        ],
    ),
    // Silence: the user is about to be asked.
    (Ask, &[]),
    (Allow, &[(&["behavior"], Part::Word("allow"))]),
];

const PROMPT: &[(Power, Phrase)] =
    &[(Deny, BLOCK), (Context, CONTEXT), (Prompt, &[(&["modifiedPrompt"], Part::Given)])];
const RESULT: &[(&[&str], Part)] = &[
    (&["modifiedResult", "resultType"], Part::Word("success")),
    (&["modifiedResult", "textResultForLlm"], Part::GivenText),
];

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> Say {
    Say { can, input: |event, input| Ok(own_input(TOOLS, event, input)), ..Say::of(event) }
}

const CAMEL_EVENTS: &[Say] = &[
    say("sessionStart", &[(Context, CONTEXT)]),
    say("userPromptSubmitted", PROMPT),
    say("userPromptTransformed", &[(Prompt, &[(&["modifiedTransformedPrompt"], Part::Given)])]),
    say(
        "preToolUse",
        &[
            (Deny, flat!("deny")),
            (Ask, flat!("ask")),
            (Allow, flat!("allow")),
            (Input, &[(&["modifiedArgs"], Part::Given)]),
            (Context, CONTEXT),
        ],
    ),
    say("permissionRequest", PERMISSION),
    say("postToolUse", &[(Context, CONTEXT), (Output, RESULT)]),
    say("agentStop", &[(Deny, BLOCK)]),
    say("subagentStop", &[(Deny, BLOCK)]),
];

const PASCAL_EVENTS: &[Say] = &[
    say("SessionStart", &[(Context, CONTEXT)]),
    say("UserPromptSubmit", PROMPT),
    Say {
        input: |_, input| Ok(input.clone()),
        ..say(
            "PreToolUse",
            &[
                (Deny, nested!("deny")),
                (Ask, nested!("ask")),
                (Allow, nested!("allow")),
                (Input, &[NAMED, (&[OUT, "updatedInput"], Part::Given)]),
            ],
        )
    },
    say("PermissionRequest", PERMISSION),
    say("PostToolUse", &[(Deny, BLOCK), (Context, CONTEXT)]),
    say("Stop", &[(Deny, BLOCK)]),
    say("SubagentStop", &[(Deny, BLOCK)]),
];
