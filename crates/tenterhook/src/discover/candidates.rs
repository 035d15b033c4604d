//! The paths of files with hooks that an agent would load. Opens no file, except the one that names
//! the origin of moved entries.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::file;
use super::view::View;
use tenterhook_core::agents;
use tenterhook_core::dialect::{Candidate, DIALECTS, Dialect, DialectId, Roots};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::ADOPTED;

/// Returns the candidates of a dialect. The file of entries that were moved away from its agent
/// (BR-75) follows the user's other files.
pub(super) fn config_candidates_of_dialect(dialect: &Dialect, roots: &Roots) -> Vec<Candidate> {
    let mut all = dialect.candidate_files(roots);
    if let Some(path) = moved_entries_file(dialect.id(), roots) {
        let last = all.iter().rposition(|candidate| candidate.layer == Layer::User);
        all.insert(last.map_or(all.len(), |n| n + 1), Candidate { path, layer: Layer::User });
    }
    all.retain(|candidate| roots.has_known_base(&candidate.path, candidate.layer));
    all
}

/// Returns the file that holds the entries that were moved away from an agent (BR-75); `None` if
/// its entries stay.
#[must_use]
pub fn moved_entries_file(dialect: DialectId, roots: &Roots) -> Option<PathBuf> {
    let agent = agents::agent_with_hook_installation(dialect.as_str())
        .filter(|agent| agent.installation.form.is_shared_json())?;
    Some(roots.user_tenterhook_dir().join(ADOPTED).join(format!("{}.json", agent.name)))
}

/// Returns the path of the note beside the moved entries that names the settings from which they
/// were moved.
#[must_use]
pub fn path_of_moved_entries_note(adopted: &Path) -> PathBuf {
    adopted.with_extension("from")
}

/// Returns the settings file from which the entries of a source were moved (BR-78); `None` for a
/// source without moved entries. If that path cannot be read, returns the path of the agent's
/// default settings.
pub(super) fn origin_of_moved_entries(
    dialect: DialectId,
    path: &Path,
    roots: &Roots,
) -> Option<PathBuf> {
    if moved_entries_file(dialect, roots).is_none_or(|adopted| adopted != path) {
        return None;
    }
    let named = file::read_config_file(&path_of_moved_entries_note(path))
        .ok()
        .map(|text| PathBuf::from(text.trim_end()));
    named.filter(|path| path.is_absolute()).or_else(|| {
        let agent = agents::agent_with_hook_installation(dialect.as_str())?;
        let settings = agent.installation.user_file?;
        Some(roots.home.join(agent.installation.home).join(settings))
    })
}

/// Returns the paths that [`find`](super::find) looks at, in that order, each with its dialect, for
/// the message that nothing was found. A `*` matches any name.
#[must_use]
pub fn searched_paths(roots: &Roots) -> Vec<(DialectId, PathBuf)> {
    let of_dialect = |dialect: &&'static Dialect| {
        let id = dialect.id();
        config_candidates_of_dialect(dialect, roots)
            .into_iter()
            .map(move |candidate| (id, candidate.path))
    };
    let mut paths: Vec<(DialectId, PathBuf)> = Vec::new();
    for path in DIALECTS.iter().flat_map(|dialect| of_dialect(&&**dialect)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Returns every candidate of every dialect, sorted, with each `*` in a path resolved to existing
/// files.
pub(super) fn all_config_candidates(roots: &Roots, view: &View) -> Vec<(DialectId, Candidate)> {
    let mut all = Vec::new();
    for dialect in DIALECTS {
        for Candidate { path, layer } in config_candidates_of_dialect(dialect, roots) {
            let paths = view.expand_wildcards(&path).into_iter();
            all.extend(paths.map(|path| (dialect.id(), Candidate { path, layer })));
        }
    }
    // If the user works in their home, a file can be a candidate of both layers: keep the user's.
    let users: BTreeSet<_> = all
        .iter()
        .filter(|(_, candidate)| candidate.layer == Layer::User)
        .map(|(dialect, candidate)| (*dialect, candidate.path.clone()))
        .collect();
    all.retain(|(dialect, candidate)| {
        candidate.layer == Layer::User || !users.contains(&(*dialect, candidate.path.clone()))
    });
    all
}

/// Whether a path matches a pattern, compared component by component, with at most one `*` in each.
pub(super) fn matches_path_pattern(path: &Path, pattern: &Path) -> bool {
    let (names, patterns) = (path.components(), pattern.components());
    let fits = |name: Component<'_>, pattern: Component<'_>| {
        let (name, pattern) =
            (name.as_os_str().to_string_lossy(), pattern.as_os_str().to_string_lossy());
        match pattern.split_once('*') {
            None => name == pattern,
            Some((before, after)) => {
                name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))
                    && !name.starts_with('.')
            }
        }
    };
    names.clone().count() == patterns.clone().count()
        && names.zip(patterns).all(|(name, pattern)| fits(name, pattern))
}

/// Returns the candidates of the user's layer.
pub(super) fn user_config_candidates(roots: &Roots, view: &View) -> Vec<(DialectId, Candidate)> {
    let is_own = |(_, candidate): &(DialectId, Candidate)| candidate.layer == Layer::User;
    all_config_candidates(roots, view).into_iter().filter(is_own).collect()
}
