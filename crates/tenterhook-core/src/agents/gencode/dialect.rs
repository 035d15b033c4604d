//! The dialect of Gen (gencode). This file only assembles the dialect; its modules read and write
//! each format.
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
mod paths;
mod plugins;
#[cfg(test)]
mod tests;

use crate::agents::gencode::HOOK_FILE;
use crate::answer::SlipKind;
pub(crate) use crate::dialect::parts::{
    Core, Dialect, Failures, Files, Layers, ModelHooks, Requests, Runs,
};
use crate::dialect::{DialectId, SlipPolicy, first_line};
use crate::hook::row::Mode;
pub(crate) use crate::hook::{Interpolation, Layer};

/// The dialect.
pub static GEN: Dialect = Dialect {
    runs: Runs {
        // The agent runs hooks one after another on the same payload, until one blocks (G-40).
        mode: |_| Mode::Serial,
        timeout: model::default_timeout,
        detaches: first_line::asks_to_detach,
        // An `async` hook only observes (G-43).
        discards_detached: true,
    },
    failures: Failures {
        // An answer that names the wrong event is still read, with the fields of the real one (G-35).
        slips: |slip| match slip {
            SlipKind::WrongEventName => SlipPolicy::Counts,
            _ => SlipPolicy::PlainText,
        },
        ..Failures::DEFAULT
    },
    models: ModelHooks {
        shape: |_, row| model::answer_instructions(row),
        read: |_, event, row, report| model::read_answer(event, row, report),
    },
    files: Files { written: Ok(&HOOK_FILE), plugins: plugins::find_plugins, ..Files::DEFAULT },
    layers: Layers {
        settle: paths::disarm_replaced_hooks,
        last: Some(Layer::Plugin),
        ..Layers::DEFAULT
    },
    requests: Requests { interpolation: Interpolation::EMPTY_LOOSE, follows_redirects: true },
    ..Dialect::new(Core {
        id: DialectId::GEN,
        rows: || events::ROWS,
        unknown_row: events::unknown_event_row,
        recognizes: paths::recognize_config,
        places: paths::config_candidates,
        read_config: config::read_config,
        decode_event: event::decode_event,
        encode_event: event::encode_event,
        read_answer: |event, row, report| answer::read_answer(event, row, report, false),
    })
};
