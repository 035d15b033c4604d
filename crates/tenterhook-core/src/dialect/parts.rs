//! The parts of one agent's protocol: data, and functions where a table is not enough. A dialect is
//! one `static` of [`Dialect`]; other crates cannot construct one.

mod asked;
mod groups;

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};

use super::{Candidate, DialectId, Envelope, EventFault, EventRow, Fit, Roots};
use crate::answer::Answer;
use crate::event::{Event, EventName};
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

pub(crate) use groups::{
    Calls, Checks, Commands, Failures, Files, Inherited, Layers, Matching, ModelHooks, Requests,
    Runs, VersionSource,
};

/// The parts that every dialect must have.
pub(crate) struct Core {
    pub(crate) id: DialectId,
    /// Its event table.
    pub(crate) rows: fn() -> &'static [EventRow],
    /// The row of an event that the table does not have.
    pub(crate) unknown_row: fn(&EventName) -> EventRow,
    pub(crate) recognizes: fn(&Path, Option<&Node>) -> Fit,
    pub(crate) places: fn(&Roots) -> Vec<Candidate>,
    pub(crate) read_config: fn(&Source) -> ReadConfig,
    pub(crate) decode_event: fn(&Map<String, Value>, &Roots) -> Result<Event, EventFault>,
    pub(crate) encode_event: fn(&Event) -> Envelope,
    pub(crate) read_answer: fn(&Event, &EventRow, &Report) -> Answer,
}

/// One agent's protocol: the core, and groups of options. A dialect sets only what differs from the
/// default of a group.
pub struct Dialect {
    pub(crate) core: Core,
    pub(crate) files: Files,
    pub(crate) layers: Layers,
    pub(crate) matching: Matching,
    pub(crate) runs: Runs,
    pub(crate) commands: Commands,
    pub(crate) requests: Requests,
    pub(crate) models: ModelHooks,
    pub(crate) failures: Failures,
    pub(crate) calls: Calls,
}

impl Dialect {
    /// Creates a dialect with the default of each group.
    pub(crate) const fn new(core: Core) -> Self {
        Self {
            core,
            files: Files::DEFAULT,
            layers: Layers::DEFAULT,
            matching: Matching::DEFAULT,
            runs: Runs::DEFAULT,
            commands: Commands::DEFAULT,
            requests: Requests::DEFAULT,
            models: ModelHooks::DEFAULT,
            failures: Failures::DEFAULT,
            calls: Calls::DEFAULT,
        }
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dialect").field(&self.core.id).finish()
    }
}
