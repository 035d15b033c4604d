//! Whose are the hooks of a source? What the person or the organisation put at its place is their own; what came with a repository
//! is the repository's, and so is what somebody else could have put there.

use std::path::Path;

use super::decide::Origin;
use crate::hook::Layer;
use crate::source::Source;

/// Whose a source is (T-1).
pub(super) fn of(source: &Source) -> Origin {
    let is_inside = Path::new(&*source.name).starts_with(&source.project);
    match source.layer {
        Layer::Managed | Layer::Given | Layer::BuiltIn => Origin::Own,
        Layer::User if doubt(source).is_none() => Origin::Own,
        // Who stands in their home has no project there (C-4).
        Layer::Plugin | Layer::Skill | Layer::Agent
            if !is_inside || source.project == source.home =>
        {
            Origin::Own
        }
        Layer::User
        | Layer::Project
        | Layer::Local
        | Layer::Plugin
        | Layer::Skill
        | Layer::Agent => Origin::Repository,
    }
}

/// Why a file at a place of the person's own may be somebody else's all the same, as a clause for people.
pub(super) fn doubt(source: &Source) -> Option<String> {
    let path = Path::new(&*source.name);
    // What cannot be looked at cannot be read either, and is held for that (C-70).
    let real = path.canonicalize().ok()?;
    inside(&real, source).or_else(|| others(path, &real, &source.home))
}

/// A home of settings that somebody moved into the project, or linked to it, holds what the repository brings.
fn inside(real: &Path, source: &Source) -> Option<String> {
    let real_of = |path: &Path| path.canonicalize().ok();
    let (project, home) = (real_of(&source.project)?, real_of(&source.home));
    (Some(&project) != home.as_ref() && real.starts_with(&project))
        .then(|| format!("it lies in this project, at `{}`", real.display()))
}

/// Who else than the person and the machine's keeper could write the file, or put another in its place.
#[cfg(unix)]
fn others(path: &Path, real: &Path, home: &Path) -> Option<String> {
    let home = home.canonicalize().ok();
    // The place of a link decides which file it is, and the file what it says.
    let place = path.parent().and_then(|it| Some(it.canonicalize().ok()?.join(path.file_name()?)));
    let files = [Some(real), place.as_deref()];
    let directories = files.into_iter().flatten().flat_map(|it| above(it, home.as_deref()));
    std::iter::once(real).chain(directories).find_map(written_by_others)
}

/// The directories above a file, as far up as the home; elsewhere nobody knows where the person's own begins.
#[cfg(unix)]
fn above<'a>(file: &'a Path, home: Option<&Path>) -> Vec<&'a Path> {
    match home.filter(|home| file.starts_with(home)) {
        Some(home) => file.ancestors().skip(1).take_while(|it| it.starts_with(home)).collect(),
        None => file.parent().into_iter().collect(),
    }
}

#[cfg(not(unix))]
fn others(_path: &Path, _real: &Path, _home: &Path) -> Option<String> {
    None
}

/// Who else may write a file or directory, by its owner and its mode.
#[cfg(unix)]
fn written_by_others(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    const GROUP: u32 = 0o020;
    const ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let found = path.metadata().ok()?;
    let me = rustix::process::geteuid().as_raw();
    let shown = path.display();
    if ![0, me].contains(&found.uid()) {
        return Some(format!("`{shown}` belongs to somebody else (user {})", found.uid()));
    }
    // In a directory such as `/tmp` each removes and renames what is their own.
    if found.is_dir() && found.mode() & STICKY != 0 {
        return None;
    }
    if found.mode() & ALL != 0 {
        return Some(format!("everybody may write `{shown}`: `chmod o-w` it"));
    }
    // Many systems give each user a group of their own, by the same number, and let it write.
    let is_own_group = [me, 0].contains(&found.gid());
    (found.mode() & GROUP != 0 && !is_own_group)
        .then(|| format!("group {} may write `{shown}`: `chmod g-w` it", found.gid()))
}
