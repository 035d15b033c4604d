//! The outcome form: what `fire` prints and a host on another side of a pipe reads (V-40). One
//! direction only.

use serde_json::{Map, Value, json};

use crate::outcome::{Fault, Outcome, Step};

/// Writes an outcome as JSON. Every key is always present; an absent value is `null` or empty
/// (V-41).
#[must_use]
pub fn encode_outcome(outcome: &Outcome) -> Value {
    let effects = &outcome.effects;
    let context = (!effects.context.is_empty()).then(|| effects.context.join("\n"));
    let stop = effects.stop.as_ref().map(|stop| json!({ "reason": stop.reason }));
    let pairs = [
        ("blocked", outcome.blocked().into()),
        ("decision", outcome.restraint.name().into()),
        ("reason", outcome.reason().into()),
        ("updated_input", effects.updated_input.clone().into()),
        ("updated_prompt", effects.updated_prompt.clone().into()),
        ("updated_output", effects.updated_output.clone().into()),
        ("additional_context", context.into()),
        ("system_messages", effects.messages.clone().into()),
        ("stop", stop.into()),
        ("updated_permissions", effects.updated_permissions.clone().into()),
        ("watch_paths", effects.watch_paths.clone().into()),
        ("initial_user_message", effects.initial_user_message.clone().into()),
        ("retry", effects.retry.into()),
        ("env", effects.env.clone().into()),
        ("extra", effects.extra.clone().into()),
        ("faults", outcome.faults.iter().map(fault_to_json).collect()),
        ("steps", outcome.steps.iter().map(step_to_json).collect()),
    ];
    Value::Object(
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
    )
}

fn fault_to_json(fault: &Fault) -> Value {
    json!({
        "code": fault.code,
        "hook": fault.hook.as_ref().map(|hook| hook.as_str()),
        "message": fault.message,
    })
}

/// Returns what a hook in shadow would have decided, as JSON.
fn shadow_outcome_to_json(outcome: &Outcome) -> Value {
    let effects = &outcome.effects;
    json!({
        "decision": outcome.decision_word(),
        "reason": outcome.reason(),
        "rewrote": outcome.is_rewritten(),
        "context": (!effects.context.is_empty()).then(|| effects.context.join("\n")),
        "faults": outcome.faults.iter().map(fault_to_json).collect::<Value>(),
    })
}

fn step_to_json(step: &Step) -> Value {
    let mut said = json!({
        "hook": step.hook.as_str(),
        "source": step.source,
        "line": step.line,
        "executor": step.executor,
        "ended": step.ended.to_string(),
        // Microseconds are what the clock is good for; more digits are noise.
        "duration_ms": (step.took.as_secs_f64() * 1e6).round() / 1e3,
        "verdict": step.verdict.name(),
    });
    if let (Some(outcome), Some(said)) = (&step.shadow, said.as_object_mut()) {
        said.insert("shadow".to_owned(), shadow_outcome_to_json(outcome));
    }
    said
}
