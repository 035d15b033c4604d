//! The dialect of ignis: prompts, shown text and tool calls go through chains of programs, each of which gets what the last
//! one left. Its rooms are one file per direction, and this file only opens their doors.
//!
//! Implements `docs/spec/dialect-ignis.md` (I-).

mod answer;
mod config;
mod event;
mod events;
mod places;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::{Map, Value};

use super::{
    Candidate, Dialect, DialectId, Envelope, EventFault, EventRow, Fit, Roots, SlipPolicy,
};
use crate::answer::{Answer, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::Inherit;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The dialect.
#[derive(Debug)]
pub struct Ignis;

impl Dialect for Ignis {
    fn id(&self) -> DialectId {
        DialectId::IGNIS
    }

    fn rows(&self) -> &'static [EventRow] {
        events::ROWS
    }

    fn unknown_row(&self, event: &EventName) -> EventRow {
        events::unknown(event)
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

    /// No hook of this protocol goes on in the background.
    fn detaches(&self, _first_line: &[u8]) -> bool {
        false
    }

    fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer {
        answer::read(event, row, report)
    }

    /// Whatever left the protocol, the agent's own reading of the same output stands, which `answer` keeps beside it (I-27).
    fn slip_policy(&self, _slip: SlipKind) -> SlipPolicy {
        SlipPolicy::PlainText
    }

    /// Ruling 3: a hook of this agent sees a short list of names and those that its entry names.
    fn timeout_key(&self) -> &'static str {
        "timeout_ms"
    }

    fn inherit(&self) -> Inherit {
        Inherit::Listed
    }
}
