//! `backtest --run-scripts`: hooks that are programs, run again on recorded events in a sandbox that only reads (BT-10). Runs no hook
//! without one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tenterhook::executor::Ambient;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::config::Ruleset;
use tenterhook_core::hook::{Arming, Enforcement, Hook, HookId, Run, Sandbox, Wait};

use crate::ambient::Here;
use crate::command::trust;
use crate::problem::Problem;
use crate::scratch::Scratch;
use crate::term::Term;

/// How long the scripts of one event may take.
const LONGEST: Duration = Duration::from_secs(10);

/// The scripts, and how many more runs there may be.
pub(super) struct Scripts {
    engine: Engine,
    ids: HashSet<HookId>,
    runs_left: AtomicUsize,
    /// The project whose hooks they are. Recorded events may be of a different one, or of one that is gone.
    project: PathBuf,
    _scratch: Scratch,
}

impl Scripts {
    /// Creates the scripts of these hooks, each with the sandbox `standard` and without the
    /// variables that its entry passes to it.
    pub(super) fn new(
        ruleset: &Ruleset,
        most: usize,
        here: &Here,
        term: Term,
    ) -> Result<Self, Problem> {
        trust::require_sandbox()?;
        let scratch = Scratch::create_or_warn(&here.state, term);
        let mut ambient = Ambient::default().env(here.env.clone());
        ambient.scratch = scratch.path().map(Path::to_owned);
        let mut builder = Engine::builder().ambient(ambient);
        let mut ids = HashSet::new();
        for hook in ruleset.hooks().iter().filter(|hook| is_script_hook(hook)) {
            let mut hook = Hook::clone(hook);
            (hook.sandbox, hook.wait) = (Sandbox::standard(), Wait::default());
            hook.enforcement = Enforcement::Usual;
            if let Run::Command(command) = &mut hook.run {
                command.pass.clear();
            }
            ids.insert(hook.id.clone());
            builder = builder.hook(hook);
        }
        let roots = &here.roots;
        let project = roots.repository.clone().unwrap_or_else(|| roots.cwd.clone());
        let runs_left = AtomicUsize::new(most);
        Ok(Self { engine: builder.build().0, ids, runs_left, project, _scratch: scratch })
    }

    /// Runs the scripts among the hooks that were not replayed, merges their outcome into
    /// `outcome`, and removes them from the list. Returns whether one of them failed.
    pub(super) async fn run_and_merge_scripts(
        &self,
        event: &Event,
        outcome: &mut Outcome,
        not_replayed: &mut Vec<HookId>,
    ) -> bool {
        let runs = not_replayed.iter().filter(|id| self.ids.contains(id)).count();
        let take = |left: usize| left.checked_sub(runs);
        let order = Ordering::Relaxed;
        if runs == 0 || self.runs_left.fetch_update(order, order, take).is_err() {
            return false;
        }
        let mut event = event.clone();
        if !event.within.cwd.starts_with(&self.project) || !event.within.cwd.is_dir() {
            event.within.cwd.clone_from(&self.project);
        }
        event.within.project.clone_from(&self.project);
        let session = Session::of_one_event();
        let mut more = self.engine.fire_within(event, &session, Some(LONGEST)).await;
        session.drain_into(&mut more).await;
        session.end();
        not_replayed.retain(|id| !self.ids.contains(id));
        let has_failed = !more.faults.is_empty();
        merge_outcome(outcome, more);
        has_failed
    }
}

/// Returns whether the hook is a program that is started for each event.
pub(super) fn is_script_hook(hook: &Hook) -> bool {
    hook.arming == Arming::Armed && matches!(hook.run, Run::Command(_))
}

/// Merges the outcome of further hooks: the stronger restraint decides.
fn merge_outcome(outcome: &mut Outcome, more: Outcome) {
    if more.restraint > outcome.restraint {
        (outcome.restraint, outcome.reasons) = (more.restraint, more.reasons);
    }
    let (effects, added) = (&mut outcome.effects, more.effects);
    effects.stop = effects.stop.take().or(added.stop);
    effects.updated_input = effects.updated_input.take().or(added.updated_input);
    effects.updated_prompt = effects.updated_prompt.take().or(added.updated_prompt);
    effects.context.extend(added.context);
    outcome.faults.extend(more.faults);
    outcome.steps.extend(more.steps);
}
