//! Which results of earlier background hooks an event carries to the agent (BR-159), and what happens to those that no event
//! carries (BR-160). Runs no hook.

use serde_json::Value;
use tenterhook::{Event, Outcome, Session};
use tenterhook_core::answer::Power;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::{DialectId, EventRow};
use tenterhook_core::hook::HookId;
use tenterhook_core::outcome::{Ended, Fault};

use super::Called;
use crate::deliveries::{Delivery, Lease, Undeliverable};
use crate::exit::Exit;
use crate::session_store::SessionStore;

/// The events whose context the model reads with its next answer. Context of other events goes elsewhere, as into a summary.
const READ_NEXT: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "TurnStart",
    "PreModelCall",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
];
/// The end of a turn: an objection that wakes the agent keeps it at work.
const TURN_END: &str = "Stop";
const SESSION_END: &str = "SessionEnd";

/// Results that the current event carries.
#[derive(Debug, Default)]
pub(super) struct Carried(Option<Lease>);

impl Carried {
    /// Adds to the session the results that the event can carry, and what is wrong to `warnings`.
    pub(super) fn add_to_session(
        called: &Called,
        kept: Option<&SessionStore>,
        session: &Session,
        warnings: &mut Vec<String>,
    ) -> Self {
        let Some(kept) = kept else { return Self::default() };
        let Called { agent, event, .. } = called;
        let lost = kept.deliveries().take_lost_hooks();
        let killed = |hook| Fault::new(hook, Code::Undelivered, Undeliverable::Killed.to_string());
        session.add_faults(lost.iter().map(killed).collect());
        if event.name.as_str() == SESSION_END {
            session.add_faults(faults_of_undelivered_results(&kept.deliveries().close_session()));
            return Self::default();
        }
        let lease = kept.deliveries().lease(|delivery| carries(*agent, event, delivery));
        let results = lease.iter().flat_map(|lease| &lease.results);
        let ends_turn = event.name.as_str() == TURN_END;
        session.add_outcomes(results.clone().map(|one| one.to_outcome(ends_turn)).collect());
        warnings.extend(results.flat_map(|one| one.warnings.iter().cloned()));
        Self(lease)
    }

    /// Sends the reply, and forgets the results if the agent has them: the outcome carries them, and
    /// `send` says that its reply was the agent's.
    pub(super) fn finish_with_reply(
        self,
        outcome: Outcome,
        send: impl FnOnce(Outcome) -> (Exit, bool),
    ) -> Exit {
        let is_carried = outcome.steps.iter().any(|step| matches!(step.ended, Ended::Delivered(_)));
        let (exit, is_sent) = send(outcome);
        if let Some(lease) = self.0.filter(|_| is_carried && is_sent) {
            lease.finish();
        }
        exit
    }
}

/// Returns whether the agent takes from this event what a background hook left.
fn carries(agent: DialectId, event: &Event, delivery: &Delivery) -> bool {
    let subagent = event.within.facts.get("agent_id").and_then(Value::as_str);
    // What a subagent started may reach its caller; what the caller started does not reach a subagent.
    let is_reader = subagent.is_none() || subagent == delivery.agent_id.as_deref();
    let row = agent.dialect().event_row(&event.name);
    is_reader && row.is_some_and(|row| row_carries(agent, row, delivery))
}

fn row_carries(agent: DialectId, row: &EventRow, delivery: &Delivery) -> bool {
    let event = tenterhook_core::event::EventName::new(&*row.event);
    let has =
        |power| agent.dialect().accepted_powers(&event).is_some_and(|powers| powers.has(power));
    match delivery.wakes && event.as_str() == TURN_END {
        true => has(Power::Deny),
        false => READ_NEXT.contains(&event.as_str()) && has(Power::Context),
    }
}

/// Returns whether any event of the agent takes what a background hook left.
pub(super) fn can_ever_carry(agent: DialectId, delivery: &Delivery) -> bool {
    agent.dialect().event_rows().iter().any(|row| row_carries(agent, row, delivery))
}

/// Returns the faults of a session's end with results that no event carried.
fn faults_of_undelivered_results(results: &[Delivery]) -> Vec<Fault> {
    let fault = |one: &Delivery| {
        let message =
            "its result does not reach the agent: the session ended before an event could carry it";
        Fault::new(&HookId::new(&*one.hook), Code::Undelivered, message)
    };
    let has_text = |one: &&Delivery| !one.texts.is_empty() || !one.messages.is_empty();
    results.iter().filter(has_text).map(fault).collect()
}
