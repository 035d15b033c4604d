//! Who holds an event up, from its beginning until its hooks have answered or are waited for no longer.

use std::sync::Arc;

use tenterhook::Event;
use tenterhook::dialect::EventLabel;
use tenterhook::hook::Hook;
use tenterhook::plan;

use super::{Hooks, told};
use crate::underway::Underway;
use crate::update::{Hold, Update};

impl Hooks {
    /// The hooks that are about to judge the event, and that it waits for.
    pub(super) fn awaited(&self, event: &Event) -> Vec<Arc<Hook>> {
        let view = self.session.view(&event.name);
        let ruleset = self.engine.ruleset();
        let planned = plan::explain(&ruleset, &view, event).into_iter();
        let waits = planned.filter(|(hook, because)| {
            // A rule has answered before anybody could read that it is asked.
            let awaited = ruleset.row(hook.dialect, &event.name).awaits(hook);
            because.selected && awaited && !hook.run.is_inside()
        });
        waits.map(|(hook, _)| hook).collect()
    }

    /// Tells which hooks are about to judge the event; dropped, that they do no longer.
    pub(super) fn hold(
        &self,
        event: &Event,
        waits: &[Arc<Hook>],
    ) -> Option<Underway<impl FnOnce() + use<>>> {
        if waits.is_empty() {
            return None;
        }
        let label = EventLabel::of_hooks(&event.name, waits.iter().map(|hook| &**hook));
        let hooks = waits.iter().map(|hook| hook.id.to_string()).collect();
        let hold = Hold { event: label.into(), call: told::call(event), hooks };
        self.updates.tell(Update::Held(hold.clone()));
        let updates = self.updates.clone();
        Some(Underway::begin(move || updates.tell(Update::Released(hold))))
    }
}
