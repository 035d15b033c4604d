//! Lists the files, variables and options of each agent's guard (what decides whether its hooks run),
//! and classifies a path or a word against them.
//!
//! Compares text only: `call` works out what a call does, and its caller reads files. Judges no call
//! and uses no dialect, because many protected agents (Cursor, Windsurf) have none.

mod launchers;
mod letters;
mod modules;
mod options;
mod own;
mod path;
mod state;
mod switches;

pub use launchers::{
    config_path_variables, find_agent_by_argument, find_launched_agent, passes_env_assignments,
    redirects_any_agent_config, sets_persistent_variables,
};
pub use letters::{may_change_files, may_concern_guard, names_guard_literally};
pub use modules::{InPlugins, locate_in_plugin_directories};
pub use own::{OWN_COMMANDS, OWN_OVERRIDES, PACKAGE};
pub use path::{
    Hold, guarded_directories, guarded_file_names, is_at_or_below, is_environment_file,
    is_git_config, is_guard_directory, is_startup_file, relation_of_path_to_guards,
    shell_pattern_matches,
};
pub use state::{is_at_or_near_state, may_match_state_name, pattern_of_regex};
pub use switches::{call_loosens_guard_setting, tool_can_change_settings};

/// The pack of rules that denies: native configuration, for every host alike.
pub const PACK: &str = include_str!("protect/self-protection.toml");

/// What the pack is called, and how the names of its rules begin.
pub const NAME: &str = "self-protection";
