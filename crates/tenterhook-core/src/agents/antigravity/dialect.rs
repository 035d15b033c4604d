//! The dialect of Antigravity, as documents describe it: named hooks, payloads in camel case that do
//! not name their event, and a gate that denies if its answer cannot be read.
//!
//! Implements `docs/spec/dialect-antigravity.md` (AY-). Nothing here was compared with a running
//! Antigravity.

mod accepted;
mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::antigravity::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::call;
pub(crate) use crate::dialect::parts::{Calls, Checks, Core, Dialect, Failures, Files, Matching};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots};
use crate::hook::{Layer, OnFailure};
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static ANTIGRAVITY: Dialect = Dialect {
    matching: Matching {
        server_tool: "mcp_SERVER_TOOL",
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "AY-10"),
        ..Matching::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::File(accepted::find_refused_value),
        ..Files::DEFAULT
    },
    failures: Failures {
        without_answer: |event, _| missing_answer_policy(event),
        ..Failures::DEFAULT
    },
    calls: Calls { replies: Some(&reply::REPLIES), says_stopped_before: false, ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::ANTIGRAVITY,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event,
        read_answer: reply::read_answer,
    })
};

/// Returns what Antigravity does if a hook gives no answer: before a tool, it denies (AY-41).
fn missing_answer_policy(event: &str) -> OnFailure {
    if event == "PreToolUse" { OnFailure::Block } else { OnFailure::Continue }
}

/// The folders of a project that may hold a `hooks.json` (AY-1).
const FOLDERS: &[&str] = &[".agents", ".agent", "_agents", "_agent"];

/// The user's file and those of the project (AY-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let user = (roots.home.join(".gemini/config/hooks.json"), Layer::User);
    let project =
        FOLDERS.iter().map(|folder| (roots.cwd.join(folder).join("hooks.json"), Layer::Project));
    std::iter::once(user).chain(project).map(|(path, layer)| Candidate { path, layer }).collect()
}

/// Recognizes a file by its path alone.
fn recognize_config(path: &Path, _: Option<&Node>) -> Fit {
    let own = FOLDERS.iter().chain(&[".gemini/config"]);
    let mut own = own.map(|folder| Path::new(folder).join("hooks.json"));
    if own.any(|file| path.ends_with(file)) { Fit::Certain } else { Fit::No }
}
