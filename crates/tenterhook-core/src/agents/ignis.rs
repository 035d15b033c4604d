//! ignis: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::{Agent, EventLists, Field, Guarded, HookFile, JsonFile, Layout};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "ignis",
    title: "ignis",
    programs: &["ignis"],
    packages: &[],
    guarded: Guarded {
        files: &[".ignis/hooks.json", ".ignis/hooks/", "~/.ignis/config.toml"],
        variables: &["IGNIS_HOME"],
        options: &["--yolo"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".ignis/hooks.json",
    layout: Layout::Json(JsonFile { lists: EventLists::Entries, ..JsonFile::USUAL }),
    keys: &[
        (Field::Matcher, "matcher"),
        (Field::Argv, "argv"),
        (Field::Milliseconds, "timeout_ms"),
    ],
};
