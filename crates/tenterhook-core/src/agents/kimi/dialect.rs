//! The dialect of Kimi Code CLI, version 2.1: tables `[[hooks]]` in its `config.toml`, events with
//! the names of Claude Code's, and one form of denial for all of them.
//!
//! Implements `docs/spec/dialect-kimi.md` (KM-).

mod accepted;
mod config;
mod plugins;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::kimi::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{Calls, Checks, Core, Dialect, Files, Matching};
use crate::dialect::{Candidate, DialectId, EventRow, Fit};
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static KIMI: Dialect = Dialect {
    matching: Matching {
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "KM-10"),
        ..Matching::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        plugins: plugins::find_plugins,
        checks: Checks::File(accepted::find_refused_value),
        ..Files::DEFAULT
    },
    calls: Calls { replies: Some(&reply::REPLIES), says_stopped_before: false, ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::KIMI,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, vocabulary::TIMEOUT)
        },
        recognizes: recognize_config,
        places: |roots| {
            let path = roots.agent_home(DialectId::KIMI).join("config.toml");
            vec![Candidate { path, layer: Layer::User }]
        },
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// Recognizes a file by its path alone: other agents also list hooks in tables (KM-1).
fn recognize_config(path: &Path, _: Option<&Node>) -> Fit {
    let is_own = path.ends_with(".kimi-code/config.toml") || plugins::is_manifest(path);
    if is_own { Fit::Certain } else { Fit::No }
}
