//! The hooks that still run when the program ends: waited for, or cut; each that was cut is reported (AG-34). Says not how long.

use std::sync::Arc;
use std::time::Duration;

use tenterhook::session::Finished;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Hook;

use super::Hooks;
use crate::update::{Deed, Update, Updates};

/// The report about a hook whose text is for a model that is not called any more.
const UNTOLD: &str = "has this for the model, which is not called any more";

/// How many hooks that were cut are reported by name.
const NAMED: usize = 16;

impl Hooks {
    /// Waits for every hook that runs in the background, and reports which they are. If the caller
    /// stops waiting, the hooks continue.
    pub(crate) async fn wait_for_running_hooks(&self) {
        let (mut awaited, mut are_asides_over) =
            (self.awaited_now.watch_awaited_hook_names(), false);
        let asides = self.wait_for_background_events();
        tokio::pin!(asides);
        let mut shown = Vec::new();
        loop {
            let mut running = awaited.borrow_and_update().clone();
            running.extend(self.session.running().iter().map(|running| running.hook.to_string()));
            if running != shown {
                self.updates.send(Update::Leaving(running.clone()));
                shown = running;
            }
            tokio::select! {
                biased;
                () = &mut asides, if !are_asides_over => are_asides_over = true,
                Some(finished) = self.session.next_finished() => self.report_result_to_user_alone(&finished, ""),
                Ok(()) = awaited.changed() => {}
                () = self.session.settled(), if are_asides_over => break,
            }
        }
        for finished in self.session.take_finished() {
            self.report_result_to_user_alone(&finished, "");
        }
    }

    /// Reports the hooks that events wait for now as those that the end of the session waits for.
    pub(crate) fn report_awaited_hooks(&self) {
        self.updates
            .send(Update::Leaving(self.awaited_now.watch_awaited_hook_names().borrow().clone()));
    }

    /// Ends every hook that still runs in the background, and reports each. `why` names the time
    /// limit that is over.
    pub(crate) async fn cut_running_hooks(&self, why: &str) {
        // The end cuts once.
        let _ = self.cut_reason.set(why.to_owned());
        self.abort_background_events().await;
        let (ended, cut): (Vec<_>, Vec<_>) =
            self.session.cut().await.into_iter().partition(|finished| !was_cut(finished));
        ended.iter().for_each(|finished| self.report_result_to_user_alone(finished, why));
        cut.iter().take(NAMED).for_each(|finished| self.report_result_to_user_alone(finished, why));
        if let Some(more) = cut.len().checked_sub(NAMED).filter(|more| *more > 0) {
            self.updates.warn("hooks", format!("{more} more were ended with the program; {why}"));
        }
    }

    /// Reports a background hook's result to the user alone, because no model is called any more.
    fn report_result_to_user_alone(&self, finished: &Finished, cut: &str) {
        self.report_finished(finished, cut);
        if finished.stale {
            return;
        }
        if let Some(reason) = finished.outcome.reason().filter(|_| finished.wakes) {
            let hooks = finished.outcome.steps.iter().map(|step| step.hook.to_string()).collect();
            let steps = finished.outcome.steps.iter().map(|step| &step.hook);
            let (event, did) =
                (self.label_for_hooks(&finished.event, steps).into(), UNTOLD.to_owned());
            self.updates.send(Update::Did(Deed {
                event,
                hooks,
                did,
                why: reason,
                ..Deed::default()
            }));
        }
        self.report_context_for_model(finished, UNTOLD);
    }
}

/// Reports the awaited hooks that the end of the session cut. `why` names the time limit that is
/// over.
pub(super) fn report_cut_hooks(updates: &Updates, hooks: &[Arc<Hook>], took: Duration, why: &str) {
    let seconds = took.as_secs_f64();
    for hook in hooks {
        let cut = format!("the host gave up waiting for it after {seconds:.1} s; {why}");
        updates.warn(&hook.event_label().own(), format!("hook `{}`: {cut}", hook.id));
    }
}

/// Returns whether a hook was ended before it was done.
fn was_cut(finished: &Finished) -> bool {
    finished.outcome.faults.iter().any(|fault| fault.code == Code::Cancelled)
}
