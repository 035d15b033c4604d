//! The paths of the agent's files, and whether a file is one of them. Opens nothing.

use std::path::Path;

use super::events;
use crate::dialect::{Candidate, Fit, Roots};
use crate::hook::Layer;
use crate::syntax::Node;

/// The directories of the agent: the current one, and the one of its old name.
const DIRECTORIES: [&str; 2] = [".codewhale", ".deepseek"];

/// The kind of a file. The two files of the agent spell their hooks differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// `config.toml`: entries and settings are under `hooks`.
    Config,
    /// `hooks.toml`: entries and settings are at the top level.
    Hooks,
    /// A file with any other name.
    Unknown,
}

impl FileKind {
    pub(super) fn from_path(path: &Path) -> Self {
        match path.file_name().and_then(|name| name.to_str()) {
            Some("config.toml") => Self::Config,
            Some("hooks.toml") => Self::Hooks,
            _ => Self::Unknown,
        }
    }
}

/// The user's file, the user's file under the old name, the project's (CW-40).
pub(super) fn config_candidates(roots: &Roots) -> Vec<Candidate> {
    let user = DIRECTORIES.map(|directory| roots.home.join(directory).join("config.toml"));
    let user = user.into_iter().map(|path| Candidate { path, layer: Layer::User });
    let project = roots.cwd.join(".codewhale").join("hooks.toml");
    user.chain([Candidate { path: project, layer: Layer::Project }]).collect()
}

/// Whether the path is that of the user's file under the old name.
pub(super) fn is_legacy_config_path(path: &Path) -> bool {
    parent_name(path) == Some(".deepseek") && FileKind::from_path(path) == FileKind::Config
}

fn parent_name(path: &Path) -> Option<&str> {
    path.parent()?.file_name()?.to_str()
}

/// Recognizes a file by its path, else by entries with an event of the agent.
pub(super) fn recognize_config(path: &Path, root: Option<&Node>) -> Fit {
    let at_home = parent_name(path).is_some_and(|directory| DIRECTORIES.contains(&directory));
    if at_home && FileKind::from_path(path) != FileKind::Unknown {
        return Fit::Certain;
    }
    // The files are TOML; JSON with the same structure belongs to a different agent.
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        return Fit::No;
    }
    let entries = root.map(hook_entries).unwrap_or_default();
    let is_own = |entry: &Node| {
        let event = entry.get("event").and_then(Node::as_str);
        event.is_some_and(|event| events::find_by_config_name(event).is_some())
            && entry.get("command").is_some()
    };
    if entries.iter().any(is_own) {
        return Fit::Certain;
    }
    let is_shaped = |entry: &Node| entry.get("event").is_some() && entry.get("command").is_some();
    if entries.iter().any(is_shaped) { Fit::Shape } else { Fit::No }
}

/// The entries of a file in either spelling.
fn hook_entries(root: &Node) -> &[Node] {
    let Some(hooks) = root.get("hooks") else { return &[] };
    hooks.as_array().or_else(|| hooks.get("hooks")?.as_array()).unwrap_or_default()
}
