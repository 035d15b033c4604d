//! Which project does a file with hooks belong to? The one whose agent would find it there,
//! wherever below it the caller stands (C-100). Opens no file.

use std::path::{Path, PathBuf};

use super::candidates::is_one_of;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::Layer;

/// How far below its project the deepest such file lies: `.agents/plugins/NAME/hooks/hooks.json`.
const DEPTH: usize = 5;

/// The project of a file that was found from `roots`.
pub(super) fn of_found(
    path: &Path,
    (dialect, layer): (DialectId, Layer),
    roots: &Roots,
) -> PathBuf {
    let project = match layer {
        Layer::Project | Layer::Local => holder(path, dialect)
            .or_else(|| repository_round(path, roots).filter(|_| !path.starts_with(&roots.cwd))),
        Layer::Plugin => repository_round(path, roots),
        _ => None,
    };
    project.unwrap_or_else(|| roots.cwd.clone())
}

/// The directory from which an agent would find the file as its project's: `/repo` for
/// `/repo/.claude/settings.json`.
pub(super) fn holder(path: &Path, dialect: DialectId) -> Option<PathBuf> {
    path.ancestors().skip(1).take(DEPTH).find_map(|directory| {
        let roots = Roots { cwd: directory.to_owned(), ..Roots::default() };
        let places = dialect.dialect().candidates(&roots).into_iter();
        let mut own = places.filter(|place| matches!(place.layer, Layer::Project | Layer::Local));
        own.any(|place| is_one_of(path, &place.path)).then(|| directory.to_owned())
    })
}

/// The repository that brings a plugin. One that holds the user's home brings none: what lies there
/// is the user's own.
fn repository_round(path: &Path, roots: &Roots) -> Option<PathBuf> {
    let repository = roots.repository.as_ref()?;
    (path.starts_with(repository) && !roots.home.starts_with(repository))
        .then(|| repository.clone())
}
