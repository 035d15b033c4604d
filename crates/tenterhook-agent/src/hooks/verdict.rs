//! What hooks want at one event, in the agent's own words. Pure.

use serde_json::Value;
use tenterhook::Outcome;
use tenterhook_core::outcome::Decision;

use crate::update::Rewritten;

/// What hooks want at one event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    /// The action must not happen: why.
    pub(crate) blocked: Option<String>,
    /// The user is to decide: why.
    pub(crate) ask: Option<String>,
    /// A routine question may be skipped.
    pub(crate) allowed: bool,
    /// Everything ends: why.
    pub(crate) stop: Option<String>,
    /// What replaces the tool's input.
    pub(crate) input: Option<Value>,
    /// What replaces the prompt.
    pub(crate) prompt: Option<String>,
    /// What replaces the output, or what is shown.
    pub(crate) output: Option<Value>,
    /// What the model should know, labelled with the hook whose words it is.
    pub(crate) context: Vec<String>,
    /// Some hook was asked.
    pub(crate) has_run: bool,
    /// Changes of permissions.
    pub(crate) permissions: Vec<Value>,
    /// The model may try the denied call again.
    pub(crate) retry: bool,
    /// The first message of the session.
    pub(crate) initial: Option<String>,
    /// The event, as the hooks call it that decided or ran.
    pub(crate) event: String,
    /// What was rewritten, if something was.
    pub(crate) rewritten: Option<Rewritten>,
}

impl Verdict {
    /// Creates the verdict from an outcome.
    pub(super) fn from_outcome(outcome: &Outcome) -> Self {
        let (mut blocked, mut ask, mut stop) = (None, None, None);
        match outcome.decision() {
            Decision::Proceed { .. } => {}
            // Nothing is put off here: the user says when.
            Decision::Ask { reason, .. } | Decision::Deferred { reason, .. } => ask = Some(reason),
            Decision::Stopped { reason, .. } => {
                // The model receives the reason of a denial too.
                blocked = outcome.reason().filter(|_| outcome.blocked());
                stop = Some(reason);
            }
            Decision::Denied { reason, .. } => blocked = Some(reason),
        }
        let effects = outcome.effects.clone();
        Self {
            blocked,
            ask,
            allowed: outcome.has_consent(),
            context: outcome.labelled_context(),
            has_run: !outcome.steps.is_empty(),
            stop,
            input: effects.updated_input,
            prompt: effects.updated_prompt,
            output: effects.updated_output,
            permissions: effects.updated_permissions,
            retry: effects.retry == Some(true),
            initial: effects.initial_user_message,
            event: String::new(),
            rewritten: None,
        }
    }
}
