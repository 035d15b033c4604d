//! Finds the origin of a source: the user or the organisation for files in their directories, the
//! repository for files in it and for files that a different user could have written.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::decide::Origin;
use super::worktree::repository_round;
use crate::discover::{Stat, Unsupported};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::Source;

/// The origin of a source (T-1).
pub(super) fn origin(source: &Source) -> Origin {
    judged(source).0
}

/// The same, with why a file at the person's own place is not theirs. It is asked once: the next
/// look may find another answer.
pub(super) fn judged(source: &Source) -> (Origin, Option<String>) {
    let doubt = (source.layer == Layer::User).then(|| doubt(source)).flatten();
    let is_inside = Path::new(&*source.name).starts_with(&source.project);
    let origin = match source.layer {
        Layer::Managed | Layer::Given | Layer::BuiltIn => Origin::Own,
        Layer::User if doubt.is_none() => Origin::Own,
        // If the user works in their home, it is not a project (C-4).
        Layer::Plugin | Layer::Skill | Layer::Agent
            if !is_inside
                || source.project == source.home
                || is_above_home(Path::new(&*source.name), &source.project, &source.home) =>
        {
            Origin::Own
        }
        Layer::User
        | Layer::Project
        | Layer::Local
        | Layer::Plugin
        | Layer::Skill
        | Layer::Agent => Origin::Repository,
    };
    (origin, doubt)
}

/// Why a file at a place of the person's own may be somebody else's all the same, as a clause for
/// people.
fn doubt(source: &Source) -> Option<String> {
    // If a path cannot be examined, a later look may find a file of a different user: doubt it.
    doubtful(source).unwrap_or_else(|error| Some(error.to_string()))
}

fn doubtful(source: &Source) -> Result<Option<String>, OriginError> {
    let path = Path::new(&*source.name);
    // A file that does not exist cannot be read either, and its gates block for that (C-70).
    let Some(real) = real(path)? else { return Ok(None) };
    match inside(&real, source)? {
        Some(why) => Ok(Some(why)),
        None => others(path, &real, &source.home),
    }
}

/// A path that could not be examined.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be looked at: {source}", path.display())]
struct OriginError {
    path: PathBuf,
    source: io::Error,
}

/// Resolves links; `None` if the path does not exist.
fn real(path: &Path) -> Result<Option<PathBuf>, OriginError> {
    seen(path, path.canonicalize())
}

fn seen<T>(path: &Path, found: io::Result<T>) -> Result<Option<T>, OriginError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(source) => Err(OriginError { path: path.to_owned(), source }),
    }
}

/// A home of settings that somebody moved into the project or the repository round it, or linked to
/// it, holds what the repository brings. A repository that holds the home itself is the user's own,
/// and so is the home below a directory without a repository, such as `/`.
fn inside(file: &Path, source: &Source) -> Result<Option<String>, OriginError> {
    let (project, home) = (real(&source.project)?, real(&source.home)?);
    let Some(project) = project else { return Ok(None) };
    let repository = repository_round(&project)
        .filter(|root| !home.as_ref().is_some_and(|home| home.starts_with(root)));
    let is_own =
        home.as_ref().is_some_and(|home| project == *home || is_above_home(file, &project, home));
    let is_inside = !is_own && file.starts_with(&project)
        || repository.is_some_and(|root| file.starts_with(root));
    Ok(is_inside.then(|| format!("it lies in this project, at `{}`", file.display())))
}

/// Whether a file lies in a home that the project directory contains, without a repository that
/// could have brought it (T-133).
fn is_above_home(file: &Path, project: &Path, home: &Path) -> bool {
    home.starts_with(project) && file.starts_with(home) && repository_round(project).is_none()
}

/// Users other than this one and root who could write or replace the file.
fn others(path: &Path, file: &Path, home: &Path) -> Result<Option<String>, OriginError> {
    let home = real(home)?;
    // The place of a link decides which file it is, and the file what it says.
    let directory = path.parent().map(real).transpose()?.flatten();
    let place = directory.and_then(|p| Some(p.join(path.file_name()?)));
    let files = [Some(file), place.as_deref()];
    let directories = files.into_iter().flatten().flat_map(|file| above(file, home.as_deref()));
    for file in std::iter::once(file).chain(directories) {
        if let Some(why) = written_by_others(file)? {
            return Ok(Some(why));
        }
    }
    Ok(None)
}

/// The directories above a file, up to the home. Outside the home we cannot tell which are the
/// user's.
fn above<'a>(file: &'a Path, home: Option<&Path>) -> Vec<&'a Path> {
    match home.filter(|home| file.starts_with(home)) {
        Some(home) => {
            file.ancestors().skip(1).take_while(|ancestor| ancestor.starts_with(home)).collect()
        }
        None => file.parent().into_iter().collect(),
    }
}

/// Which other users may write a file or directory, by its owner and its mode.
fn written_by_others(path: &Path) -> Result<Option<String>, OriginError> {
    let Some(found) = seen(path, path.metadata())? else { return Ok(None) };
    Ok(judged_by_mode(path, Stat::read(&found)))
}

fn judged_by_mode(path: &Path, found: Result<Stat, Unsupported>) -> Option<String> {
    const GROUP: u32 = 0o020;
    const ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let shown = path.display();
    let found = match found {
        Ok(found) => found,
        Err(why) => return Some(format!("`{shown}` {why}")),
    };
    if ![0, found.user].contains(&found.owner) {
        return Some(format!("`{shown}` belongs to somebody else (user {})", found.owner));
    }
    // In a directory such as `/tmp` each removes and renames what is their own.
    if found.is_directory && found.mode & STICKY != 0 {
        return None;
    }
    if found.mode & ALL != 0 {
        return Some(format!("everybody may write `{shown}`: `chmod o-w` it"));
    }
    // Many systems give each user a separate group with the same ID, which may write.
    let is_own_group = [found.user, 0].contains(&found.group);
    (found.mode & GROUP != 0 && !is_own_group)
        .then(|| format!("group {} may write `{shown}`: `chmod g-w` it", found.group))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HO-19: a file of the user's that anybody could have written is judged as the repository's.
    #[test]
    fn user_file_whose_permissions_are_not_read_is_not_the_users() {
        let why = judged_by_mode(Path::new("settings.json"), Err(Unsupported));
        let why = why.expect("nothing is known of it");
        assert!(why.starts_with("`settings.json` is not used: Tenterhook does not read"), "{why}");
    }
}
