//! Decodes and encodes the JSON of events that Claude Code passes to a hook. Knows no hook and no
//! answer.

use serde_json::{Map, Value};

use super::events;
use crate::dialect::kit::event::{self, Shape};
use crate::dialect::{Envelope, EventFault, Roots};
use crate::event::{Event, Surroundings};

const SHAPE: Shape = Shape {
    agent: "Claude Code",
    order: &[
        "session_id",
        "transcript_path",
        "cwd",
        "prompt_id",
        "permission_mode",
        "agent_id",
        "agent_type",
        "effort",
        "scratchpad_dir",
        "hook_event_name",
    ],
    rows: || &events::ROWS,
    no_transcript: Some(""),
};

pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    SHAPE.decode_event(json, roots)
}

pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut body = Envelope::serialize_payload(&SHAPE.encode_event_fields(event));
    // Scripts that read one line need a newline.
    body.push(b'\n');
    Envelope {
        body,
        env: environment_variables(&event.within),
        env_file: events::find_event(event.name.as_str())
            .is_some_and(|spec| spec.env_file)
            .then_some("CLAUDE_ENV_FILE"),
    }
}

fn environment_variables(within: &Surroundings) -> Vec<(String, String)> {
    let project = within.project.to_string_lossy();
    let effort = within.facts.get("effort").and_then(|effort| effort.get("level"));
    event::non_empty_variables([
        ("CLAUDE_PROJECT_DIR", project.as_ref()),
        ("CLAUDE_CODE_SESSION_ID", within.session_id.as_str()),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_CHILD_SESSION", "1"),
        ("CLAUDE_EFFORT", effort.and_then(Value::as_str).unwrap_or_default()),
    ])
}
