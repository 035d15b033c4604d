//! Who holds an event up, from its beginning until its hooks have answered or are waited for no longer.

use tenterhook::Event;
use tenterhook::plan;

use super::{Hooks, told};
use crate::underway::Underway;
use crate::update::{Hold, Update};

impl Hooks {
    /// The hooks that are about to judge the event, and that it waits for.
    pub(super) fn awaited(&self, event: &Event) -> Vec<String> {
        let view = self.session.view(&event.name);
        let ruleset = self.engine.ruleset();
        let planned = plan::explain(&ruleset, &view, event).into_iter();
        let waits = planned.filter(|(hook, because)| {
            // A rule has answered before anybody could read that it is asked.
            let awaited = ruleset.row(hook.dialect, &event.name).awaits(hook);
            because.selected && awaited && !hook.run.is_inside()
        });
        waits.map(|(hook, _)| hook.id.to_string()).collect()
    }

    /// Tells which hooks are about to judge the event; dropped, that they do no longer.
    pub(super) fn hold(
        &self,
        event: &Event,
        hooks: Vec<String>,
    ) -> Option<Underway<impl FnOnce() + use<>>> {
        if hooks.is_empty() {
            return None;
        }
        let hold = Hold { event: event.name.to_string(), call: told::call(event), hooks };
        self.updates.tell(Update::Held(hold.clone()));
        let updates = self.updates.clone();
        Some(Underway::begin(move || updates.tell(Update::Released(hold))))
    }
}
