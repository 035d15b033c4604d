//! What is never written from inside a sandbox, whatever is granted: what says which hooks run, for whichever agent, and what runs
//! git's own. Also where it is not there yet.

mod git;
mod nested;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::protect::AGENTS;
use git::Git;

/// What is never written around the places of one process: looked for when somebody asks. Where nothing is granted to be changed nobody does,
/// unless a refusal is told.
#[derive(Debug)]
pub(super) struct Held {
    places: Vec<PathBuf>,
    home: PathBuf,
    /// The variables that lead to any of it.
    env: Vec<(String, String)>,
    found: OnceLock<Vec<PathBuf>>,
}

impl Held {
    pub(super) fn around(places: &[&Path], home: &Path, env: &[(String, String)]) -> Self {
        let leads = |name: &str| is_of_agents(name) || git::VARIABLES.contains(&name);
        let env = env.iter().filter(|(name, _)| leads(name)).cloned().collect();
        let places = places.iter().map(|it| it.to_path_buf()).collect();
        Self { places, home: home.to_path_buf(), env, found: OnceLock::new() }
    }

    pub(super) fn all(&self) -> &[PathBuf] {
        self.found.get_or_init(|| {
            let places: Vec<&Path> = self.places.iter().map(PathBuf::as_path).collect();
            of(&places, &self.home, &self.env)
        })
    }
}

/// The paths, in each of `places`, in the home, and where variables of the host lead agents.
pub(super) fn of(places: &[&Path], home: &Path, env: &[(String, String)]) -> Vec<PathBuf> {
    let git = Git::of(home, env);
    let mut all_places: BTreeSet<PathBuf> = places.iter().map(|it| it.to_path_buf()).collect();
    let mut all = Vec::new();
    for place in places {
        let (known, further) = git.submodules(place);
        all_places.extend(known);
        all.extend(further);
    }
    let places = || all_places.iter().map(PathBuf::as_path);
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
    if git.is_spent() {
        all.extend(places().map(Path::to_path_buf));
    }
    // Also where the directory around it is that of a project.
    all.extend(elsewhere(env).map(|it| it.join("scratch")));
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
    let mut all: Vec<PathBuf> = held.chain(nested.files).collect();
    if git.is_spent() {
        all.extend_from_slice(roots);
    }
    all
}

/// Variables that lead to directories of many programs, ours among them.
const SHARED: &[&str] = &["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

fn is_of_agents(name: &str) -> bool {
    SHARED.contains(&name) || AGENTS.iter().any(|it| it.variables.contains(&name))
}

/// Where variables lead agents, and us.
fn elsewhere(env: &[(String, String)]) -> impl Iterator<Item = PathBuf> {
    let leads = |name: &str| AGENTS.iter().any(|it| it.variables.contains(&name));
    let named = env.iter().filter(move |(name, _)| leads(name)).map(|(_, value)| value.into());
    let ours = env.iter().filter(|(name, _)| SHARED.contains(&&**name));
    let ours = ours.map(|(_, value)| Path::new(value).join("tenterhook"));
    named.chain(ours).filter(|it: &PathBuf| it.is_absolute())
}

/// Our own files of any middle name, as far as they are there.
fn family(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let ours = entries.filter(|it| it.file_name().to_string_lossy().starts_with("tenterhook."));
    ours.map(|it| it.path()).collect()
}
