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
        Layer::User if is_the_persons(Path::new(&*source.name)) => Origin::Own,
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

/// Whether nobody but the person and the machine's keeper could have written a file of the person's own.
#[cfg(unix)]
fn is_the_persons(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = [0, rustix::process::geteuid().as_raw()];
    path.metadata().is_ok_and(|it| own.contains(&it.uid()) && it.mode() & 0o002 == 0)
        // What cannot be looked at cannot be read either, and is held for that (C-70).
        || path.symlink_metadata().is_err()
        || path.metadata().is_err()
}

#[cfg(not(unix))]
fn is_the_persons(_path: &Path) -> bool {
    true
}
