//! The phrases of Claude Code's form, which most agents took over: what is said, and how. Which event takes which one is in
//! each agent's own table.

use super::{Part, Phrase};
use crate::answer::Power;

/// What can be said, and how.
pub(in crate::dialect) type Said = (Power, Phrase);

const OUT: &str = "hookSpecificOutput";
pub(in crate::dialect) const NAMED: (&[&str], Part) = (&[OUT, "hookEventName"], Part::Event);

const REASON: (&[&str], Part) = (&["reason"], Part::Reason);
pub(in crate::dialect) const BLOCK: Said =
    (Power::Deny, &[(&["decision"], Part::Word("block")), REASON]);
pub(in crate::dialect) const STOP: Said =
    (Power::Stop, &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)]);
pub(in crate::dialect) const CONTEXT: Said =
    (Power::Context, &[NAMED, (&[OUT, "additionalContext"], Part::Given)]);
pub(in crate::dialect) const MESSAGE: Said = (Power::Message, &[(&["systemMessage"], Part::Given)]);

/// The decision about a tool call.
macro_rules! about_call {
    ($power:ident, $word:literal) => {
        (
            Power::$power,
            &[
                NAMED,
                (&[OUT, "permissionDecision"], Part::Word($word)),
                (&[OUT, "permissionDecisionReason"], Part::Reason),
            ],
        )
    };
}

pub(in crate::dialect) const DENY_CALL: Said = about_call!(Deny, "deny");
pub(in crate::dialect) const ASK_CALL: Said = about_call!(Ask, "ask");
pub(in crate::dialect) const DEFER_CALL: Said = about_call!(Defer, "defer");
pub(in crate::dialect) const ALLOW_CALL: Said = about_call!(Allow, "allow");
pub(in crate::dialect) const CHANGE_CALL: Said =
    (Power::Input, &[NAMED, (&[OUT, "updatedInput"], Part::Given)]);

/// The decision in the place of the user who is about to be asked.
pub(in crate::dialect) const DENY_REQUEST: Said = (
    Power::Deny,
    &[
        NAMED,
        (&[OUT, "decision", "behavior"], Part::Word("deny")),
        (&[OUT, "decision", "message"], Part::Reason),
    ],
);
pub(in crate::dialect) const ALLOW_REQUEST: Said =
    (Power::Allow, &[NAMED, (&[OUT, "decision", "behavior"], Part::Word("allow"))]);
/// Silence: the user is asked.
pub(in crate::dialect) const LEAVE_REQUEST: Said = (Power::Ask, &[]);
