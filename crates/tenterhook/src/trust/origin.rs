//! Finds the origin of a source: the user or the organisation for files in their directories, the
//! repository for files in it and for files that a different user could have written.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::decide::Origin;
use super::worktree::enclosing_repository;
use crate::discover::{Stat, Unsupported};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::Source;

/// Returns the origin of a source (T-1).
pub(super) fn source_origin(source: &Source) -> Origin {
    origin_and_doubt(source).0
}

/// Returns the origin of a source, and why a user's file may not be the user's. Must be called once
/// for each source, because a second look may find a different answer.
pub(super) fn origin_and_doubt(source: &Source) -> (Origin, Option<String>) {
    let doubt = (source.layer == Layer::User).then(|| ownership_doubt(source)).flatten();
    let is_inside = Path::new(&*source.name).starts_with(&source.project);
    let origin = match source.layer {
        Layer::Managed | Layer::Given | Layer::BuiltIn => Origin::Own,
        Layer::User if doubt.is_none() => Origin::Own,
        // If the user works in their home, it is not a project (C-4).
        Layer::Plugin | Layer::Skill | Layer::Agent
            if !is_inside
                || source.project == source.home
                || is_in_home_below_project(
                    Path::new(&*source.name),
                    &source.project,
                    &source.home,
                ) =>
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

/// Returns why a file in a place of the user may still belong to somebody else, as a clause for
/// users.
fn ownership_doubt(source: &Source) -> Option<String> {
    // If a path cannot be examined, a later look may find a file of a different user: doubt it.
    find_ownership_doubt(source).unwrap_or_else(|error| Some(error.to_string()))
}

fn find_ownership_doubt(source: &Source) -> Result<Option<String>, OriginError> {
    let path = Path::new(&*source.name);
    // A file that does not exist cannot be read either, and its gates block for that (C-70).
    let Some(real) = resolve_links(path)? else { return Ok(None) };
    match doubt_if_in_project(&real, source)? {
        Some(why) => Ok(Some(why)),
        None => doubt_if_others_can_write(path, &real, &source.home),
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
fn resolve_links(path: &Path) -> Result<Option<PathBuf>, OriginError> {
    none_if_missing(path, path.canonicalize())
}

fn none_if_missing<T>(path: &Path, found: io::Result<T>) -> Result<Option<T>, OriginError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(source) => Err(OriginError { path: path.to_owned(), source }),
    }
}

/// Returns a doubt if the file lies in the project or in the repository around it: a home directory
/// that was moved or linked there holds what the repository brings. A repository that contains the
/// home itself is the user's own, and so is the home below a directory without a repository, such
/// as `/`.
fn doubt_if_in_project(file: &Path, source: &Source) -> Result<Option<String>, OriginError> {
    let (project, home) = (resolve_links(&source.project)?, resolve_links(&source.home)?);
    let Some(project) = project else { return Ok(None) };
    let repository = enclosing_repository(&project)
        .filter(|root| !home.as_ref().is_some_and(|home| home.starts_with(root)));
    let is_own = home
        .as_ref()
        .is_some_and(|home| project == *home || is_in_home_below_project(file, &project, home));
    let is_inside = !is_own && file.starts_with(&project)
        || repository.is_some_and(|root| file.starts_with(root));
    Ok(is_inside.then(|| format!("it lies in this project, at `{}`", file.display())))
}

/// Returns whether a file lies in a home that the project directory contains, without a repository
/// that could have brought the file (T-133).
fn is_in_home_below_project(file: &Path, project: &Path, home: &Path) -> bool {
    home.starts_with(project) && file.starts_with(home) && enclosing_repository(project).is_none()
}

/// Returns a doubt if users other than this one and root can write or replace the file.
fn doubt_if_others_can_write(
    path: &Path,
    file: &Path,
    home: &Path,
) -> Result<Option<String>, OriginError> {
    let home = resolve_links(home)?;
    // The place of a link decides which file it is, and the file what it says.
    let directory = path.parent().map(resolve_links).transpose()?.flatten();
    let place = directory.and_then(|p| Some(p.join(path.file_name()?)));
    let files = [Some(file), place.as_deref()];
    let directories =
        files.into_iter().flatten().flat_map(|file| directories_above(file, home.as_deref()));
    for file in std::iter::once(file).chain(directories) {
        if let Some(why) = other_writers(file)? {
            return Ok(Some(why));
        }
    }
    Ok(None)
}

/// Returns the directories above a file, up to the home. Outside the home, it is unknown which
/// directories are the user's.
fn directories_above<'a>(file: &'a Path, home: Option<&Path>) -> Vec<&'a Path> {
    match home.filter(|home| file.starts_with(home)) {
        Some(home) => {
            file.ancestors().skip(1).take_while(|ancestor| ancestor.starts_with(home)).collect()
        }
        None => file.parent().into_iter().collect(),
    }
}

/// Describes which other users may write a file or directory, by its owner and its mode.
fn other_writers(path: &Path) -> Result<Option<String>, OriginError> {
    let Some(found) = none_if_missing(path, path.metadata())? else { return Ok(None) };
    Ok(other_writers_by_mode(path, Stat::from_metadata(&found)))
}

fn other_writers_by_mode(path: &Path, found: Result<Stat, Unsupported>) -> Option<String> {
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
        let why = other_writers_by_mode(Path::new("settings.json"), Err(Unsupported));
        let why = why.expect("nothing is known of it");
        assert!(why.starts_with("`settings.json` is not used: Tenterhook does not read"), "{why}");
    }
}
