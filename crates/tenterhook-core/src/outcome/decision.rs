//! What an outcome means for the action that its event announces, as one value. It decides nothing: it reads the fold.

use serde_json::Value;

use super::Outcome;
use crate::answer::Restraint;

/// The reason where a hook restrains and gives no reason.
const NO_REASON: &str = "a hook gave no reason";

/// What takes the place of what the event says.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Rewrite {
    /// The whole tool input that replaces the original one.
    pub input: Option<Value>,
    /// The prompt that replaces the user's.
    pub prompt: Option<String>,
}

impl Rewrite {
    /// Returns the tool input to run: the hooks' replacement if there is one, otherwise `original`.
    #[must_use]
    pub fn input_or(self, original: Value) -> Value {
        self.input.unwrap_or(original)
    }

    /// Returns the prompt to send: the hooks' replacement if there is one, otherwise `original`.
    #[must_use]
    pub fn prompt_or(self, original: impl Into<String>) -> String {
        self.prompt.unwrap_or_else(|| original.into())
    }
}

/// What the host does with the action that the event announces (M-13). Exactly one of these holds.
///
/// Match on all of them without `_`: a decision that a later version adds is then a compile error and not an action that goes
/// on. What such a version says more of one of them is behind its `..`.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "an action whose decision is not read is not gated"]
pub enum Decision {
    /// Go on.
    #[non_exhaustive]
    Proceed {
        /// What the hooks put in place of the original.
        rewrite: Rewrite,
    },
    /// Ask the user; where there is no user to ask, do not go on.
    #[non_exhaustive]
    Ask {
        /// Why, for the user.
        reason: String,
        /// What the question is about: what the hooks put in place of the original.
        rewrite: Rewrite,
    },
    /// Do not go on now: the action is put off until somebody takes it up again. A host that can put nothing off treats this
    /// as a denial.
    #[non_exhaustive]
    Deferred {
        /// Why, for the user.
        reason: String,
    },
    /// Do not go on. On `Stop` the action is to end the turn: a denial keeps the agent at work, and the reason is its next
    /// message.
    #[non_exhaustive]
    Denied {
        /// Why, for the model, or for the user where there is no model yet.
        reason: String,
    },
    /// Do not go on, and end the turn. It outranks a denial, whose words then stand in [`Outcome::reason`].
    #[non_exhaustive]
    Stopped {
        /// Why, for the user.
        reason: String,
    },
}

impl Decision {
    /// Returns true if the action may happen without another question.
    #[must_use]
    pub const fn proceeds(&self) -> bool {
        matches!(self, Self::Proceed { .. })
    }

    /// Returns why the action is held up; `None` if it is not.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Proceed { .. } => None,
            Self::Ask { reason, .. }
            | Self::Deferred { reason }
            | Self::Denied { reason }
            | Self::Stopped { reason } => Some(reason),
        }
    }
}

impl Outcome {
    /// Returns what to do with the action that the event announced. A host reads this first (M-13).
    pub fn decision(&self) -> Decision {
        let reason = || self.reason().unwrap_or_else(|| NO_REASON.to_owned());
        if let Some(stop) = &self.effects.stop {
            return Decision::Stopped { reason: stop.reason.clone().unwrap_or_else(reason) };
        }
        let rewrite = || Rewrite {
            input: self.effects.updated_input.clone(),
            prompt: self.effects.updated_prompt.clone(),
        };
        match self.restraint {
            Restraint::Silent | Restraint::Allow => Decision::Proceed { rewrite: rewrite() },
            Restraint::Ask => Decision::Ask { reason: reason(), rewrite: rewrite() },
            Restraint::Defer => Decision::Deferred { reason: reason() },
            Restraint::Deny => Decision::Denied { reason: reason() },
        }
    }

    /// Returns true if a hook consents, so that the host may skip a routine question to the user.
    /// Silence is no consent, and the host's own deny and ask rules still apply.
    #[must_use]
    pub fn has_consent(&self) -> bool {
        self.restraint == Restraint::Allow && self.effects.stop.is_none()
    }
}

/// A host that does not read the outcome, or forgets a decision, is warned or not compiled.
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// async fn host(engine: tenterhook::Engine, event: tenterhook::Event, session: tenterhook::Session) {
///     engine.fire(event, &session).await;
/// }
/// ```
///
/// ```compile_fail,E0004
/// use tenterhook::outcome::Decision;
/// fn host(decision: Decision) -> bool {
///     match decision {
///         Decision::Proceed { .. } => true,
///         Decision::Ask { .. } | Decision::Deferred { .. } | Decision::Denied { .. } => false,
///     }
/// }
/// ```
#[cfg(doctest)]
struct Unread;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::answer::{Effects, Stop};
    use crate::hook::HookId;
    use crate::outcome::Reason;

    fn outcome(restraint: Restraint, effects: Effects) -> Outcome {
        let reasons = vec![Reason { hook: HookId::new("guard"), text: "not here".to_owned() }];
        Outcome { restraint, reasons, effects, ..Outcome::without_answer() }
    }

    // M-13
    #[test]
    fn each_restraint_is_one_decision() {
        let decision = |restraint| outcome(restraint, Effects::default()).decision();
        let reason = || "not here".to_owned();
        let rewrite = Rewrite::default();
        let proceed = Decision::Proceed { rewrite: rewrite.clone() };
        assert_eq!(decision(Restraint::Silent), proceed);
        assert_eq!(decision(Restraint::Allow), proceed);
        assert_eq!(decision(Restraint::Ask), Decision::Ask { reason: reason(), rewrite });
        assert_eq!(decision(Restraint::Defer), Decision::Deferred { reason: reason() });
        assert_eq!(decision(Restraint::Deny), Decision::Denied { reason: reason() });
    }

    // M-13
    #[test]
    fn a_stop_outranks_every_restraint_and_is_no_consent() {
        let words = [
            Restraint::Silent,
            Restraint::Allow,
            Restraint::Ask,
            Restraint::Defer,
            Restraint::Deny,
        ];
        for restraint in words {
            let stop = Some(Stop { reason: Some("enough".to_owned()) });
            let said = outcome(restraint, Effects { stop, ..Effects::default() });
            let stopped = Decision::Stopped { reason: "enough".to_owned() };
            assert_eq!(said.decision(), stopped, "{restraint:?}");
            assert!(!said.has_consent(), "{restraint:?}");
            let stop = Some(Stop { reason: None });
            let said = outcome(restraint, Effects { stop, ..Effects::default() });
            assert_eq!(said.decision().reason(), Some("not here"), "{restraint:?}");
        }
    }

    // M-13
    #[test]
    fn what_proceeds_or_is_asked_about_is_what_hooks_made_of_it() {
        let effects =
            Effects { updated_input: Some(json!({"command": "ls"})), ..Effects::default() };
        for restraint in [Restraint::Silent, Restraint::Allow, Restraint::Ask] {
            match outcome(restraint, effects.clone()).decision() {
                Decision::Proceed { rewrite } | Decision::Ask { rewrite, .. } => {
                    assert_eq!(rewrite.input_or(json!(null)), json!({"command": "ls"}));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    // M-13
    #[test]
    fn a_restraint_without_words_has_a_reason_all_the_same() {
        let silent = Outcome { restraint: Restraint::Deny, ..Outcome::without_answer() };
        assert_eq!(silent.decision(), Decision::Denied { reason: NO_REASON.to_owned() });
        assert!(!silent.decision().proceeds());
    }
}
