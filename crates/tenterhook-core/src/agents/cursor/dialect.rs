//! The dialect of Cursor, read in the hook executor of npm `@cursor/sdk` 1.0.32. It has two tables
//! of events: one of all tools, and one of single actions, such as a shell command.
//!
//! Implements `docs/spec/dialect-cursor.md` (CU-).

mod accepted;
mod action;
mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::cursor::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::event::non_empty_variables;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{
    Calls, Checks, Core, Dialect, Files, Matching, VersionSource,
};
use crate::dialect::{Candidate, DialectId, Envelope, EventRow, Fit, Roots, machine};
use crate::event::Event;
use crate::hook::Layer;
use crate::source::ReadConfig;
pub(crate) use crate::syntax::Node;

const MATCHING: Matching = Matching {
    server_tool: "MCP:TOOL",
    unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "CU-10"),
    ..Matching::DEFAULT
};

/// The dialect of the events of all tools, which reads all files and answers all calls.
pub static CURSOR: Dialect = Dialect {
    matching: MATCHING,
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::File(accepted::find_refused_value),
        ..Files::DEFAULT
    },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        own_variable: Some("CURSOR_VERSION"),
        project_variables: &PROJECT_VARIABLES,
        versions: &[VersionSource::Field("cursor_version")],
        says_stopped_before: false,
        more_entries: || &action::ROWS,
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::CURSOR,
        rows: || &vocabulary::ROWS,
        unknown_row: new_row_of_unknown_event,
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: |event| add_environment_variables(event, vocabulary::encode_event(event)),
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The dialect of the events of single actions.
pub static ACTION: Dialect = Dialect {
    // The matcher of an action is ours (CU-11).
    matching: Matching { server_tool: "mcp__SERVER__TOOL", ..MATCHING },
    ..Dialect::new(Core {
        id: DialectId::CURSOR_ACTION,
        rows: || &action::ROWS,
        unknown_row: new_row_of_unknown_event,
        recognizes: |_, _| Fit::No,
        places: |_| Vec::new(),
        // `CURSOR` reads the files of both.
        read_config: |_| ReadConfig::default(),
        decode_event: action::decode_event,
        encode_event: |event| add_environment_variables(event, action::encode_event(event)),
        read_answer: |event, row, report| {
            reply_form::read_report(&action::FORM, event, row, report)
        },
    })
};

fn new_row_of_unknown_event(event: &crate::event::EventName) -> EventRow {
    EventRow::new_row_of_unknown_event(event, Powers::NONE, vocabulary::TIMEOUT)
}

/// The variables in which Cursor names the project.
const PROJECT_VARIABLES: [&str; 2] = ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The machine's file, the user's and the project's (CU-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let project = roots.repository.as_ref().unwrap_or(&roots.cwd);
    let folders = [(&roots.home, Layer::User), (project, Layer::Project)];
    let files =
        folders.map(|(folder, layer)| Candidate { path: folder.join(".cursor/hooks.json"), layer });
    machine::machine_wide_files(&[(Some("cursor"), "hooks.json")], roots)
        .into_iter()
        .chain(files)
        .collect()
}

/// Recognizes a file by its path, or by an event that only Cursor has.
fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if path.ends_with(".cursor/hooks.json") || path.ends_with("cursor/hooks.json") {
        return Fit::Certain;
    }
    let hooks = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    let is_own = |key: &str| vocabulary::ONLY_HERE.contains(&key);
    let lists = hooks.iter().any(|event| is_own(&event.key) && event.node.as_array().is_some());
    if lists { Fit::Shape } else { Fit::No }
}

/// Adds the environment variables of its hooks (CU-21).
fn add_environment_variables(event: &Event, envelope: Envelope) -> Envelope {
    let project = event.within.project.to_string_lossy();
    let env = non_empty_variables(PROJECT_VARIABLES.map(|name| (name, &*project)));
    Envelope { env, ..envelope }
}
