//! May what an entry names be started to look at it? A person who asks what is wrong in a clone consented to nothing that it
//! brings. Starts nothing.

use std::path::Path;

use tenterhook_core::agents::{Agent, Scope};
use tenterhook_core::install::{hook_command_line, tenterhook_files_with_texts};

use super::entries::{Call, Entry, File, fix_by_installing};
use super::finding::{Finding, Kind};
use crate::ambient::Here;

/// What a project's own files start where `install` wrote them.
const NAME: &str = "tenterhook";

/// Returns whether a file's entries start only programs of the user. Entries that came with a
/// project are started only if they are exactly what `install` writes there (BR-76).
pub(super) fn may_run_entries(agent: &'static Agent, file: &File, here: &Here) -> bool {
    let is_ours = |entry: &Entry| {
        is_user_program(&entry.program) && is_entry_as_install_writes(agent, file, entry)
    };
    !came_with_project(file, here) || file.entries.iter().all(is_ours)
}

/// Reports that the entries of a file were not run, because they start a program of the project
/// that `install` did not write.
pub(super) fn untried_entries_finding(
    agent: &'static Agent,
    file: &File,
    here: &Here,
) -> Option<Finding> {
    let first = file.entries.first()?;
    let what =
        "its entries start a program of the project that `install` did not write: it was not run";
    let finding = Finding::new(Kind::EntryNotTried, what, fix_by_installing(agent, Scope::Project));
    Some(finding.with_location(&file.path, first.line, here))
}

/// Returns whether a file came with the project: a symlink or a variable may have moved the user's
/// file into it (T-1, T-133).
fn came_with_project(file: &File, here: &Here) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (repository, home) = (here.roots.repository.as_deref(), real(&here.roots.home));
    let (project, path) = (real(repository.unwrap_or(&here.roots.cwd)), real(&file.path));
    let is_own = project == home
        || (repository.is_none() && home.starts_with(&project) && path.starts_with(&home));
    file.scope == Scope::Project
        || (file.scope == Scope::User && !is_own && path.starts_with(&project))
}

/// Returns whether a program is the user's own: a bare name is looked up in the user's `PATH`, a
/// path has to be that of this program.
fn is_user_program(program: &str) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let own = std::env::current_exe().ok().and_then(|program| real(&program));
    program == NAME || (own.is_some() && real(Path::new(program)) == own)
}

fn is_entry_as_install_writes(agent: &'static Agent, file: &File, entry: &Entry) -> bool {
    match &entry.call {
        Call::Line(text) => *text == hook_command_line(agent, entry.event, &entry.program),
        Call::Script(_) => tenterhook_files_with_texts(agent, &entry.program)
            .iter()
            .any(|(name, text)| name == entry.event.name && *text == file.text),
    }
}
