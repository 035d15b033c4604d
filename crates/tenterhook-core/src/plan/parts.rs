//! Which hooks run for each file of a patch, and which for the patch as a whole (P-13)? Pure.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Because, Step, Weighed, select, weigh};
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

/// The steps of one stage for an event that has `parts`, in configured order.
#[must_use]
pub fn select_parts(
    ruleset: &Ruleset,
    view: &View,
    whole: &MatchContext<'_>,
    parts: &[MatchContext<'_>],
    stage: &Stage,
) -> Vec<Step> {
    let mut steps = select(ruleset, view, whole, stage);
    if parts.is_empty() {
        return steps;
    }
    let key = |hook: &Arc<Hook>| Arc::as_ptr(hook);
    let hooks = stage.hooks.iter().filter_map(|at| ruleset.hook(*at));
    let order: HashMap<_, _> = hooks.enumerate().map(|(at, hook)| (key(hook), at)).collect();
    let mut found: HashMap<_, Step> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        for step in select(ruleset, view, part, stage) {
            if !knows_patches(&step.hook, &step.row, whole.event()) {
                let known = found.entry(key(&step.hook)).or_insert_with(|| step.clone());
                known.parts.push(at);
                known.widened = known.widened.take().or(step.widened);
            }
        }
    }
    steps.retain(|step| !found.contains_key(&key(&step.hook)));
    steps.extend(found.into_values().map(bounded));
    steps.sort_by_key(|step| order.get(&key(&step.hook)));
    steps
}

/// A hook that is asked about more files than it is worth is not asked, and its failure policy decides.
fn bounded(step: Step) -> Step {
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

/// Whether the hook reads patches itself: it was written for an agent that has such a tool, or is built in.
fn knows_patches(hook: &Hook, row: &EventRow, whole: &Event) -> bool {
    hook.layer == Layer::BuiltIn || !row.subject.others(whole).is_empty()
}

/// Why a hook runs: the reason for the first part about which it is asked, else of the event as it came.
pub(super) fn reason_for(
    hook: &Hook,
    row: &EventRow,
    view: &View,
    whole: &MatchContext<'_>,
    parts: &[MatchContext<'_>],
) -> Because {
    let of = |context: &MatchContext<'_>| {
        let weighed = weigh(hook, row, view, context.event(), context);
        let (because, rule) = weighed.because(hook);
        let selected = weighed.selected().is_some();
        Because { selected, because, rule }
    };
    let asked = |context: &&MatchContext<'_>| {
        let weighed: Weighed<'_> = weigh(hook, row, view, context.event(), context);
        weighed.selected().is_some()
    };
    let each = if knows_patches(hook, row, whole.event()) { &[] } else { parts };
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
