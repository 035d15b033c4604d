//! Who holds an event up, from its beginning until its hooks have answered or are waited for no longer.

use tenterhook::Event;
use tenterhook::hook::Wait;
use tenterhook::plan;

use super::{Hooks, told};
use crate::underway::Underway;
use crate::update::{Hold, Update};

impl Hooks {
    /// Tells which hooks are about to judge the event; dropped, that they do no longer.
    pub(super) fn hold(&self, event: &Event) -> Option<Underway<impl FnOnce() + use<>>> {
        let view = self.session.view(&event.name);
        let planned = plan::explain(&self.engine.ruleset(), &view, event).into_iter();
        let waits = planned.filter(|(hook, because)| {
            // A rule has answered before anybody could read that it is asked.
            because.selected && hook.wait == Wait::Attached && !hook.run.is_inside()
        });
        let hooks: Vec<_> = waits.map(|(hook, _)| hook.id.to_string()).collect();
        if hooks.is_empty() {
            return None;
        }
        let hold = Hold { event: event.name.to_string(), call: told::call(event), hooks };
        self.updates.tell(Update::Held(hold.clone()));
        let updates = self.updates.clone();
        Some(Underway::begin(move || updates.tell(Update::Released(hold))))
    }
}
