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

use crate::dialect::DialectId;
pub(crate) use crate::dialect::parts::{Core, Dialect, Files, Layers, Matching, Runs};
use crate::hook::Phase;
use crate::hook::row::Mode;

/// The dialect. A hook goes to the background by its entry, never by what it prints; what left the protocol is not seen.
pub static CODEWHALE: Dialect = Dialect {
    // One after the other in configured order, on every event; only a message that was blocked goes no further (CW-S9, CW-43).
    runs: Runs {
        mode: |phase| if matches!(phase, Phase::Rewrite) { Mode::Chained } else { Mode::InTurn },
        timeout_key: "timeout_secs",
        ..Runs::DEFAULT
    },
    files: Files { is_toml: true, ..Files::DEFAULT },
    matching: Matching { condition: config::condition, ..Matching::DEFAULT },
    layers: Layers { settle: config::settle, ..Layers::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::CODEWHALE,
        rows: || events::ROWS,
        unknown_row: events::unknown,
        recognizes: places::recognizes,
        places: places::places,
        read_config: config::read,
        decode_event: event::decode,
        encode_event: envelope::encode,
        read_answer: answer::read,
    })
};
