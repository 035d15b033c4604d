//! The dialect of Auggie, read in the code of version 0.36.0: groups and answers shaped like Claude
//! Code's, with its own names for fields and tools.
//!
//! Implements `docs/spec/dialect-augment.md` (AU-). Nothing here was compared with a running Auggie.

mod accepted;
mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::augment::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::event::non_empty_variables;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{Calls, Checks, Core, Dialect, Files, Matching};
use crate::dialect::{Candidate, DialectId, Envelope, EventRow, Fit, Roots, machine};
use crate::event::Event;
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static AUGMENT: Dialect = Dialect {
    matching: Matching {
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "AU-10"),
        ..Matching::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::Events(accepted::find_stopped_events),
        ..Files::DEFAULT
    },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        project_variables: &["AUGMENT_PROJECT_DIR"],
        says_stopped_before: false,
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::AUGMENT,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, vocabulary::TIMEOUT)
        },
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The machine's settings, the user's, and the project's two (AU-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let others = [
        (roots.home.join(".augment/settings.json"), Layer::User),
        (roots.cwd.join(".augment/settings.local.json"), Layer::Local),
        (roots.cwd.join(".augment/settings.json"), Layer::Project),
    ];
    let others = others.into_iter().map(|(path, layer)| Candidate { path, layer });
    machine::machine_wide_files(&[(Some("augment"), "settings.json")], roots)
        .into_iter()
        .chain(others)
        .collect()
}

/// Recognizes a file by its path alone: its content looks like Claude Code's.
fn recognize_config(path: &Path, _: Option<&Node>) -> Fit {
    let own =
        [".augment/settings.json", ".augment/settings.local.json", "etc/augment/settings.json"];
    if own.iter().any(|file| path.ends_with(file)) { Fit::Certain } else { Fit::No }
}

/// Encodes an event, with the environment variables of its hooks (AU-21).
fn encode_event(event: &Event) -> Envelope {
    let envelope = vocabulary::encode_event(event);
    let project = event.within.project.to_string_lossy();
    let row = vocabulary::ROWS.iter().find(|row| row.event == event.name.as_str());
    let tool = vocabulary::own_tool_name(event).unwrap_or_default();
    let env = non_empty_variables([
        ("AUGMENT_PROJECT_DIR", &project),
        ("AUGMENT_CONVERSATION_ID", &event.within.session_id),
        ("AUGMENT_HOOK_EVENT", row.map_or(event.name.as_str(), |row| &row.name)),
        ("AUGMENT_TOOL_NAME", &tool),
    ]);
    Envelope { env, ..envelope }
}
