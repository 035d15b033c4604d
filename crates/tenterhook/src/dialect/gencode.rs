//! The dialect of Gen (gencode): its rooms are one file per direction, and this file only opens their doors.
//!
//! Implements `docs/spec/dialect-gen.md` (G-). `gen` itself is a keyword.

mod answer;
mod config;
mod event;
mod events;
mod fields;
mod handler;
mod matcher;
mod model;
mod places;
mod plugins;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{
    Candidate, Dialect, DialectId, Disk, Envelope, EventFault, EventRow, Fit, Plugins, Roots,
    SlipPolicy, first_line,
};
use crate::answer::{Answer, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::row::Mode;
use crate::hook::{Layer, Phase, Prompt, Run};
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The dialect.
#[derive(Debug)]
pub struct Gen;

impl Dialect for Gen {
    fn id(&self) -> DialectId {
        DialectId::GEN
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

    fn detaches(&self, first_line: &[u8]) -> bool {
        first_line::detaches(first_line)
    }

    fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer {
        answer::read(event, row, report, false)
    }

    fn shape(&self, _: &Prompt, row: &EventRow) -> String {
        model::shape(row)
    }

    fn read_words(&self, _: &Prompt, event: &Event, row: &EventRow, report: &Report) -> Answer {
        model::read(event, row, report)
    }

    fn plugins(&self, settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
        plugins::find(settings, roots, disk)
    }

    fn timeout(&self, run: &Run, row: &EventRow) -> Duration {
        model::timeout(run, row)
    }

    /// The agent honours no slip but one: which event a hook names does not matter, because the real one decides which
    /// fields count (G-35). For every other slip its own reading of the same report stands.
    fn slip_policy(&self, slip: SlipKind) -> SlipPolicy {
        if slip == SlipKind::WrongEventName { SlipPolicy::Counts } else { SlipPolicy::PlainText }
    }

    /// The agent runs the hooks of a dispatch one after the other, all on the same payload, until one blocks (G-40).
    fn mode(&self, _event: &EventName, _phase: Phase) -> Mode {
        Mode::Serial
    }

    fn settle_layers(&self, layers: &mut [(&Source, &mut ReadConfig)]) {
        places::settle(layers);
    }

    fn runs_last(&self, layer: Layer) -> bool {
        layer == Layer::Plugin
    }
}
