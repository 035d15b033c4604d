//! Gen: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, hook_file};
use super::{Agent, Field, Guarded, HookFile, JsonFile, Layout};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "gen",
    title: "Gen",
    programs: &["gen"],
    packages: &[],
    is_part_of_words: true,
    guarded: Guarded {
        files: &[".gen/settings.json", ".gen/settings.local.json", "~/.gen/plugins/"],
        variables: &["GEN_HOME"],
        options: &["--dangerously-skip-permissions", "--bypass-permissions"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".gen/settings.json",
    layout: Layout::Json(JsonFile::USUAL),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
        (Field::Status, "statusMessage"),
        (Field::Once, "once"),
        (Field::Background, "async"),
        (Field::Wake, "asyncRewake"),
        (Field::Condition, "if"),
        (Field::Url, "url"),
        (Field::Prompt, "prompt"),
    ],
};

/// What Gen runs of a project, from the start of a session.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".gen/settings.json", &["hooks"], Consent::Unasked),
    hook_file(".gen/settings.local.json", &["hooks"], Consent::Unasked),
];
