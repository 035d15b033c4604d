//! What a rewrite in the decide phase means for the gates that judged the payload before it (M-8).
//! Pure.
//!
//! Every gate judges what will happen: a rewrite goes once more to the gates that match the new
//! payload. A further rewrite by one of them is dropped with a fault, because no gate would have
//! judged it.

use super::step::Done;
use tenterhook_core::answer::{Effects, Restraint};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::{Compat, HookId, Wait};
use tenterhook_core::outcome::Fault;
use tenterhook_core::plan::Step;
use tenterhook_core::verdict::Verdict;

/// The fault of an allow that was for an earlier payload.
const VOIDED: &str = "its allow is ignored: another hook rewrote the action after it had judged";

/// Whether these effects change the action that follows the event.
pub(super) fn effects_change_action(effects: &Effects) -> bool {
    effects.updated_input.is_some() || effects.updated_prompt.is_some()
}

/// Keeps only the rewrite of the last configured hook after a stage, and returns that hook.
/// Dropping the others leaves one rewrite to the merge, and an allow beside it is voided.
pub(super) fn keep_last_rewrite(done: &mut [Done]) -> Option<HookId> {
    let author =
        done.iter().rev().find(|d| effects_change_action(&d.verdict.effects))?.hook.id.clone();
    for one in done.iter_mut().filter(|d| d.hook.id != author) {
        replace_rewrite_by_fault(one);
        void_allow(one);
    }
    Some(author)
}

/// Whether a gate judges the rewritten payload. The hook that rewrote it and every gate that saw
/// this version have judged it already. Exact sources have no second round, a detached step never
/// judges, and a hook that runs once does not run again.
pub(super) fn gate_must_judge_rewrite(
    step: &Step,
    author: &HookId,
    version: u32,
    done: &[Done],
) -> bool {
    let hook = &step.hook;
    let before = done.iter().find(|d| d.hook.id == hook.id);
    let judged = before.is_some_and(|done| done.version == version);
    let spent = hook.once && before.is_some();
    let judge = hook.compat == Compat::Guarded && hook.wait == Wait::Attached;
    let judge = judge && !hook.enforcement.is_shadow();
    hook.id != *author && judge && !judged && !spent
}

/// Merges the results of both rounds in configured order. Gates that only the new payload selected
/// come last.
pub(super) fn merge_both_rounds(first: Vec<Done>, mut second: Vec<Done>) -> Vec<Done> {
    second.iter_mut().for_each(replace_rewrite_by_fault);
    let mut all: Vec<Done> = Vec::with_capacity(first.len() + second.len());
    for before in first {
        match second.iter().position(|done| done.hook.id == before.hook.id) {
            Some(at) => all.push(merge_rounds_of_gate(before, second.remove(at))),
            None => all.push(before),
        }
    }
    all.extend(second);
    all
}

/// Merges both results of a gate that judged twice: its second verdict applies, but the restraint
/// and the faults of the first are kept.
fn merge_rounds_of_gate(before: Done, mut after: Done) -> Done {
    after.record.took += before.record.took;
    let first = before.verdict.into_verdict_unless_silent().unwrap_or_else(Verdict::without_effect);
    let second = &mut *after.verdict;
    if first.restraint > Restraint::Allow.max(second.restraint) {
        second.restraint = first.restraint;
        second.reason = first.reason;
    }
    second.effects.stop = first.effects.stop.or_else(|| second.effects.stop.take());
    let mut faults = first.faults;
    if second.restraint == Restraint::Allow {
        // The second round reported it again, for the current payload.
        faults.retain(|fault| Some(fault) != before.voided.as_ref());
    }
    let new =
        second.faults.iter().filter(|fault| !faults.contains(fault)).cloned().collect::<Vec<_>>();
    faults.extend(new);
    second.faults = faults;
    after.record.verdict = second.restraint;
    after
}

/// Makes an allow silent because another hook rewrote the payload afterwards (M-10): the allow was
/// for the payload that its hook saw.
pub(super) fn void_allow(done: &mut Done) {
    if done.verdict.restraint != Restraint::Allow || done.hook.compat == Compat::Exact {
        return;
    }
    let fault = Fault::new(&done.hook.id, Code::AllowNotCovered, VOIDED);
    done.verdict.faults.push(fault.clone());
    done.voided = Some(fault);
    done.verdict.restraint = Restraint::Silent;
    done.verdict.reason = None;
    done.verdict.effects.updated_permissions.clear();
    done.record.verdict = Restraint::Silent;
}

/// Drops a rewrite that another hook's rewrite replaces, and reports that as a fault.
fn replace_rewrite_by_fault(done: &mut Done) {
    if effects_change_action(&done.verdict.effects) {
        let message = "another hook's rewrite stands; this one was dropped, because no gate would have judged it";
        done.verdict.faults.push(Fault::new(&done.record.hook, Code::RewriteConflict, message));
        done.verdict.effects.updated_input = None;
        done.verdict.effects.updated_prompt = None;
        done.record.rewrote = done.verdict.effects.rewrite();
    }
}
