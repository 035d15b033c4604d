//! Which hooks run for each file of a patch, and which for the patch as a whole (P-13)? Pure.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Because, Step, Weighed, decide_if_hook_runs, select_steps};
use crate::answer::Failure;
use crate::config::{Ruleset, Stage};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::event::Event;
use crate::hook::{Hook, Layer};
use crate::matcher::MatchContext;
use crate::settle::View;

/// How many files of one call a hook is asked about: each may be a process.
const MOST: usize = 200;

/// Returns the steps of one stage for an event that consists of `parts`, in configured order.
#[must_use]
pub fn select_steps_of_parts(
    ruleset: &Ruleset,
    view: &View,
    whole: &MatchContext<'_>,
    parts: &[MatchContext<'_>],
    stage: &Stage,
) -> Vec<Step> {
    let mut steps = select_steps(ruleset, view, whole, stage);
    if parts.is_empty() {
        return steps;
    }
    let key = |hook: &Arc<Hook>| Arc::as_ptr(hook);
    let hooks = stage.hooks.iter().filter_map(|at| ruleset.hook_at(*at));
    let order: HashMap<_, _> = hooks.enumerate().map(|(at, hook)| (key(hook), at)).collect();
    let mut found: HashMap<_, Step> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        for step in select_steps(ruleset, view, part, stage) {
            if !reads_whole_patch(&step.hook, &step.row, whole.event()) {
                let known = found.entry(key(&step.hook)).or_insert_with(|| step.clone());
                known.parts.push(at);
                known.widened = known.widened.take().or(step.widened);
            }
        }
    }
    steps.retain(|step| !found.contains_key(&key(&step.hook)));
    steps.extend(found.into_values().map(fail_if_too_many_parts));
    steps.sort_by_key(|step| order.get(&key(&step.hook)));
    steps
}

/// Replaces the run of a hook with a failure if it would run for too many files; its failure policy
/// then decides.
fn fail_if_too_many_parts(step: Step) -> Step {
    if step.parts.len() <= MOST {
        return step;
    }
    let message = format!(
        "the call changes {} files, and a hook is asked about at most {MOST} of one call: make several of it",
        step.parts.len()
    );
    let broken = Some(Failure::new(Code::TooManyFiles, message));
    Step { parts: Vec::new(), broken, ..step }
}

/// Returns true if the hook reads patches itself: it was written for an agent that has such a tool,
/// or it is built in.
fn reads_whole_patch(hook: &Hook, row: &EventRow, whole: &Event) -> bool {
    hook.layer == Layer::BuiltIn || !row.subject.alternative_names(whole).is_empty()
}

/// Returns why a hook runs: the reason of the first part for which it runs, otherwise that of the
/// whole event.
pub(super) fn explain_by_part(
    hook: &Hook,
    row: &EventRow,
    view: &View,
    whole: &MatchContext<'_>,
    parts: &[MatchContext<'_>],
) -> Because {
    let of = |context: &MatchContext<'_>| {
        let weighed = decide_if_hook_runs(hook, row, view, context.event(), context);
        let (because, rule) = weighed.explanation_and_rule(hook);
        let selected = weighed.run_limits_if_selected().is_some();
        Because { selected, because, rule }
    };
    let asked = |context: &&MatchContext<'_>| {
        let weighed: Weighed<'_> = decide_if_hook_runs(hook, row, view, context.event(), context);
        weighed.run_limits_if_selected().is_some()
    };
    let each = if reads_whole_patch(hook, row, whole.event()) { &[] } else { parts };
    match each.iter().find(asked) {
        Some(part) => {
            let Because { because, .. } = of(part);
            let file = part.event().tool().and_then(|tool| tool.input.get("file_path")?.as_str());
            let because = format!("{because}, for `{}` of the patch", file.unwrap_or_default());
            Because { because, ..of(part) }
        }
        None => of(whole),
    }
}
