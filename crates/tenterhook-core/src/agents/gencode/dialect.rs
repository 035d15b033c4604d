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

use crate::answer::SlipKind;
use crate::dialect::hook_file::{Field, HookFile, Layout};
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
    files: Files { written: Ok(&WRITTEN), plugins: plugins::find_plugins, ..Files::DEFAULT },
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

/// How its hook file is written (C-150).
static WRITTEN: HookFile = HookFile {
    agent: "Gen",
    path: ".gen/settings.json",
    layout: Layout::Groups,
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Timeout, "timeout"),
        (Field::Status, "statusMessage"),
        (Field::Once, "once"),
        (Field::Background, "async"),
        (Field::Wake, "asyncRewake"),
        (Field::Condition, "if"),
        (Field::Url, "url"),
        (Field::Prompt, "prompt"),
    ],
    second: 1.0,
    closed: None,
};
