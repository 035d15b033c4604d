//! Which project does a file with hooks belong to? The one whose agent would find it there,
//! wherever below it the caller stands (C-100). Opens no file.

use std::path::{Path, PathBuf};

use super::candidates::matches_path_pattern;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::Layer;

/// How far below its project the deepest such file lies: `.agents/plugins/NAME/hooks/hooks.json`.
const DEPTH: usize = 5;

/// Returns the project of a file that was found from `roots`.
pub(super) fn project_of_found_file(
    path: &Path,
    (dialect, layer): (DialectId, Layer),
    roots: &Roots,
) -> PathBuf {
    let project = match layer {
        Layer::Project | Layer::Local => project_directory_of(path, dialect).or_else(|| {
            repository_of_plugin(path, roots).filter(|_| !path.starts_with(&roots.cwd))
        }),
        Layer::Plugin => repository_of_plugin(path, roots),
        _ => None,
    };
    project.unwrap_or_else(|| roots.cwd.clone())
}

/// Returns the directory from which an agent would find the file as its project's: `/repo` for
/// `/repo/.claude/settings.json`.
pub(super) fn project_directory_of(path: &Path, dialect: DialectId) -> Option<PathBuf> {
    path.ancestors().skip(1).take(DEPTH).find_map(|directory| {
        let roots = Roots { cwd: directory.to_owned(), ..Roots::default() };
        let places = dialect.dialect().candidate_files(&roots).into_iter();
        let mut own = places.filter(|place| matches!(place.layer, Layer::Project | Layer::Local));
        own.any(|place| matches_path_pattern(path, &place.path)).then(|| directory.to_owned())
    })
}

/// Returns the repository that contains a plugin. `None` if the user's home is in that repository,
/// because then its files are the user's own.
fn repository_of_plugin(path: &Path, roots: &Roots) -> Option<PathBuf> {
    let repository = roots.repository.as_ref()?;
    (path.starts_with(repository) && !roots.home.starts_with(repository))
        .then(|| repository.clone())
}
