//! The dialect of Windsurf, as its documents describe it: an event for each kind of action, entries
//! without groups or matchers, and exit code 2 as the only denial.
//!
//! Implements `docs/spec/dialect-windsurf.md` (WS-). Nothing here was compared with a running
//! Windsurf.

mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::windsurf::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::{call, reply_form};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots, machine};
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static WINDSURF: Dialect = Dialect {
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    calls: Calls { replies: Some(&reply::REPLIES), says_stopped_before: false, ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::WINDSURF,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The machine's file, those of the user, and the project's (WS-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let others = [
        (roots.home.join(".codeium/windsurf/hooks.json"), Layer::User),
        (roots.home.join(".codeium/hooks.json"), Layer::User),
        (roots.cwd.join(".windsurf/hooks.json"), Layer::Project),
    ];
    let others = others.into_iter().map(|(path, layer)| Candidate { path, layer });
    machine::machine_wide_files(&[(Some("windsurf"), "hooks.json")], roots)
        .into_iter()
        .chain(others)
        .collect()
}

/// The ends of directories that hold a `hooks.json` of Windsurf.
const FOLDERS: &[&str] = &[".codeium/windsurf", ".codeium", ".windsurf", "etc/windsurf"];

/// How certainly a file is a config of this agent: by its path, or by an event that only it has.
fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    let mut own = FOLDERS.iter().map(|folder| Path::new(folder).join("hooks.json"));
    if own.any(|file| path.ends_with(file)) {
        return Fit::Certain;
    }
    let events = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    let is_own = |key: &str| vocabulary::ROWS.iter().any(|row| row.name == key);
    if events.iter().any(|event| is_own(&event.key)) { Fit::Certain } else { Fit::No }
}
