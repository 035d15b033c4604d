//! Whether Claude Code reads a settings file or refuses all of it for one value. Measured with
//! 2.1.332: it refuses a file for a known key with a value of the wrong type, but not for an
//! unknown key. It skips a wrong entry of `hooks` alone, except on the two events that
//! guard permissions, for which it refuses the file (C-24). Pure.
//!
//! A refused file has no effect, so its settings close no gap (BR-102).

use crate::dialect::kit::shape::{Keys, RefusedValue, Shape};
use crate::syntax::Node;

/// Whether the agent reads a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Acceptance {
    /// It is read.
    Accepted,
    /// It is refused for this value.
    Refused(RefusedValue),
    /// It may be refused for this key, whose values are not known here.
    Unknown(String),
}

const MODES: &[&str] = &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

/// The fields of every handler, and the fields of one type.
macro_rules! handler {
    ($($field:literal: $shape:expr),*) => {
        &[
            ("type", Shape::Text),
            ("if", Shape::Text),
            ("timeout", Shape::AboveZero),
            ("statusMessage", Shape::Text),
            ("once", Shape::Bool),
            $(($field, $shape)),*
        ]
    };
}

const HANDLER: Shape = Shape::ByType(&[
    (
        "command",
        handler! {
            "command": Shape::Text, "args": Shape::Texts, "async": Shape::Bool,
            "asyncRewake": Shape::Bool, "holdsTools": Shape::Bool,
            "shell": Shape::OneOf(&["bash", "powershell"]),
            "onFailure": Shape::OneOf(&["block", "continue"]),
            "rewakeMessage": Shape::Text, "rewakeSummary": Shape::Text
        },
        &["command"],
    ),
    (
        "http",
        handler! {
            "url": Shape::Url, "headers": Shape::Each(&Shape::Text),
            "allowedEnvVars": Shape::Texts
        },
        &["url"],
    ),
    (
        "mcp_tool",
        handler! { "server": Shape::Text, "tool": Shape::Text, "input": Shape::Object },
        &["server", "tool"],
    ),
    (
        "prompt",
        handler! {
            "prompt": Shape::Text, "model": Shape::Text, "continueOnBlock": Shape::Bool
        },
        &["prompt"],
    ),
    ("agent", handler! { "prompt": Shape::Text, "model": Shape::Text }, &["prompt"]),
]);

/// The groups of an event that guards permissions.
const GUARDS: Shape = Shape::OrNull(&Shape::Items(&Shape::Keys(
    &[("matcher", Shape::Text), ("hooks", Shape::Items(&HANDLER))],
    &["hooks"],
)));

/// The events for whose wrong entries the agent refuses the file.
const HOOKS: Keys = &[("PreToolUse", GUARDS), ("PermissionRequest", GUARDS)];

const PERMISSIONS: Keys = &[
    ("allow", Shape::List),
    ("deny", Shape::List),
    ("ask", Shape::List),
    ("additionalDirectories", Shape::Texts),
    ("defaultMode", Shape::OneOf(MODES)),
];

const STATUS_LINE: Keys = &[("type", Shape::OneOf(&["command"])), ("command", Shape::Text)];

const KEYS: Keys = &[
    ("$schema", Shape::Text),
    ("allowManagedHooksOnly", Shape::Bool),
    ("allowedHttpHookUrls", Shape::Texts),
    ("alwaysThinkingEnabled", Shape::Bool),
    ("apiKeyHelper", Shape::Text),
    ("cleanupPeriodDays", Shape::Whole(1)),
    ("disableAllHooks", Shape::Bool),
    ("disableSkillShellExecution", Shape::Bool),
    ("disabledMcpjsonServers", Shape::Texts),
    ("enableAllProjectMcpServers", Shape::Bool),
    ("enabledMcpjsonServers", Shape::Texts),
    ("enabledPlugins", Shape::Each(&Shape::BoolOrList)),
    ("env", Shape::Object),
    ("extraKnownMarketplaces", Shape::Each(&Shape::Keys(MARKETPLACE, &[]))),
    ("hooks", Shape::KeysIfObject(HOOKS)),
    ("httpHookAllowedEnvVars", Shape::Texts),
    ("includeCoAuthoredBy", Shape::Bool),
    ("model", Shape::Text),
    ("outputStyle", Shape::Text),
    ("permissions", Shape::Keys(PERMISSIONS, &[])),
    ("pluginConfigs", Shape::Each(&Shape::Keys(&[("options", Shape::Each(&Shape::Option))], &[]))),
    ("spinnerTipsEnabled", Shape::Bool),
    ("statusLine", Shape::Keys(STATUS_LINE, &["type", "command"])),
];

/// Returns the value for which the agent skips a handler of any other event than those.
pub(super) fn find_wrong_handler_value(handler: &Node) -> Option<RefusedValue> {
    HANDLER.find_refused_value(handler)
}

/// Returns `true` for an event for whose wrong entries the agent refuses the file.
pub(super) fn is_guarding_event(event: &str) -> bool {
    HOOKS.iter().any(|(guarding, _)| *guarding == event)
}

/// Keys that the agent reads with such a value; the effect of other values is unknown.
const SEEN: Keys = &[
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

const MARKETPLACE: Keys = &[("source", Shape::Keys(SOURCE, &["source"]))];

const SOURCE: Keys = &[
    ("source", Shape::OneOf(&["directory", "github", "git"])),
    ("path", Shape::Text),
    ("repo", Shape::Text),
    ("url", Shape::Text),
];

/// Returns whether the agent reads a settings file whose root is this object.
pub(crate) fn settings_acceptance_of_root(root: &Node) -> Acceptance {
    let find = |keys: Keys, name: &str| keys.iter().find(|(key, _)| *key == name);
    let mut unknown = None;
    // The agent uses the last value of a repeated key.
    for entry in root.entries() {
        let Some(last) = root.entry(&entry.key) else { continue };
        if let Some((_, shape)) = find(KEYS, &entry.key) {
            if let Some(refused) = shape.find_refused_value_in_entry(last) {
                return Acceptance::Refused(refused);
            }
            continue;
        }
        let is_seen = find(SEEN, &entry.key)
            .is_some_and(|(_, shape)| shape.find_refused_value_in_entry(last).is_none());
        unknown = unknown.or_else(|| (!is_seen).then(|| entry.key.clone()));
    }
    unknown.map_or(Acceptance::Accepted, Acceptance::Unknown)
}

/// Returns the value for which the agent refuses a settings file, if one is known.
pub(crate) fn find_refused_value(root: &Node) -> Option<RefusedValue> {
    match settings_acceptance_of_root(root) {
        Acceptance::Refused(refused) => Some(refused),
        Acceptance::Accepted | Acceptance::Unknown(_) => None,
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
        (r#"{"hooks": {"PreToolUse": null, "preToolUse": 5}}"#, ""),
        (r#"{"hooks": {"PreToolUse": {}}}"#, "hooks.PreToolUse"),
        (r#"{"hooks": {"PermissionRequest": "x"}}"#, "hooks.PermissionRequest"),
        (r#"{"hooks": {"PreToolUse": 5, "PreToolUse": []}}"#, ""),
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

    /// Groups of the two events, and what the path of the refused value ends with.
    const GROUPS_PLAYED: &[(&str, Option<&str>)] = &[
        (r#"{"matcher": null, "hooks": []}"#, Some(".matcher")),
        (r#"{"matcher": {}, "hooks": []}"#, Some(".matcher")),
        (r#"{"matcher": ["a"], "hooks": []}"#, Some(".matcher")),
        (r#"{"matcher": 5, "hooks": []}"#, Some(".matcher")),
        (r#"{"matcher": "((", "hooks": [], "id": 5}"#, None),
        (r#"{"type": "command", "command": "true"}"#, Some(".hooks")),
        (r#"{"matcher": "Bash"}"#, Some(".hooks")),
        (r#"{"hooks": null}"#, Some(".hooks")),
        (r#"{"hooks": {}}"#, Some(".hooks")),
        (r#"{"hooks": ["true"]}"#, Some(".hooks.0")),
        (r#""true""#, Some("")),
        ("null", Some("")),
    ];

    /// Handlers, and what the path of the refused value ends with.
    const HANDLERS_PLAYED: &[(&str, Option<&str>)] = &[
        (r#"{"type": "command", "command": ""}"#, None),
        (r#"{"type": "command", "command": "a", "nope": 5, "cloud": 5, "name": 5}"#, None),
        (r#"{"command": "a"}"#, Some(".type")),
        (r#"{"type": null, "command": "a"}"#, Some(".type")),
        (r#"{"type": "Command", "command": "a"}"#, Some(".type")),
        (r#"{"type": "function"}"#, Some(".type")),
        (r#"{"type": "command"}"#, Some(".command")),
        (r#"{"type": "command", "command": ["a"]}"#, Some(".command")),
        (r#"{"type": "command", "command": "a", "timeout": "10"}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": 0}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": -1}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": null}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": 1.5}"#, None),
        (r#"{"type": "command", "command": "a", "if": 5}"#, Some(".if")),
        (r#"{"type": "command", "command": "a", "if": ""}"#, None),
        (r#"{"type": "command", "command": "a", "async": "true"}"#, Some(".async")),
        (r#"{"type": "command", "command": "a", "asyncRewake": 1}"#, Some(".asyncRewake")),
        (r#"{"type": "command", "command": "a", "args": "b"}"#, Some(".args")),
        (r#"{"type": "command", "command": "a", "args": [1]}"#, Some(".args")),
        (r#"{"type": "command", "command": "a", "args": []}"#, None),
        (r#"{"type": "command", "command": "a", "shell": "fish"}"#, Some(".shell")),
        (r#"{"type": "command", "command": "a", "shell": "sh"}"#, Some(".shell")),
        (r#"{"type": "command", "command": "a", "shell": "powershell"}"#, None),
        (r#"{"type": "command", "command": "a", "onFailure": "deny"}"#, Some(".onFailure")),
        (r#"{"type": "command", "command": "a", "onFailure": "block"}"#, None),
        (r#"{"type": "command", "command": "a", "statusMessage": 5}"#, Some(".statusMessage")),
        (r#"{"type": "command", "command": "a", "once": 1}"#, Some(".once")),
        (r#"{"type": "command", "command": "a", "rewakeMessage": 5}"#, Some(".rewakeMessage")),
        (r#"{"type": "command", "command": "a", "holdsTools": null}"#, Some(".holdsTools")),
        (r#"{"type": "http"}"#, Some(".url")),
        (r#"{"type": "http", "url": "${X}"}"#, Some(".url")),
        (r#"{"type": "http", "url": ""}"#, Some(".url")),
        (r#"{"type": "http", "url": "ftp://x/"}"#, None),
        (r#"{"type": "http", "url": "https://x/", "headers": {"a": 5}}"#, Some(".headers.a")),
        (
            r#"{"type": "http", "url": "https://x/", "allowedEnvVars": "X"}"#,
            Some(".allowedEnvVars"),
        ),
        (r#"{"type": "prompt", "prompt": ""}"#, None),
        (r#"{"type": "prompt"}"#, Some(".prompt")),
        (r#"{"type": "prompt", "prompt": "p", "model": null}"#, Some(".model")),
        (r#"{"type": "prompt", "prompt": "p", "continueOnBlock": "x"}"#, Some(".continueOnBlock")),
        (r#"{"type": "agent", "prompt": "p", "tools": 5}"#, None),
        (r#"{"type": "mcp_tool", "server": "s"}"#, Some(".tool")),
        (r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": []}"#, Some(".input")),
        (r#"{"type": "mcp_tool", "server": "", "tool": ""}"#, None),
    ];

    /// C-24, BR-102.
    #[test]
    fn file_is_refused_for_the_values_for_which_claude_code_refuses_it() {
        let read = |text: &str| {
            settings_acceptance_of_root(&parse_by_format(text, Format::Json).root.expect(text))
        };
        let refused = |text: &str| match read(text) {
            Acceptance::Refused(refused) => refused.path,
            Acceptance::Accepted => String::new(),
            Acceptance::Unknown(key) => panic!("{key}: {text}"),
        };
        for (text, path) in PLAYED {
            assert_eq!(refused(text), *path, "{text}");
        }
        for event in ["PreToolUse", "PermissionRequest"] {
            for (group, path) in GROUPS_PLAYED {
                let text = format!(r#"{{"hooks": {{"{event}": [{{"hooks": []}}, {group}]}}}}"#);
                let path = path.map(|path| format!("hooks.{event}.1{path}")).unwrap_or_default();
                assert_eq!(refused(&text), path, "{text}");
            }
        }
        for (handler, path) in HANDLERS_PLAYED {
            let group = format!(r#"{{"matcher": "Bash", "hooks": [{handler}]}}"#);
            let text = |event| format!(r#"{{"hooks": {{"{event}": [{group}]}}}}"#);
            let path = path.map(|path| format!("hooks.PreToolUse.0.hooks.0{path}"));
            assert_eq!(refused(&text("PreToolUse")), path.unwrap_or_default(), "{handler}");
            assert_eq!(refused(&text("PostToolUse")), "", "an entry elsewhere is skipped alone");
        }
        assert_eq!(read(r#"{"sandbox": 5}"#), Acceptance::Unknown("sandbox".to_owned()));
    }
}
