//! The words and the habits of one agent's files. Data only: the walk over such a file stands
//! above.

use super::{Reader, Scope};
use crate::dialect::kit::field::Case;
use crate::dialect::kit::lint::Lints;
use crate::dialect::{DialectId, EventRow};
use crate::syntax::Node;

/// The words of one agent's files.
pub(crate) struct File {
    /// The agent, in words.
    pub(crate) agent: &'static str,
    pub(crate) id: DialectId,
    pub(crate) rows: fn() -> &'static [EventRow],
    /// Reads one item of an event's list.
    pub(crate) item: fn(&mut Reader<'_>, &Node, &Scope),
    /// What the items of an event are called.
    pub(crate) items: &'static str,
    /// How hooks stand in a file, for help.
    pub(crate) shape: &'static str,
    /// The rules by which hooks never run.
    pub(crate) rules: Rules,
    /// Whether the case of a key counts.
    pub(crate) case: Case,
    /// Whether the agent reads a name as written as an event's name.
    pub(crate) is_event: fn(&str, &str) -> bool,
    /// Whether the root holds named hooks, each an object of events.
    pub(crate) is_named: bool,
    /// Whether a hook of an event that the agent does not have waits for one of that name; else it
    /// never runs.
    pub(crate) is_open: bool,
    /// Whether an event without items is worth a word.
    pub(crate) tells_empty: bool,
    /// Whether the agent takes a text that begins with a byte order mark.
    pub(crate) takes_mark: bool,
    /// Whether the agent takes comments.
    pub(crate) takes_comments: bool,
    /// Whether the agent reads JSON as JavaScript does (C-87).
    pub(crate) is_javascript: bool,
    /// Whether the agent refuses the whole file for any mistake in it.
    pub(crate) is_strict: bool,
    /// Whether the agent skips an item with a mistake alone, also where its other files are refused
    /// for one.
    pub(crate) skips_items_alone: bool,
    /// Whether all lists of an event that is written more than once run here, of which the agent
    /// loses all but the last.
    pub(crate) runs_doubled: bool,
    /// What the lints need to know of the agent, where its files are checked by them.
    pub(crate) lints: Option<&'static Lints>,
    /// The key of a group's expression that a command line must match, if groups may have one.
    pub(crate) command_filter: Option<&'static str>,
    /// Keys beside the events, which hold something else.
    pub(crate) beside: &'static [&'static str],
    /// Keys of an entry that only the agent knows, and that Tenterhook does not apply.
    pub(crate) own_keys: &'static [&'static str],
    /// Finds the node of the events in a file; reads the other settings and reports their mistakes.
    pub(crate) find: for<'n> fn(&mut Reader<'_>, &'n Node) -> Option<&'n Node>,
}

/// The rules by which hooks never run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The agent refuses the whole file.
    pub(crate) refused: &'static str,
    /// The agent has no such event.
    pub(crate) event: &'static str,
    /// It stands where no hook is looked for.
    pub(crate) misplaced: &'static str,
    /// Its key is written again below.
    pub(crate) shadowed: &'static str,
    /// It says nothing that can run.
    pub(crate) item: &'static str,
}

impl Rules {
    /// Creates the set in which one rule covers every case.
    pub(crate) const fn with_one_rule(rule: &'static str) -> Self {
        Self { refused: rule, event: rule, misplaced: rule, shadowed: rule, item: rule }
    }
}

impl File {
    /// Creates the layout of a JSON file whose events stand in `hooks`, of an agent that keeps what
    /// it can read of them.
    pub(crate) const fn new(
        agent: &'static str,
        id: DialectId,
        rows: fn() -> &'static [EventRow],
        item: fn(&mut Reader<'_>, &Node, &Scope),
    ) -> Self {
        Self {
            agent,
            id,
            rows,
            item,
            items: "groups",
            shape: r#"write `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "..."}]}]}}`"#,
            rules: Rules::with_one_rule(""),
            case: Case::Counts,
            is_event: |written, name| written == name,
            is_named: false,
            is_open: false,
            tells_empty: false,
            takes_mark: false,
            takes_comments: false,
            is_javascript: false,
            is_strict: false,
            skips_items_alone: false,
            runs_doubled: false,
            lints: None,
            command_filter: None,
            beside: &[],
            own_keys: &[],
            find: |_, root| root.get("hooks"),
        }
    }
}
