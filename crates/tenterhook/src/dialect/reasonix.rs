//! The dialect of Reasonix: commands that answer with an exit code, and two words on stdout. Its rooms are one file per
//! direction, and this file only opens their doors. Rules: `docs/spec/dialect-reasonix.md` (RX-).

mod answer;
mod config;
mod directives;
mod entry;
mod event;
mod events;
mod places;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{
    Candidate, Dialect, DialectId, Envelope, EventFault, EventRow, Fit, Roots, SlipPolicy, Subject,
};
use crate::answer::{Answer, Failure, Power, Powers, SlipKind};
use crate::diagnostic::Code;
use crate::event::{Event, EventName};
use crate::hook::row::Mode;
use crate::hook::{Compat, Hook, OnFailure, Phase};
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The dialect.
#[derive(Debug)]
pub struct Reasonix;

impl Dialect for Reasonix {
    fn id(&self) -> DialectId {
        DialectId::REASONIX
    }

    fn rows(&self) -> &'static [EventRow] {
        &events::ROWS
    }

    fn unknown_row(&self, event: &EventName) -> EventRow {
        EventRow {
            name: Cow::Owned(event.to_string()),
            event: Cow::Owned(event.to_string()),
            subject: Subject::None,
            powers: Powers::of(&[Power::Message]),
            timeout: Duration::from_secs(30),
            failure: OnFailure::Continue,
            cap: None,
            when: Cow::Borrowed(""),
        }
    }

    fn recognizes(&self, path: &Path, root: Option<&Node>) -> Fit {
        places::recognizes(path, root)
    }

    fn places(&self, roots: &Roots) -> Vec<Candidate> {
        places::places(roots)
    }

    fn read_config(&self, source: &Source) -> ReadConfig {
        config::read(source)
    }

    fn decode_event(&self, json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
        event::decode(json, roots)
    }

    fn encode_event(&self, event: &Event) -> Envelope {
        event::encode(event)
    }

    /// No hook of this agent goes on in the background by saying so.
    fn detaches(&self, _first_line: &[u8]) -> bool {
        false
    }

    fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer {
        answer::read(event, row, report)
    }

    /// The agent reads exit codes: whatever slipped, its own reading of the same report stands (RX-32).
    fn slip_policy(&self, _slip: SlipKind) -> SlipPolicy {
        SlipPolicy::PlainText
    }

    /// Running out of time blocks where the event can be blocked; another exit code, a signal or a program that cannot be
    /// started never does (RX-21). A matcher that cannot be used is a gate that nobody can ask: it blocks, where the agent
    /// itself would drop it without a word (RX-14).
    fn promise(&self, hook: &Hook, row: &EventRow, failure: &Failure) -> OnFailure {
        match failure.code {
            Code::TimedOut | Code::Cancelled => row.failure,
            Code::MatcherFailed if hook.compat == Compat::Guarded => row.failure,
            _ => OnFailure::Continue,
        }
    }

    /// One after the other, until one blocks (RX-22).
    fn mode(&self, _event: &EventName, _phase: Phase) -> Mode {
        Mode::Serial
    }
}
