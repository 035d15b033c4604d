//! What a confined hook was refused, as far as it can be told, and the line that grants it.
//!
//! The kernel tells nobody but the program. What is known is what the program printed: a path in a line that complains of
//! a refusal counts where the grants do not hold it.

mod complaint;
mod wishes;

use std::path::{Path, PathBuf};

use tenterhook_process as process;

use super::places::within;
use super::{Confined, PROJECT};
use crate::answer::Failure;
use crate::diagnostic::Code;
use crate::dialect::native;
use crate::hook::{Grants, Peers, Sandbox, Tier};
use complaint::{Complaint, complaints, is_about_attributes, named};

/// The ends and beginnings of names that a file has for a moment only, before it takes another's place.
const PASSING_ENDS: &[&str] = &[".lock", ".tmp", ".temp", ".swp", "~"];
const PASSING_BEGINNINGS: &[&str] = &["sed", "tmp", ".tmp", ".#"];

/// Who was refused something, where only what a program printed tells of it.
const IT: &str = "it";

/// How the files begin that `sed -i` gives the mode of those whose place they take.
const KEEPS_MODE: &str = "sed";

/// What of a program was refused.
pub(super) enum Found {
    Path(PathBuf, Refused),
    Attributes,
    /// Nobody was reached, with the peers among whom somebody would be.
    Peers(Peers),
    Git,
}

impl Confined {
    /// What people should hear of what `stderr` complains of.
    pub(in crate::executor) fn told(&self, stderr: &[u8], project: &Path) -> Option<Failure> {
        let message = match self.found(&String::from_utf8_lossy(stderr))? {
            Found::Path(path, how) => self.of_path(IT, &path, &how, project),
            Found::Attributes => self.of_attributes(),
            Found::Peers(wanted) => self.unreached(IT, wanted),
            Found::Git => self.only_without(IT, "git writes beside its hooks"),
        };
        Some(Failure { code: Code::SandboxRefused, message })
    }

    /// The first refusal that is complained of in `text`.
    pub(super) fn found(&self, text: &str) -> Option<Found> {
        complaints(text).find_map(|it| match it {
            // Who may reach it already and is not answered has another trouble.
            Complaint::Unreached(port) => {
                let wanted = self.granted.net.with(port);
                (wanted != self.granted.net).then_some(Found::Peers(wanted))
            }
            Complaint::Git => Some(Found::Git),
            Complaint::Refused { line, .. }
                if is_about_attributes(line) && !self.confinement.attributes =>
            {
                Some(Found::Attributes)
            }
            Complaint::Refused { line, changes } => {
                let paths = named(line).map(|it| self.cwd.join(it));
                let mut refused = paths.filter_map(|it| self.refused(&it, changes));
                refused.next().map(|(path, how)| Found::Path(path, how))
            }
        })
    }

    fn of_path(&self, who: &str, path: &Path, how: &Refused, project: &Path) -> String {
        let shown = shown(path);
        let verb = if matches!(how, Refused::Read) { "read" } else { "change" };
        // Who lists the home for its names would be granted all keys in it.
        if matches!(how, Refused::Read | Refused::Write) && self.opens_home(nearest(path)) {
            return format!(
                "the sandbox refused {who} to {verb} `{shown}`; no line is proposed, as it would open your whole home"
            );
        }
        let write = |path: &Path, keeps_mode: bool| {
            self.line(|it| {
                it.write.push(as_grant(path, project));
                it.attributes |= keeps_mode;
            })
        };
        match how {
            Refused::Never => format!(
                "the sandbox refused {who} to change `{shown}`, which no key grants: it says which hooks run, or what git runs"
            ),
            Refused::Write => {
                let line = write(nearest(path), keeps_mode(path));
                format!("the sandbox refused {who} to change `{shown}`; {line} grants that")
            }
            Refused::Make => format!(
                "the sandbox lets nothing be made beside files that say which hooks run, such as `{shown}`; make it once, and {} \
                 lets it be changed",
                write(path, false)
            ),
            Refused::Passing => self.only_without(who, &format!(
                "it lets nothing be made beside files that say which hooks run, such as `{shown}`"
            )),
            Refused::Read => format!(
                "the sandbox refused {who} to read `{shown}`; {} grants that",
                self.line(|it| it.read.push(as_grant(path, project)))
            ),
        }
    }

    /// Whether to grant this is to grant the home.
    fn opens_home(&self, path: &Path) -> bool {
        process::resolved(&self.home).starts_with(path)
    }

    fn of_attributes(&self) -> String {
        format!(
            "the sandbox refused it to change a file's mode, owner, times or attributes; {} grants that, of every file that is yours",
            self.line(|it| it.attributes = true)
        )
    }

    fn unreached(&self, who: &str, wanted: Peers) -> String {
        let line = self.line(|it| it.net = wanted);
        format!("the sandbox let {who} reach no host; {line} grants that")
    }

    fn only_without(&self, who: &str, why: &str) -> String {
        let line = native::sandbox_line(&Sandbox::Off, self.file.as_deref());
        format!("the sandbox refused {who} what no key grants: {why}; {line} runs it without")
    }

    /// The line that leaves it more.
    fn line(&self, more: impl FnOnce(&mut Grants)) -> String {
        native::sandbox_line(&self.granted.with(more), self.file.as_deref())
    }

    /// Whether a path lies in what it may change.
    pub(super) fn writes(&self, path: &Path) -> bool {
        self.confinement.write.iter().any(|it| path.starts_with(process::resolved(it)))
    }

    /// What of a path is refused, if any of it is; by where it leads, as the kernel looks at it.
    fn refused(&self, path: &Path, changes: bool) -> Option<(PathBuf, Refused)> {
        let path = process::resolved(path);
        let holds = |all: &[PathBuf]| all.iter().any(|it| path.starts_with(process::resolved(it)));
        let writes = self.writes(&path);
        let there = nearest(&path);
        // What is not there is not refused to who reads it.
        let changes = changes || there != path;
        if !writes && !changes && !holds(&self.confinement.read) {
            return Some((path, Refused::Read));
        }
        // Of another process nobody may read all, whatever is granted.
        if !changes && path.starts_with("/proc") {
            return None;
        }
        if holds(&self.confinement.never) {
            return Some((path, Refused::Never));
        }
        let is_beside =
            self.confinement.never.iter().any(|it| process::resolved(it).starts_with(there));
        let missing = path.ancestors().find(|it| it.parent() == Some(there));
        match missing.filter(|_| is_beside && there != path) {
            Some(missing) if is_passing(missing) => Some((missing.to_path_buf(), Refused::Passing)),
            Some(missing) => Some((missing.to_path_buf(), Refused::Make)),
            None => (!writes).then_some((path, Refused::Write)),
        }
    }
}

/// A path on one line, whatever its name holds.
fn shown(path: &Path) -> String {
    let escaped = |it: char| match it.is_control() {
        true => it.escape_default().to_string(),
        false => it.to_string(),
    };
    path.to_string_lossy().chars().map(escaped).collect()
}

/// Whether a file has its name for a moment only, so that it cannot be made once for good: what git puts beside its hooks, too.
fn is_passing(path: &Path) -> bool {
    let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let is_of_git = path.parent().is_some_and(|it| it.ends_with(".git"));
    is_of_git
        || PASSING_ENDS.iter().any(|it| name.ends_with(it))
        || PASSING_BEGINNINGS.iter().any(|it| name.starts_with(it))
}

/// Whether a file is made only to take the place of another, whose mode it is given.
fn keeps_mode(path: &Path) -> bool {
    let name = path.file_name().map(|it| it.to_string_lossy());
    path.symlink_metadata().is_err() && name.is_some_and(|it| it.starts_with(KEEPS_MODE))
}

/// The path, or what of the way to it is there: what is not there cannot be granted.
fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|it| it.symlink_metadata().is_ok()).unwrap_or(path)
}

/// What a hook may not do with a path.
#[derive(Clone, Copy)]
pub(super) enum Refused {
    Never,
    Make,
    Passing,
    Write,
    Read,
}

/// Why a program was not started whose sandbox is not to be had here, and what to do about it.
pub(in crate::executor) fn not_reached(error: &process::NotStarted) -> String {
    not_made(error).unwrap_or_else(|here| {
        format!(
            "this machine cannot confine it as its `sandbox` demands (it reaches {here}), and it does not run with less; \
             `isolation_min = \"T0\"` there, without `processes`, lets it run with your full rights where nothing better is to be had"
        )
    })
}

/// Why a sandbox could not be made.
///
/// # Errors
///
/// How far this machine can confine, where that is the reason.
pub(super) fn not_made(error: &process::NotStarted) -> Result<String, String> {
    if error.error().kind() != std::io::ErrorKind::Unsupported {
        return Ok(format!("{error}: its sandbox cannot be made, and it does not run without"));
    }
    let means = process::means();
    let here = means.tier().word();
    // The kernel exempts root from that number wherever it is.
    let uncounted = match means.namespaces && !means.processes {
        true => ", and `processes` does not bind root",
        false => "",
    };
    Err(format!("{here}{uncounted}"))
}

/// A path as a grant names it: in the project by its sign, and where it leads out of it by where that is.
fn as_grant(path: &Path, project: &Path) -> PathBuf {
    let inside = within(project, path);
    match inside.as_deref().and_then(|it| it.strip_prefix(process::resolved(project)).ok()) {
        Some(rest) => Path::new(PROJECT).join(rest),
        None => process::resolved(path),
    }
}

/// The tier as the values of hooks name it.
pub(in crate::executor) const fn tier(reached: process::Tier) -> Tier {
    match reached {
        process::Tier::T0 => Tier::T0,
        process::Tier::T1 => Tier::T1,
        process::Tier::T2 => Tier::T2,
    }
}
