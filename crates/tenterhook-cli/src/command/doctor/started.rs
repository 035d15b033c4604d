//! May what an entry names be started to look at it? A person who asks what is wrong in a clone consented to nothing that it
//! brings. Starts nothing.

use std::path::Path;

use tenterhook::agents::{Agent, Scope};
use tenterhook::install::{line, own_file};

use super::entries::{Call, Entry, File, install_line};
use super::finding::{Finding, Kind};
use crate::ambient::Here;

/// What a project's own files start where `install` wrote them.
const NAME: &str = "tenterhook";

/// Whether everything that the entries of a file start is the person's: what came with a project is started only where it is,
/// to the letter, what `install` writes there (BR-76).
pub(super) fn may_start(agent: &'static Agent, file: &File, here: &Here) -> bool {
    let is_ours = |it: &Entry| is_person_s(&it.program) && is_as_written(agent, file, it);
    !came_with_project(file, here) || file.entries.iter().all(is_ours)
}

/// Why nothing is known of such entries.
pub(super) fn unstarted(agent: &'static Agent, file: &File, here: &Here) -> Option<Finding> {
    let first = file.entries.first()?;
    let what = "what its entries start came with the project, and is not what `install` writes there: nothing of it was started";
    let finding = Finding::new(Kind::EntryNotTried, what, install_line(agent, Scope::Project));
    Some(finding.at(&file.path, first.line, here))
}

/// A file at the person's place that lies in the project, where a link or a variable moved it, came with that (T-1).
fn came_with_project(file: &File, here: &Here) -> bool {
    let real = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_owned());
    let (project, home) = (here.roots.repository.as_deref(), real(&here.roots.home));
    let project = real(project.unwrap_or(&here.roots.cwd));
    file.scope == Scope::Project
        || (file.scope == Scope::User && project != home && real(&file.path).starts_with(&project))
}

/// The name alone is looked up where the person has programs; a path is this program's or a stranger's.
fn is_person_s(program: &str) -> bool {
    let real = |it: &Path| it.canonicalize().ok();
    let own = std::env::current_exe().ok().and_then(|it| real(&it));
    program == NAME || (own.is_some() && real(Path::new(program)) == own)
}

fn is_as_written(agent: &'static Agent, file: &File, entry: &Entry) -> bool {
    match &entry.call {
        Call::Line(said) => *said == line(agent, entry.event, &entry.program),
        Call::Script(_) => own_file(agent, &entry.program)
            .iter()
            .any(|(name, text)| name == entry.event.name && *text == file.text),
    }
}
