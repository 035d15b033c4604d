//! What a rewrite out of the decide phase means for the gates that judged the payload before it (M-8). Pure.
//!
//! Every gate sees what will happen: a rewrite goes once more to the gates that match the new payload. A further rewrite
//! there is dropped with a fault, because no gate would have judged it.

use std::collections::HashMap;

use super::step::Done;
use crate::answer::{Effects, Restraint};
use crate::hook::{Compat, HookId, Wait};
use crate::outcome::Fault;
use crate::plan::Step;

/// Whether these effects change what will happen.
pub(super) fn rewrites_action(effects: &Effects) -> bool {
    effects.updated_input.is_some() || effects.updated_prompt.is_some()
}

/// Who wrote the rewrite has judged it; exact sources skip the second round; a detached step was never a judge.
pub(super) fn may_judge_again(step: &Step, author: &HookId) -> bool {
    step.hook.id != *author
        && step.hook.compat == Compat::Guarded
        && step.hook.wait == Wait::Attached
        && !step.hook.once
}

/// A gate that judged twice speaks by its second word, but a restraint of the first is never taken back.
pub(super) fn combine(first: Vec<Done>, second: Vec<Done>, author: &HookId) -> Vec<Done> {
    let mut second: HashMap<HookId, Done> =
        second.into_iter().map(|done| (done.record.hook.clone(), done)).collect();
    let mut all: Vec<Done> = first
        .into_iter()
        .map(|before| match second.remove(&before.record.hook) {
            None => without_rewrite(before, author),
            Some(mut after) => {
                after.record.took += before.record.took;
                after = refuse_rewrite(after);
                if before.verdict.restraint > Restraint::Allow.max(after.verdict.restraint) {
                    after.verdict.restraint = before.verdict.restraint;
                    after.verdict.reason = before.verdict.reason;
                }
                after.record.verdict = after.verdict.restraint;
                after
            }
        })
        .collect();
    // Gates that only the new payload selected.
    let mut late: Vec<Done> = second.into_values().map(refuse_rewrite).collect();
    late.sort_by(|a, b| (a.record.line, &a.record.hook).cmp(&(b.record.line, &b.record.hook)));
    all.extend(late);
    all
}

/// Of several rewrites in one round the last stands; the others are dropped here so that merge sees one.
fn without_rewrite(mut done: Done, author: &HookId) -> Done {
    if done.record.hook != *author && rewrites_action(&done.verdict.effects) {
        done = refuse_rewrite(done);
    }
    done
}

fn refuse_rewrite(mut done: Done) -> Done {
    if rewrites_action(&done.verdict.effects) {
        let message = "another hook's rewrite stands; this one was dropped, because no gate would have judged it";
        done.verdict.faults.push(Fault::of(&done.record.hook, "rewrite-conflict", message));
        done.verdict.effects.updated_input = None;
        done.verdict.effects.updated_prompt = None;
    }
    done
}
