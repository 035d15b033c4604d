//! The words of near misses: which spellings of a decision, and of the keys round it, show that a denial was meant. The
//! tables are closed; `docs/spec/answers.md` gives each its rule.

use super::fields;
use crate::answer::{Power, Restraint};
use crate::dialect::words;
pub(super) use crate::dialect::words::{is_in, plain_key, says_no};

/// Keys that hold a decision, as [`plain_key`] spells them. `permission` is Cursor's, which reads this
/// agent's hook files.
pub(super) const DECISION_KEYS: &[&str] =
    &["decision", "permissiondecision", "behavior", "permission"];
/// Keys that hold the words for it, best first.
pub(super) const REASON_KEYS: &[&str] =
    &["permissiondecisionreason", "reason", "message", "stopreason", "usermessage"];
/// Keys that only an answer has.
pub(super) const ANSWER_KEYS: &[&str] =
    &["hookspecificoutput", "decision", "permissiondecision", "continue"];

/// What a decision word means, and whether it is spelled as some place of the protocol has it.
pub(super) fn restraint(word: &str) -> (Restraint, bool) {
    let restraint = words::restraint(word);
    (restraint, fields::restraint(word) == restraint)
}

pub(super) const fn power(restraint: Restraint) -> Power {
    match restraint {
        Restraint::Ask => Power::Ask,
        Restraint::Defer => Power::Defer,
        Restraint::Deny => Power::Deny,
        Restraint::Silent | Restraint::Allow => Power::Allow,
    }
}
