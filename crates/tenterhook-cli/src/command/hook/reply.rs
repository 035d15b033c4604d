//! Writes an outcome as the reply to an agent, and as warnings for people where the reply cannot express it. Judges nothing.

use tenterhook::internal::exemptions::{self, Exemptions, Lifted};
use tenterhook::{Event, Outcome};
use tenterhook_core::answer::{Power, Restraint};
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::{DialectId, Reply};
use tenterhook_core::outcome::{Decision, Fault};

use super::silenced::CallCheck;
use crate::exit::Exit;
use crate::last_word::CallerReply;
use crate::session_store::SessionStore;
use crate::show::outcome::hook_display_name;
use crate::show::paint::WARNING;
use crate::term::Term;

/// What a reply is about.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) agent: DialectId,
    pub(super) event: &'a Event,
    pub(super) ruleset: &'a Ruleset,
    pub(super) kept: Option<&'a SessionStore>,
    pub(super) check: Option<&'a CallCheck<'a>>,
    /// What of it a person lets pass.
    pub(super) exemptions: &'a Exemptions,
}

impl About<'_> {
    /// Sends the reply to the agent, and then prints the warnings that the agent does not show.
    /// Returns the exit code, and whether this was the agent's reply.
    pub(super) fn send_reply(
        self,
        outcome: Outcome,
        mut warnings: Vec<String>,
        term: Term,
        caller: &CallerReply,
    ) -> (Exit, bool) {
        if let Some(check) = self.check {
            check.note_reply(&outcome);
        }
        let reply = self.encode_reply(outcome, &mut warnings);
        let sent = caller.send(&reply);
        for warning in warnings.iter().filter(|_| self.agent.dialect().ignores_stderr()) {
            term.print_labelled_note(WARNING, "warning:", warning);
        }
        (Exit::Replied(sent.unwrap_or(reply.exit)), sent.is_some())
    }

    /// Encodes the outcome in the agent's protocol, and adds what the protocol cannot express to
    /// `warnings`. If the agent shows messages to the user, each warning becomes such a message,
    /// once a session.
    fn encode_reply(self, mut outcome: Outcome, warnings: &mut Vec<String>) -> Reply {
        let About { agent, event, ruleset, kept, .. } = self;
        let dialect = agent.dialect();
        let way_out = self.apply_user_exemption(&mut outcome);
        let encode = |outcome: &Outcome| {
            dialect.encode_outcome(event, outcome, way_out.as_deref()).unwrap_or_default()
        };
        let reply = encode(&outcome);
        let fault = |fault: &Fault| match &fault.hook {
            Some(hook) => format!("hook `{}`: {}", hook_display_name(hook, ruleset), fault.message),
            None => fault.message.clone(),
        };
        warnings.extend(outcome.faults.iter().map(fault));
        warnings.extend(reply.warnings.iter().cloned());
        let shows =
            dialect.accepted_powers(&event.name).is_some_and(|powers| powers.has(Power::Message));
        let is_news = |text: &&String| kept.is_some_and(|kept| kept.claim_message_once(text));
        let news: Vec<String> = match shows {
            true => warnings
                .iter()
                .filter(is_news)
                .map(|warning| format!("tenterhook: {warning}"))
                .collect(),
            false => Vec::new(),
        };
        if news.is_empty() {
            return reply;
        }
        outcome.effects.messages.extend(news);
        encode(&outcome)
    }

    /// If the agent cannot ask, either the user has allowed this very call, or the reply says how to allow it (BR-5).
    fn apply_user_exemption(self, outcome: &mut Outcome) -> Option<String> {
        let About { agent, event, exemptions: granted, .. } = self;
        let asks = matches!(outcome.decision(), Decision::Ask { .. } | Decision::Deferred { .. });
        let can_ask = agent
            .dialect()
            .accepted_powers(&event.name)
            .is_some_and(|powers| powers.has(Power::Ask));
        if !asks || can_ask || event.tool().is_none() {
            return None;
        }
        match granted.use_exemption(event, false) {
            Lifted::No(remedy) => {
                let code = exemptions::exemption_code_of_call(event);
                if let Some(reason) = outcome.reasons.first_mut() {
                    reason.text = exemptions::with_explain_command(&reason.text, &code);
                }
                Some(remedy)
            }
            Lifted::Yes(exemption) => {
                outcome.restraint = Restraint::Silent;
                outcome.reasons.clear();
                outcome.effects.messages.push(format!("this call passes: {exemption}"));
                None
            }
        }
    }
}
