//! The dialect of Goose, version 1.52: hooks of plugins, in groups as Claude Code's, that can block a call or the end of a turn, and
//! nothing else.
//!
//! Implements `docs/spec/dialect-goose.md` (GO-).

mod config;
mod reply;
#[cfg(test)]
mod tests;
mod words;

use std::path::Path;

use crate::answer::Powers;
use crate::dialect::kit::{call, reply_form};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect};
use crate::dialect::{Candidate, DialectId, EventRow, Fit, Roots};
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static GOOSE: Dialect = Dialect {
    calls: Calls { replies: Some(&reply::REPLIES), says_stopped_before: false, ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::GOOSE,
        rows: || &words::ROWS,
        unknown_row: |event| EventRow::unknown(event, Powers::NONE, call::TIMEOUT),
        recognizes,
        places,
        read_config: config::read,
        decode_event: words::read,
        encode_event: words::write,
        read_answer: |event, row, report| reply_form::read(&reply::FORM, event, row, report),
    })
};

const FILE: &str = ".agents/plugins/*/hooks/hooks.json";

/// The plugins of the user and those of the project (GO-1).
fn places(roots: &Roots) -> Vec<Candidate> {
    let all = [(roots.home.join(FILE), Layer::User), (roots.cwd.join(FILE), Layer::Project)];
    all.map(|(path, layer)| Candidate { path, layer }).into()
}

/// A file is known by its place alone.
fn recognizes(path: &Path, _: Option<&Node>) -> Fit {
    let plugins =
        path.ancestors().nth(3).is_some_and(|ancestor| ancestor.ends_with(".agents/plugins"));
    if plugins && path.ends_with("hooks/hooks.json") { Fit::Certain } else { Fit::No }
}
