//! What is never written from inside a sandbox, whatever is granted: what says which hooks run, for whichever agent, and what runs
//! git's own. Also where it is not there yet.

mod git;
mod nested;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::protect::AGENTS;
use git::Git;

/// The paths, in each of `places`, in the home, and where variables of the host lead agents.
pub(super) fn of(places: &[&Path], home: &Path, env: &[(String, String)]) -> Vec<PathBuf> {
    let git = Git::of(home, env);
    let mut all_places: BTreeSet<PathBuf> = places.iter().map(|it| it.to_path_buf()).collect();
    all_places.extend(places.iter().flat_map(|it| git.submodules(it)));
    let places = || all_places.iter().map(PathBuf::as_path);
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
        all.extend(git.held(place));
        all.extend(family(place));
    }
    all.extend(elsewhere(env).filter(|it| {
        // One that leads to a directory around these would hold everything.
        !home.starts_with(it) && !places().any(|place| place.starts_with(it))
    }));
    all
}

/// What of that is there at any depth below directories that may be changed.
pub(super) fn below(roots: &[PathBuf], home: &Path, env: &[(String, String)]) -> Vec<PathBuf> {
    if roots.is_empty() {
        return Vec::new();
    }
    let (git, nested) = (Git::of(home, env), nested::below(roots));
    let held = nested.repositories.iter().flat_map(|it| git.held(it));
    held.chain(nested.files).collect()
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
