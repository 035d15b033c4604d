//! Whether an agent has approved Tenterhook's hooks. For Codex it computes the hash that Codex
//! compares (its `hook_hash`; equal for 11 of 11 entries of version 0.169.0). Reads texts; writes
//! no approval (BR-64).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{installed_events_and_commands, unapproved_events};
use crate::agents::{Agent, Approvals};
use crate::config::is_tenterhook_entry_line;
use crate::syntax::{Format, Node, parse_by_format};

/// Whether Codex runs an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// It runs.
    Approved,
    /// It is skipped: the user has not approved it.
    Unknown,
    /// It is skipped: it differs from the approved entry.
    Changed,
    /// It is skipped: the user disabled it.
    Off,
}

impl Approval {
    /// Its name in output.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Unknown => "not approved",
            Self::Changed => "changed since it was approved",
            Self::Off => "switched off",
        }
    }
}

/// Tenterhook's entries in the config file at `path`, each with its event and its approval in the
/// agent's file of them. A text that cannot be read approves nothing.
#[must_use]
pub fn own_approvals(
    agent: &Agent,
    path: &str,
    config: &str,
    approvals: &str,
) -> Vec<(String, Approval)> {
    if !matches!(agent.installation.approvals, Approvals::ByInstall(_)) {
        return codex_approvals(path, config, approvals);
    }
    let entries = installed_events_and_commands(agent, config).unwrap_or_default();
    let missing = unapproved_events(&entries, config, approvals);
    let state = |event: &String| match missing.contains(event) {
        true => Approval::Unknown,
        false => Approval::Approved,
    };
    entries.iter().map(|(event, _)| (event.clone(), state(event))).collect()
}

/// Tenterhook's entries in the `hooks.json` at `path`, each with its event and its approval in the
/// user's `config.toml`. A text that cannot be read approves nothing.
fn codex_approvals(path: &str, hooks: &str, config: &str) -> Vec<(String, Approval)> {
    let hooks: Value = serde_json::from_str(hooks).unwrap_or_default();
    let config = parse_by_format(config, Format::Toml).root;
    let state = config.as_ref().and_then(|config| config.get("hooks")?.get("state"));
    let events = hooks.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let mut found = Vec::new();
    for (event, groups) in events {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            for (index, handler) in handlers.enumerate() {
                let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
                if !is_tenterhook_entry_line(command) {
                    continue;
                }
                let name = to_snake_case(event);
                let key = format!("{path}:{name}:{at}:{index}");
                let approved = state.and_then(|state| state.get(&key));
                let now = codex_entry_hash(&name, group.get("matcher"), handler);
                found.push((event.clone(), approval_by_trusted_hash(approved, &now)));
            }
        }
    }
    found
}

fn approval_by_trusted_hash(approved: Option<&Node>, now: &str) -> Approval {
    let Some(approved) = approved else { return Approval::Unknown };
    if approved.get("enabled").and_then(Node::as_bool) == Some(false) {
        return Approval::Off;
    }
    match approved.get("trusted_hash").and_then(Node::as_str) {
        Some(hash) if hash == now => Approval::Approved,
        Some(_) => Approval::Changed,
        None => Approval::Unknown,
    }
}

/// Converts `PreToolUse` to `pre_tool_use`.
fn to_snake_case(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Events on which Codex ignores matchers.
const UNMATCHED: &[&str] = &["user_prompt_submit", "stop", "interrupt"];
/// The default timeout of an entry in seconds, and the shorter ones of some events.
const DEFAULT: u64 = 600;
const SHORT: &[(&str, u64)] = &[("session_end", 1), ("interrupt", 1)];

fn codex_entry_hash(event: &str, matcher: Option<&Value>, handler: &Value) -> String {
    let default = SHORT.iter().find(|(name, _)| *name == event).map_or(DEFAULT, |(_, n)| *n);
    let timeout = handler.get("timeout").and_then(Value::as_u64).unwrap_or(default).max(1);
    let seconds = if event == "session_end" { timeout.min(3) } else { timeout };
    // Codex sorts the keys, whatever the order of the file.
    let mut entry = BTreeMap::from([
        ("async", handler.get("async").cloned().unwrap_or_else(|| false.into())),
        ("command", handler.get("command").cloned().unwrap_or_default()),
        ("timeout", seconds.into()),
        ("type", "command".into()),
    ]);
    for key in ["statusMessage", "additionalContextLimit"] {
        entry.extend(handler.get(key).map(|value| (key, value.clone())));
    }
    let mut whole = BTreeMap::from([("event_name", json!(event)), ("hooks", json!([entry]))]);
    let matcher = matcher.filter(|matcher| matcher.is_string() && !UNMATCHED.contains(&event));
    whole.extend(matcher.map(|matcher| ("matcher", matcher.clone())));
    let text = serde_json::to_string(&whole).unwrap_or_default();
    let digest = Sha256::digest(text);
    digest.iter().fold("sha256:".to_owned(), |hash, byte| format!("{hash}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "/usr/local/bin/ourbin hook --agent codex --event PreToolUse";

    /// The hash that Codex CLI 0.169.0 gave for this entry.
    /// BR-68.
    #[test]
    fn hash_equals_the_hash_of_codex() {
        let handler = json!({"type": "command", "command": COMMAND, "timeout": 30, "statusMessage": "checking"});
        assert_eq!(
            codex_entry_hash("pre_tool_use", Some(&json!("Bash|apply_patch")), &handler),
            "sha256:f7a67bec555270f46f81531b94116b0366001d1e96f37101dcc4b932b21bfb42"
        );
    }

    /// BR-68.
    #[test]
    fn skipped_entry_has_its_reason() {
        let command = COMMAND.replace("ourbin", "tenterhook");
        let handler = json!({"type": "command", "command": command, "timeout": 30});
        let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string();
        let approval = |config: &str| {
            let all = codex_approvals("/h/.codex/hooks.json", &hooks, config);
            all.first().map(|pair| pair.1)
        };
        let key = "[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\n";
        let good = codex_entry_hash("pre_tool_use", None, &handler);
        assert_eq!(approval(&format!("{key}trusted_hash = \"{good}\"")), Some(Approval::Approved));
        assert_eq!(approval(&format!("{key}trusted_hash = \"sha256:0\"")), Some(Approval::Changed));
        let off = format!("{key}trusted_hash = \"{good}\"\nenabled = false");
        assert_eq!(approval(&off), Some(Approval::Off));
        for config in ["", "model = 'x'", "[hooks", "[hooks.state]\n"] {
            assert_eq!(approval(config), Some(Approval::Unknown), "{config}");
        }
    }
}
