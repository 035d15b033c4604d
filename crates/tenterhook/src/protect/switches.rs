//! With which tools do agents change their own settings, and which settings loosen a guard? Data, and how a row is read.

use serde_json::Value;

/// A tool with which an agent changes its own settings.
struct Switch {
    tools: &'static [&'static str],
    /// The fields that say which setting or command is meant.
    fields: &'static [&'static str],
    /// The first words of settings and commands that loosen a guard.
    settings: &'static [&'static str],
    /// The call changes something if it has one of these fields; always, where the list is empty.
    with: &'static [&'static str],
    /// It loosens a guard if one of these words stands in the call; always, where the list is empty.
    about: &'static [&'static str],
}

const SWITCHES: &[Switch] = &[
    Switch {
        tools: &["Config", "config", "update_config", "set_config"],
        fields: &["setting", "key", "name"],
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
        with: &["value"],
        about: &[],
    },
    Switch {
        tools: &["SlashCommand", "slash_command"],
        fields: &["command"],
        settings: &["hooks", "config", "permissions", "allowed-tools", "sandbox", "trust", "yolo"],
        with: &[],
        about: &[],
    },
    Switch {
        tools: &["Skill", "skill", "activate_skill"],
        fields: &["skill", "command", "name"],
        settings: &["hooks", "config", "permissions", "sandbox"],
        with: &[],
        about: &[],
    },
    Switch {
        tools: &["Skill", "skill", "activate_skill"],
        fields: &["skill", "command", "name"],
        settings: &["update-config"],
        with: &[],
        about: &["hook", "permission", "bypass", "sandbox", "trust"],
    },
];

/// Whether a tool changes settings of its agent.
#[must_use]
pub fn is_switch(tool: &str) -> bool {
    SWITCHES.iter().any(|row| row.tools.contains(&tool))
}

/// Whether a call of a tool loosens a guard by a setting of its agent.
#[must_use]
pub fn is_loosened_by(tool: &str, input: &Value) -> bool {
    SWITCHES.iter().any(|row| row.tools.contains(&tool) && row.fits(input))
}

impl Switch {
    fn fits(&self, input: &Value) -> bool {
        let has = |field: &&str| input.get(field).is_some_and(|value| !value.is_null());
        let is_named = |field: &&str| {
            input.get(field).and_then(Value::as_str).is_some_and(|text| self.is_setting(text))
        };
        let text = || input.to_string().to_ascii_lowercase();
        self.fields.iter().any(is_named)
            && (self.with.is_empty() || self.with.iter().any(has))
            && (self.about.is_empty() || self.about.iter().any(|word| text().contains(word)))
    }

    /// Whether a text begins with one of the settings: `/hooks`, `permissions.defaultMode`.
    fn is_setting(&self, text: &str) -> bool {
        let text = text.trim_start_matches(['/', '$']).to_ascii_lowercase();
        let end =
            text.find(|c: char| c.is_whitespace() || matches!(c, '.' | ':')).unwrap_or(text.len());
        text.get(..end).is_some_and(|name| self.settings.contains(&name))
    }
}
