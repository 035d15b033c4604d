//! Under which names are events shown? Under those that the hooks have for them that are involved, as the engine labels them.

use tenterhook_core::dialect::{DialectId, EventLabel};
use tenterhook_core::event::EventName;
use tenterhook_core::hook::{HookId, Layer};

use super::Hooks;
use crate::update::EventNames;

impl From<EventLabel> for EventNames {
    fn from(label: EventLabel) -> Self {
        Self {
            own: label.own_names(),
            label: label.to_string(),
            neutral: label.neutral_name().to_owned(),
        }
    }
}

impl Hooks {
    /// Returns the label of the event with the names that these hooks use for it.
    pub(super) fn label_for_hooks<'h>(
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

    /// Returns the label of the event with the names that all hooks configured for it use.
    pub(super) fn event_label(&self, event: &EventName) -> EventLabel {
        let ruleset = self.engine.ruleset();
        let hooks = ruleset.hooks().iter();
        let hooks = hooks.filter(|hook| hook.layer != Layer::BuiltIn && hook.event == *event);
        EventLabel::of_hooks(event, hooks.map(|hook| &**hook))
    }

    /// Returns the dialect of a hook.
    pub(super) fn dialect_of_hook(&self, hook: &HookId) -> Option<DialectId> {
        let ruleset = self.engine.ruleset();
        let found = ruleset.hooks().iter().find(|found| found.id == *hook);
        found.map(|hook| hook.dialect)
    }

    /// Sends a warning about an event, named as in the hooks that are configured for it (HO-9).
    pub(crate) fn warn_about_event(&self, event: &str, reason: impl Into<String>) {
        self.updates.warn(&self.event_label(&event.into()).own(), reason);
    }
}
