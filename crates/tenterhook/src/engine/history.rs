//! Stores what an event changes in the history of its session: what its rules set, and its call (SS-2, SS-15, SS-22). Runs no
//! hook, and reads no history.

use std::io;
use std::sync::Arc;

use super::BackgroundHooks;
use crate::session::Session;
use tenterhook_core::answer::{Answer, Failure, Restraint};
use tenterhook_core::config::Ruleset;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::event::Event;
use tenterhook_core::hook::Hook;
use tenterhook_core::merge;
use tenterhook_core::outcome::Outcome;
use tenterhook_core::rule::{self, CallEnd, CallQuestions, HistoryLines, RuleInput};
use tenterhook_core::verdict::{self, JudgeContext};

/// What the changes of one event are about.
pub(super) struct HistoryUpdate<'a> {
    pub(super) rulesets: &'a [Arc<Ruleset>],
    /// The hooks of the outcome's steps.
    pub(super) hooks: &'a [Arc<Hook>],
    pub(super) session: &'a Session,
}

impl HistoryUpdate<'_> {
    /// Stores the changes of an event. If they cannot be stored, the failure policies of the hooks
    /// that need them decide.
    pub(super) fn store_changes(
        &self,
        mut outcome: Outcome,
        rule_input: &RuleInput,
        background: &BackgroundHooks,
    ) -> Outcome {
        let event = rule_input.event();
        let is_held = is_held_up(&outcome, event);
        if is_held {
            outcome.effects.marks.clear();
            outcome.steps.iter_mut().for_each(|step| step.marks.clear());
        }
        // The process that left its background hooks to a second one stores the call.
        let is_second = matches!(background, BackgroundHooks::Only(_));
        let hooks = || self.rulesets.iter().flat_map(|ruleset| ruleset.hooks());
        let asker = hooks().find(|hook| hook.call_questions().calls).filter(|_| !is_second);
        let mut lines = HistoryLines::default();
        outcome.effects.marks.iter().for_each(|mark| lines.push_mark(mark));
        if asker.is_some() {
            let asked = hooks().map(|hook| hook.call_questions()).collect();
            add_call(rule_input, asked, is_held, &mut lines);
        }
        match self.session.add_to_history(&lines) {
            Ok(()) => outcome,
            Err(error) => self.apply_failure(outcome, event, asker, &error),
        }
    }

    /// Lets the failure policies of the hooks decide whose changes are lost.
    fn apply_failure(
        &self,
        mut outcome: Outcome,
        event: &Event,
        asker: Option<&Arc<Hook>>,
        error: &io::Error,
    ) -> Outcome {
        let steps = outcome.steps.iter_mut().zip(self.hooks);
        let mut hooks: Vec<&Arc<Hook>> = Vec::new();
        for (step, hook) in steps.filter(|(step, _)| !step.marks.is_empty()) {
            step.marks.clear();
            hooks.push(hook);
        }
        let is_asker = |hook: &&Arc<Hook>| asker.is_some_and(|asker| asker.id == hook.id);
        hooks.extend(asker.filter(|_| !hooks.iter().any(is_asker)));
        outcome.effects.marks.clear();
        let mut verdicts = Vec::new();
        for hook in hooks {
            let message = format!("what it notes in the session cannot be stored: {error}");
            let failure = Some(Failure::new(Code::SessionNotStored, message));
            let answer = Answer { failure, ..Answer::default() };
            let Some(ruleset) = self.rulesets.first() else { continue };
            let row = ruleset.event_row(hook.dialect, &event.name);
            let context = JudgeContext { hook, row: &row, widened: None };
            verdicts.push(verdict::judge_answer(context, answer));
        }
        let failed = merge::merge_verdicts(verdicts);
        if failed.restraint > outcome.restraint {
            outcome.restraint = failed.restraint;
            outcome.reasons = failed.reasons;
            if failed.restraint == Restraint::Deny {
                outcome.effects.updated_input = None;
                outcome.effects.updated_prompt = None;
            }
        }
        outcome.faults.extend(failed.faults);
        outcome
    }
}

/// Returns true if what the event is about does not happen. After the fact, a denial is an
/// objection.
fn is_held_up(outcome: &Outcome, event: &Event) -> bool {
    let is_over = matches!(event.name.as_str(), "PostToolUse" | "PostToolUseFailure");
    let is_restrained = matches!(outcome.restraint, Restraint::Deny | Restraint::Defer);
    !is_over && (is_restrained || outcome.effects.stop.is_some())
}

/// Adds the call of an event before it, or its result.
fn add_call(rule_input: &RuleInput, asked: CallQuestions, is_held: bool, lines: &mut HistoryLines) {
    let event = rule_input.event();
    let ended = match event.name.as_str() {
        "PostToolUse" => CallEnd::Ran,
        "PostToolUseFailure" => CallEnd::Failed,
        "PermissionDenied" => CallEnd::Denied,
        name if name == "PreToolUse" || event.as_tool_call().is_some() => {
            let ended = if is_held { CallEnd::Denied } else { CallEnd::Passed };
            return rule_input.note_call(ended, asked, lines, &|| true);
        }
        _ => return,
    };
    if let Some(id) = rule::call_id(event) {
        lines.push_end(id, ended);
    }
}
