//! The dialects of Kiro, as its documents and the public source of its command line describe them:
//! one of hook files, which the agent engine of the IDE 1.x and of the command line V3 runs, and one
//! of the hooks in an agent's definition, which the command line 2.x runs.
//!
//! Implements `docs/spec/dialect-kiro.md` (KR-). Nothing here was compared with a running Kiro.

mod config;
mod definition;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::kiro::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::{call, reply_form};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files, Matching};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots};
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect of hook files, which answers the calls of both engines.
pub static KIRO: Dialect = Dialect {
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    matching: Matching {
        server_tool: "mcp_SERVER_TOOL",
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "KR-10"),
        ..Matching::DEFAULT
    },
    calls: Calls { replies: Some(&reply::REPLIES), says_stopped_before: false, ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::KIRO,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, vocabulary::TIMEOUT)
        },
        recognizes: recognize_hook_file,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The dialect of the hooks in an agent's definition. They run only while that agent is used, so no
/// such file is looked for (KR-2).
pub static DEFINITION: Dialect = Dialect {
    matching: Matching {
        unreachable: |hook| definition::LINTS.why_hook_unreachable(hook, "KR-11"),
        ..Matching::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::KIRO_AGENT,
        rows: || &vocabulary::DEFINITION_ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: recognize_definition,
        places: |_| Vec::new(),
        read_config: definition::read_config,
        decode_event: vocabulary::decode_event,
        encode_event: vocabulary::encode_event_of_definition,
        read_answer: |event, row, report| {
            reply_form::read_report(&reply::DEFINITION_FORM, event, row, report)
        },
    })
};

const HOOKS: &str = ".kiro/hooks";
const AGENTS: &str = ".kiro/agents";

/// The user's hook files and the project's (KR-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    [(&roots.home, Layer::User), (&roots.cwd, Layer::Project)]
        .map(|(root, layer)| Candidate { path: root.join(HOOKS).join("*.json"), layer })
        .into()
}

/// Returns `true` if the file is a JSON file in a folder with this end.
fn is_json_in(path: &Path, folder: &str) -> bool {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    is_json && path.parent().is_some_and(|parent| parent.ends_with(folder))
}

/// Recognizes a hook file by its folder, or by hooks in a list that name their `trigger`.
fn recognize_hook_file(path: &Path, root: Option<&Node>) -> Fit {
    let mut list = root.and_then(|root| root.get("hooks")?.as_array()).into_iter().flatten();
    match is_json_in(path, HOOKS) || list.any(|hook| hook.get("trigger").is_some()) {
        true => Fit::Certain,
        false => Fit::No,
    }
}

/// Recognizes an agent's definition by its folder, or by an event that only it has.
fn recognize_definition(path: &Path, root: Option<&Node>) -> Fit {
    let events = root.and_then(|root| root.get("hooks")).map(Node::entries).unwrap_or_default();
    match is_json_in(path, AGENTS) || events.iter().any(|event| event.key == vocabulary::SPAWN) {
        true => Fit::Certain,
        false => Fit::No,
    }
}
