//! Lints of a command that only Claude Code has: variables of plugins, and paths below its folder.

use super::LINTS;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::claude::config::{Reading, finding_without_location};
use crate::dialect::kit::lint::{CommandText, variables};
use crate::hook::{Layer, Shell};

/// Checks the text of a command; `args` is set if the command runs without a shell.
pub(crate) fn check_command(
    reading: &Reading<'_>,
    text: &str,
    shell: Shell,
    args: Option<&[String]>,
) -> Vec<Diagnostic> {
    let layer = reading.source.layer;
    let command = CommandText { text, shell, args, layer, env: &reading.env };
    let mut found = LINTS.check_command(command);
    if command.is_read_by_posix_shell() {
        found.extend(check_user_config_placeholder(text));
    }
    found.extend(check_plugin_variable_in_settings(command));
    found.extend(command.all_texts().find_map(check_relative_path));
    found
}

/// Reports `${user_config...}`, which the agent refuses in a text for a shell.
fn check_user_config_placeholder(text: &str) -> Option<Diagnostic> {
    text.contains("${user_config.").then(|| {
        finding_without_location(
            Code::UserConfigInShell,
            "`${user_config...}` is refused in a text for a shell",
        )
        .help("use the variable `CLAUDE_PLUGIN_OPTION_<KEY>`, or `args`")
    })
}

/// Reports a plugin's variable in a settings file, where it is not set.
fn check_plugin_variable_in_settings(command: CommandText<'_>) -> Option<Diagnostic> {
    let is_settings =
        matches!(command.layer, Layer::User | Layer::Project | Layer::Local | Layer::Managed);
    let mut variables = command.all_texts().flat_map(variables);
    let variable = variables.find(|variable| {
        variable.name.starts_with("CLAUDE_PLUGIN_") && !variable.text.contains(":-") && is_settings
    })?;
    let message = format!("`{}` is set for hooks of plugins only", variable.text);
    Some(
        finding_without_location(Code::PluginVariableOutsidePlugin, message)
            .help("use `\"$CLAUDE_PROJECT_DIR\"/...`"),
    )
}

/// Reports a path such as `.claude/hooks/x.sh`, which depends on the agent's working directory.
fn check_relative_path(word: &str) -> Option<Diagnostic> {
    let start = word.split_whitespace().find(|word| {
        let word = word.trim_start_matches(['"', '\'']);
        word.starts_with(".claude/") || word.starts_with("./.claude/")
    })?;
    // After a `cd` the path may well be right.
    if word.contains("cd ") {
        return None;
    }
    let message = format!("`{start}` is looked for where the agent works at that moment");
    Some(
        finding_without_location(Code::RelativeScriptPath, message)
            .help("begin it with `\"$CLAUDE_PROJECT_DIR\"/`"),
    )
}
