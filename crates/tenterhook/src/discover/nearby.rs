//! Files with hooks that lie near the caller and are not read there. Loads none.

use std::path::{Path, PathBuf};

use super::candidates::all_config_candidates;
use super::file::read_config_file;
use super::view::View;
use super::{absolute_path, config_format, new_source};
use tenterhook_core::dialect::{Candidate, DIALECTS, DialectId, Fit, Roots};
use tenterhook_core::hook::Layer;
use tenterhook_core::syntax;

/// How many directories above the caller's are searched for files that it hides.
const MAX_ANCESTORS: usize = 16;

/// A file with hooks that the agent does not read from here, although one may think so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The file.
    pub path: PathBuf,
    /// How many hooks it configures.
    pub hooks: usize,
    /// Why it is not read.
    pub because: String,
}

/// Finds files with hooks, in the working directory and the directories above it, that an agent
/// started here does not read (C-6).
#[must_use]
pub fn find_unread_hook_files(roots: &Roots) -> Vec<Hidden> {
    let view = View::default();
    let read_here: Vec<PathBuf> = all_config_candidates(roots, &view)
        .into_iter()
        .map(|(_, candidate)| candidate.path)
        .collect();
    let mut hidden: Vec<Hidden> = Vec::new();
    for directory in directories_to_search(roots) {
        // As if the directory were the root of a repository: then each dialect reads what lies in
        // it.
        let there = Roots { cwd: directory.to_owned(), repository: None, ..roots.clone() };
        for (dialect, Candidate { path, layer }) in all_config_candidates(&there, &view) {
            let known = read_here.contains(&path) || hidden.iter().any(|h| h.path == path);
            if known || !matches!(layer, Layer::Project | Layer::Local) {
                continue;
            }
            let Ok(text) = read_config_file(&path) else { continue };
            let source = new_source(&path, dialect, layer, text, &there);
            let hooks = dialect.dialect().read_config(&source).hooks.len();
            if hooks > 0 {
                let because = why_file_is_unread(&path, directory, roots);
                hidden.push(Hidden { path, hooks, because });
            }
        }
    }
    hidden
}

/// Returns the working directory and its parents, up to the root of the repository and without the
/// home directory, whose files belong to the user's layer.
fn directories_to_search(roots: &Roots) -> impl Iterator<Item = &Path> {
    let inside =
        |path: &&Path| roots.repository.as_deref().is_none_or(|root| path.starts_with(root));
    let above = roots.cwd.ancestors().take(MAX_ANCESTORS).take_while(inside);
    above.take_while(|path| **path != *roots.home)
}

/// Explains why an agent started here does not read the file.
fn why_file_is_unread(path: &Path, directory: &Path, roots: &Roots) -> String {
    let started_there = Roots { cwd: directory.to_owned(), ..roots.clone() };
    let read_there = all_config_candidates(&started_there, &View::default())
        .iter()
        .any(|(_, candidate)| candidate.path == path);
    match &roots.repository {
        Some(root) if !read_there => {
            format!("it is read only from the root of the repository, `{}`", root.display())
        }
        _ => format!("it is read only by an agent that is started in `{}`", directory.display()),
    }
}

/// Whether a file certainly belongs to a dialect other than `dialect`, by its path or by contents
/// that only that other dialect has (C-5).
#[must_use]
pub fn is_file_of_other_dialect(path: &Path, dialect: DialectId, roots: &Roots) -> bool {
    let full = absolute_path(path, &roots.cwd);
    let Ok(text) = read_config_file(&full) else { return false };
    let root = syntax::parse_by_format(&text, config_format(&full)).root;
    let certain =
        |id: DialectId| id.dialect().recognize_config_file(&full, root.as_ref()) == Fit::Certain;
    !certain(dialect) && DIALECTS.iter().any(|dialect| certain(dialect.id()))
}
