//! What of a firing is a line for the person: nothing that a hook did to their prompt, a call or the end of a turn is silent.
//! Pure; how it looks is decided elsewhere.

use serde_json::Value;
use tenterhook::answer::Restraint;
use tenterhook::event::Event;
use tenterhook::outcome::{Outcome, Step};

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
    ("TaskCompleted", "does not count the task as done", true),
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

/// The one word for what came of it.
pub(super) fn came(outcome: &Outcome) -> &'static str {
    match outcome.restraint.word() {
        Some(word) => word,
        None if outcome.effects.stop.is_some() => "stop",
        None if outcome.effects.rewrite() => "rewrote",
        None if !outcome.effects.context.is_empty() => "context",
        None => "silent",
    }
}

/// The same of one hook; empty where it has nothing to say.
pub(super) fn word(step: &Step) -> &'static str {
    match step.verdict.word() {
        Some(word) => word,
        None if step.stopped => "stop",
        None if step.rewrote => "rewrote",
        None if !step.context.is_empty() => "context",
        None => "",
    }
}

/// The lines, each with the hook, what it did, and what it did that to (AG-40).
pub(super) fn deeds(event: &Event, outcome: &Outcome) -> Vec<Deed> {
    let (name, call) = (event.name.as_str(), call(event));
    let deed = |hooks: Vec<String>, did: &str, why: String| Deed {
        event: name.to_owned(),
        hooks,
        did: did.to_owned(),
        why,
        call: call.clone(),
        change: None,
    };
    let mut deeds = Vec::new();
    if let Some((did, shown)) = restrained(name, outcome) {
        for reason in &outcome.reasons {
            let why = if shown { String::new() } else { reason.text.clone() };
            deeds.push(deed(vec![reason.hook.to_string()], &did, why));
        }
    }
    let stopped = outcome.steps.iter().filter(|it| it.stopped).map(|it| it.hook.to_string());
    let stopped: Vec<_> = stopped.collect();
    if !stopped.is_empty() {
        deeds.push(deed(stopped, "ends what is under way", String::new()));
    }
    let consents = |it: &&Step| it.verdict == Restraint::Allow && outcome.consents();
    for step in outcome.steps.iter().filter(consents) {
        deeds.push(deed(vec![step.hook.to_string()], "consents", String::new()));
    }
    for (what, change) in rewrites(event, outcome) {
        let hooks = change.hooks.clone();
        deeds.push(Deed {
            change: Some(change),
            ..deed(hooks, &format!("rewrote {what}"), String::new())
        });
    }
    for step in outcome.steps.iter().filter(|it| !it.context.is_empty()) {
        deeds.push(deed(vec![step.hook.to_string()], "tells the model", step.context.join("\n")));
    }
    let all = || outcome.steps.iter().map(|it| it.hook.to_string()).collect::<Vec<_>>();
    if !outcome.effects.env.is_empty() {
        let names: Vec<_> = outcome.effects.env.keys().map(|it| format!("`{it}`")).collect();
        deeds.push(deed(all(), "set for shell commands", names.join(", ")));
    }
    if outcome.effects.initial_user_message.is_some() {
        deeds.push(deed(all(), "wrote the first prompt", String::new()));
    }
    deeds
}

/// How hooks held the event up or waved it through, and whether the reason stands on the screen anyway.
fn restrained(event: &str, outcome: &Outcome) -> Option<(String, bool)> {
    match outcome.restraint {
        Restraint::Deny => Some(match DENIALS.iter().find(|(it, ..)| *it == event) {
            Some((_, did, shown)) => ((*did).to_owned(), *shown),
            None => (format!("objects at {event}"), false),
        }),
        Restraint::Ask | Restraint::Defer => Some(("wants you to decide".to_owned(), true)),
        Restraint::Allow | Restraint::Silent => None,
    }
}

/// What was rewritten, with what it was and what it is.
fn rewrites(event: &Event, outcome: &Outcome) -> Vec<(&'static str, Rewritten)> {
    let effects = &outcome.effects;
    let hooks: Vec<_> =
        outcome.steps.iter().filter(|it| it.rewrote).map(|it| it.hook.to_string()).collect();
    let found = ORIGINALS.iter().filter_map(|(field, what)| {
        let was = event.payload.get(*field)?.clone();
        let now = match *field {
            "prompt" => effects.updated_prompt.clone().map(Value::from),
            "tool_input" => effects.updated_input.clone(),
            _ => effects.updated_output.clone(),
        };
        let now = now.filter(|it| *it != was)?;
        let (name, call) = (event.name.to_string(), call(event));
        Some((*what, Rewritten { event: name, hooks: hooks.clone(), call, was, now }))
    });
    found.collect()
}

/// The call that an event is about.
pub(super) fn call(event: &Event) -> Option<String> {
    event.payload.get("tool_use_id").and_then(Value::as_str).map(str::to_owned)
}
