//! Finds the agent of a call by the form of its payload, where the form is unique (BR-13).

use serde_json::{Map, Value};

use super::{DialectId, PLUGINS};

/// Returns the dialect of a call by the form of its payload, if that is certain (BR-13). Claude
/// Code, Codex and Droid have the same form: between them `claimed` decides, unless a field belongs
/// to one alone.
pub(super) fn dialect_of_payload(
    json: &Map<String, Value>,
    claimed: DialectId,
) -> Option<DialectId> {
    let has = |key: &str| json.contains_key(key);
    if has("clineVersion") {
        return Some(DialectId::CLINE);
    }
    if has("cursor_version") {
        return Some(DialectId::CURSOR);
    }
    if has("agent_action_name") {
        return Some(DialectId::WINDSURF);
    }
    // Cursor has these two as well, and its version, if its host gives one.
    if has("conversation_id") && has("workspace_roots") && claimed != DialectId::CURSOR {
        return Some(DialectId::AUGMENT);
    }
    // Only Antigravity writes these two in camel case (antigravity.google/docs/hooks).
    if has("conversationId") && has("workspacePaths") {
        return Some(DialectId::ANTIGRAVITY);
    }
    if has("event") && has("working_dir") {
        return Some(DialectId::GOOSE);
    }
    let is_named =
        |plugin: &DialectId| json.get("agent").is_some_and(|name| name == plugin.as_str());
    if let Some(plugin) = PLUGINS.iter().map(|dialect| dialect.id()).find(is_named) {
        return Some(plugin);
    }
    if has("hookEventName") && !has("permissionMode") {
        return Some(DialectId::VSCODE);
    }
    if has("sessionId") {
        return Some(DialectId::COPILOT);
    }
    let event = json.get("hook_event_name")?.as_str();
    dialect_of_named_event(json, event, claimed)
}

/// Returns the dialect of a payload in the form of Claude Code, which many agents share.
fn dialect_of_named_event(
    json: &Map<String, Value>,
    event: Option<&str>,
    claimed: DialectId,
) -> Option<DialectId> {
    let has = |key: &str| json.contains_key(key);
    if event.is_some_and(|event| ["pre_tool", "post_tool", "post_agent"].contains(&event)) {
        return Some(DialectId::VIBE);
    }
    if has("tool_input") && json.get("extra").is_some_and(Value::is_object) {
        return Some(DialectId::HERMES);
    }
    if has("client_type") {
        return Some(DialectId::KIMI);
    }
    if has("timestamp") {
        return Some(match (has("transcript_path"), has("permission_mode")) {
            (_, true) => DialectId::QWEN,
            (true, false) if !has("stop_reason") => DialectId::GEMINI,
            _ => DialectId::COPILOT_PASCAL,
        });
    }
    if has("turn_id") && has("model") {
        return Some(DialectId::CODEX);
    }
    // Only Droid has modes of these names (0.225.2).
    let mode = json.get("permission_mode").and_then(Value::as_str);
    if mode.is_some_and(|mode| mode == "off" || mode.starts_with("auto-")) {
        return Some(DialectId::DROID);
    }
    let alike = [DialectId::CLAUDE, DialectId::CODEX, DialectId::DROID].contains(&claimed);
    (has("prompt_id") || (has("transcript_path") && !alike)).then_some(DialectId::CLAUDE)
}
