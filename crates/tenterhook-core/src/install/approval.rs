//! Did the person approve in Codex what calls Tenterhook? Computes what Codex compares (its `hook_hash`, seen to give
//! the same for 11 of 11 entries of version 0.169.0). Reads texts; writes nobody's approval (BR-64).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::config::is_own_line;
use crate::syntax::{Format, Node, parse};

/// What Codex makes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// It runs.
    Approved,
    /// It is skipped: nobody approved it.
    Unknown,
    /// It is skipped: it is another one than was approved.
    Changed,
    /// It is skipped: the person switched it off.
    Off,
}

impl Approval {
    /// Why it is skipped, in words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Unknown => "not approved",
            Self::Changed => "changed since it was approved",
            Self::Off => "switched off",
        }
    }
}

/// Our entries in a `hooks.json` that lies at `path`: each with its event and what the `config.toml` of the user says of it. A
/// text that cannot be read approves nothing.
#[must_use]
pub fn approvals(path: &str, hooks: &str, config: &str) -> Vec<(String, Approval)> {
    let hooks: Value = serde_json::from_str(hooks).unwrap_or_default();
    let config = parse(config, Format::Toml).root;
    let state = config.as_ref().and_then(|config| config.get("hooks")?.get("state"));
    let events = hooks.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let mut found = Vec::new();
    for (event, groups) in events {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            for (of, handler) in handlers.enumerate() {
                let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
                if !is_own_line(command) {
                    continue;
                }
                let name = snake(event);
                let said = state.and_then(|state| state.get(&format!("{path}:{name}:{at}:{of}")));
                let now = hash(&name, group.get("matcher"), handler);
                found.push((event.clone(), compare(said, &now)));
            }
        }
    }
    found
}

fn compare(said: Option<&Node>, now: &str) -> Approval {
    let Some(said) = said else { return Approval::Unknown };
    if said.get("enabled").and_then(Node::as_bool) == Some(false) {
        return Approval::Off;
    }
    match said.get("trusted_hash").and_then(Node::as_str) {
        Some(hash) if hash == now => Approval::Approved,
        Some(_) => Approval::Changed,
        None => Approval::Unknown,
    }
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Events at which Codex does not read a matcher, so that none counts.
const UNMATCHED: &[&str] = &["user_prompt_submit", "stop", "interrupt"];
/// Seconds that an entry without a time-out has, and those of the events that have fewer.
const USUAL: u64 = 600;
const SHORT: &[(&str, u64)] = &[("session_end", 1), ("interrupt", 1)];

fn hash(event: &str, matcher: Option<&Value>, handler: &Value) -> String {
    let usual = SHORT.iter().find(|(name, _)| *name == event).map_or(USUAL, |(_, n)| *n);
    let said = handler.get("timeout").and_then(Value::as_u64).unwrap_or(usual).max(1);
    let seconds = if event == "session_end" { said.min(3) } else { said };
    // The keys stand in the order of the alphabet, whatever the order of the file.
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
    fn the_hash_is_the_one_of_codex() {
        let handler = json!({"type": "command", "command": COMMAND, "timeout": 30, "statusMessage": "checking"});
        assert_eq!(
            hash("pre_tool_use", Some(&json!("Bash|apply_patch")), &handler),
            "sha256:f7a67bec555270f46f81531b94116b0366001d1e96f37101dcc4b932b21bfb42"
        );
    }

    /// BR-68.
    #[test]
    fn what_codex_would_skip_is_said() {
        let command = COMMAND.replace("ourbin", "tenterhook");
        let handler = json!({"type": "command", "command": command, "timeout": 30});
        let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string();
        let of = |config: &str| {
            let all = approvals("/h/.codex/hooks.json", &hooks, config);
            all.first().map(|pair| pair.1)
        };
        let key = "[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\n";
        let good = hash("pre_tool_use", None, &handler);
        assert_eq!(of(&format!("{key}trusted_hash = \"{good}\"")), Some(Approval::Approved));
        assert_eq!(of(&format!("{key}trusted_hash = \"sha256:0\"")), Some(Approval::Changed));
        let off = format!("{key}trusted_hash = \"{good}\"\nenabled = false");
        assert_eq!(of(&off), Some(Approval::Off));
        for config in ["", "model = 'x'", "[hooks", "[hooks.state]\n"] {
            assert_eq!(of(config), Some(Approval::Unknown), "{config}");
        }
    }
}
