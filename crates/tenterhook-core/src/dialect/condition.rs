//! Reads one condition of a config file, and says why a node is not one. Opens no file.

use crate::diagnostic::Diagnostic;
use crate::matcher::Condition;
use crate::matcher::rule::{Reading, RuleFault};
use crate::source::Source;
use crate::syntax::Node;

/// Why a node is not a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConditionFault {
    /// A rule is a string.
    #[error("a rule is a string, not {found}")]
    NotString {
        /// The type of the node, with its article.
        found: &'static str,
    },
    /// The text is not a rule.
    #[error(transparent)]
    Rule(#[from] RuleFault),
    /// A dialect with its own form of conditions reported this error.
    #[error("{}", .0.message)]
    Reported(Box<Diagnostic>),
}

/// Parses one rule about a tool call, with the directories that its paths start from.
pub(crate) fn parse_condition(
    node: &Node,
    source: &Source,
    reading: Reading,
) -> Result<Condition, ConditionFault> {
    let text = node
        .as_str()
        .ok_or_else(|| ConditionFault::NotString { found: node.kind_with_article() })?;
    let condition = Condition::rule(text, reading);
    match condition.fault() {
        Some(fault) => Err(fault.clone().into()),
        None => Ok(condition.with_base_and_home(&source.project, &source.home)),
    }
}
