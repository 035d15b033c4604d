//! Why did no hook see a call? Each cause with its word, its reason and what to do. Finds none.

/// The likely reason for which no hook saw a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    NoEvent,
    Ungated,
    Before,
    Subagent,
    Mcp,
    Unmatched,
    NotCalled,
    Bypass,
    Silenced,
    Overruled,
    Masked,
    Unknown,
}

/// What to do where something stands before the gates.
const LIST: &str = "a mod, a plugin or another hook of the agent stands before the gates: `tenterhook status` lists what can";

const CAUSES: &[(Cause, &str, &str, &str)] = &[
    (
        Cause::NoEvent,
        "no_event",
        "the agent fires no hook for this tool",
        "no hook can see it: deny the tool in the agent's own configuration",
    ),
    (
        Cause::Ungated,
        "no_gate_on_record",
        "other events of its session are on record, and no `PreToolUse`",
        "see with `tenterhook status` whether that event is registered, and what silences it",
    ),
    (
        Cause::Before,
        "before_first_record",
        "it was before the first firing that is on record",
        "nothing, if hooks were installed then",
    ),
    (
        Cause::Subagent,
        "subagent",
        "a subagent made it",
        "see whether the agent fires hooks in subagents, and for which",
    ),
    (
        Cause::Mcp,
        "mcp",
        "it is a tool of an MCP server",
        "let the matcher of the agent's hook cover `mcp__.*`, or leave it out",
    ),
    (
        Cause::Unmatched,
        "not_matched",
        "no configured hook is asked about such a call",
        "add a hook, or widen a matcher: `tenterhook explain` says which is near",
    ),
    (
        Cause::NotCalled,
        "not_called",
        "a configured hook matches such a call, and the agent does not call Tenterhook",
        "`tenterhook install` has the agent call; `tenterhook status` says for which events",
    ),
    (
        Cause::Bypass,
        "bypass",
        "the agent ran without asking for permission",
        "see whether that mode fires hooks",
    ),
    (
        Cause::Silenced,
        "silenced",
        "the event after it was reported, and its gates were not asked",
        LIST,
    ),
    (Cause::Overruled, "overruled", "a gate denied it, and it ran", LIST),
    (Cause::Masked, "masked", "its gates were asked about another input", LIST),
    (
        Cause::Unknown,
        "unknown",
        "hooks were asked in that time, and not about this",
        "see with `tenterhook check` whether the event is registered for this agent and directory",
    ),
];

impl Cause {
    /// Returns the cause's name, the reason, and what to do.
    pub(super) fn name_reason_and_advice(self) -> (&'static str, &'static str, &'static str) {
        let row = CAUSES.iter().find(|cause| cause.0 == self);
        row.map_or(("unknown", "", ""), |(_, word, why, help)| (word, why, help))
    }
}
