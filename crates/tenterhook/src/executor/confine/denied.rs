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
use super::paths::resolve_if_inside;
use complaint::{Complaint, likely_paths_in_line, parse_complaints, reports_attribute_refusal};
pub(super) use resolved::Refused;
use resolved::{Resolved, nearest_existing_ancestor};
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
    /// Returns a failure about the first refusal of the sandbox that `stderr` reports.
    pub(in crate::executor) fn refusal_failure_from_stderr(
        &self,
        stderr: &[u8],
        project: &Path,
    ) -> Option<Failure> {
        let message = match self.first_refusal(&String::from_utf8_lossy(stderr))? {
            Found::Path(path, how) => self.path_refused_message(IT, &path, &how, project),
            Found::Attributes(path) => self.attributes_refused_message(path.as_deref(), project),
            Found::Peers(wanted) => self.no_host_message(IT, wanted),
            Found::Git => self.not_grantable_message(IT, "git writes beside its hooks"),
        };
        Some(Failure::new(Code::SandboxRefused, message))
    }

    /// Finds the first refusal of the sandbox that `text` reports.
    pub(super) fn first_refusal(&self, text: &str) -> Option<Found> {
        let resolved = Resolved::new(self);
        // Only in a separate root do files without a grant look missing.
        let is_rooted = !self.machine_confinement_means().can_limit_files();
        let mut looked = BTreeSet::new();
        parse_complaints(text).find_map(|complaint| match complaint {
            // A reachable port that does not answer is a different problem.
            Complaint::Unreached(port) => {
                let wanted = self.peers_to_grant_for_port(port);
                (wanted != self.granted.net).then_some(Found::Peers(wanted))
            }
            Complaint::Git => Some(Found::Git),
            Complaint::Refused { line, .. }
                if reports_attribute_refusal(line) && !self.confinement.attributes =>
            {
                let path = likely_paths_in_line(line)
                    .map(|text| self.cwd.join(text))
                    .find(|path| path.exists());
                Some(Found::Attributes(path))
            }
            Complaint::Refused { line, changes } => self
                .unexamined_paths_in(line, &mut looked)
                .find_map(|path| resolved.refused_access(&path, changes))
                .map(|(path, how)| Found::Path(path, how)),
            Complaint::NotFound { line, changes } => {
                let mut paths = self
                    .unexamined_paths_in(line, &mut looked)
                    .filter(|path| is_rooted && is_hidden_by_sandbox(&resolved, path, changes));
                paths
                    .find_map(|path| resolved.refused_access(&path, changes))
                    .map(|(path, how)| Found::Path(path, how))
            }
        })
    }

    /// Returns the paths in a line that were not examined yet, and marks them as examined.
    fn unexamined_paths_in<'a>(
        &'a self,
        line: &'a str,
        looked: &'a mut BTreeSet<PathBuf>,
    ) -> impl Iterator<Item = PathBuf> {
        let paths = likely_paths_in_line(line)
            .map(|text| self.cwd.join(text))
            .filter(|path| path != Path::new(TERMINAL));
        paths.filter(|path| looked.len() < MOST_PATHS && looked.insert(path.clone()))
    }

    fn path_refused_message(
        &self,
        who: &str,
        path: &Path,
        how: &Refused,
        project: &Path,
    ) -> String {
        let shown = path_on_one_line(path);
        let verb = if matches!(how, Refused::Read) { "read" } else { "change" };
        // Granting the home for listing would grant all keys in it.
        if matches!(how, Refused::Read | Refused::Write)
            && self.grant_would_open_home(nearest_existing_ancestor(path))
        {
            return format!(
                "the sandbox did not let {who} {verb} `{shown}`; no line is proposed, as it would open your whole home"
            );
        }
        let write = |path: &Path, keeps_mode: bool| {
            self.entry_line_granting_more(|grants| {
                grants.write.push(to_grant_path(path, project));
                grants.attributes |= keeps_mode;
            })
        };
        match how {
            Refused::Never => format!(
                "the sandbox did not let {who} change `{shown}`, which no key grants: it says which hooks run, or what git runs"
            ),
            Refused::Write => {
                let line = write(nearest_existing_ancestor(path), is_replacement_file(path));
                format!("the sandbox did not let {who} change `{shown}`; {line} grants that")
            }
            Refused::Make => format!(
                "the sandbox lets nothing be made beside files that say which hooks run, such as `{shown}`; make it once, and {} \
                 lets it be changed",
                write(path, false)
            ),
            Refused::Passing => self.not_grantable_message(who, &format!(
                "it lets nothing be made beside files that say which hooks run, such as `{shown}`"
            )),
            Refused::Read => format!(
                "the sandbox did not let {who} read `{shown}`; {} grants that",
                self.entry_line_granting_more(|grants| grants.read.push(to_grant_path(path, project)))
            ),
        }
    }

    /// Returns the peers to grant for a port: all, if ports cannot be granted one by one.
    fn peers_to_grant_for_port(&self, port: Option<u16>) -> Peers {
        self.granted
            .net
            .with_port(port.filter(|_| self.machine_confinement_means().can_limit_ports()))
    }

    /// Whether granting the path would grant the home directory.
    fn grant_would_open_home(&self, path: &Path) -> bool {
        process::internal::resolve_path(&self.home).starts_with(path)
    }

    fn attributes_refused_message(&self, path: Option<&Path>, project: &Path) -> String {
        // In a separate root this is granted only for files that may be changed.
        let limits = self.machine_confinement_means().can_limit_files();
        let path = path.filter(|path| !limits && !self.can_write(path));
        let line = self.entry_line_granting_more(|grants| {
            grants.attributes = true;
            grants.write.extend(path.map(|path| to_grant_path(path, project)));
        });
        let of_which = if limits { "yours" } else { "granted to be changed" };
        format!(
            "the sandbox did not let it change a file's mode, owner, times or attributes; {line} grants that, of every file that is {of_which}"
        )
    }

    /// The message that no host could be reached, with the line that grants it.
    fn no_host_message(&self, who: &str, wanted: Peers) -> String {
        let line = self.entry_line_granting_more(|grants| grants.net = wanted);
        format!("the sandbox let {who} reach no host; {line} grants that")
    }

    /// The message about a refusal that no grant lifts, with the line that turns the sandbox off.
    fn not_grantable_message(&self, who: &str, why: &str) -> String {
        let line = native::sandbox_line(&Sandbox::Off, self.file.as_deref());
        format!("the sandbox refused {who} what no key grants: {why}; {line} runs it without")
    }

    /// Returns the line of the entry that grants more.
    fn entry_line_granting_more(&self, more: impl FnOnce(&mut Grants)) -> String {
        native::sandbox_line(&self.granted.to_sandbox_with(more), self.file.as_deref())
    }

    /// Whether a path is in a writable directory.
    pub(super) fn can_write(&self, path: &Path) -> bool {
        Resolved::new(self).is_writable(&process::internal::resolve_path(path))
    }

    /// Adds protected paths to those that no grant opens.
    pub(super) fn add_protected_paths(&mut self, more: impl Iterator<Item = PathBuf>) {
        self.confinement.never.extend(more);
    }

    /// Returns the means of confinement that this machine has.
    fn machine_confinement_means(&self) -> process::Means {
        self.confinement.pretended.unwrap_or_else(process::available_sandbox_means)
    }
}

/// Whether an existing path looks missing, because the root of the process has only granted files.
/// Also true for a path that is only to be created.
fn is_hidden_by_sandbox(resolved: &Resolved<'_>, path: &Path, changes: bool) -> bool {
    let path = process::internal::resolve_path(path);
    let there = nearest_existing_ancestor(&path);
    let is_there = there == path || changes && path.parent() == Some(there);
    is_there && !resolved.is_readable(there)
}

/// Shows a path on one line, whatever characters its name has.
fn path_on_one_line(path: &Path) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    path.to_string_lossy().chars().map(escaped).collect()
}

/// Whether a file is created only to replace another file, and gets its mode.
fn is_replacement_file(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    path.symlink_metadata().is_err() && name.is_some_and(|name| name.starts_with(KEEPS_MODE))
}

/// Explains why a program was not started if its sandbox is unavailable here, and what to do about
/// it.
pub(in crate::executor) fn no_sandbox_message(error: &process::NotStarted) -> String {
    sandbox_creation_error(error).unwrap_or_else(|here| {
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
pub(super) fn sandbox_creation_error(error: &process::NotStarted) -> Result<String, Weak> {
    if let Some(why) = error.ungrantable_access() {
        return Ok(too_wide_grant_remedy(why).to_owned());
    }
    if error.io_error().kind() != std::io::ErrorKind::Unsupported {
        return Ok(format!("{error}: its sandbox cannot be made, and it does not run without"));
    }
    let means = process::available_sandbox_means();
    Err(Weak {
        tier: means.highest_tier().name(),
        is_uncounted: means.namespaces && !means.processes,
    })
}

/// Names the grants that would be wider on this machine than stated, and what to write instead: a
/// hook never runs with more than its grants.
const fn too_wide_grant_remedy(why: process::Ungranted) -> &'static str {
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

/// Returns a path as grants write it: relative to `$PROJECT` inside the project, and absolute if a
/// link leads out of it.
fn to_grant_path(path: &Path, project: &Path) -> PathBuf {
    let inside = resolve_if_inside(project, path);
    match inside
        .as_deref()
        .and_then(|path| path.strip_prefix(process::internal::resolve_path(project)).ok())
    {
        Some(rest) => Path::new(Grants::PROJECT).join(rest),
        None => process::internal::resolve_path(path),
    }
}

/// Converts a tier of the crate `tenterhook-process`.
pub(in crate::executor) const fn from_process_tier(reached: process::Tier) -> Tier {
    match reached {
        process::Tier::T0 => Tier::T0,
        process::Tier::T1 => Tier::T1,
        process::Tier::T2 => Tier::T2,
    }
}
