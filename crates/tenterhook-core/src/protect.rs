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
mod switches;

pub use launchers::{
    agent_named, is_carrier, is_setter, launched, moves_an_agent, moving_variables,
};
pub use letters::{may_change, may_concern, names_guard};
pub use modules::{InPlugins, in_plugins};
pub use own::{OWN_COMMANDS, OWN_OVERRIDES, PACKAGE};
pub use path::{
    Hold, directories, file_names, hold, is_environment_file, is_git_config, is_home_of_guard,
    is_match, is_part_of, is_startup_file,
};
pub use switches::{is_loosened_by, is_switch};

/// The pack of rules that denies: native configuration, for every host alike.
pub const PACK: &str = include_str!("protect/self-protection.toml");

/// What the pack is called, and how the names of its rules begin.
pub const NAME: &str = "self-protection";
