//! Merges the verdicts of a hook about several files of one call: the strictest restraint wins, an
//! allow needs an allow for every file, and a part of a call cannot be changed (P-13, P-14). Pure.

use std::sync::Arc;

use serde_json::Value;

use super::lazy_verdict::LazyVerdict;
use super::step::Done;
use tenterhook_core::answer::Restraint;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::event::{Event, parts};
use tenterhook_core::merge;
use tenterhook_core::outcome::{Fault, Reason};
use tenterhook_core::plan::Step;
use tenterhook_core::rule::RuleInput;
use tenterhook_core::verdict::Verdict;

/// One file of a call that changes several.
pub(super) struct Part {
    pub(super) event: Arc<Event>,
    pub(super) rule_input: Arc<RuleInput>,
}

/// Splits the event of `whole` into its parts. They share its budget of rule steps.
pub(super) fn split_event_into_parts(whole: &RuleInput) -> Vec<Part> {
    let part = |event: Event| {
        let event = Arc::new(event);
        Part { rule_input: Arc::new(whole.with_rewritten_event(&event)), event }
    };
    parts::split_patch_event(whole.event()).into_iter().map(part).collect()
}

/// Returns one step for each part that a step judges, each with the position of its original step.
pub(super) fn split_steps_by_part(steps: Vec<Step>) -> (Vec<usize>, Vec<Step>) {
    let alone = |step: &Step, at: usize| Step { parts: vec![at], ..step.clone() };
    let each = steps.into_iter().enumerate().flat_map(|(position, step)| {
        let steps: Vec<Step> = match step.parts.len() {
            0 | 1 => vec![step],
            _ => step.parts.iter().map(|at| alone(&step, *at)).collect(),
        };
        steps.into_iter().map(move |step| (position, step))
    });
    each.unzip()
}

/// Merges the results of the steps of one hook.
pub(super) fn merge_results_of_parts(mut all: Vec<Done>) -> Option<Done> {
    let is_all = all.iter().all(|done| done.verdict.restraint != Restraint::Silent);
    let strictest = all.iter().map(|done| done.verdict.restraint).max()?;
    let at = all.iter().position(|done| done.verdict.restraint == strictest)?;
    let took = all.iter().map(|done| done.record.took).max()?;
    let verdicts: Vec<Verdict> = all
        .iter_mut()
        .filter_map(|done| std::mem::take(&mut done.verdict).into_verdict_unless_silent())
        .collect();
    let context = all.iter().flat_map(|done| done.record.context.clone()).collect();
    let mut done = all.swap_remove(at);
    let if_denied = verdicts.iter().find_map(|verdict| verdict.if_denied.clone());
    let mut folded = merge::merge_verdicts(verdicts);
    if folded.restraint == Restraint::Allow && !is_all {
        folded.restraint = Restraint::Silent;
        folded.reasons.clear();
        folded.effects.updated_permissions.clear();
    }
    let mut faults: Vec<Fault> = Vec::new();
    for fault in folded.faults {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    done.record.took = took;
    done.record.context = context;
    done.record.verdict = folded.restraint;
    done.verdict = LazyVerdict::from(Verdict {
        restraint: folded.restraint,
        reason: folded.reasons.into_iter().next(),
        if_denied,
        effects: folded.effects,
        faults,
    });
    Some(done)
}

/// Turns a change of one part into a denial. Its reason contains the input that the hook would have
/// written, because the change cannot be put back into the patch (P-14).
pub(super) fn deny_change_of_part(done: &mut Done, part: &Event) {
    let Some(input) = done.verdict.effects.updated_input.take() else { return };
    done.record.rewrote = false;
    let verdict = &mut done.verdict;
    if part.payload.get("tool_input") == Some(&input) || verdict.restraint == Restraint::Deny {
        return;
    }
    let file = |value: &Value| {
        value.get("file_path").and_then(Value::as_str).unwrap_or("a file").to_owned()
    };
    let text = format!(
        "hook `{}` would change what is done to {}, and one file of a patch cannot be changed; call the tool for one file with \
         {input}",
        done.hook.id,
        part.payload.get("tool_input").map_or_else(|| "a file".to_owned(), file),
    );
    verdict.faults.push(Fault::new(&done.hook.id, Code::RewriteConflict, text.clone()));
    verdict.restraint = Restraint::Deny;
    verdict.reason = Some(Reason { hook: done.hook.id.clone(), text });
    verdict.effects.updated_permissions.clear();
    done.record.verdict = Restraint::Deny;
}
