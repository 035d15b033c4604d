//! The dialect of ignis: prompts, shown text and tool calls go through chains of programs, each of which gets what the last
//! one left. Its rooms are one file per direction, and this file only opens their doors.
//!
//! Implements `docs/spec/dialect-ignis.md` (I-).

mod answer;
mod config;
mod event;
mod events;
mod places;
mod sandbox;
#[cfg(test)]
mod tests;

use crate::dialect::DialectId;
pub(crate) use crate::dialect::parts::{Commands, Core, Dialect, Runs};
pub(crate) use crate::hook::Inherit;

/// The dialect. Whatever left the protocol, the agent's own reading of the same output stands, which `answer` keeps beside
/// it (I-27).
pub static IGNIS: Dialect = Dialect {
    runs: Runs { timeout_key: "timeout_ms", ..Runs::DEFAULT },
    // Ruling 3: a hook of this agent sees a short list of names and those that its entry names.
    commands: Commands { inherit: Inherit::Listed, sandbox: sandbox::of, ..Commands::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::IGNIS,
        rows: || events::ROWS,
        unknown_row: events::unknown,
        recognizes: places::recognizes,
        places: places::places,
        read_config: config::read,
        decode_event: event::decode,
        encode_event: event::encode,
        read_answer: answer::read,
    })
};
