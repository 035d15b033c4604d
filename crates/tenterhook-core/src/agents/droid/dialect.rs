//! The dialect of Droid, version 0.225: events and answers shaped like Claude Code's, in a file
//! whose root holds the events, and tools with different names.
//!
//! Implements `docs/spec/dialect-droid.md` (DR-).

mod accepted;
mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::droid::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::event::non_empty_variables;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{Calls, Checks, Core, Dialect, Files, Matching};
use crate::dialect::{Candidate, DialectId, Envelope, EventRow, Fit, Roots, machine};
use crate::event::Event;
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static DROID: Dialect = Dialect {
    matching: Matching {
        server_tool: "SERVER___TOOL",
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "DR-10"),
        ..Matching::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::File(accepted::find_refused_value),
        ..Files::DEFAULT
    },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        project_variables: &PROJECT_VARIABLES,
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::DROID,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, vocabulary::TIMEOUT)
        },
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: |json, roots| vocabulary::WORDS.decode_event(json, roots),
        encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The variables in which Droid names the project.
const PROJECT_VARIABLES: [&str; 3] =
    ["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The files of hooks in a `.factory`, and the settings that may have a key `hooks` (DR-1).
const FILES: &[&str] = &["hooks.json", "hooks/hooks.json", "settings.json"];

/// The machine's settings, and the files of the user and of the project (DR-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let folders = [(&roots.home, Layer::User), (&roots.cwd, Layer::Project)];
    let files = folders.into_iter().flat_map(|(folder, layer)| {
        FILES.iter().map(move |file| Candidate { path: folder.join(".factory").join(file), layer })
    });
    machine::machine_wide_files(&[(Some("factory"), "settings.json")], roots)
        .into_iter()
        .chain(files)
        .collect()
}

/// Recognizes a file by its path alone: its content looks like Claude Code's.
fn recognize_config(path: &Path, _: Option<&Node>) -> Fit {
    let own = FILES.iter().any(|file| path.ends_with(Path::new(".factory").join(file)));
    if own || path.ends_with("factory/settings.json") { Fit::Certain } else { Fit::No }
}

/// Encodes an event, with the environment variables of its hooks (DR-21).
fn encode_event(event: &Event) -> Envelope {
    let project = event.within.project.to_string_lossy();
    let env = non_empty_variables(PROJECT_VARIABLES.map(|name| (name, &*project)));
    Envelope { env, ..vocabulary::WORDS.encode_event(event) }
}
