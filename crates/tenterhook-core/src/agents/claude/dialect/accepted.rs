//! Whether Claude Code reads a settings file or refuses all of it for one value. Measured with
//! 2.1.332: it refuses a file for a known key with a value of the wrong type, but not for an
//! unknown key or a wrong entry of `hooks`. Pure.
//!
//! A refused file has no effect, so its settings close no gap (BR-102).

use crate::syntax::{Node, NodeValue};

/// Whether the agent reads a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Acceptance {
    /// It is read.
    Accepted,
    /// It is refused for the value of this key.
    Refused(String),
    /// It may be refused for this key, whose values are not known here.
    Unknown(String),
}

/// The values that a key may have.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Bool,
    Text,
    /// A whole number from 1.
    Count,
    /// A list of texts.
    Texts,
    /// Any list.
    List,
    /// Any object.
    Object,
    /// Anything: the agent skips only the wrong part.
    Any,
    OneOf(&'static [&'static str]),
    /// An object with these keys, of which the first is required; further keys are ignored.
    Keys(&'static [(&'static str, Shape)], &'static [&'static str]),
    /// An object whose values all have that shape.
    Each(&'static Shape),
    /// A boolean or a list.
    BoolOrList,
    /// A boolean, a text, a number or a list.
    Option,
}

const MODES: &[&str] = &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

const PERMISSIONS: &[(&str, Shape)] = &[
    ("allow", Shape::List),
    ("deny", Shape::List),
    ("ask", Shape::List),
    ("additionalDirectories", Shape::Texts),
    ("defaultMode", Shape::OneOf(MODES)),
];

const STATUS_LINE: &[(&str, Shape)] =
    &[("type", Shape::OneOf(&["command"])), ("command", Shape::Text)];

const KEYS: &[(&str, Shape)] = &[
    ("$schema", Shape::Text),
    ("allowManagedHooksOnly", Shape::Bool),
    ("allowedHttpHookUrls", Shape::Texts),
    ("alwaysThinkingEnabled", Shape::Bool),
    ("apiKeyHelper", Shape::Text),
    ("cleanupPeriodDays", Shape::Count),
    ("disableAllHooks", Shape::Bool),
    ("disableSkillShellExecution", Shape::Bool),
    ("disabledMcpjsonServers", Shape::Texts),
    ("enableAllProjectMcpServers", Shape::Bool),
    ("enabledMcpjsonServers", Shape::Texts),
    ("enabledPlugins", Shape::Each(&Shape::BoolOrList)),
    ("env", Shape::Object),
    ("extraKnownMarketplaces", Shape::Each(&Shape::Keys(MARKETPLACE, &[]))),
    ("hooks", Shape::Any),
    ("httpHookAllowedEnvVars", Shape::Texts),
    ("includeCoAuthoredBy", Shape::Bool),
    ("model", Shape::Text),
    ("outputStyle", Shape::Text),
    ("permissions", Shape::Keys(PERMISSIONS, &[])),
    ("pluginConfigs", Shape::Each(&Shape::Keys(&[("options", Shape::Each(&Shape::Option))], &[]))),
    ("spinnerTipsEnabled", Shape::Bool),
    ("statusLine", Shape::Keys(STATUS_LINE, &["type", "command"])),
];

/// Keys that the agent reads with such a value; the effect of other values is unknown.
const SEEN: &[(&str, Shape)] = &[
    ("allowManagedMcpServersOnly", Shape::Bool),
    ("attribution", Shape::Each(&Shape::Text)),
    ("autoCompactEnabled", Shape::Bool),
    ("autoMemoryEnabled", Shape::Bool),
    ("availableModels", Shape::Texts),
    ("awsAuthRefresh", Shape::Text),
    ("awsCredentialExport", Shape::Text),
    ("companyAnnouncements", Shape::Texts),
    ("enableArtifact", Shape::Bool),
    ("fastMode", Shape::Bool),
    ("fileSuggestion", Shape::Keys(STATUS_LINE, &["type", "command"])),
    ("includeGitInstructions", Shape::Bool),
    ("language", Shape::Text),
    ("otelHeadersHelper", Shape::Text),
    ("plansDirectory", Shape::Text),
    ("prefersReducedMotion", Shape::Bool),
    ("prependPlugins", Shape::Texts),
    ("promptSuggestionEnabled", Shape::Bool),
    ("respectGitignore", Shape::Bool),
    ("showTurnDuration", Shape::Bool),
    ("skipAutoPermissionPrompt", Shape::Bool),
    ("skipDangerousModePermissionPrompt", Shape::Bool),
    ("syntaxHighlightingDisabled", Shape::Bool),
    ("terminalProgressBarEnabled", Shape::Bool),
    ("useAutoModeDuringPlan", Shape::Bool),
    ("verbose", Shape::Bool),
];

const MARKETPLACE: &[(&str, Shape)] = &[("source", Shape::Keys(SOURCE, &["source"]))];

const SOURCE: &[(&str, Shape)] = &[
    ("source", Shape::OneOf(&["directory", "github", "git"])),
    ("path", Shape::Text),
    ("repo", Shape::Text),
    ("url", Shape::Text),
];

/// Checks whether the agent reads a settings file whose root is one object.
pub(crate) fn check_settings_values(root: &Node) -> Acceptance {
    let mut unknown = None;
    // The agent uses the last value of a repeated key.
    for entry in root.entries() {
        let Some(node) = root.get(&entry.key) else { continue };
        match KEYS.iter().find(|(key, _)| *key == entry.key) {
            Some((key, shape)) => {
                if let Some(path) = refused_value_path(node, *shape, key) {
                    return Acceptance::Refused(path);
                }
            }
            None => {
                let seen = SEEN.iter().find(|(key, _)| *key == entry.key);
                let is_seen = seen
                    .is_some_and(|(key, shape)| refused_value_path(node, *shape, key).is_none());
                unknown = unknown.or_else(|| (!is_seen).then(|| entry.key.clone()));
            }
        }
    }
    unknown.map_or(Acceptance::Accepted, Acceptance::Unknown)
}

/// Returns the path of the first value that does not have the shape.
fn refused_value_path(node: &Node, shape: Shape, path: &str) -> Option<String> {
    let whole = |is: bool| (!is).then(|| path.to_owned());
    match shape {
        Shape::Any => None,
        Shape::Bool => whole(node.as_bool().is_some()),
        Shape::Text => whole(node.as_str().is_some()),
        Shape::Count => whole(node.to_json().as_u64().is_some_and(|number| number > 0)),
        Shape::List => whole(node.as_array().is_some()),
        Shape::Texts => {
            let items = node.as_array();
            whole(items.is_some_and(|items| items.iter().all(|item| item.as_str().is_some())))
        }
        Shape::Object => whole(node.as_object().is_some()),
        Shape::OneOf(words) => whole(node.as_str().is_some_and(|word| words.contains(&word))),
        Shape::BoolOrList => whole(node.as_bool().is_some() || node.as_array().is_some()),
        Shape::Option => whole(!matches!(node.value, NodeValue::Null | NodeValue::Object(_))),
        Shape::Each(_) | Shape::Keys(..) if node.as_object().is_none() => whole(false),
        Shape::Each(shape) => node.entries().iter().find_map(|entry| {
            refused_value_path(&entry.node, *shape, &format!("{path}.{}", entry.key))
        }),
        Shape::Keys(keys, required) => {
            let missing = required.iter().find(|key| node.get(key).is_none());
            missing.map(|key| format!("{path}.{key}")).or_else(|| {
                keys.iter().find_map(|(key, shape)| {
                    refused_value_path(node.get(key)?, *shape, &format!("{path}.{key}"))
                })
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Format, parse_by_format};

    /// Files, and the key for which Claude Code 2.1.332 refused them in the folder `.claude` of a
    /// project.
    const PLAYED: &[(&str, &str)] = &[
        (r#"{"permissions": 5}"#, "permissions"),
        (r#"{"permissions": {"allow": "Bash"}}"#, "permissions.allow"),
        (r#"{"permissions": {"defaultMode": "nope"}}"#, "permissions.defaultMode"),
        (r#"{"permissions": {"allow": ["bash((", 5]}}"#, ""),
        (r#"{"permissions": {"defaultMode": "plan", "nope": 5}}"#, ""),
        (r#"{"env": {"A": 5, "B": null, "C": []}}"#, ""),
        (r#"{"env": []}"#, "env"),
        (r#"{"env": null}"#, "env"),
        (r#"{"model": 5}"#, "model"),
        (r#"{"model": null}"#, "model"),
        (r#"{"hooks": []}"#, ""),
        (r#"{"hooks": 5}"#, ""),
        (r#"{"hooks": {"Stop": {}, "Nope": []}}"#, ""),
        (r#"{"hooks": {"Stop": [{"matcher": ["a"], "hooks": []}]}}"#, ""),
        (r#"{"cleanupPeriodDays": "x"}"#, "cleanupPeriodDays"),
        (r#"{"cleanupPeriodDays": -1}"#, "cleanupPeriodDays"),
        (r#"{"cleanupPeriodDays": 0}"#, "cleanupPeriodDays"),
        (r#"{"cleanupPeriodDays": 1.5}"#, "cleanupPeriodDays"),
        (r#"{"cleanupPeriodDays": 30}"#, ""),
        (r#"{"statusLine": {"type": "x"}}"#, "statusLine.command"),
        (r#"{"statusLine": {"type": "command"}}"#, "statusLine.command"),
        (r#"{"statusLine": {"type": "command", "command": "true"}}"#, ""),
        (r#"{"enabledPlugins": 5}"#, "enabledPlugins"),
        (r#"{"enabledPlugins": {"a@b": 5}}"#, "enabledPlugins.a@b"),
        (r#"{"enabledPlugins": {"a@b": true, "c@d": ["1.0"]}}"#, ""),
        (
            r#"{"extraKnownMarketplaces": {"x": {"source": {"source": "nope"}}}}"#,
            "extraKnownMarketplaces.x.source.source",
        ),
        (
            r#"{"extraKnownMarketplaces": {"x": {"source": {"source": "directory", "path": "/x"}}}}"#,
            "",
        ),
        (r#"{"apiKeyHelper": 5}"#, "apiKeyHelper"),
        (r#"{"includeCoAuthoredBy": "x"}"#, "includeCoAuthoredBy"),
        (r#"{"disableAllHooks": "false"}"#, "disableAllHooks"),
        (r#"{"disableAllHooks": 0}"#, "disableAllHooks"),
        (r#"{"disableAllHooks": null}"#, "disableAllHooks"),
        (r#"{"disableAllHooks": 5, "disableAllHooks": false}"#, ""),
        (r#"{"allowedHttpHookUrls": "x"}"#, "allowedHttpHookUrls"),
        (r#"{"enabledMcpjsonServers": [1]}"#, "enabledMcpjsonServers"),
        (r#"{"$schema": 5}"#, "$schema"),
        (r#"{"pluginConfigs": {"p": {"options": {"x": null}}}}"#, "pluginConfigs.p.options.x"),
        (r#"{"pluginConfigs": {"a@b": {"options": {"x": true, "y": ["l"]}}}}"#, ""),
    ];

    /// BR-102.
    #[test]
    fn file_is_refused_for_the_values_for_which_claude_code_refuses_it() {
        let read = |text: &str| {
            check_settings_values(&parse_by_format(text, Format::Json).root.expect(text))
        };
        for (text, path) in PLAYED {
            let expected = match *path {
                "" => Acceptance::Accepted,
                path => Acceptance::Refused(path.to_owned()),
            };
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(read(r#"{"sandbox": 5}"#), Acceptance::Unknown("sandbox".to_owned()));
    }
}
