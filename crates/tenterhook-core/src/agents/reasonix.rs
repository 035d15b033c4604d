//! Reasonix: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, hook_file};
use super::{Agent, EventLists, Field, Guarded, HookFile, JsonFile, Layout};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "reasonix",
    title: "Reasonix",
    programs: &["reasonix"],
    packages: &[],
    guarded: Guarded {
        files: &[".reasonix/settings.json", "~/.reasonix/trust.json", "~/.reasonix/plugins/"],
        variables: &["REASONIX_HOME"],
        options: &["--yolo", "--dir"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".reasonix/settings.json",
    layout: Layout::Json(JsonFile { lists: EventLists::Entries, ..JsonFile::USUAL }),
    keys: &[
        (Field::Matcher, "match"),
        (Field::Line, "command"),
        (Field::Args, "args"),
        (Field::Milliseconds, "timeout"),
        (Field::Env, "env"),
        (Field::Cwd, "cwd"),
        (Field::Status, "description"),
        (Field::Background, "async"),
    ],
};

/// What Reasonix runs of a project. Versions of May to July 2026 asked for trust first.
const REPOSITORY_FILES: &[RepositoryFile] =
    &[hook_file(".reasonix/settings.json", &["hooks"], Consent::Unasked)];
