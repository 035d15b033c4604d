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
    pub(super) fn for_directories(places: &[&Path], home: &Path, env: &[(String, String)]) -> Self {
        let leads = |name: &str| is_agent_variable(name) || git::VARIABLES.contains(&name);
        let env = env.iter().filter(|(name, _)| leads(name)).cloned().collect();
        let places = places.iter().map(|path| path.to_path_buf()).collect();
        Self { places, home: home.to_path_buf(), env, found: OnceLock::new() }
    }

    pub(super) fn paths(&self) -> &[PathBuf] {
        self.found.get_or_init(|| {
            let places: Vec<&Path> = self.places.iter().map(PathBuf::as_path).collect();
            find_protected_paths(&places, &self.home, &self.env)
        })
    }
}

/// Finds the protected paths in each of `places`, in the home, and in the directories that
/// variables of the host name for agents.
pub(super) fn find_protected_paths(
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
        let (known, further) = git.all_submodules(place);
        all_places.extend(known);
        all.extend(further);
    }
    let places = || all_places.iter().map(PathBuf::as_path);
    for (agent, file) in guarded_paths_of_agents() {
        match file.strip_prefix("~/") {
            Some(rest) => all.extend(expand_guarded_path(home, rest, agent)),
            None if file.starts_with('/') => {
                all.extend(expand_guarded_path(Path::new("/"), file, agent))
            }
            None => {
                let anywhere = places().chain([home]);
                all.extend(anywhere.flat_map(|path| expand_guarded_path(path, file, agent)));
            }
        }
    }
    for place in places() {
        all.extend(git.protected_paths_of_repository(place));
    }
    if git.is_limit_exceeded() {
        all.extend(places().map(Path::to_path_buf));
    }
    // Even if the state directory is inside a project.
    all.extend(directories_named_by_env(env).map(|path| path.join("scratch")));
    all.extend(directories_named_by_env(env).filter(|path| {
        // A path around these directories would protect everything.
        !home.starts_with(path) && !places().any(|place| place.starts_with(path))
    }));
    all
}

/// Finds the protected paths that exist at any depth below writable directories.
pub(super) fn protected_paths_below(
    roots: &[PathBuf],
    home: &Path,
    env: &[(String, String)],
) -> Vec<PathBuf> {
    if roots.is_empty() {
        return Vec::new();
    }
    let (git, nested) = (Git::new(home, env), nested::find_repositories_and_agent_files(roots));
    let found = nested
        .repositories
        .iter()
        .flat_map(|repository| git.protected_paths_of_repository(repository));
    let mut all: Vec<PathBuf> = found.chain(nested.files).collect();
    if git.is_limit_exceeded() {
        all.extend_from_slice(roots);
    }
    all
}

/// Variables that name directories of many programs, including ours.
const SHARED: &[&str] = &["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// Whether an environment variable names a directory of agents or of ours.
fn is_agent_variable(name: &str) -> bool {
    SHARED.contains(&name) || AGENTS.iter().any(|agent| agent.guarded.variables.contains(&name))
}

/// Returns the directories that environment variables name for agents and for us.
fn directories_named_by_env(env: &[(String, String)]) -> impl Iterator<Item = PathBuf> {
    let leads = |name: &str| AGENTS.iter().any(|agent| agent.guarded.variables.contains(&name));
    let named = env.iter().filter(move |(name, _)| leads(name)).map(|(_, value)| value.into());
    let ours = env.iter().filter(|(name, _)| SHARED.contains(&&**name));
    let ours = ours.map(|(_, value)| Path::new(value).join("tenterhook"));
    named.chain(ours).filter(|path: &PathBuf| path.is_absolute())
}

/// Returns the paths in the table of agents, each with its agent.
fn guarded_paths_of_agents() -> impl Iterator<Item = (&'static Agent, &'static str)> {
    let texts =
        AGENTS.iter().flat_map(|agent| agent.guarded.texts.iter().map(move |text| (*agent, *text)));
    let files = AGENTS.iter().flat_map(|agent| {
        agent.guarded.files.iter().map(move |file| (*agent, file.trim_end_matches('/')))
    });
    files.chain(texts)
}

/// Returns the paths below a directory that a row of the table names. A row with a `*` names the
/// existing files that match it.
fn expand_guarded_path(directory: &Path, row: &str, agent: &Agent) -> Vec<PathBuf> {
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
        let programs =
            agent.programs.iter().filter(|program| nested::matches_wildcard(name, program));
        let programs = programs.map(|program| parent.join(program));
        return programs.filter(|program| program.symlink_metadata().is_ok()).collect();
    }
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let fitting = entries.filter(|entry| {
        entry.file_name().to_str().is_some_and(|text| nested::matches_wildcard(name, text))
    });
    fitting.map(|entry| entry.path()).collect()
}
