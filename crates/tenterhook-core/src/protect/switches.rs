//! With which tools do agents change their own settings, and which settings loosen a guard? Data, and how a row is read.

use serde_json::Value;

use crate::agents::AGENTS;

/// A tool with which an agent changes its own settings.
struct Switch {
    tools: &'static [&'static str],
    /// The fields that say which setting or command is meant.
    fields: &'static [&'static str],
    /// The first words of settings and commands that loosen a guard.
    settings: &'static [&'static str],
    /// The call changes something if it has one of these fields, also an empty one; always, where the list is empty.
    with: &'static [&'static str],
    /// Settings that loosen a guard wherever they stand as the name of a field.
    keys: &'static [&'static str],
    /// It loosens a guard if one of these words stands in the call; always, where the list is empty.
    about: &'static [&'static str],
}

const SWITCHES: &[Switch] = &[
    Switch {
        tools: &[
            "Config",
            "config",
            "update_config",
            "set_config",
            "config_set",
            "update_settings",
        ],
        fields: &["setting", "key", "name", "path"],
        settings: &[
            "disableallhooks",
            "hooks",
            "permissions",
            "sandbox",
            "enabledplugins",
            "env",
            "trust",
            "skip",
        ],
        with: &["value", "action", "op", "operation", "remove", "unset"],
        keys: &["disableallhooks", "hooks", "permissions", "sandbox", "enabledplugins"],
        about: &[],
    },
    // OpenClaw 2026.9.6. A plugin that it installs runs in the same process as ours.
    Switch {
        tools: &["plugins"],
        fields: &["action"],
        settings: &["install", "enable", "disable", "uninstall", "reload"],
        with: &[],
        keys: &[],
        about: &[],
    },
    Switch {
        tools: &["SlashCommand", "slash_command"],
        fields: &["command"],
        settings: &["hooks", "config", "permissions", "allowed-tools", "sandbox", "trust", "yolo"],
        with: &[],
        keys: &[],
        about: &[],
    },
    Switch {
        tools: &["Skill", "skill", "activate_skill"],
        fields: &["skill", "command", "name"],
        settings: &["hooks", "config", "permissions", "sandbox"],
        with: &[],
        keys: &[],
        about: &[],
    },
    Switch {
        tools: &["Skill", "skill", "activate_skill"],
        fields: &["skill", "command", "name"],
        settings: &["update-config"],
        with: &[],
        keys: &[],
        about: &["hook", "permission", "bypass", "sandbox", "trust"],
    },
];

/// Words about a guard, in a text that asks another model to change settings.
const ABOUT_GUARD: &[&str] = &["hook", "plugin", "approval", "sandbox"];

/// Returns true if a tool can change settings of its agent.
#[must_use]
pub fn tool_can_change_settings(tool: &str) -> bool {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    SWITCHES.iter().any(|row| row.tools.contains(&name)) || asks_model_to_change_settings(tool)
}

/// Returns true if an agent has a tool of this name that hands a text to another model, which
/// changes the agent's settings.
fn asks_model_to_change_settings(tool: &str) -> bool {
    AGENTS.iter().any(|agent| agent.guarded.settings_tools.contains(&tool))
}

/// Returns true if a tool call loosens a guard by changing a setting of its agent.
#[must_use]
pub fn call_loosens_guard_setting(tool: &str, input: &Value) -> bool {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    // A server's tool may be one that changes settings, too, and mostly those of something else.
    let is_ours = || name == tool || input.to_string().to_ascii_lowercase().contains("hooks");
    if asks_model_to_change_settings(tool) {
        let text = input.to_string().to_ascii_lowercase();
        return ABOUT_GUARD.iter().any(|word| text.contains(word));
    }
    SWITCHES.iter().any(|row| row.tools.contains(&name) && row.matches_input(input, 0)) && is_ours()
}

/// Deepest nest of changes that is looked through.
const DEEPEST: usize = 4;

/// Values of a field that says what is done, with which nothing changes.
const READS: &[&str] = &["get", "list", "read", "show"];

impl Switch {
    fn matches_input(&self, input: &Value, depth: usize) -> bool {
        let fields = match input {
            Value::Object(fields) => fields,
            Value::Array(items) if depth < DEEPEST => {
                return items.iter().any(|item| self.matches_input(item, depth + 1));
            }
            _ => return false,
        };
        let reads = |value: &Value| value.as_str().is_some_and(|text| READS.contains(&text));
        let has = |field: &&str| input.get(field).is_some_and(|value| !reads(value));
        let is_named = |field: &&str| match input.get(field) {
            Some(Value::Array(parts)) => parts
                .first()
                .and_then(Value::as_str)
                .is_some_and(|text| self.text_names_setting(text)),
            value => {
                value.and_then(Value::as_str).is_some_and(|text| self.text_names_setting(text))
            }
        };
        let text = || input.to_string().to_ascii_lowercase();
        let is_own = self.fields.iter().any(is_named)
            && (self.with.is_empty() || self.with.iter().any(has))
            && (self.about.is_empty() || self.about.iter().any(|word| text().contains(word)));
        let is_key = |key: &str| self.keys.contains(&first_segment_lowercase(key).as_str());
        let mut nested = fields.iter().filter(|_| !self.keys.is_empty() && depth < DEEPEST);
        is_own || nested.any(|(key, value)| is_key(key) || self.matches_input(value, depth + 1))
    }

    /// Returns true if the text begins with one of the settings: `/hooks`,
    /// `permissions.defaultMode`.
    fn text_names_setting(&self, text: &str) -> bool {
        self.settings.contains(&first_segment_lowercase(text).as_str())
    }
}

/// Returns the first segment of the name of a setting or command, in lower case.
fn first_segment_lowercase(text: &str) -> String {
    let text = text.trim_start_matches(['/', '$']).to_ascii_lowercase();
    let end =
        text.find(|c: char| c.is_whitespace() || matches!(c, '.' | ':')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().to_owned()
}
