//! The dialect of Claude Code, version 2.1.330: its rooms are one file per direction, and this file only opens their doors.

mod accepted;
mod answer;
mod env_file;
mod event;
mod events;
pub(crate) mod guard;
mod model;
mod reply;
#[cfg(test)]
mod tests;

mod config;
mod handler;
mod lint;
mod matcher_text;
mod mods;
mod placeholders;
mod places;
mod plugins;
mod servers;
mod silence;
mod unasked;
mod vocabulary;

use std::time::Duration;

pub(crate) use plugins::{refused_key, why_refused};

use crate::answer::Powers;
use crate::dialect::kit::protocol;
pub(crate) use crate::dialect::parts::{
    Calls, Commands, Core, Dialect, Failures, Files, Layers, Matching, ModelHooks, Requests, Runs,
};
pub(crate) use crate::dialect::{DialectId, EventRow, SlipPolicy, first_line, rule};
use crate::hook::Interpolation;
pub(crate) use crate::matcher::rule::Reading;

/// The dialect.
pub static CLAUDE: Dialect = Dialect {
    // Since 2.1.128: its own telemetry is no business of its hooks.
    commands: Commands { withheld: &["OTEL_"], ..Commands::DEFAULT },
    // Observed of 2.1.197 and 2.1.330: text after the object, a broken object, an array and a string are log text; a wrong or
    // missing `hookEventName`, a word that is no decision and a value of the wrong type reject the answer whole, and the
    // action goes on; an unknown key or a decision in another event's place is passed over; exit code 2 of a permission
    // request is passed over. Which of these it was, the plain reading says in its own failure or remark.
    failures: Failures { slips: |_| SlipPolicy::PlainText, ..Failures::DEFAULT },
    models: ModelHooks { shape: model::shape, read: model::read },
    runs: Runs { timeout: model::timeout, detaches: first_line::detaches, ..Runs::DEFAULT },
    matching: Matching {
        subjects: |event| answer::ANSWERS.values(event),
        condition: |node, source| {
            Ok(rule(node, source, Reading::Claude)?.with_aliases(matcher_text::aliases()))
        },
        unreachable: lint::unreachable,
    },
    files: Files {
        plugins: plugins::find,
        silencers: Some(silence::find),
        servers: Some(&servers::FILES),
        unasked: unasked::FILES,
        ..Files::DEFAULT
    },
    layers: Layers { drops_repeats: true, ..Layers::DEFAULT },
    requests: Requests { interpolation: Interpolation::EMPTY, ..Requests::DEFAULT },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        project_variables: &["CLAUDE_PROJECT_DIR"],
        pairs_calls: true,
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::CLAUDE,
        rows: || &events::ROWS,
        unknown_row: |event| EventRow::unknown(event, Powers::NONE, Duration::from_mins(10)),
        recognizes: places::recognizes,
        places: places::places,
        read_config: config::read,
        decode_event: event::decode,
        encode_event: event::encode,
        read_answer: |event, row, report| protocol::read(&answer::ANSWERS, event, row, report),
    })
};
