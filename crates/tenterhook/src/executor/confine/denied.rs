//! Reports what the sandbox refused a hook, as far as it is known, and the line that grants it
//!
//!
//! The kernel reports a refusal only to the program. So this reads what the program printed: a path
//! in a line about a refusal is reported if the grants do not include it.

mod complaint;
mod resolved;
mod wishes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tenterhook_process as process;

use super::Confined;
use super::paths::within;
use complaint::{Complaint, complaints, is_about_attributes, named};
pub(super) use resolved::Refused;
use resolved::{Resolved, nearest};
use tenterhook_core::answer::Failure;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::native;
use tenterhook_core::hook::{Grants, Peers, Sandbox, Tier};

/// The user's terminal: no hook has it, whatever it is granted.
const TERMINAL: &str = "/dev/tty";

/// How many of the paths that a program prints are examined.
const MOST_PATHS: usize = 1024;

/// The subject of a message if only a program's output reports the refusal.
const IT: &str = "it";

/// Prefix of the files that `sed -i` creates with the mode of the file that they replace.
const KEEPS_MODE: &str = "sed";

/// What was refused.
pub(super) enum Found {
    Path(PathBuf, Refused),
    /// With the file, if it is known.
    Attributes(Option<PathBuf>),
    /// No host was reached; with the peers to grant.
    Peers(Peers),
    Git,
}

impl Confined {
    /// Faults about refusals that `stderr` reports.
    pub(in crate::executor) fn reported_denial(
        &self,
        stderr: &[u8],
        project: &Path,
    ) -> Option<Failure> {
        let message = match self.found(&String::from_utf8_lossy(stderr))? {
            Found::Path(path, how) => self.of_path(IT, &path, &how, project),
            Found::Attributes(path) => self.of_attributes(path.as_deref(), project),
            Found::Peers(wanted) => self.no_host_message(IT, wanted),
            Found::Git => self.only_without(IT, "git writes beside its hooks"),
        };
        Some(Failure::new(Code::SandboxRefused, message))
    }

    /// The first refusal that `text` reports.
    pub(super) fn found(&self, text: &str) -> Option<Found> {
        let resolved = Resolved::new(self);
        // Only in a separate root do files without a grant look missing.
        let is_rooted = !self.means().limits_files();
        let mut looked = BTreeSet::new();
        complaints(text).find_map(|complaint| match complaint {
            // A reachable port that does not answer is a different problem.
            Complaint::Unreached(port) => {
                let wanted = self.with_port(port);
                (wanted != self.granted.net).then_some(Found::Peers(wanted))
            }
            Complaint::Git => Some(Found::Git),
            Complaint::Refused { line, .. }
                if is_about_attributes(line) && !self.confinement.attributes =>
            {
                let path = named(line).map(|text| self.cwd.join(text)).find(|path| path.exists());
                Some(Found::Attributes(path))
            }
            Complaint::Refused { line, changes } => self
                .paths(line, &mut looked)
                .find_map(|path| resolved.refused(&path, changes))
                .map(|(path, how)| Found::Path(path, how)),
            Complaint::NotFound { line, changes } => {
                let mut paths = self
                    .paths(line, &mut looked)
                    .filter(|path| is_rooted && is_hidden(&resolved, path, changes));
                paths
                    .find_map(|path| resolved.refused(&path, changes))
                    .map(|(path, how)| Found::Path(path, how))
            }
        })
    }

    /// The paths in a line that were not examined yet.
    fn paths<'a>(
        &'a self,
        line: &'a str,
        looked: &'a mut BTreeSet<PathBuf>,
    ) -> impl Iterator<Item = PathBuf> {
        let paths =
            named(line).map(|text| self.cwd.join(text)).filter(|path| path != Path::new(TERMINAL));
        paths.filter(|path| looked.len() < MOST_PATHS && looked.insert(path.clone()))
    }

    fn of_path(&self, who: &str, path: &Path, how: &Refused, project: &Path) -> String {
        let shown = shown(path);
        let verb = if matches!(how, Refused::Read) { "read" } else { "change" };
        // Granting the home for listing would grant all keys in it.
        if matches!(how, Refused::Read | Refused::Write) && self.opens_home(nearest(path)) {
            return format!(
                "the sandbox did not let {who} {verb} `{shown}`; no line is proposed, as it would open your whole home"
            );
        }
        let write = |path: &Path, keeps_mode: bool| {
            self.line(|grants| {
                grants.write.push(as_grant(path, project));
                grants.attributes |= keeps_mode;
            })
        };
        match how {
            Refused::Never => format!(
                "the sandbox did not let {who} change `{shown}`, which no key grants: it says which hooks run, or what git runs"
            ),
            Refused::Write => {
                let line = write(nearest(path), keeps_mode(path));
                format!("the sandbox did not let {who} change `{shown}`; {line} grants that")
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
                "the sandbox did not let {who} read `{shown}`; {} grants that",
                self.line(|grants| grants.read.push(as_grant(path, project)))
            ),
        }
    }

    /// The peers to grant for a port: all, if ports cannot be granted one by one.
    fn with_port(&self, port: Option<u16>) -> Peers {
        self.granted.net.with(port.filter(|_| self.means().narrows_ports()))
    }

    /// Whether granting this would grant the home.
    fn opens_home(&self, path: &Path) -> bool {
        process::internal::resolved(&self.home).starts_with(path)
    }

    fn of_attributes(&self, path: Option<&Path>, project: &Path) -> String {
        // In a separate root this is granted only for files that may be changed.
        let limits = self.means().limits_files();
        let path = path.filter(|path| !limits && !self.may_change(path));
        let line = self.line(|grants| {
            grants.attributes = true;
            grants.write.extend(path.map(|path| as_grant(path, project)));
        });
        let of_which = if limits { "yours" } else { "granted to be changed" };
        format!(
            "the sandbox did not let it change a file's mode, owner, times or attributes; {line} grants that, of every file that is {of_which}"
        )
    }

    fn no_host_message(&self, who: &str, wanted: Peers) -> String {
        let line = self.line(|grants| grants.net = wanted);
        format!("the sandbox let {who} reach no host; {line} grants that")
    }

    fn only_without(&self, who: &str, why: &str) -> String {
        let line = native::sandbox_line(&Sandbox::Off, self.file.as_deref());
        format!("the sandbox refused {who} what no key grants: {why}; {line} runs it without")
    }

    /// The entry line that grants more.
    fn line(&self, more: impl FnOnce(&mut Grants)) -> String {
        native::sandbox_line(&self.granted.with(more), self.file.as_deref())
    }

    /// Whether a path is in a writable directory.
    pub(super) fn may_change(&self, path: &Path) -> bool {
        Resolved::new(self).writes(&process::internal::resolved(path))
    }

    /// Adds protected paths that it could be granted.
    pub(super) fn hold(&mut self, more: impl Iterator<Item = PathBuf>) {
        self.confinement.never.extend(more);
    }

    /// The means of this machine's confinement.
    fn means(&self) -> process::Means {
        self.confinement.pretended.unwrap_or_else(process::means)
    }
}

/// Whether an existing path is hidden in a root that has only granted files; also if it is only to
/// be created.
fn is_hidden(resolved: &Resolved<'_>, path: &Path, changes: bool) -> bool {
    let path = process::internal::resolved(path);
    let there = nearest(&path);
    let is_there = there == path || changes && path.parent() == Some(there);
    is_there && !resolved.reads(there)
}

/// A path on one line, whatever characters its name has.
fn shown(path: &Path) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    path.to_string_lossy().chars().map(escaped).collect()
}

/// Whether a file is created only to replace a file, whose mode it is given.
fn keeps_mode(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    path.symlink_metadata().is_err() && name.is_some_and(|name| name.starts_with(KEEPS_MODE))
}

/// Why a program was not started if its sandbox is unavailable here, and what to do about it.
pub(in crate::executor) fn not_reached(error: &process::NotStarted) -> String {
    not_made(error).unwrap_or_else(|here| {
        format!(
            "this machine cannot confine it as its `sandbox` demands (it reaches {here}), and it does not run with less; \
             `isolation_min = \"T0\"` there, without `processes`, lets it run with your full rights where nothing better is to be had"
        )
    })
}

/// This machine confines less than required: how far it can.
#[derive(Debug)]
pub(super) struct Weak {
    tier: &'static str,
    /// The kernel never limits the processes of root.
    is_uncounted: bool,
}

impl std::fmt::Display for Weak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.tier)?;
        if self.is_uncounted { f.write_str(", and `processes` does not bind root") } else { Ok(()) }
    }
}

/// Why a sandbox could not be created.
///
/// # Errors
///
/// If this machine confines too little.
pub(super) fn not_made(error: &process::NotStarted) -> Result<String, Weak> {
    if let Some(why) = error.ungranted() {
        return Ok(would_be_more(why).to_owned());
    }
    if error.error().kind() != std::io::ErrorKind::Unsupported {
        return Ok(format!("{error}: its sandbox cannot be made, and it does not run without"));
    }
    let means = process::means();
    Err(Weak { tier: means.tier().name(), is_uncounted: means.namespaces && !means.processes })
}

/// Grants that would be wider on this machine than stated, and what to write instead: a hook never
/// runs with more than its grants.
const fn would_be_more(why: process::Ungranted) -> &'static str {
    match why {
        process::Ungranted::Ports => {
            "its `sandbox` names ports in `net`, which this machine cannot tell apart (that takes Landlock 4, Linux 6.7), and it does not \
             run with more than it is granted: write `net = \"open\"` or `net = \"none\"`"
        }
        process::Ungranted::PartOfProc => {
            "its `sandbox` grants a part of `/proc` alone, or to change it, and without Landlock a hook has a separate `/proc` and does not run with more than \
             it is granted: grant all of `/proc` in `read`, or nothing of it"
        }
        process::Ungranted::Device => {
            "its `sandbox` grants a device or a FIFO in `read`, and without Landlock who may read one may write it; it does not run with \
             more than it is granted: grant that in `write`"
        }
        process::Ungranted::ManyFiles => {
            "more than 16,384 files lie beside those that its `sandbox` may never change; grant it a directory below"
        }
    }
}

/// A path as grants write it: relative to `$PROJECT` inside the project, and absolute if a link
/// leads out of it.
fn as_grant(path: &Path, project: &Path) -> PathBuf {
    let inside = within(project, path);
    match inside
        .as_deref()
        .and_then(|path| path.strip_prefix(process::internal::resolved(project)).ok())
    {
        Some(rest) => Path::new(Grants::PROJECT).join(rest),
        None => process::internal::resolved(path),
    }
}

/// The tier as hooks name it.
pub(in crate::executor) const fn tier(reached: process::Tier) -> Tier {
    match reached {
        process::Tier::T0 => Tier::T0,
        process::Tier::T1 => Tier::T1,
        process::Tier::T2 => Tier::T2,
    }
}
