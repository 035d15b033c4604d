//! Starts, at a session's first event, the processes that its hooks ask for before they are needed.

use std::sync::Arc;

use crate::executor::{self, Ambient, Sealed, Task};
use crate::session::Session;
use tenterhook_core::config::Ruleset;
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Arming, Hook, around};

/// Starts the processes of prewarmed hooks in the background, so that the first event does not
/// wait. The input of later events is not known yet, but most of their environment is; a process
/// whose environment does not fit its event is not used.
pub(super) fn start_prewarmed_processes(
    rulesets: &[Arc<Ruleset>],
    ambient: &Arc<Ambient>,
    first: &Event,
    session: &Session,
) {
    let hooks =
        rulesets.iter().flat_map(|rules| rules.hooks().iter().map(move |hook| (rules, hook)));
    let armed = hooks.filter(|(_, hook)| hook.is_prewarmed() && hook.arming == Arming::Armed);
    // A hook that would be refused is not started early either: what it starts might begin a
    // session, too.
    let armed =
        armed.filter(|(_, hook)| around::failure_of_nested_hook(hook, &ambient.env).is_none());
    let tasks =
        armed.map(|(rules, hook)| Arc::new(prewarm_task(rules, hook, ambient, first, session)));
    executor::start_spares(tasks.collect());
}

/// Builds the task that starts the process of a hook before its first event.
fn prewarm_task(
    rules: &Ruleset,
    hook: &Arc<Hook>,
    ambient: &Arc<Ambient>,
    first: &Event,
    session: &Session,
) -> Task {
    let event = Arc::new(Event::new(hook.event.clone(), first.within.clone()));
    let row = Arc::new(rules.event_row(hook.dialect, &hook.event).into_owned());
    Task {
        envelope: Arc::new(Sealed::new(Arc::clone(&event), hook.dialect)),
        event,
        timeout: hook.effective_timeout(&row),
        row,
        hook: Arc::clone(hook),
        deadline: None,
        ambient: Arc::clone(ambient),
        session: session.unowned_handle(),
        rule_input: None,
        wanted: session.cancellation_check(),
    }
}
