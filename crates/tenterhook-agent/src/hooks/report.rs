//! What of a firing is a line for the person: nothing that a hook did to their prompt, a call or the end of a turn is silent.
//! Pure; how it looks is decided elsewhere.

use serde_json::Value;
use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::EventLabel;
use tenterhook_core::event::Event;
use tenterhook_core::hook::HookId;
use tenterhook_core::outcome::{Ended, Outcome, Step};

use crate::update::{Deed, Rewritten};

/// What a denial at an event is called, and whether its reason stands on the screen anyway.
const DENIALS: &[(&str, &str, bool)] = &[
    ("UserPromptSubmit", "refused the prompt", true),
    ("UserPromptExpansion", "refused the command", true),
    ("SessionStart", "let no session begin", false),
    ("TurnStart", "refused the turn", true),
    ("PreModelCall", "keeps this from the model", false),
    ("PreToolUse", "denied the call", true),
    ("PermissionRequest", "answered no", true),
    ("PostToolUse", "objects to what was done", false),
    ("PostToolUseFailure", "tells the model", false),
    ("PostToolBatch", "objects to what was done", false),
    ("TaskCreated", "refused the task", true),
    ("TaskCompleted", "keeps the task open", true),
    ("PreCompact", "keeps the conversation as it is", true),
    ("PreModelSwitch", "keeps the model", true),
    ("Stop", "keeps the agent at work", false),
    ("SubagentStop", "keeps the agent at work", false),
];
/// The fields of an event that may be rewritten, and what they are.
const ORIGINALS: &[(&str, &str)] = &[
    ("prompt", "the prompt"),
    ("tool_input", "the call"),
    ("tool_response", "the result"),
    ("delta", "the words"),
];

/// Returns the result of an outcome in one word.
pub(super) fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome.restraint.name() {
        Some(word) => word,
        None if outcome.effects.stop.is_some() => "stop",
        None if outcome.effects.rewrite() => "rewrote",
        None if !outcome.effects.context.is_empty() => "context",
        None if outcome.steps.iter().any(|step| has_failed(step, outcome)) => "failed",
        None => "silent",
    }
}

/// Returns whether a hook failed to give an answer. A hook with nothing to say has not failed.
pub(super) fn has_failed(step: &Step, outcome: &Outcome) -> bool {
    let answered = matches!(step.ended, Ended::Exited(0) | Ended::Answered | Ended::Detached);
    let is_faulty = outcome.faults.iter().any(|fault| fault.hook.as_ref() == Some(&step.hook));
    is_faulty && !answered && step.ended.was_attempted() && step_word(step).is_empty()
}

/// Returns the result of a step in one word; empty if it has nothing to say.
pub(super) fn step_word(step: &Step) -> &'static str {
    match step.verdict.name() {
        Some(word) => word,
        None if step.stopped => "stop",
        None if step.rewrote => "rewrote",
        None if !step.context.is_empty() => "context",
        None => "",
    }
}

/// Returns a line for each act of a hook, with the hook, the act and its object (AG-40).
pub(super) fn outcome_deeds(
    event: &Event,
    outcome: &Outcome,
    label: &dyn Fn(&[HookId]) -> EventLabel,
) -> Vec<Deed> {
    let call = call_id(event);
    let deed = |hooks: Vec<HookId>, did: &str, why: String| Deed {
        event: label(&hooks).into(),
        hooks: hooks.iter().map(ToString::to_string).collect(),
        did: did.to_owned(),
        why,
        call: call.clone(),
        change: None,
    };
    let mut deeds = Vec::new();
    for reason in &outcome.reasons {
        let hooks = vec![reason.hook.clone()];
        if let Some((did, shown)) = restraint_text(&label(&hooks), outcome) {
            let why = if shown { String::new() } else { reason.text.clone() };
            deeds.push(deed(hooks, &did, why));
        }
    }
    let stopped = outcome.steps.iter().filter(|step| step.stopped).map(|step| step.hook.clone());
    let stopped: Vec<_> = stopped.collect();
    if !stopped.is_empty() {
        deeds.push(deed(stopped, "ends what is under way", String::new()));
    }
    let consents = |step: &&Step| step.verdict == Restraint::Allow && outcome.has_consent();
    for step in outcome.steps.iter().filter(consents) {
        deeds.push(deed(vec![step.hook.clone()], "consents", String::new()));
    }
    for (what, change) in event_rewrites(event, outcome) {
        let hooks = rewriting_steps(outcome).map(|step| step.hook.clone()).collect();
        deeds.push(Deed {
            change: Some(change),
            ..deed(hooks, &format!("rewrote {what}"), String::new())
        });
    }
    for step in outcome.steps.iter().filter(|step| !step.context.is_empty()) {
        deeds.push(deed(vec![step.hook.clone()], "tells the model", step.context.join("\n")));
    }
    let all = || outcome.steps.iter().map(|step| step.hook.clone()).collect::<Vec<_>>();
    if !outcome.effects.env.is_empty() {
        let names: Vec<_> = outcome.effects.env.keys().map(|key| format!("`{key}`")).collect();
        deeds.push(deed(all(), "set for shell commands", names.join(", ")));
    }
    if outcome.effects.initial_user_message.is_some() {
        deeds.push(deed(all(), "wrote the first prompt", String::new()));
    }
    deeds
}

/// Describes how hooks denied the event or left it to the user, and whether the screen shows the
/// reason anyway.
fn restraint_text(event: &EventLabel, outcome: &Outcome) -> Option<(String, bool)> {
    match outcome.restraint {
        Restraint::Deny => {
            Some(match DENIALS.iter().find(|(name, ..)| *name == event.neutral_name()) {
                Some((_, did, shown)) => ((*did).to_owned(), *shown),
                None => (format!("objects at {event}"), false),
            })
        }
        Restraint::Ask | Restraint::Defer => Some(("wants you to decide".to_owned(), true)),
        Restraint::Allow | Restraint::Silent => None,
    }
}

/// Returns the steps that rewrote something.
fn rewriting_steps(outcome: &Outcome) -> impl Iterator<Item = &Step> {
    outcome.steps.iter().filter(|step| step.rewrote)
}

/// Returns what was rewritten, with its old and its new value.
fn event_rewrites(event: &Event, outcome: &Outcome) -> Vec<(&'static str, Rewritten)> {
    let effects = &outcome.effects;
    let hooks: Vec<_> = rewriting_steps(outcome).map(|step| step.hook.to_string()).collect();
    let found = ORIGINALS.iter().filter_map(|(field, what)| {
        let was = event.payload.get(*field)?.clone();
        let now = match *field {
            "prompt" => effects.updated_prompt.clone().map(Value::from),
            "tool_input" => effects.updated_input.clone(),
            _ => effects.updated_output.clone(),
        };
        let now = now.filter(|value| *value != was)?;
        let (name, call) = (event.name.to_string(), call_id(event));
        Some((*what, Rewritten { event: name, hooks: hooks.clone(), call, was, now }))
    });
    found.collect()
}

/// Returns the id of the call that an event is about.
pub(super) fn call_id(event: &Event) -> Option<String> {
    event.payload.get("tool_use_id").and_then(Value::as_str).map(str::to_owned)
}
