//! The dialect of CodeWhale (formerly DeepSeek-TUI): hooks in TOML that run in a shell and receive
//! most fields in variables. Three events read an answer, each in a different format. This file
//! only assembles the dialect; its modules read and write each format.
//!
//! Implements `docs/spec/dialect-codewhale.md` (CW-).

mod answer;
mod condition;
mod config;
mod envelope;
mod event;
mod events;
mod modes;
mod paths;
mod shell_env;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::agents::codewhale::HOOK_FILE;
use crate::dialect::DialectId;
pub(crate) use crate::dialect::parts::{Core, Dialect, Files, Layers, Matching, Runs};
use crate::hook::Phase;
use crate::hook::row::Mode;

/// The dialect. A hook runs in the background if its entry says so; its output cannot do that.
pub static CODEWHALE: Dialect = Dialect {
    // Hooks run one after another in configured order; only a blocked message ends the chain
    // (CW-S9, CW-43).
    runs: Runs {
        mode: |phase| if matches!(phase, Phase::Rewrite) { Mode::Chained } else { Mode::InTurn },
        ..Runs::DEFAULT
    },
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    matching: Matching { condition: config::read_single_condition, ..Matching::DEFAULT },
    layers: Layers { settle: config::apply_layer_settings_to_hooks, ..Layers::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::CODEWHALE,
        rows: || events::ROWS,
        unknown_row: events::unknown_event_row,
        recognizes: paths::recognize_config,
        places: paths::config_candidates,
        read_config: config::read_config,
        decode_event: event::decode_event,
        encode_event: envelope::encode_event,
        read_answer: answer::read_answer,
    })
};
