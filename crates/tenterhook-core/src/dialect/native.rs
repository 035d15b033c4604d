//! Tenterhook's own dialect: the config format in which everything has a home, and the protocol
//! that a new host or a new hook speaks. Knows no other agent's spelling, except to say what is
//! wrong when it meets one.
//!
//! Implements `docs/spec/config-native.md` (C-40 and on) and `docs/spec/protocol.md` (V-).

mod answer;
mod cases;
mod config;
mod envelope;
mod model;
pub mod outcome;
mod paths;
pub mod schema;

mod table;
mod write;

pub use cases::{Case, CaseFile, Expectation, Happens, cases, read_case_file};
pub use config::may_pin;
pub use outcome::encode_outcome;
pub use write::line as sandbox_line;
pub use write::write;

use super::parts::{Commands, Core, Dialect, Failures, Files, Matching, Runs};
use super::{DialectId, EventRow, ServerVariables, SlipPolicy};
use crate::answer::Answer;
use crate::hook::{Inherit, Prompt};
use crate::report::Report;

/// The version of the protocol that this build speaks (V-1).
pub const VERSION: u64 = 1;

/// The instructions on the form of an answer, for a model that serves as a hook.
pub(super) fn shape(prompt: &Prompt, row: &EventRow) -> String {
    model::shape(prompt, row)
}

/// Reads what such a model said.
pub(super) fn read_words(row: &EventRow, report: &Report) -> Answer {
    model::read(row, report)
}

/// The dialect.
pub static NATIVE: Dialect = Dialect {
    matching: Matching { subjects: table::values, ..Matching::DEFAULT },
    runs: Runs {
        timeout: model::timeout,
        detaches: |line, _| answer::detaches(line),
        ..Runs::DEFAULT
    },
    failures: Failures {
        // The native protocol is strict: a deviation makes an answer invalid (V-30).
        slips: |_| SlipPolicy::Fails,
        while_unread: None,
        ..Failures::DEFAULT
    },
    files: Files {
        is_toml: true,
        server_variables: ServerVariables::ListedInHeaders,
        ..Files::DEFAULT
    },
    commands: Commands { inherit: Inherit::Listed, ..Commands::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::NATIVE,
        rows: || table::ROWS,
        unknown_row: table::unknown,
        recognizes: paths::recognizes,
        places: paths::candidates,
        read_config: config::read,
        decode_event: envelope::decode,
        encode_event: envelope::encode,
        read_answer: |_, row, report| answer::read(row, report, false),
    })
};

#[cfg(test)]
mod tests;
