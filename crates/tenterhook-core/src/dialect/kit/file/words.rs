//! The words and the habits of one agent's files. Data only: the walk over such a file stands above.

use super::{Reader, Scope};
use crate::dialect::kit::field::Case;
use crate::dialect::{DialectId, EventRow};
use crate::syntax::Node;

/// The words of one agent's files.
pub(in crate::dialect) struct File {
    /// The agent, in words.
    pub(in crate::dialect) agent: &'static str,
    pub(in crate::dialect) id: DialectId,
    pub(in crate::dialect) rows: fn() -> &'static [EventRow],
    /// Reads one item of an event's list.
    pub(in crate::dialect) item: fn(&mut Reader<'_>, &Node, &Scope),
    /// What the items of an event are called.
    pub(in crate::dialect) items: &'static str,
    /// How hooks stand in a file, for help.
    pub(in crate::dialect) shape: &'static str,
    /// The rules by which hooks never run.
    pub(in crate::dialect) rules: Rules,
    /// Whether the case of a key counts.
    pub(in crate::dialect) case: Case,
    /// Whether a hook of an event that the agent does not have waits for one of that name; else it never runs.
    pub(in crate::dialect) is_open: bool,
    /// Whether an event without items is worth a word.
    pub(in crate::dialect) tells_empty: bool,
    /// Whether the agent takes a text that begins with a byte order mark.
    pub(in crate::dialect) takes_mark: bool,
    /// Whether the agent takes comments.
    pub(in crate::dialect) takes_comments: bool,
    /// Whether the agent reads JSON as JavaScript does (C-87).
    pub(in crate::dialect) is_javascript: bool,
    /// Whether the agent refuses the whole file for any mistake in it.
    pub(in crate::dialect) is_strict: bool,
    /// Whether all lists of an event that is written more than once run here, of which the agent loses all but the last.
    pub(in crate::dialect) runs_doubled: bool,
    /// Keys beside the events, which hold something else.
    pub(in crate::dialect) beside: &'static [&'static str],
    /// Where the events stand in a file; what else it says is read, and what is wrong with that told.
    pub(in crate::dialect) find: for<'n> fn(&mut Reader<'_>, &'n Node) -> Option<&'n Node>,
}

/// The rules by which hooks never run.
#[derive(Clone, Copy, Debug)]
pub(in crate::dialect) struct Rules {
    /// The agent refuses the whole file.
    pub(in crate::dialect) refused: &'static str,
    /// The agent has no such event.
    pub(in crate::dialect) event: &'static str,
    /// It stands where no hook is looked for.
    pub(in crate::dialect) misplaced: &'static str,
    /// Its key is written again below.
    pub(in crate::dialect) shadowed: &'static str,
    /// It says nothing that can run.
    pub(in crate::dialect) item: &'static str,
}

impl Rules {
    /// One rule that says all of it.
    pub(in crate::dialect) const fn all(rule: &'static str) -> Self {
        Self { refused: rule, event: rule, misplaced: rule, shadowed: rule, item: rule }
    }
}

impl File {
    /// A file of JSON whose events stand in `hooks`, of an agent that keeps what it can read of them.
    pub(in crate::dialect) const fn of(
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
            rules: Rules::all(""),
            case: Case::Counts,
            is_open: false,
            tells_empty: false,
            takes_mark: false,
            takes_comments: false,
            is_javascript: false,
            is_strict: false,
            runs_doubled: false,
            beside: &[],
            find: |_, root| root.get("hooks"),
        }
    }
}
