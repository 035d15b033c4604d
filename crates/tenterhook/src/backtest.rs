//! Runs rules and callbacks on recorded events, to see what today's hooks would have decided.
//! Starts no program and sends no request, because those would act again (BT-1).

use std::sync::Arc;

use crate::engine::Engine;
use crate::session::Session;
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::EventRow;
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Arming, Enforcement, Hook, HookId, Run};
use tenterhook_core::outcome::Outcome;
use tenterhook_core::plan::{self, Because};

/// Hooks that can be run on recorded events.
#[derive(Debug)]
pub struct Backtest {
    engine: Engine,
    /// The hooks that are not replayed: programs, requests, models.
    outside: Ruleset,
}

/// The result of one event.
#[derive(Debug)]
pub struct Judged {
    /// The merged outcome of the hooks that were run.
    pub outcome: Outcome,
    /// The hooks that the event selects and that were not replayed: programs, requests, models.
    pub not_replayed: Vec<HookId>,
}

impl Backtest {
    /// Separates the hooks that can be replayed (rules, callbacks, and substitutes for hooks that
    /// cannot be read) from all others.
    #[must_use]
    pub fn new(ruleset: &Ruleset) -> Self {
        let (mut inside, mut outside) = (Engine::builder(), Vec::new());
        let mut declared = Vec::new();
        for hook in ruleset.hooks() {
            if let Some(row) =
                ruleset.custom_event_row(&hook.event).filter(|_| !declared.contains(&&hook.event))
            {
                inside = inside.event(EventRow::clone(row));
                declared.push(&hook.event);
            }
            // Shadow hooks are replayed as enforcing ones (SH-13).
            let mut hook = Hook::clone(hook);
            hook.enforcement = Enforcement::Usual;
            match can_replay(&hook) {
                true => inside = inside.hook(hook),
                false if hook.arming == Arming::Armed => outside.push(hook),
                false => {}
            }
        }
        Self { engine: inside.build().0, outside: Ruleset::new(outside, Vec::new()) }
    }

    /// The hooks that are replayed, and those that are not.
    #[must_use]
    pub fn hooks(&self) -> (Vec<Arc<Hook>>, Vec<Arc<Hook>>) {
        (self.engine.ruleset().hooks().to_vec(), self.outside.hooks().to_vec())
    }

    /// Runs the hooks on one event, in the session in which it happened.
    pub async fn judge(&self, event: Event, session: &Session) -> Judged {
        let not_replayed = self.selected_but_not_replayed(&event, session);
        let outcome = self.engine.fire(event, session).await;
        Judged { outcome, not_replayed }
    }

    /// Returns true if rules note the session, so that the results of calls matter (SS-24).
    #[must_use]
    pub fn needs_results(&self) -> bool {
        let ruleset = self.engine.ruleset();
        ruleset.hooks().iter().any(|hook| hook.changes_session() || hook.call_questions().calls)
    }

    /// Why the plan selects or skips each hook, replayed or not.
    #[must_use]
    pub fn explain(&self, event: &Event, session: &Session) -> Vec<(Arc<Hook>, Because)> {
        let view = session.view(&event.name);
        let explain = |ruleset: &Ruleset| plan::explain(ruleset, &view, event);
        explain(&self.engine.ruleset()).into_iter().chain(explain(&self.outside)).collect()
    }

    /// Returns the ids of the hooks that the event selects but a backtest cannot replay.
    fn selected_but_not_replayed(&self, event: &Event, session: &Session) -> Vec<HookId> {
        if self.outside.stages(&event.name).is_empty() {
            return Vec::new();
        }
        let explained = plan::explain(&self.outside, &session.view(&event.name), event);
        let selected = explained.into_iter().filter(|(_, why)| why.selected);
        selected.map(|(hook, _)| hook.id.clone()).collect()
    }
}

/// Whether a backtest can replay the hook. The tokens of the session at that time are not known.
fn can_replay(hook: &Hook) -> bool {
    match &hook.run {
        Run::Rule(rule) => !rule.when_expression().contains("usage."),
        Run::Unusable { .. } => true,
        run => run.runs_in_process(),
    }
}
