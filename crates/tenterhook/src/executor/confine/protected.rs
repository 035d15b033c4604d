//! Paths that no sandboxed process may write, whatever it is granted: files that decide which
//! hooks run, for any agent, and files that git runs. Also while they do not exist yet.

mod git;
mod nested;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use git::Git;
use tenterhook_core::agents::{AGENTS, Agent};

/// The protected paths around the directories of one process, searched for when first needed: if
/// nothing is writable, only to report a refusal.
#[derive(Debug)]
pub(super) struct ProtectedPaths {
    places: Vec<PathBuf>,
    home: PathBuf,
    /// Variables that name any of these paths.
    env: Vec<(String, String)>,
    found: OnceLock<Vec<PathBuf>>,
}

impl ProtectedPaths {
    pub(super) fn around(places: &[&Path], home: &Path, env: &[(String, String)]) -> Self {
        let leads = |name: &str| is_of_agents(name) || git::VARIABLES.contains(&name);
        let env = env.iter().filter(|(name, _)| leads(name)).cloned().collect();
        let places = places.iter().map(|path| path.to_path_buf()).collect();
        Self { places, home: home.to_path_buf(), env, found: OnceLock::new() }
    }

    pub(super) fn all(&self) -> &[PathBuf] {
        self.found.get_or_init(|| {
            let places: Vec<&Path> = self.places.iter().map(PathBuf::as_path).collect();
            protected_paths(&places, &self.home, &self.env)
        })
    }
}

/// The protected paths in each of `places`, in the home, and where variables of the host lead
/// agents.
pub(super) fn protected_paths(
    places: &[&Path],
    home: &Path,
    env: &[(String, String)],
) -> Vec<PathBuf> {
    let git = Git::new(home, env);
    // Many are the same: the project of an event, and its parents.
    let of_process: BTreeSet<PathBuf> = places.iter().map(|path| path.to_path_buf()).collect();
    let mut all_places = of_process.clone();
    let mut all = Vec::new();
    for place in &of_process {
        let (known, further) = git.submodules(place);
        all_places.extend(known);
        all.extend(further);
    }
    let places = || all_places.iter().map(PathBuf::as_path);
    for (agent, file) in rows() {
        match file.strip_prefix("~/") {
            Some(rest) => all.extend(named(home, rest, agent)),
            None if file.starts_with('/') => all.extend(named(Path::new("/"), file, agent)),
            None => {
                let anywhere = places().chain([home]);
                all.extend(anywhere.flat_map(|path| named(path, file, agent)));
            }
        }
    }
    for place in places() {
        all.extend(git.protected_in(place));
    }
    if git.is_spent() {
        all.extend(places().map(Path::to_path_buf));
    }
    // Even if the state directory is inside a project.
    all.extend(elsewhere(env).map(|path| path.join("scratch")));
    all.extend(elsewhere(env).filter(|path| {
        // A path around these directories would protect everything.
        !home.starts_with(path) && !places().any(|place| place.starts_with(path))
    }));
    all
}

/// Protected paths that exist at any depth below writable directories.
pub(super) fn below(roots: &[PathBuf], home: &Path, env: &[(String, String)]) -> Vec<PathBuf> {
    if roots.is_empty() {
        return Vec::new();
    }
    let (git, nested) = (Git::new(home, env), nested::below(roots));
    let found = nested.repositories.iter().flat_map(|repository| git.protected_in(repository));
    let mut all: Vec<PathBuf> = found.chain(nested.files).collect();
    if git.is_spent() {
        all.extend_from_slice(roots);
    }
    all
}

/// Variables that name directories of many programs, including ours.
const SHARED: &[&str] = &["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

fn is_of_agents(name: &str) -> bool {
    SHARED.contains(&name) || AGENTS.iter().any(|agent| agent.guarded.variables.contains(&name))
}

/// The directories that variables name for agents and for us.
fn elsewhere(env: &[(String, String)]) -> impl Iterator<Item = PathBuf> {
    let leads = |name: &str| AGENTS.iter().any(|agent| agent.guarded.variables.contains(&name));
    let named = env.iter().filter(move |(name, _)| leads(name)).map(|(_, value)| value.into());
    let ours = env.iter().filter(|(name, _)| SHARED.contains(&&**name));
    let ours = ours.map(|(_, value)| Path::new(value).join("tenterhook"));
    named.chain(ours).filter(|path: &PathBuf| path.is_absolute())
}

/// The paths of the table, each with its agent.
fn rows() -> impl Iterator<Item = (&'static Agent, &'static str)> {
    let texts =
        AGENTS.iter().flat_map(|agent| agent.guarded.texts.iter().map(move |text| (*agent, *text)));
    let files = AGENTS.iter().flat_map(|agent| {
        agent.guarded.files.iter().map(move |file| (*agent, file.trim_end_matches('/')))
    });
    files.chain(texts)
}

/// The paths below a directory that a row of the table names. A family of names stands for the
/// files that exist.
fn named(directory: &Path, row: &str, agent: &Agent) -> Vec<PathBuf> {
    let path = directory.join(row.trim_start_matches('/'));
    let (Some(parent), Some(name)) =
        (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return vec![path];
    };
    if !name.contains('*') {
        return vec![path];
    }
    // Directories of programs hold hundreds of others: ours are recognized by their names.
    if name.ends_with('*') {
        let programs = agent.programs.iter().filter(|program| nested::fits(name, program));
        let programs = programs.map(|program| parent.join(program));
        return programs.filter(|program| program.symlink_metadata().is_ok()).collect();
    }
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let fitting = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(|text| nested::fits(name, text)));
    fitting.map(|entry| entry.path()).collect()
}
