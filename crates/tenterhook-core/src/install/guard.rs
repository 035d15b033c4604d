//! The guards that `install` writes against silencing an agent's entries: settings of the
//! organization, and a guard module of the user. Texts and settings; the command line finds the
//! files.

use std::path::Path;

use super::settings::Setting;
use crate::agents::{Agent, Key, Scope};
use crate::dialect::claude::guard;

/// Whether the user's settings can load a guard module for this agent.
#[must_use]
pub fn supports_guard_module(agent: &Agent) -> bool {
    agent.installation.protection.has_guard
}

/// The organization's settings that prevent silencing by other files.
#[must_use]
pub fn anti_silencing_settings(agent: &Agent, scope: Scope) -> Vec<Setting> {
    let settings = agent.installation.managed_settings().iter();
    let setting = |(path, value): &Key| {
        Setting::Is(path.iter().map(|key| (*key).to_owned()).collect(), *value)
    };
    settings.filter(|_| scope == Scope::Managed).map(setting).collect()
}

/// The setting in a project's local settings that prevents its shared settings from disabling
/// hooks.
#[must_use]
pub fn setting_keeping_hooks_enabled() -> Setting {
    Setting::Is(vec!["disableAllHooks".to_owned()], false)
}

/// The settings of the user that load the guard in `folder` ahead of all other modules.
#[must_use]
pub fn user_settings_loading_guard(folder: &Path) -> Vec<Setting> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let variable = vec!["env".to_owned(), "CLAUDE_CODE_PLUGIN_DIRS".to_owned()];
    vec![
        Setting::Path(variable, folder.to_string_lossy().into_owned()),
        Setting::Item(vec!["prependPlugins".to_owned()], guard::plugin_id_of_guard(&name)),
    ]
}

/// The files of the guard with that name, relative to its folder.
#[must_use]
pub fn files_of_named_guard(name: &str) -> Vec<(&'static str, String)> {
    guard::files_of_guard(name).into_iter().collect()
}

/// The gaps of a user's guard, a clause each; measured with Claude Code 2.1.332.
pub const GUARD_GAPS: &[&str] = &[
    "`disableAllHooks: true` in a project's settings (`\"disableAllHooks\": false` in your own is weaker; in that project's `.claude/settings.local.json` it holds)",
    "`enabledPlugins` of a project that names the guard, whose name is random for that reason",
    "`--plugin-dir` with a plugin of the guard's name",
    "`--bare`, `--safe-mode` and `--setting-sources project`",
    "managed settings of any content, which make Claude Code ignore the user's order of plugins",
];
