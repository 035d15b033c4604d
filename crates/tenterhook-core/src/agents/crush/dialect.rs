//! The dialect of Crush, as its documents describe it: entries without groups, events whose names may
//! be written in several ways, and a change that is merged into the call.
//!
//! Implements `docs/spec/dialect-crush.md` (CR-). Nothing here was compared with a running Crush.

mod config;
mod reply;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;

use crate::agents::crush::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::event::non_empty_variables;
use crate::dialect::kit::{call, reply_form};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect, Files, Layers, Matching};
use crate::dialect::{Candidate, DialectId, Envelope, EventRow, Fit, Roots};
use crate::event::Event;
use crate::hook::Layer;
pub(crate) use crate::syntax::Node;

/// The dialect.
pub static CRUSH: Dialect = Dialect {
    matching: Matching {
        server_tool: "mcp_SERVER_TOOL",
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "CR-10"),
        ..Matching::DEFAULT
    },
    files: Files { written: Ok(&HOOK_FILE), ..Files::DEFAULT },
    layers: Layers { drops_repeats: true, ..Layers::DEFAULT },
    calls: Calls {
        replies: Some(&reply::REPLIES),
        project_variables: &["CRUSH_PROJECT_DIR"],
        ..Calls::DEFAULT
    },
    ..Dialect::new(Core {
        id: DialectId::CRUSH,
        rows: || &vocabulary::ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: recognize_config,
        places: config_candidates,
        read_config: config::read_config,
        decode_event: |json, roots| vocabulary::WORDS.decode_event(json, roots),
        encode_event,
        read_answer: |event, row, report| reply_form::read_report(&reply::FORM, event, row, report),
    })
};

/// The user's file and the project's two (CR-1).
fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let config = roots.user_config.clone().unwrap_or_else(|| roots.home.join(".config"));
    let all = [
        (config.join("crush/crush.json"), Layer::User),
        (roots.cwd.join("crush.json"), Layer::Project),
        (roots.cwd.join(".crush.json"), Layer::Project),
    ];
    all.map(|(path, layer)| Candidate { path, layer }).into()
}

/// Recognizes a file by its name alone.
fn recognize_config(path: &Path, _: Option<&Node>) -> Fit {
    if ["crush.json", ".crush.json"].iter().any(|name| path.ends_with(name)) {
        Fit::Certain
    } else {
        Fit::No
    }
}

/// Encodes an event, with the environment variables of its hooks (CR-21).
fn encode_event(event: &Event) -> Envelope {
    let envelope = vocabulary::WORDS.encode_event(event);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let input = |key: &str| {
        let input = event.payload.get("tool_input").and_then(|input| input.get(key)?.as_str());
        input.unwrap_or_default().to_owned()
    };
    let tool = vocabulary::WORDS.own_tool_name(event).unwrap_or_default();
    let env = non_empty_variables([
        ("CRUSH", "1"),
        ("AGENT", "crush"),
        ("AI_AGENT", "crush"),
        ("CRUSH_EVENT", event.name.as_str()),
        ("CRUSH_TOOL_NAME", &tool),
        ("CRUSH_SESSION_ID", &event.within.session_id),
        ("CRUSH_CWD", &text(&event.within.cwd)),
        ("CRUSH_PROJECT_DIR", &text(&event.within.project)),
        ("CRUSH_TOOL_INPUT_COMMAND", &input("command")),
        ("CRUSH_TOOL_INPUT_FILE_PATH", &input("file_path")),
    ]);
    Envelope { env, ..envelope }
}
