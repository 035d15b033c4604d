//! What of a firing is a line for the person: nothing that a hook did to their prompt, a call or the end of a turn is silent.
//! Pure; how it looks is decided elsewhere.

use serde_json::Value;
use tenterhook::event::Event;
use tenterhook::outcome::Outcome;

/// How much of an original is repeated.
const SHOWN: usize = 500;
/// The gates whose denial keeps an agent at work.
const ENDS: &[&str] = &["Stop", "SubagentStop"];
/// The arguments that say what a call is about.
const SUBJECTS: &[&str] = &["command", "file_path", "pattern", "description"];

/// The one word for what came of it.
pub(super) fn came(outcome: &Outcome) -> &'static str {
    match outcome.restraint.word() {
        Some(word) => word,
        None if outcome.effects.stop.is_some() => "stop",
        None if rewrote(outcome) => "rewrote",
        None => "silent",
    }
}

fn rewrote(outcome: &Outcome) -> bool {
    let effects = &outcome.effects;
    effects.updated_prompt.is_some()
        || effects.updated_input.is_some()
        || effects.updated_output.is_some()
}

/// The lines, each with the hook, what it did, and what it did that to (AG-40).
pub(super) fn lines(event: &Event, outcome: &Outcome) -> Vec<String> {
    let (who, effects) = (who(outcome), &outcome.effects);
    let mut lines = Vec::new();
    if outcome.blocked() && ENDS.contains(&event.name.as_str()) {
        let reason = outcome.reason().unwrap_or_default();
        lines.push(format!("{who} keeps the agent at work: {reason}"));
    }
    // A denied event has nothing to rewrite.
    if outcome.blocked() {
        return lines;
    }
    let of = |name: &str| event.payload.get(name);
    let tool = of("tool_name").and_then(Value::as_str).unwrap_or("the tool");
    if let Some(prompt) = &effects.updated_prompt
        && let Some(was) = of("prompt").and_then(Value::as_str).filter(|it| it != prompt)
    {
        lines.push(format!("{who} rewrote the prompt; it was: {}", cut(was)));
    }
    if let Some(input) = &effects.updated_input
        && let Some(was) = of("tool_input").filter(|it| *it != input)
    {
        lines.push(format!("{who} rewrote the call of {tool}; it was: {}", cut(&subject(was))));
    }
    if let Some(output) = &effects.updated_output
        && let Some(was) = of("tool_response").filter(|it| *it != output)
    {
        lines.push(format!("{who} rewrote what {tool} returned; it was: {}", cut(&subject(was))));
    }
    lines
}

/// The hooks that ran, one of which it was.
fn who(outcome: &Outcome) -> String {
    let carried = outcome.reasons.iter().map(|it| &it.hook);
    let mut names: Vec<String> = carried.map(|it| format!("`{it}`")).collect();
    if names.is_empty() {
        names = outcome.steps.iter().map(|it| format!("`{}`", it.hook)).collect();
    }
    names.dedup();
    let one = names.len() > 1 && outcome.reasons.is_empty();
    format!("{} {}", if one { "one of the hooks" } else { "hook" }, names.join(", "))
}

fn subject(value: &Value) -> String {
    let named = SUBJECTS.iter().chain(&["stdout"]).find_map(|it| value.get(*it)?.as_str());
    named.or(value.as_str()).map_or_else(|| value.to_string(), str::to_owned)
}

fn cut(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
