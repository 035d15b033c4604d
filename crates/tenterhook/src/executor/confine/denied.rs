//! What a confined hook was refused, as far as it can be told, and the line that grants it.
//!
//! The kernel tells nobody but the program. What is known is what the program printed: a path in a line that complains of
//! a refusal counts where the grants do not hold it.

mod complaint;

use std::path::{Path, PathBuf};

use tenterhook_process as process;
use tenterhook_process::Wish;

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

/// Who was refused something, where only what the hook printed tells of it.
const IT: &str = "it";

/// The terminal of whoever has one.
const TERMINAL: &str = "/dev/tty";

/// How many refusals of one run are told one by one.
const MOST_TOLD: usize = 24;

/// How the files begin that `sed -i` gives the mode of those whose place they take.
const KEEPS_MODE: &str = "sed";

impl Confined {
    /// What people should hear of what a run was refused: all that it asked for where it was watched, else what it complains of first.
    pub(in crate::executor) fn refusals(
        &self,
        report: &process::Report,
        project: &Path,
    ) -> Vec<Failure> {
        let heard = self.of_wishes(&report.asked, project);
        if heard.is_empty() {
            self.told(&report.stderr.bytes, project).into_iter().collect()
        } else {
            heard
        }
    }

    /// What people should hear of what `stderr` complains of.
    fn told(&self, stderr: &[u8], project: &Path) -> Option<Failure> {
        let text = String::from_utf8_lossy(stderr);
        let message = complaints(&text).find_map(|it| match it {
            Complaint::Unreached(port) => self.unreached(IT, port),
            Complaint::Git => Some(self.only_without(IT, "git writes beside its hooks")),
            Complaint::Refused { line, changes } => {
                if let Some(told) = self.of_attributes(line) {
                    return Some(told);
                }
                let paths = named(line).map(|it| self.cwd.join(it));
                let refused = paths.filter_map(|it| self.refused(&it, changes)).next();
                refused.map(|it| self.of_path(IT, &it, project))
            }
        })?;
        Some(Failure { code: Code::SandboxRefused, message })
    }

    /// What people should hear of what a watched hook asked for and is not granted, and the one line that grants all of it.
    fn of_wishes(&self, asked: &[process::Asked], project: &Path) -> Vec<Failure> {
        let mut messages: Vec<String> = Vec::new();
        let mut all = Sum { granted: self.granted.clone(), opens_home: false };
        for asked in asked {
            let Some(message) = self.of_wish(asked, project, &mut all) else { continue };
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        let (told, unsaid) = (messages.len(), messages.len().saturating_sub(MOST_TOLD));
        messages.truncate(MOST_TOLD);
        if unsaid > 0 {
            messages.push(format!("the sandbox refused {unsaid} things more"));
        }
        if told > 1 && all.granted != self.granted {
            let line = self.line(|it| *it = all.granted);
            let but = if all.opens_home { ", but for what opens the whole home" } else { "" };
            messages.push(format!("{line} grants all of it that a key can{but}"));
        }
        let failure = |message| Failure { code: Code::SandboxRefused, message };
        messages.into_iter().map(failure).collect()
    }

    /// One wish that was refused. What grants it is added to `all`.
    fn of_wish(
        &self,
        process::Asked { program, wish }: &process::Asked,
        project: &Path,
        all: &mut Sum,
    ) -> Option<String> {
        let who = format!("`{program}`");
        let (path, changes) = match wish {
            Wish::Reach(port) => {
                let message = self.unreached(&who, *port)?;
                all.granted.net = all.granted.net.with(*port);
                return Some(message);
            }
            Wish::Read(path) | Wish::Execute(path) => (path, false),
            Wish::Change(path) => (path, true),
        };
        let holds = |it: &PathBuf| process::resolved(path).starts_with(process::resolved(it));
        let Confined { confinement: granted, .. } = self;
        let is_read = !changes && granted.read.iter().chain(&granted.write).any(holds);
        // It has no terminal, whatever it is granted.
        if is_read || path == Path::new(TERMINAL) {
            return None;
        }
        let refused = self.refused(path, changes)?;
        let (list, path) = match &refused {
            (path, Refused::Read) => (Some(&mut all.granted.read), &**path),
            (path, Refused::Write) => (Some(&mut all.granted.write), nearest(path)),
            (path, Refused::Never | Refused::Make | Refused::Passing) => (None, &**path),
        };
        let grant = as_grant(path, project);
        let list = list.filter(|it| !it.iter().any(|it| grant.starts_with(it)));
        // Whoever lists the home for its names would be granted all keys in it.
        let opens_home = process::resolved(&self.home).starts_with(path);
        match list {
            Some(_) if opens_home => all.opens_home = true,
            Some(list) => {
                list.retain(|it| !it.starts_with(&grant));
                list.push(grant);
            }
            None => {}
        }
        Some(self.of_path(&who, &refused, project))
    }

    fn of_path(&self, who: &str, (path, how): &(PathBuf, Refused), project: &Path) -> String {
        let shown = path.display();
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

    fn of_attributes(&self, line: &str) -> Option<String> {
        let is_it = is_about_attributes(line) && !self.confinement.attributes;
        is_it.then(|| {
            format!(
                "the sandbox refused it to change a file's mode, owner, times or attributes; {} grants that, of every file \
                 that is yours",
                self.line(|it| it.attributes = true)
            )
        })
    }

    fn unreached(&self, who: &str, port: Option<u16>) -> Option<String> {
        let granted = &self.granted.net;
        let wanted = granted.with(port);
        // Who may reach it already and is not answered has another trouble.
        if wanted == *granted {
            return None;
        }
        let line = self.line(|it| it.net = wanted);
        let whom = match (granted, port) {
            (Peers::Tcp(_), Some(port)) => format!("nobody at port {port}"),
            _ => "no host".to_owned(),
        };
        Some(format!("the sandbox let {who} reach {whom}; {line} grants that"))
    }

    fn only_without(&self, who: &str, why: &str) -> String {
        let line = native::sandbox_line(&Sandbox::Off, self.file.as_deref());
        format!("the sandbox refused {who} what no key grants: {why}; {line} runs it without")
    }

    /// The line that leaves it more.
    fn line(&self, more: impl FnOnce(&mut Grants)) -> String {
        native::sandbox_line(&self.granted.with(more), self.file.as_deref())
    }

    /// What of a path is refused, if any of it is; by where it leads, as the kernel looks at it.
    fn refused(&self, path: &Path, changes: bool) -> Option<(PathBuf, Refused)> {
        let path = process::resolved(path);
        let holds = |all: &[PathBuf]| all.iter().any(|it| path.starts_with(process::resolved(it)));
        let writes = holds(&self.confinement.write);
        let there = nearest(&path);
        // What is not there is not refused to who reads it.
        let changes = changes || there != path;
        if !writes && !changes && !holds(&self.confinement.read) {
            return Some((path, Refused::Read));
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

/// What it would take to refuse nothing.
struct Sum {
    granted: Grants,
    /// Whether what opens the whole home was left out of it.
    opens_home: bool,
}

/// What a hook may not do with a path.
enum Refused {
    Never,
    Make,
    Passing,
    Write,
    Read,
}

/// Why a program was not started whose sandbox is not to be had here, and what to do about it.
pub(in crate::executor) fn not_reached(error: &process::NotStarted) -> String {
    let unsupported = std::io::ErrorKind::Unsupported;
    if error.error().kind() != unsupported {
        return format!("{error}: its sandbox cannot be made, and it does not run without");
    }
    let means = process::means();
    let here = means.tier().word();
    // The kernel exempts root from that number wherever it is.
    let uncounted = match means.namespaces && !means.processes {
        true => ", and `processes` does not bind root",
        false => "",
    };
    format!(
        "this machine cannot confine it as its `sandbox` demands (it reaches {here}{uncounted}), and it does not run with less; \
         `isolation_min = \"T0\"` there, without `processes`, lets it run with your full rights where nothing better is to be had"
    )
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
