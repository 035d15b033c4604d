//! The hooks that delay an event, from its beginning until they have answered or are no longer awaited.

use std::sync::Arc;

use tokio::sync::watch;

use tenterhook::Event;
use tenterhook_core::dialect::EventLabel;
use tenterhook_core::hook::Hook;
use tenterhook_core::plan;

use super::{Hooks, report};
use crate::underway::Underway;
use crate::update::{Hold, Update};

/// The names of the hooks that events wait for now. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct AwaitedNow(Arc<watch::Sender<Vec<String>>>);

impl AwaitedNow {
    fn add_hooks(&self, hooks: &[String]) {
        self.0.send_modify(|names| names.extend_from_slice(hooks));
    }

    fn remove_hooks(&self, hooks: &[String]) {
        self.0.send_modify(|names| {
            for hook in hooks {
                if let Some(at) = names.iter().position(|name| name == hook) {
                    names.remove(at);
                }
            }
        });
    }

    /// Returns a receiver that observes changes of the names.
    pub(super) fn watch_awaited_hook_names(&self) -> watch::Receiver<Vec<String>> {
        self.0.subscribe()
    }
}

impl Hooks {
    /// Returns the hooks that are about to judge the event and that it waits for.
    pub(super) fn awaited_hooks(&self, event: &Event) -> Vec<Arc<Hook>> {
        let view = self.session.view(&event.name);
        let ruleset = self.engine.ruleset();
        let planned = plan::explain(&ruleset, &view, event).into_iter();
        let waits = planned.filter(|(hook, because)| {
            // A rule has answered before anybody could read that it is asked.
            let awaited = ruleset.event_row(hook.dialect, &event.name).waits_for(hook);
            because.selected && awaited && !hook.run.runs_in_process()
        });
        waits.map(|(hook, _)| hook).collect()
    }

    /// Reports which hooks are about to judge the event. When the guard is dropped, reports that
    /// the wait is over.
    pub(super) fn announce_wait_for_hooks(
        &self,
        event: &Event,
        waits: &[Arc<Hook>],
    ) -> Option<Underway<impl FnOnce() + use<>>> {
        if waits.is_empty() {
            return None;
        }
        let label = EventLabel::of_hooks(&event.name, waits.iter().map(|hook| &**hook));
        let hooks: Vec<_> = waits.iter().map(|hook| hook.id.to_string()).collect();
        self.awaited_now.add_hooks(&hooks);
        let hold = Hold { event: label.into(), call: report::call_id(event), hooks };
        self.updates.send(Update::Delayed(hold.clone()));
        let (updates, awaited_now) = (self.updates.clone(), self.awaited_now.clone());
        Some(Underway::new(move || {
            awaited_now.remove_hooks(&hold.hooks);
            updates.send(Update::Released(hold));
        }))
    }
}
