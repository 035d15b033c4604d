//! May what an entry names be started to look at it? A person who asks what is wrong in a clone consented to nothing that it
//! brings. Starts nothing.

use std::path::Path;

use tenterhook_core::agents::{Agent, Scope};
use tenterhook_core::install::{line, own_file};

use super::entries::{Call, Entry, File, install_line};
use super::finding::{Finding, Kind};
use crate::ambient::Here;

/// What a project's own files start where `install` wrote them.
const NAME: &str = "tenterhook";

/// Whether everything that the entries of a file start is the person's: what came with a project is started only where it is,
/// to the letter, what `install` writes there (BR-76).
pub(super) fn may_start(agent: &'static Agent, file: &File, here: &Here) -> bool {
    let is_ours = |entry: &Entry| is_person_s(&entry.program) && is_as_written(agent, file, entry);
    !came_with_project(file, here) || file.entries.iter().all(is_ours)
}

/// Why nothing is known of such entries.
pub(super) fn unstarted(agent: &'static Agent, file: &File, here: &Here) -> Option<Finding> {
    let first = file.entries.first()?;
    let what =
        "its entries start a program of the project that `install` did not write: it was not run";
    let finding = Finding::new(Kind::EntryNotTried, what, install_line(agent, Scope::Project));
    Some(finding.at(&file.path, first.line, here))
}

/// Whether a file came with the project: a link or a variable may have moved the user's file into it (T-1, T-133).
fn came_with_project(file: &File, here: &Here) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (repository, home) = (here.roots.repository.as_deref(), real(&here.roots.home));
    let (project, path) = (real(repository.unwrap_or(&here.roots.cwd)), real(&file.path));
    let is_own = project == home
        || (repository.is_none() && home.starts_with(&project) && path.starts_with(&home));
    file.scope == Scope::Project
        || (file.scope == Scope::User && !is_own && path.starts_with(&project))
}

/// The name alone is looked up where the person has programs; a path is this program's or a stranger's.
fn is_person_s(program: &str) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let own = std::env::current_exe().ok().and_then(|program| real(&program));
    program == NAME || (own.is_some() && real(Path::new(program)) == own)
}

fn is_as_written(agent: &'static Agent, file: &File, entry: &Entry) -> bool {
    match &entry.call {
        Call::Line(text) => *text == line(agent, entry.event, &entry.program),
        Call::Script(_) => own_file(agent, &entry.program)
            .iter()
            .any(|(name, text)| name == entry.event.name && *text == file.text),
    }
}
