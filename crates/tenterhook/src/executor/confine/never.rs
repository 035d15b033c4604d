//! What is never written from inside a sandbox, whatever is granted: what says which hooks run, for whichever agent, and what runs
//! git's own. Also where it is not there yet.

use std::fs;
use std::path::{Path, PathBuf};

use crate::protect::AGENTS;

/// What of a repository makes git start programs: its own hooks and settings, and those of its submodules and worktrees.
const GIT: &[&str] =
    &[".git/hooks", ".git/config", ".git/config.worktree", ".git/modules", ".git/worktrees"];

/// The paths, in each of `places`, in the home, and where variables of the host lead agents.
pub(super) fn of(places: &[&Path], home: &Path, env: &[(String, String)]) -> Vec<PathBuf> {
    let inner: Vec<PathBuf> = places.iter().flat_map(|it| submodules(it)).collect();
    let places = || places.iter().copied().chain(inner.iter().map(PathBuf::as_path));
    let mut all = Vec::new();
    for file in AGENTS.iter().flat_map(|agent| agent.files) {
        let file = file.trim_end_matches('/');
        // A family of names is held by its directory, in which nothing can be made once one name in it is held.
        if file.contains('*') {
            continue;
        }
        match file.strip_prefix("~/") {
            Some(rest) => all.push(home.join(rest)),
            None if file.starts_with('/') => all.push(file.into()),
            None => {
                all.extend(places().map(|it| it.join(file)));
                all.push(home.join(file));
            }
        }
    }
    for place in places() {
        all.extend(GIT.iter().map(|it| place.join(it)));
        all.extend(hooks_path(place));
        all.extend(family(place));
    }
    // In a submodule this is a file that says where its settings lie.
    all.extend(inner.iter().map(|it| it.join(".git")));
    all.extend(elsewhere(env).filter(|it| {
        // One that leads to a directory around these would hold everything.
        !home.starts_with(it) && !places().any(|place| place.starts_with(it))
    }));
    all
}

/// Where variables lead agents, and us.
fn elsewhere(env: &[(String, String)]) -> impl Iterator<Item = PathBuf> {
    let leads = |name: &str| AGENTS.iter().any(|it| it.variables.contains(&name));
    let named = env.iter().filter(move |(name, _)| leads(name)).map(|(_, value)| value.into());
    let shared = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];
    let ours = env.iter().filter(move |(name, _)| shared.contains(&&**name));
    let ours = ours.map(|(_, value)| Path::new(value).join("tenterhook"));
    named.chain(ours).filter(|it: &PathBuf| it.is_absolute())
}

/// Our own files of any middle name, as far as they are there.
fn family(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let ours = entries.filter(|it| it.file_name().to_string_lossy().starts_with("tenterhook."));
    ours.map(|it| it.path()).collect()
}

/// Where a repository's settings put its hooks.
fn hooks_path(place: &Path) -> Option<PathBuf> {
    values(&place.join(".git/config"), "hookspath").into_iter().next().map(|it| place.join(it))
}

/// The directories of a repository's submodules.
fn submodules(place: &Path) -> Vec<PathBuf> {
    values(&place.join(".gitmodules"), "path").iter().map(|it| place.join(it)).collect()
}

/// The largest of git's files of settings that is looked into.
const LARGEST: u64 = 1 << 20;

/// The values of a key in one of git's files of settings, whatever part of it they stand in.
fn values(file: &Path, key: &str) -> Vec<String> {
    let is_small = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= LARGEST);
    let text = is_small.then(|| fs::read(file).ok()).flatten().unwrap_or_default();
    let value = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let is_it = name.trim().eq_ignore_ascii_case(key);
        is_it.then(|| value.trim().trim_matches('"').to_owned()).filter(|it| !it.is_empty())
    };
    String::from_utf8_lossy(&text).lines().filter_map(value).collect()
}
