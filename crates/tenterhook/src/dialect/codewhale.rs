//! The dialect of CodeWhale (once DeepSeek-TUI): hooks in TOML, run by a shell, told mostly through variables, with an
//! answer of its own on each of the three events that listen. This file only opens the doors of its rooms.
//!
//! Implements `docs/spec/dialect-codewhale.md` (CW-).

mod answer;
mod condition;
mod config;
mod envelope;
mod event;
mod events;
mod modes;
mod places;
mod shell_env;
#[cfg(test)]
mod tests;
mod words;

use std::path::Path;

use serde_json::{Map, Value};

use super::{
    Candidate, Dialect, DialectId, Envelope, EventFault, EventRow, Fit, Roots, SlipPolicy,
};
use crate::answer::{Answer, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::Phase;
use crate::hook::row::Mode;
use crate::matcher::Condition;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The dialect.
#[derive(Debug)]
pub struct CodeWhale;

impl Dialect for CodeWhale {
    fn id(&self) -> DialectId {
        DialectId::CODEWHALE
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
        envelope::encode(event)
    }

    /// A hook of this agent goes to the background by its entry, never by what it prints.
    fn is_toml(&self) -> bool {
        true
    }

    fn timeout_key(&self) -> &'static str {
        "timeout_secs"
    }

    fn detaches(&self, _first_line: &[u8]) -> bool {
        false
    }

    fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer {
        answer::read(event, row, report)
    }

    /// What left the protocol is not seen: the agent's own reading of the same output stands.
    fn slip_policy(&self, _slip: SlipKind) -> SlipPolicy {
        SlipPolicy::PlainText
    }

    /// One after the other in configured order, on every event; only a message that was blocked goes no further (CW-S9, CW-43).
    fn mode(&self, _event: &EventName, phase: Phase) -> Mode {
        if phase == Phase::Rewrite { Mode::Chained } else { Mode::InTurn }
    }

    fn condition(&self, node: &Node, source: &Source) -> Result<Condition, String> {
        config::condition(node, source)
    }

    fn settle_layers(&self, layers: &mut [(&Source, &mut ReadConfig)]) {
        config::settle(layers);
    }
}
