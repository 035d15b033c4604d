//! The parts of a guard: what `agents` says of each agent's files, variables and options, our own names, and the rules that keep a tool call away from them: data, and what a path or a word is by it.
//!
//! Pure: it knows names and letters. What a call does is worked out in `call`; what a file holds is looked up by the caller that may
//! look. It judges no call and names no dialect: most of these agents have none here.

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
