//! What would these hooks have said yesterday? Asks what runs inside the engine, rules and callbacks, about events that were
//! recorded; starts no program and sends no request, for those would act again (BT-1).

use std::sync::Arc;

use crate::engine::Engine;
use crate::session::Session;
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::EventRow;
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Arming, Enforcement, Hook, HookId, Run};
use tenterhook_core::outcome::Outcome;
use tenterhook_core::plan::{self, Because};

/// Hooks that are asked about what is over.
#[derive(Debug)]
pub struct Backtest {
    engine: Engine,
    /// The hooks that are not run again.
    outside: Ruleset,
}

/// What came of one event.
#[derive(Debug)]
pub struct Judged {
    /// What the hooks that were asked want together.
    pub outcome: Outcome,
    /// The hooks that would have run and were not asked: programs, requests, models.
    pub not_replayed: Vec<HookId>,
}

impl Backtest {
    /// These hooks, of which rules and callbacks are asked. What stands in for a hook that cannot be read is asked, too: it acts on
    /// nothing.
    #[must_use]
    pub fn new(ruleset: &Ruleset) -> Self {
        let (mut inside, mut outside) = (Engine::builder(), Vec::new());
        let mut declared = Vec::new();
        for hook in ruleset.hooks() {
            if let Some(row) =
                ruleset.custom(&hook.event).filter(|_| !declared.contains(&&hook.event))
            {
                inside = inside.event(EventRow::clone(row));
                declared.push(&hook.event);
            }
            // It is asked what it would say: whether that counts today is another question (SH-13).
            let mut hook = Hook::clone(hook);
            hook.enforcement = Enforcement::Usual;
            match is_inside(&hook) {
                true => inside = inside.hook(hook),
                false if hook.arming == Arming::Armed => outside.push(hook),
                false => {}
            }
        }
        Self { engine: inside.build().0, outside: Ruleset::new(outside, Vec::new()) }
    }

    /// The hooks that are asked, and those that are not.
    #[must_use]
    pub fn hooks(&self) -> (Vec<Arc<Hook>>, Vec<Arc<Hook>>) {
        (self.engine.ruleset().hooks().to_vec(), self.outside.hooks().to_vec())
    }

    /// Asks about one event, in the session in which it happened.
    pub async fn judge(&self, event: Event, session: &Session) -> Judged {
        let not_replayed = self.not_replayed(&event, session);
        let outcome = self.engine.fire(event, session).await;
        Judged { outcome, not_replayed }
    }

    /// What the plan says of each hook, whether it is asked or not replayed.
    #[must_use]
    pub fn explain(&self, event: &Event, session: &Session) -> Vec<(Arc<Hook>, Because)> {
        let view = session.view(&event.name);
        let of = |ruleset: &Ruleset| plan::explain(ruleset, &view, event);
        of(&self.engine.ruleset()).into_iter().chain(of(&self.outside)).collect()
    }

    fn not_replayed(&self, event: &Event, session: &Session) -> Vec<HookId> {
        if self.outside.stages(&event.name).is_empty() {
            return Vec::new();
        }
        let said = plan::explain(&self.outside, &session.view(&event.name), event);
        said.into_iter().filter(|(_, why)| why.selected).map(|(hook, _)| hook.id.clone()).collect()
    }
}

fn is_inside(hook: &Hook) -> bool {
    hook.run.is_inside() || matches!(hook.run, Run::Unusable { .. })
}
