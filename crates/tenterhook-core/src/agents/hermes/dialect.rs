//! The dialect of Hermes 0.19 to 0.21: hooks of one YAML file that no shell runs. Hermes continues
//! whenever a hook fails, unless its entry says `fail_closed`, which 0.19 does not know.
//!
//! Implements `docs/spec/dialect-hermes.md` (HE-).

mod command;
mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;
use std::time::Duration;

use crate::agents::hermes::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::reply_form;
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files, Matching};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots, machine};
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static HERMES: Dialect = Dialect {
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    matching: Matching {
        tests_own_name: true,
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "HE-10"),
        ..Matching::DEFAULT
    },
    calls: Calls { replies: Some(&reply::REPLIES), says_stopped_before: false, ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::HERMES,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, TIMEOUT),
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The default timeout of a hook, and the longest.
const TIMEOUT: Duration = Duration::from_mins(1);
const LONGEST_TIMEOUT: Duration = Duration::from_mins(5);

/// The organization's file, and that of the user (HE-1). Hermes reads none of a project.
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let home = roots.agent_home(DialectId::HERMES);
    machine::machine_wide_files(&[(Some("hermes"), "config.yaml")], roots)
        .into_iter()
        .chain([Candidate { path: home.join("config.yaml"), layer: Layer::User }])
        .collect()
}

/// Recognizes a file by its path, or by an event that no other agent has.
fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    if path.ends_with(".hermes/config.yaml") || path.ends_with("hermes/config.yaml") {
        return Fit::Certain;
    }
    let is_yaml =
        path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let hooks = root.and_then(|root| root.get("hooks")).map_or(&[][..], Node::entries);
    let is_own = |key: &str| vocabulary::ROWS.iter().any(|row| row.name == key);
    if is_yaml && hooks.iter().any(|entry| is_own(&entry.key)) { Fit::Shape } else { Fit::No }
}
