//! CodeWhale: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, hook_file};
use super::{Agent, Field, Guarded, HookFile, Layout};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "codewhale",
    title: "CodeWhale",
    programs: &["codewhale", "deepseek"],
    packages: &[],
    guarded: Guarded {
        files: &[
            ".codewhale/config.toml",
            ".codewhale/hooks.toml",
            ".codewhale/hooks/",
            ".codewhale/plugins/",
            ".deepseek/config.toml",
            ".deepseek/trusted",
        ],
        variables: &["CODEWHALE_CONFIG_PATH", "CODEWHALE_HOME", "DEEPSEEK_CONFIG_PATH"],
        options: &["--yolo", "--config"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".codewhale/hooks.toml",
    layout: Layout::Tables { is_1_1: false },
    keys: &[
        (Field::Event, "event"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout_secs"),
        (Field::Background, "background"),
    ],
};

/// What CodeWhale runs of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[hook_file(
    ".codewhale/hooks.toml",
    &["hooks"],
    Consent::Asked("after you trust the folder in your own config"),
)];
