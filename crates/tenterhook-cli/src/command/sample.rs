//! `events NAME --sample`: an event to fire, in the form in which the agent hands it to a hook.

use serde_json::{Map, Value, json};
use tenterhook::Event;
use tenterhook_core::dialect;
use tenterhook_core::dialect::{DialectId, EventRow, Roots, Subject};
use tenterhook_core::event::{EventName, Surroundings};

/// Returns the fields of an event other than its subject, in neutral names: everything that hooks
/// read.
fn sample_event_fields(event: &str) -> Value {
    match event {
        "UserPromptSubmit" | "UserPromptCommitted" | "UserPromptExpansion" | "TurnStart" => {
            json!({ "prompt": "fix the failing test" })
        }
        "PostToolUse" => json!({ "tool_response": { "stdout": "ok", "stderr": "" } }),
        "PostToolUseFailure" => json!({ "error": "exit code 1" }),
        "Stop" | "SubagentStop" => {
            json!({ "stop_hook_active": false, "last_assistant_message": "Done." })
        }
        "Notification" => json!({ "message": "the agent waits for you" }),
        "PreModelCall" => json!({ "prompt": "fix the failing test" }),
        "PostModelCall" => json!({ "text": "Done." }),
        _ => json!({}),
    }
}

/// Creates an event of a row, about a command if it is about a tool.
pub(super) fn sample_event(row: &EventRow, dialect: DialectId, within: Surroundings) -> Event {
    let cwd = within.cwd.clone();
    let mut event = Event::new(EventName::new(&*row.event), within);
    let subject = |key: &str| {
        let values = dialect.dialect().possible_subject_values(&row.event);
        (key.to_owned(), values.first().copied().unwrap_or("sample").into())
    };
    match &row.subject {
        Subject::Tool(_) | Subject::Field("tool_name") => {
            event = event
                .with("tool_name", "Bash")
                .with("tool_input", json!({ "command": "git push --force" }));
            event = event.with("tool_use_id", "sample");
        }
        Subject::Field(key) => event.payload.extend([subject(key)]),
        Subject::Declared(key) => event.payload.extend([subject(key)]),
        Subject::FileName(key) => {
            event = event.with(key, cwd.join("notes.md").to_string_lossy());
        }
        Subject::Model(key) => event = event.with(key, "claude-opus-4-5"),
        _ => {}
    }
    if let Value::Object(more) = sample_event_fields(&row.event) {
        event.payload.extend(more);
    }
    event
}

/// Returns the event of a row as hooks of the dialect receive it.
pub(super) fn sample_input(row: &EventRow, dialect: DialectId, cwd: &std::path::Path) -> Value {
    let event = sample_event(row, dialect, Surroundings::at(cwd).session("sample"));
    let body = dialect.dialect().encode_event(&event).body;
    let written: Option<Map<String, Value>> =
        dialect::whole_object(&body).ok().map(|whole_object| whole_object.fields);
    let mut written = written.unwrap_or_else(|| object_from_variables(row, event));
    let reads = |object| dialect.dialect().decode_event(object, &Roots::default());
    if reads(&written).map_or(true, |event| event.name.as_str() != row.event) {
        // The agent does not put the event's name into the payload, so the sample adds it for `fire`.
        written.insert("hook_event_name".to_owned(), (&*row.name).into());
    }
    Value::Object(written)
}

/// Creates the object of an event that its agent passes in environment variables only: its name,
/// and the values of the variables.
fn object_from_variables(row: &EventRow, event: Event) -> Map<String, Value> {
    let mut form = Map::new();
    form.insert("event".to_owned(), (&*row.name).into());
    if row.event.ends_with("Failure") {
        form.insert("tool_success".to_owned(), false.into());
    }
    form.extend(event.payload);
    form
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tenterhook_core::dialect::DIALECTS;

    use super::*;

    /// A printed sample can be fired, and is the requested event.
    #[test]
    fn every_sample_of_every_dialect_can_be_fired() {
        for dialect in DIALECTS {
            for row in dialect.event_rows() {
                let value = sample_input(row, dialect.id(), Path::new("/p"));
                let object = value.as_object().expect("an object");
                let event = dialect.decode_event(object, &Roots::default());
                let event = event
                    .unwrap_or_else(|why| panic!("{} {}: {why}\n{value}", dialect.id(), row.name));
                assert_eq!(event.name.as_str(), row.event, "{} {}", dialect.id(), row.name);
            }
        }
    }
}
