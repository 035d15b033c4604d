//! Tenterhook's own dialect: the config format in which everything has a home, and the protocol that a new host or a new
//! hook speaks. Knows no other agent's spelling, except to say what is wrong when it meets one.
//!
//! Implements `docs/spec/config-native.md` (C-40 and on) and `docs/spec/protocol.md` (V-).

mod answer;
mod cases;
mod config;
mod envelope;
mod model;
pub mod outcome;
mod places;
pub mod schema;

mod table;
mod write;

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

pub use cases::{Case, CaseFile, Expectation, Happens, cases, read_case_file};
pub use outcome::encode_outcome;
pub use write::write;

use super::{
    Candidate, Dialect, DialectId, Envelope, EventFault, EventRow, Fit, Roots, ServerVariables,
    SlipPolicy,
};
use crate::answer::{Answer, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::{Inherit, OnFailure, Prompt, Run};
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The version of the protocol that this build speaks (V-1).
pub const VERSION: u64 = 1;

/// What a model is told that serves as a hook.
pub(super) fn shape(prompt: &Prompt, row: &EventRow) -> String {
    model::shape(prompt, row)
}

/// Reads what such a model said.
pub(super) fn read_words(row: &EventRow, report: &Report) -> Answer {
    model::read(row, report)
}

/// The dialect.
#[derive(Debug)]
pub struct Native;

impl Dialect for Native {
    fn id(&self) -> DialectId {
        DialectId::NATIVE
    }

    fn rows(&self) -> &'static [EventRow] {
        table::ROWS
    }

    fn subjects(&self, event: &str) -> &'static [&'static str] {
        table::VALUES.iter().find(|(name, _)| *name == event).map_or(&[], |(_, values)| values)
    }

    fn unknown_row(&self, event: &EventName) -> EventRow {
        table::unknown(event)
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
        envelope::decode(json, roots)
    }

    fn encode_event(&self, event: &Event) -> Envelope {
        envelope::encode(event)
    }

    fn detaches(&self, first_line: &[u8]) -> bool {
        answer::detaches(first_line)
    }

    fn read_answer(&self, _event: &Event, row: &EventRow, report: &Report) -> Answer {
        answer::read(row, report, false)
    }

    fn timeout(&self, run: &Run, row: &EventRow) -> Duration {
        model::timeout(run, row)
    }

    fn is_toml(&self) -> bool {
        true
    }

    fn server_variables(&self) -> ServerVariables {
        ServerVariables::ListedInHeaders
    }

    fn while_unread(&self) -> Option<OnFailure> {
        None
    }

    fn inherit(&self) -> Inherit {
        Inherit::Listed
    }

    /// The native protocol is strict: what left it is no answer (V-30).
    fn slip_policy(&self, _slip: SlipKind) -> SlipPolicy {
        SlipPolicy::Fails
    }
}

#[cfg(test)]
mod tests;
