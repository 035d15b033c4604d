//! The dialect of Goose 1.52: plugins define hooks in groups, as in Claude Code. A hook can block a
//! tool call or the end of a turn; it has no other effect.
//!
//! Implements `docs/spec/dialect-goose.md` (GO-).

mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::goose::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::{call, reply_form};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files, Matching};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots};
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static GOOSE: Dialect = Dialect {
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    matching: Matching {
        server_tool: "SERVER__TOOL",
        tests_other_names: false,
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "GO-10"),
        ..Matching::DEFAULT
    },
    calls: Calls { replies: Some(&reply::REPLIES), says_stopped_before: false, ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::GOOSE,
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

const FILE: &str = ".agents/plugins/*/hooks/hooks.json";

/// The hook files of the user's plugins and of the project's plugins (GO-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let all = [(roots.home.join(FILE), Layer::User), (roots.cwd.join(FILE), Layer::Project)];
    all.map(|(path, layer)| Candidate { path, layer }).into()
}

/// Recognizes a file by its path alone.
fn recognize_config(path: &Path, _: Option<&Node>) -> Fit {
    let plugins =
        path.ancestors().nth(3).is_some_and(|ancestor| ancestor.ends_with(".agents/plugins"));
    if plugins && path.ends_with("hooks/hooks.json") { Fit::Certain } else { Fit::No }
}
