//! The outcome as programs get it. Decides nothing.

use serde_json::{Value, json};
use tenterhook::Outcome;

/// The keys of `fire --format json`: always present, null or empty when silent.
pub(crate) fn outcome(outcome: &Outcome) -> Value {
    let effects = &outcome.effects;
    json!({
        "blocked": outcome.blocked(),
        "decision": outcome.restraint.word(),
        "reason": outcome.reason(),
        "updatedInput": effects.updated_input,
        "updatedPrompt": effects.updated_prompt,
        "updatedOutput": effects.updated_output,
        "additionalContext": effects.context,
        "systemMessages": effects.messages,
        "stop": effects.stop.as_ref().map(|it| json!({ "reason": it.reason })),
        "updatedPermissions": effects.updated_permissions,
        "watchPaths": effects.watch_paths,
        "initialUserMessage": effects.initial_user_message,
        "retry": effects.retry,
        "env": effects.env,
        "extra": effects.extra,
        "faults": outcome.faults.iter().map(|it| json!({
            "code": it.code,
            "hook": it.hook.as_ref().map(|hook| hook.as_str()),
            "message": it.message,
        })).collect::<Vec<_>>(),
        "steps": outcome.steps.iter().map(|it| json!({
            "hook": it.hook.as_str(),
            "source": it.source,
            "line": it.line,
            "executor": it.executor,
            "ended": it.ended,
            "duration": it.took.as_secs_f64(),
            "verdict": it.verdict.word(),
        })).collect::<Vec<_>>(),
    })
}
