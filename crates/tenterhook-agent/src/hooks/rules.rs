//! Permission rules, read and matched by the engine's own matcher, so that rules mean the same here and in hooks.

use tenterhook::hook::Compat;
use tenterhook::matcher::Condition;
use tenterhook::matcher::condition::{Occasion, Picked};
use tenterhook::matcher::rule::Reading;

use super::Hooks;
use crate::conversation::Call;

/// A rule about tool calls, such as `Bash(git push *)`.
#[derive(Clone, Debug)]
pub(crate) struct PermissionRule {
    text: String,
    meaning: Meaning,
}

#[derive(Clone, Debug)]
enum Meaning {
    Rule(Condition),
    /// One call, as it is.
    Exactly(Call),
}

impl PermissionRule {
    /// Reads a rule.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let condition = Condition::rule(text, Reading::Native);
        match condition.fault() {
            Some(fault) => Err(format!("`{text}` is no permission rule: {fault}")),
            None => Ok(Self { text: text.to_owned(), meaning: Meaning::Rule(condition) }),
        }
    }

    /// The rule that this very call may run again.
    pub(crate) fn exactly(call: &Call) -> Self {
        Self { text: format!("{} as it was", call.tool), meaning: Meaning::Exactly(call.clone()) }
    }

    /// The rule as written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Whether a rule that may or may not be about a call counts: doubt restrains, and never consents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It counts.
    Counts,
    /// It does not.
    Fails,
}

impl Hooks {
    /// Whether a rule is about this call.
    pub(crate) fn rule_holds(&self, rule: &PermissionRule, call: &Call, doubt: Doubt) -> bool {
        match &rule.meaning {
            Meaning::Exactly(known) => known.tool == call.tool && known.input == call.input,
            Meaning::Rule(condition) => {
                let event = self.about("PreToolUse", call);
                match condition.pick(&Occasion::of(&event), Compat::Guarded) {
                    Picked::No(_) => false,
                    Picked::Exactly => true,
                    Picked::Widely(_) | Picked::Failed(_) => doubt == Doubt::Counts,
                }
            }
        }
    }
}
