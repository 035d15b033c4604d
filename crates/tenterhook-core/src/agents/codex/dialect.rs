//! The dialect of Codex, version 0.169: files, events and answers shaped like Claude Code's, read
//! more strictly. Only tables of the kit.
//!
//! Implements `docs/spec/dialect-codex.md` (CX-).

mod accepted;
mod answer;
mod config;
mod events;
mod matcher;
mod paths;
mod reply;
#[cfg(test)]
mod tests;

pub(crate) use crate::agents::codex::HOOK_FILE;
use crate::answer::Powers;
use crate::dialect::kit::event::Shape;
use crate::dialect::kit::protocol;
pub(crate) use crate::dialect::parts::{Calls, Checks, Core, Dialect, Files, Matching};
use crate::dialect::{DialectId, Envelope, EventRow};

/// The dialect. On any slip, the agent fails the hook and continues, as the plain reading does.
pub static CODEX: Dialect = Dialect {
    matching: Matching {
        subjects: |event| answer::ANSWERS.matcher_values(event),
        unreachable: |hook| config::LINTS.why_hook_unreachable(hook, "CX-10"),
        ..Matching::DEFAULT
    },
    files: Files {
        written: Ok(&HOOK_FILE),
        checks: Checks::File(|root| {
            let wrong = accepted::FILE.find_refused_value(root);
            wrong.or_else(|| accepted::FILE.find_repeated_key(root))
        }),
        ..Files::DEFAULT
    },
    calls: Calls { replies: Some(&reply::REPLIES), ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::CODEX,
        rows: || &events::ROWS,
        unknown_row: |event| {
            EventRow::new_row_of_unknown_event(event, Powers::NONE, events::TIMEOUT)
        },
        recognizes: paths::recognize_config,
        places: paths::config_candidates,
        read_config: config::read_config,
        decode_event: |json, roots| SHAPE.decode_event(json, roots),
        encode_event: |event| Envelope {
            body: Envelope::serialize_payload(&SHAPE.encode_event_fields(event)),
            ..Envelope::default()
        },
        read_answer: |event, row, report| {
            protocol::read_report(&answer::ANSWERS, event, row, report)
        },
    })
};

/// The event that a hook receives (CX-20).
const SHAPE: Shape = Shape {
    agent: "Codex",
    order: &[
        "session_id",
        "turn_id",
        "transcript_path",
        "cwd",
        "hook_event_name",
        "model",
        "permission_mode",
        "agent_id",
        "agent_type",
    ],
    rows: || &events::ROWS,
    no_transcript: None,
};
