//! The phrases of Claude Code's form, which most agents adopted. The table of each agent lists
//! which event accepts which one.

use super::{Part, Phrase};
use crate::answer::Power;

/// A power, and the phrase for it.
pub(crate) type PowerPhrase = (Power, Phrase);

const OUT: &str = "hookSpecificOutput";
pub(crate) const NAMED: (&[&str], Part) = (&[OUT, "hookEventName"], Part::Event);

const REASON: (&[&str], Part) = (&["reason"], Part::Reason);
pub(crate) const BLOCK: PowerPhrase =
    (Power::Deny, &[(&["decision"], Part::Word("block")), REASON]);
pub(crate) const STOP: PowerPhrase =
    (Power::Stop, &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)]);
pub(crate) const CONTEXT: PowerPhrase =
    (Power::Context, &[NAMED, (&[OUT, "additionalContext"], Part::Given)]);
/// Context that is the whole of standard output, as text.
pub(crate) const TEXT: PowerPhrase = (Power::Context, &[]);
pub(crate) const MESSAGE: PowerPhrase = (Power::Message, &[(&["systemMessage"], Part::Given)]);

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

pub(crate) const DENY_CALL: PowerPhrase = about_call!(Deny, "deny");
pub(crate) const ASK_CALL: PowerPhrase = about_call!(Ask, "ask");
pub(crate) const DEFER_CALL: PowerPhrase = about_call!(Defer, "defer");
pub(crate) const ALLOW_CALL: PowerPhrase = about_call!(Allow, "allow");
pub(crate) const CHANGE_CALL: PowerPhrase =
    (Power::Input, &[NAMED, (&[OUT, "updatedInput"], Part::Given)]);

/// The decision of a permission request, made instead of the user.
pub(crate) const DENY_REQUEST: PowerPhrase = (
    Power::Deny,
    &[
        NAMED,
        (&[OUT, "decision", "behavior"], Part::Word("deny")),
        (&[OUT, "decision", "message"], Part::Reason),
    ],
);
pub(crate) const ALLOW_REQUEST: PowerPhrase =
    (Power::Allow, &[NAMED, (&[OUT, "decision", "behavior"], Part::Word("allow"))]);
/// Silence: the user is asked.
pub(crate) const LEAVE_REQUEST: PowerPhrase = (Power::Ask, &[]);
