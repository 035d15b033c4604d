//! Under which names are events shown? Under those that the hooks have for them that are involved, as the engine labels them.

use tenterhook_core::dialect::{DialectId, EventLabel};
use tenterhook_core::event::EventName;
use tenterhook_core::hook::{HookId, Layer};

use super::Hooks;
use crate::update::EventNames;

impl From<EventLabel> for EventNames {
    fn from(label: EventLabel) -> Self {
        Self { own: label.names(), label: label.to_string(), neutral: label.neutral().to_owned() }
    }
}

impl Hooks {
    /// The event under the names that these hooks have for it.
    pub(super) fn label_of<'h>(
        &self,
        event: &EventName,
        hooks: impl IntoIterator<Item = &'h HookId>,
    ) -> EventLabel {
        let ruleset = self.engine.ruleset();
        let hooks = hooks.into_iter().filter_map(|id| {
            ruleset.hooks().iter().find(|hook| hook.id == *id && hook.event == *event)
        });
        EventLabel::of_hooks(event, hooks.map(|hook| &**hook))
    }

    /// The same of all hooks that are configured for it.
    pub(super) fn label(&self, event: &EventName) -> EventLabel {
        let ruleset = self.engine.ruleset();
        let hooks = ruleset.hooks().iter();
        let hooks = hooks.filter(|hook| hook.layer != Layer::BuiltIn && hook.event == *event);
        EventLabel::of_hooks(event, hooks.map(|hook| &**hook))
    }

    /// The dialect of a hook.
    pub(super) fn dialect_of(&self, hook: &HookId) -> Option<DialectId> {
        let ruleset = self.engine.ruleset();
        let found = ruleset.hooks().iter().find(|found| found.id == *hook);
        found.map(|hook| hook.dialect)
    }

    /// A warning about an event, which names it as the hooks do that are configured for it (HO-9).
    pub(crate) fn warn(&self, event: &str, reason: impl Into<String>) {
        self.updates.warn(&self.label(&event.into()).own(), reason);
    }
}
