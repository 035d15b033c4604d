//! The dialect of Mistral Vibe, version 3.0: a TOML file that lists its hooks, three events, and
//! answers with `decision`, `reason` and `hook_specific_output`.
//!
//! Implements `docs/spec/dialect-vibe.md` (VI-).

mod config;
mod matching;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::vibe::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files, Matching};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots};
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static VIBE: Dialect = Dialect {
    // Its names have a dot, for which matchers also take `_` (VI-10).
    matching: Matching { server_tool: "mcp_SERVER_TOOL", ..Matching::DEFAULT },
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        says_stopped_before: false,
        pairs_calls: true,
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::VIBE,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, vocabulary::TIMEOUT)
        },
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The user's file, and the project's, which Mistral Vibe reads first (VI-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let user = roots.agent_home(DialectId::VIBE).join("hooks.toml");
    let project = roots.cwd.join(".vibe").join("hooks.toml");
    [(user, Layer::User), (project, Layer::Project)]
        .map(|(path, layer)| Candidate { path, layer })
        .into()
}

/// Recognizes a file by its path, else by an entry that has one of the events as its `type`.
fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if path.ends_with(".vibe/hooks.toml") {
        return Fit::Certain;
    }
    let entries = root.and_then(|root| root.get("hooks")?.as_array()).into_iter().flatten();
    let mut types = entries.filter_map(|entry| entry.get("type")?.as_str());
    let is_event = |name: &str| vocabulary::ROWS.iter().any(|row| row.name == name);
    if types.any(is_event) { Fit::Shape } else { Fit::No }
}
