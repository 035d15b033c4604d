//! Writes an event: the variables of every hook, and the object on standard input of some events
//! (CW-S2, CW-S12, CW-S14, CW-S15, CW-50 to CW-59). Knows no hook.
//!
//! Variables are cut, so a gate receives its arguments in full on standard input (CW-53).

use serde_json::{Map, Value};

use super::events::{self, Class, Spec};
use super::{condition, modes, vocabulary};
use crate::dialect::Envelope;
use crate::dialect::kit::tool_result;
use crate::event::Event;
use crate::text;

/// The maximal length of a message or an error in a variable, in bytes.
const MESSAGE_CAP: usize = 5_000;
/// The maximal length of any other value in a variable, in bytes.
const VALUE_CAP: usize = 10_000;
/// The maximal length of the prompt or the answer of a subagent, in bytes.
const PREVIEW_CAP: usize = 2_048;
/// The maximal length of the error of a turn, in characters.
const ERROR_CAP: usize = 2_000;
/// The suffix of a value that was cut.
const MARK: &str = "...[truncated]";

/// The fields of `turn_end` after the shared ones; a field that the host does not send is `null`.
const TURN: &[&str] = &[
    "created_at",
    "model_backed",
    "provider",
    "billing_surface",
    "turn_id",
    "status",
    "error",
    "duration_ms",
    "usage",
    "totals",
    "tool_count",
    "queued_message_count",
];
/// The counts of `usage`.
const USAGE: &[&str] = &[
    "input_tokens",
    "output_tokens",
    "prompt_cache_hit_tokens",
    "prompt_cache_miss_tokens",
    "prompt_cache_write_tokens",
    "reasoning_tokens",
    "reasoning_replay_tokens",
];
/// The counts of `totals`.
const TOTALS: &[&str] = &["session_tokens", "conversation_tokens", "input_tokens", "output_tokens"];

/// Writes the variables and, if the event has one, the object.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let spec = events::find_by_neutral_name(event.name.as_str());
    Envelope {
        body: envelope_body(event, spec),
        env: environment_variables(event, spec),
        env_file: None,
    }
}

fn envelope_body(event: &Event, spec: Option<&Spec>) -> Vec<u8> {
    let mut form = match spec {
        Some(spec) => common_fields(event, spec.name),
        None => common_fields(event, event.name.as_str()),
    };
    match spec.map(|spec| (spec.name, spec.class)) {
        Some((_, Class::Submit)) => add_submit_fields(event, &mut form),
        Some((_, Class::Gate | Class::Variables)) => add_tool_fields(event, &mut form),
        Some(("turn_end", _)) => add_turn_fields(event, &mut form),
        Some(("subagent_spawn", _)) => add_subagent_fields(event, &mut form, "prompt"),
        Some(("subagent_complete", _)) => {
            add_subagent_fields(event, &mut form, "result");
            form.insert("status".into(), subagent_status(event).into());
        }
        // Hooks of other events receive only variables.
        Some(_) => return Vec::new(),
        // A hook of an event that the agent does not have receives the whole payload.
        None => form.extend(event.payload.clone()),
    }
    let mut body = Envelope::serialize_payload(&form);
    // A program that reads a line needs the line feed.
    body.push(b'\n');
    body
}

/// The fields at the start of every object (CW-S15).
fn common_fields(event: &Event, name: &str) -> Map<String, Value> {
    let within = &event.within;
    let mut form = Map::new();
    form.insert("event".into(), name.into());
    form.insert("session_id".into(), within.session_id.as_str().into());
    form.insert("workspace".into(), workspace_path(event).into());
    form.insert("mode".into(), modes::current_mode(event).into());
    form.insert("model".into(), model_name(event).into());
    form
}

fn workspace_path(event: &Event) -> String {
    let within = &event.within;
    let project = Some(&within.project).filter(|project| !project.as_os_str().is_empty());
    project.unwrap_or(&within.cwd).to_string_lossy().into_owned()
}

fn model_name(event: &Event) -> Option<&str> {
    event.within.facts.get("model").or_else(|| event.payload.get("model"))?.as_str()
}

fn total_tokens(event: &Event) -> Value {
    event.within.facts.get("total_tokens").cloned().unwrap_or_default()
}

/// Adds the text in full: a hook that returns a cut text would lose the rest (CW-52).
fn add_submit_fields(event: &Event, form: &mut Map<String, Value>) {
    let text = event.text("prompt").unwrap_or_default();
    form.shift_insert(1, "text".into(), text.into());
    form.insert("total_tokens".into(), total_tokens(event));
    form.insert("text_bytes".into(), text.len().into());
    form.insert("text_original_bytes".into(), text.len().into());
    form.insert("text_truncated".into(), false.into());
}

fn add_tool_fields(event: &Event, form: &mut Map<String, Value>) {
    form.insert("total_tokens".into(), total_tokens(event));
    form.insert("tool_name".into(), vocabulary::tool_name_for_hooks(event).into());
    form.insert("tool_call_id".into(), event.text("tool_use_id").into());
    form.insert("tool_args".into(), vocabulary::tool_input_for_hooks(event).into());
}

fn add_turn_fields(event: &Event, form: &mut Map<String, Value>) {
    for key in TURN {
        let given = event.payload.get(*key);
        let value = match (*key, given) {
            ("usage", given) => known_counts(given, USAGE),
            ("totals", given) => known_counts(given, TOTALS),
            ("error", Some(Value::String(error))) => text::clean(error, ERROR_CAP).text.into(),
            (_, given) => given.cloned().unwrap_or_default(),
        };
        form.insert((*key).into(), value);
    }
    let active = event.payload.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false);
    form.insert("stop_hook_active".into(), active.into());
}

/// The known counts of an object. Other fields are dropped, because a host may store anything in
/// them (CW-S14).
fn known_counts(given: Option<&Value>, keys: &[&str]) -> Value {
    let count = |key: &&str| given?.get(*key).filter(|value| value.is_number()).cloned();
    keys.iter().map(|key| ((*key).to_owned(), count(key).unwrap_or_default())).collect()
}

fn add_subagent_fields(event: &Event, form: &mut Map<String, Value>, about: &str) {
    // A host names the subagent in the event or in the facts of its session.
    let field = |key: &str| event.text(key).or_else(|| event.within.facts.get(key)?.as_str());
    form.shift_insert(1, "agent_id".into(), field("agent_id").into());
    if let Some(kind) = field("agent_type") {
        form.shift_insert(2, "agent_type".into(), kind.into());
    }
    form.insert("total_tokens".into(), total_tokens(event));
    let whole = subagent_text(event, about);
    let preview = truncate_text(whole, PREVIEW_CAP);
    let text = format!("{about}_truncated");
    let was_cut =
        event.payload.get(&text) == Some(&Value::Bool(true)) || preview.len() != whole.len();
    form.insert(format!("{about}_preview"), preview.into());
    form.insert(text, was_cut.into());
}

/// The prompt or the answer of a subagent.
fn subagent_text<'a>(event: &'a Event, about: &str) -> &'a str {
    let key = if about == "prompt" { "prompt" } else { "last_assistant_message" };
    event.text(key).unwrap_or_default()
}

/// Returns the status of a subagent: from the host, else from the mark or the first line of its
/// answer.
fn subagent_status(event: &Event) -> String {
    const STATUSES: &[&str] = &["cancelled", "failed", "interrupted"];
    if let Some(status) = event.text("status") {
        return truncate_text(status, 64);
    }
    let answer = subagent_text(event, "result");
    let marked = answer.split_once("<codewhale:subagent.done>").and_then(|(_, rest)| {
        let (object, _) = rest.split_once("</")?;
        let object: Value = serde_json::from_str(object).ok()?;
        Some(object.get("status")?.as_str()?.to_owned())
    });
    let first = answer.lines().next().unwrap_or_default().to_lowercase();
    let named = || {
        let status = STATUSES.iter().find(|status| first.contains(**status));
        status.map(|status| (*status).to_owned())
    };
    marked.or_else(named).unwrap_or_else(|| "unknown".to_owned())
}

/// The environment variables of a hook on this event.
fn environment_variables(event: &Event, spec: Option<&Spec>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut set = |name: &str, value: Option<String>, cap: usize| {
        if let Some(value) = value {
            // A variable cannot contain a NUL: the hook would not start.
            all.push((name.to_owned(), truncate_text(&value.replace('\0', "\u{fffd}"), cap)));
        }
    };
    let text = |key: &str| event.text(key).map(str::to_owned);
    let class = spec.map(|spec| spec.class);
    if class != Some(Class::Variables) {
        let session = Some(event.within.session_id.clone()).filter(|id| !id.is_empty());
        set("DEEPSEEK_SESSION_ID", session.clone(), VALUE_CAP);
        set("CODEWHALE_SESSION_ID", session, VALUE_CAP);
        set("DEEPSEEK_WORKSPACE", Some(workspace_path(event)), VALUE_CAP);
        set("DEEPSEEK_MODEL", model_name(event).map(str::to_owned), VALUE_CAP);
        set("DEEPSEEK_MODE", modes::current_mode(event).map(str::to_owned), VALUE_CAP);
        let previous = event
            .text("previous_mode")
            .map(|text| modes::canonical_mode_of_any_host(text).to_owned());
        set("DEEPSEEK_PREVIOUS_MODE", previous, VALUE_CAP);
        let tokens = Some(total_tokens(event)).filter(Value::is_number);
        set("DEEPSEEK_TOTAL_TOKENS", tokens.map(|token| token.to_string()), VALUE_CAP);
        let cost = event.within.facts.get("session_cost").and_then(Value::as_f64);
        set("DEEPSEEK_SESSION_COST", cost.map(|cost| format!("{cost:.6}")), VALUE_CAP);
    }
    let message = match spec.map(|spec| spec.name) {
        Some("message_submit" | "subagent_spawn") => text("prompt"),
        Some("subagent_complete") => text("last_assistant_message"),
        _ => None,
    };
    set("DEEPSEEK_MESSAGE", message, MESSAGE_CAP);
    if let Some(name) = vocabulary::tool_name_for_hooks(event) {
        set("DEEPSEEK_TOOL_NAME", Some(name.to_owned()), VALUE_CAP);
        set("DEEPSEEK_TOOL_CALL_ID", text("tool_use_id"), VALUE_CAP);
        set("CODEWHALE_TOOL_CALL_ID", text("tool_use_id"), VALUE_CAP);
    }
    match class {
        Some(Class::Gate | Class::Variables) => {
            set(
                "DEEPSEEK_TOOL_ARGS",
                vocabulary::tool_input_for_hooks(event).map(|input| input.to_string()),
                VALUE_CAP,
            );
        }
        Some(_)
            if spec.is_some_and(|spec| spec.has_tool)
                && vocabulary::tool_name_for_hooks(event).is_some() =>
        {
            let failed = event.name.as_str() == events::FAILED_TOOL;
            set("DEEPSEEK_TOOL_RESULT", tool_result_text(event), VALUE_CAP);
            set("DEEPSEEK_TOOL_SUCCESS", Some((!failed).to_string()), VALUE_CAP);
            let code = condition::reported_exit_code(event).map(|exit_code| exit_code.to_string());
            set("DEEPSEEK_TOOL_EXIT_CODE", code, VALUE_CAP);
        }
        _ => {}
    }
    set("DEEPSEEK_ERROR", observer_error_text(event, class), MESSAGE_CAP);
    all
}

/// The result of the tool as text, whether it failed or not (CW-57).
fn tool_result_text(event: &Event) -> Option<String> {
    let value = event.payload.get("tool_response").or_else(|| event.payload.get("error"))?;
    let text = tool_result::result_text(value);
    // A shell drops trailing line breaks of a value.
    Some(if value.is_string() { text } else { text.trim_end().to_owned() })
}

/// The error text of an event whose hooks only observe: that of a failed tool begins with the
/// tool's name.
fn observer_error_text(event: &Event, class: Option<Class>) -> Option<String> {
    if class != Some(Class::Observer) {
        return None;
    }
    let error = event.payload.get("error").and_then(Value::as_str);
    if event.name.as_str() != events::FAILED_TOOL {
        return error.map(str::to_owned);
    }
    let name = vocabulary::tool_name_for_hooks(event).unwrap_or_default();
    let why = error.map(str::to_owned).or_else(|| tool_result_text(event)).unwrap_or_default();
    let text = format!("tool `{name}` failed");
    Some(if why.starts_with(&text) { why } else { format!("{text}: {why}") })
}

/// Cuts `text` to at most `cap` bytes, between two characters, and appends [`MARK`].
fn truncate_text(text: &str, cap: usize) -> String {
    if text.len() <= cap {
        return text.to_owned();
    }
    let end = (0..=cap).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{MARK}", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `truncate_env_value_respects_utf8_boundaries`.
    #[test]
    fn long_text_is_cut_between_characters_and_marked() {
        assert_eq!(truncate_text("abc", 3), "abc");
        assert_eq!(truncate_text("aü", 2), format!("a{MARK}"));
        assert_eq!(truncate_text("🐋🐋", 7), format!("🐋{MARK}"));
        assert_eq!(truncate_text("🐋", 3), MARK);
    }

    /// CW-57.
    #[test]
    fn tool_result_is_written_as_text() {
        let text = |key: &str, value: Value| {
            tool_result_text(&Event::new("PostToolUse", Default::default()).with(key, value))
                .unwrap()
        };
        for (key, value, expected) in [
            ("tool_response", serde_json::json!("as it is\n"), "as it is\n"),
            ("tool_response", serde_json::json!({"stdout": "a\n", "stderr": "b\n"}), "a\nb"),
            ("tool_response", serde_json::json!({"stdout": "", "stderr": ""}), ""),
            ("tool_response", serde_json::json!({"file_path": "x", "content": "y"}), "y"),
            ("tool_response", serde_json::json!({"lines": 3}), "{\"lines\":3}"),
            ("error", serde_json::json!("exit code 1\nno"), "exit code 1\nno"),
        ] {
            assert_eq!(text(key, value), expected);
        }
    }

    /// CW-58: the name of a subagent comes from the event or from the session.
    #[test]
    fn subagent_is_named_by_the_event_or_by_its_session() {
        let mut event = Event::new("SubagentStart", Default::default()).with("prompt", "look");
        event.within.facts.insert("agent_id".to_owned(), "a-1".into());
        event.within.facts.insert("agent_type".to_owned(), "general".into());
        let body: Value = serde_json::from_slice(&encode_event(&event).body).unwrap();
        assert_eq!((&body["agent_id"], &body["agent_type"]), (&"a-1".into(), &"general".into()));
    }

    #[test]
    fn subagent_status_comes_from_field_mark_or_first_line() {
        let event =
            |key: &str, text: &str| Event::new("SubagentStop", Default::default()).with(key, text);
        for (key, text, expected) in [
            ("status", "completed", "completed"),
            (
                "last_assistant_message",
                "x <codewhale:subagent.done>{\"status\":\"budget_exhausted\"}</codewhale:subagent.done>",
                "budget_exhausted",
            ),
            ("last_assistant_message", "Cancelled by the user\nmore", "cancelled"),
            ("last_assistant_message", "all is well", "unknown"),
            ("other", "", "unknown"),
        ] {
            assert_eq!(subagent_status(&event(key, text)), expected, "{text}");
        }
    }
}
