//! What a confined hook was refused, as far as it can be told, and the line that grants it.
//!
//! The kernel tells nobody but the program. What is known is what the program printed: a path in a line that complains of
//! a refusal counts where the grants do not hold it.

use std::path::{Path, PathBuf};

use tenterhook_process as process;

use super::places::within;
use super::{Confined, PROJECT};
use crate::answer::Failure;
use crate::diagnostic::Code;
use crate::hook::Tier;

/// How programs say that the system refused something.
const REFUSALS: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
    "permissionerror",
    "cross-device link",
];

/// How they say that no host was reached.
const UNREACHED: &[&str] = &[
    "could not resolve",
    "name resolution",
    "getaddrinfo",
    "network is unreachable",
    "socket",
    "failed to connect",
    "couldn't connect",
];

/// The longest line that is looked into: a path is no longer than this, and the words round it are few.
const LONGEST_LINE: usize = 8192;

impl Confined {
    /// What people should hear of what `stderr` complains of.
    pub(in crate::executor) fn told(&self, stderr: &[u8], project: &Path) -> Option<Failure> {
        let text = String::from_utf8_lossy(stderr);
        let lines = text.lines().filter(|it| it.len() <= LONGEST_LINE);
        let line = lines.into_iter().find(|it| says(it, REFUSALS) || self.is_about_peers(it))?;
        let message = match named(line).find_map(|it| self.refused(&self.cwd.join(it))) {
            Some((path, Refused::Never)) => format!(
                "the sandbox refused it to change `{}`, which no key grants: it says which hooks run, or what git runs",
                path.display()
            ),
            Some((path, Refused::Write)) => format!(
                "the sandbox refused it to change `{}`; `write = [\"{}\"]` in its `sandbox` grants that",
                path.display(),
                as_grant(nearest(&path), project)
            ),
            Some((path, Refused::Make)) => format!(
                "the sandbox lets nothing be made beside files that say which hooks run, such as `{}`; make it once, and \
                 `write = [\"{}\"]` in its `sandbox` lets it be changed",
                path.display(),
                as_grant(&path, project)
            ),
            Some((path, Refused::Read)) => format!(
                "the sandbox refused it to read `{}`; `read = [\"{}\"]` in its `sandbox` grants that",
                path.display(),
                as_grant(&path, project)
            ),
            None if is_about_attributes(line) && !self.confinement.attributes => {
                "the sandbox refused it to change a file's mode, owner, times or attributes; `attributes = true` in its \
                 `sandbox` grants that, of every file that is yours"
                    .to_owned()
            }
            None if self.is_about_peers(line) => {
                "the sandbox let it reach no host; `net = [\"tcp:443\"]` or `net = \"open\"` in its `sandbox` grants that"
                    .to_owned()
            }
            None => return None,
        };
        Some(Failure { code: Code::SandboxRefused, message })
    }

    fn is_about_peers(&self, line: &str) -> bool {
        self.confinement.net != process::Net::Open && says(line, UNREACHED)
    }

    /// What of a path is refused, if any of it is; by where it leads, as the kernel looks at it.
    fn refused(&self, path: &Path) -> Option<(PathBuf, Refused)> {
        let path = process::resolved(path);
        let holds = |all: &[PathBuf]| all.iter().any(|it| path.starts_with(process::resolved(it)));
        let writes = holds(&self.confinement.write);
        if !writes && !holds(&self.confinement.read) {
            return Some((path, Refused::Read));
        }
        if holds(&self.confinement.never) {
            return Some((path, Refused::Never));
        }
        let there = nearest(&path);
        let is_beside =
            self.confinement.never.iter().any(|it| process::resolved(it).starts_with(there));
        let missing = path.ancestors().find(|it| it.parent() == Some(there));
        match missing.filter(|_| is_beside && there != path) {
            Some(missing) => Some((missing.to_path_buf(), Refused::Make)),
            None => (!writes).then_some((path, Refused::Write)),
        }
    }
}

/// The path, or what of the way to it is there: what is not there cannot be granted.
fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|it| it.symlink_metadata().is_ok()).unwrap_or(path)
}

/// What a hook may not do with a path.
enum Refused {
    Never,
    Make,
    Write,
    Read,
}

/// What may be a path in a line that complains, the likeliest first: what stands in quotes, what stands before
/// the complaint, what is whole.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split(['\'', '"', '`', '‘', '’']).skip(1).step_by(2);
    let is_edge = |it: char| it.is_whitespace() || "'\"`‘’“”:,()[]".contains(it);
    let whole = line.split(is_edge).filter(|it| it.len() > 1 && it.starts_with('/'));
    let before = line.rsplit_once(": ").filter(|(_, complaint)| says(complaint, REFUSALS));
    let before = before.and_then(|(before, _)| before.rsplit(' ').next());
    // Interpreters begin such a line with the name of the error.
    let is_word = |it: &&str| {
        it.parse::<u64>().is_err() && !it.contains(['\'', '"', '`', '’']) && !it.ends_with("Error")
    };
    quoted.filter(|it| it.len() > 1).chain(before.filter(is_word)).chain(whole)
}

/// Why a program was not started whose sandbox is not to be had here, and what to do about it.
pub(in crate::executor) fn not_reached(error: &process::NotStarted) -> String {
    let unsupported = std::io::ErrorKind::Unsupported;
    if error.error().kind() != unsupported {
        return format!("{error}: its sandbox cannot be made, and it does not run without");
    }
    let here = process::means().tier().word();
    format!(
        "this machine cannot confine it as its `sandbox` demands (it reaches {here}), and it does not run with less; \
         `isolation_min = \"T0\"` there lets it run with your full rights where nothing better is to be had"
    )
}

/// Landlock refuses with another word.
fn is_about_attributes(line: &str) -> bool {
    let is_refused = says(line, &["operation not permitted", "eperm"]);
    is_refused
        && says(
            line,
            &["mode", "permissions", "times", "ownership", "attribute", "chmod", "chown", "utime"],
        )
}

fn says(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|it| line.contains(it))
}

/// A path as a grant names it: in the project by its sign, and where it leads out of it by where that is.
fn as_grant(path: &Path, project: &Path) -> String {
    let inside = within(project, path);
    match inside.as_deref().and_then(|it| it.strip_prefix(process::resolved(project)).ok()) {
        Some(rest) => Path::new(PROJECT).join(rest).display().to_string(),
        None => process::resolved(path).display().to_string(),
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
