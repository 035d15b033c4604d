//! Prompts and answers of models that serve as hooks of Gen. The prompt lists the fields that the
//! event reads; the answer has the format of a command hook (ruling 18, MO-14). Calls no model.

use std::time::Duration;

use super::answer;
use crate::answer::{Answer, Power};
use crate::dialect::EventRow;
use crate::event::Event;
use crate::hook::Run;
use crate::report::Report;

/// The timeout of a model, on every event.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The fields of `hookSpecificOutput` in a prompt, each with the power that the event must have.
const FIELDS: &[(Power, &str)] = &[
    (Power::Ask, r#""permissionDecision": "deny", "ask" or "allow""#),
    (Power::Ask, r#""permissionDecisionReason": why, and what to do instead"#),
    (
        Power::Permissions,
        r#""decision": {"behavior": "deny" or "allow", "message": why, "updatedInput": an object}"#,
    ),
    (Power::Input, r#""updatedInput": the whole new input of the tool, an object"#),
    (Power::Context, r#""additionalContext": a string for the model that does the work"#),
    (Power::Watch, r#""watchPaths": the absolute paths to watch, an array"#),
    (Power::InitialMessage, r#""initialUserMessage": the first message of the session"#),
    (Power::Retry, r#""retry": true, where the denied call may be tried again"#),
];

pub(super) fn default_timeout(run: &Run, row: &EventRow) -> Duration {
    if matches!(run, Run::Prompt(_)) { TIMEOUT } else { row.timeout }
}

pub(super) fn answer_instructions(row: &EventRow) -> String {
    let mut text = "Answer with exactly one JSON object and nothing else, without a code fence.\n\
         If there is nothing to say against the event, answer {}. Otherwise the object has one or more of these keys:\n\
         \"systemMessage\": a string for the user\n"
        .to_owned();
    if row.powers.has(Power::Deny) {
        text.push_str("\"continue\": false, where it must not go on, with \"stopReason\": why\n");
    }
    let fields: Vec<_> =
        FIELDS.iter().filter(|(power, _)| row.powers.has(*power)).map(|(_, line)| *line).collect();
    if !fields.is_empty() {
        text.push_str(&format!(
            "\"hookSpecificOutput\": an object with \"hookEventName\": \"{}\" and one or more of these keys:\n",
            row.name
        ));
        for field in fields {
            text.push_str(&format!("- {field}\n"));
        }
    }
    text
}

pub(super) fn read_answer(event: &Event, row: &EventRow, report: &Report) -> Answer {
    Answer { detached: false, ..answer::read_answer(event, row, report, true) }
}
