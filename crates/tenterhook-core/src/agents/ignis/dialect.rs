//! The dialect of ignis: a prompt, a shown text or a tool call passes through a chain of programs,
//! and each program receives the result of the previous one. This file only assembles the dialect;
//! its modules read and write each format.
//!
//! Implements `docs/spec/dialect-ignis.md` (I-).

mod answer;
mod config;
mod event;
mod events;
mod paths;
mod sandbox;
#[cfg(test)]
mod tests;

use crate::agents::ignis::HOOK_FILE;
use crate::dialect::DialectId;
pub(crate) use crate::dialect::parts::{Commands, Core, Dialect, Files, Inherited, Matching};

/// The dialect. If an answer breaks the protocol, `answer` also keeps the agent's reading of the
/// output (I-27).
pub static IGNIS: Dialect = Dialect {
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    matching: Matching {
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "I-38"),
        ..Matching::DEFAULT
    },
    // Ruling 3: a hook inherits a short list of variables and those that its entry names.
    commands: Commands { inherited: Inherited::Listed, sandbox: sandbox::sandbox_for_hook },
    ..Dialect::new(Core {
        id: DialectId::IGNIS,
        rows: || events::ROWS,
        unknown_row: events::unknown_event_row,
        recognizes: paths::recognize_config,
        places: paths::config_candidates,
        read_config: config::read_config,
        decode_event: event::decode_event,
        encode_event: event::encode_event,
        read_answer: answer::read_answer,
    })
};
