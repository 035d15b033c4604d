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

pub use cases::{Case, CaseFile, Expectation, Happens, read_case_file, read_cases_beside_hooks};
pub use config::may_pin_signature_keys;
pub use outcome::encode_outcome;
pub use write::sandbox_line;
pub use write::write;

use super::parts::{Commands, Core, Dialect, Failures, Inherited, Matching, Runs};
use super::{DialectId, EventRow, SlipPolicy};
use crate::answer::Answer;
use crate::hook::Prompt;
use crate::report::Report;

/// The version of the protocol that this build speaks (V-1).
pub const VERSION: u64 = 1;

/// Returns the instructions on the form of an answer, for a model that serves as a hook.
pub(super) fn answer_instructions(prompt: &Prompt, row: &EventRow) -> String {
    model::answer_instructions(prompt, row)
}

/// Reads the answer of a model that serves as a hook.
pub(super) fn read_model_answer(row: &EventRow, report: &Report) -> Answer {
    model::read_model_answer(row, report)
}

/// The dialect.
pub static NATIVE: Dialect = Dialect {
    matching: Matching { subjects: table::possible_subject_values, ..Matching::DEFAULT },
    runs: Runs {
        timeout: model::default_timeout,
        detaches: |line, _| answer::asks_to_detach(line),
        ..Runs::DEFAULT
    },
    failures: Failures {
        // The native protocol is strict: a deviation makes an answer invalid (V-30).
        slips: |_| SlipPolicy::Fails,
        while_unread: None,
        ..Failures::DEFAULT
    },
    commands: Commands { inherited: Inherited::Listed, ..Commands::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::NATIVE,
        rows: || table::ROWS,
        unknown_row: table::undeclared_row,
        recognizes: paths::recognize_config_file,
        places: paths::candidate_files,
        read_config: config::read_config,
        decode_event: envelope::decode_event,
        encode_event: envelope::encode_event,
        read_answer: |_, row, report| answer::read_answer(row, report, false),
    })
};

#[cfg(test)]
mod tests;
