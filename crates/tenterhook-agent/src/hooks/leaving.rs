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
    /// Waits for every hook that runs beside the session, and says which these are. A caller that gives up waiting ends none in the
    /// background.
    pub(crate) async fn finish(&self) {
        let (mut awaited, mut are_asides_over) = (self.awaited_now.watch(), false);
        let asides = self.finish_asides();
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
                Some(finished) = self.session.next_finished() => self.last_words(&finished, ""),
                Ok(()) = awaited.changed() => {}
                () = self.session.settled(), if are_asides_over => break,
            }
        }
        for finished in self.session.take_finished() {
            self.last_words(&finished, "");
        }
    }

    /// Names the hooks that events wait for now as those that the end waits for.
    pub(crate) fn name_awaited(&self) {
        self.updates.send(Update::Leaving(self.awaited_now.watch().borrow().clone()));
    }

    /// Ends every hook that still runs beside the session, and reports each; `why` says what its time was.
    pub(crate) async fn cut(&self, why: &str) {
        // The end cuts once.
        let _ = self.cut_reason.set(why.to_owned());
        self.cut_asides().await;
        let (ended, cut): (Vec<_>, Vec<_>) =
            self.session.cut().await.into_iter().partition(|finished| !is_cut(finished));
        ended.iter().for_each(|finished| self.last_words(finished, why));
        cut.iter().take(NAMED).for_each(|finished| self.last_words(finished, why));
        if let Some(more) = cut.len().checked_sub(NAMED).filter(|more| *more > 0) {
            self.updates.warn("hooks", format!("{more} more were ended with the program; {why}"));
        }
    }

    /// What a hook left when no model is called any more: all of it is for the person.
    fn last_words(&self, finished: &Finished, cut: &str) {
        self.report(finished, cut);
        if finished.stale {
            return;
        }
        if let Some(reason) = finished.outcome.reason().filter(|_| finished.wakes) {
            let hooks = finished.outcome.steps.iter().map(|step| step.hook.to_string()).collect();
            let steps = finished.outcome.steps.iter().map(|step| &step.hook);
            let (event, did) = (self.label_of(&finished.event, steps).into(), UNTOLD.to_owned());
            self.updates.send(Update::Did(Deed {
                event,
                hooks,
                did,
                why: reason,
                ..Deed::default()
            }));
        }
        self.tell_context(finished, UNTOLD);
    }
}

/// Reports hooks that an event waited for when the end cut them; `why` says what its time was.
pub(super) fn report_cut(updates: &Updates, hooks: &[Arc<Hook>], took: Duration, why: &str) {
    let seconds = took.as_secs_f64();
    for hook in hooks {
        let cut = format!("the host gave up waiting for it after {seconds:.1} s; {why}");
        updates.warn(&hook.event_label().own(), format!("hook `{}`: {cut}", hook.id));
    }
}

/// Whether a hook was ended before it was over.
fn is_cut(finished: &Finished) -> bool {
    finished.outcome.faults.iter().any(|fault| fault.code == Code::Cancelled)
}
