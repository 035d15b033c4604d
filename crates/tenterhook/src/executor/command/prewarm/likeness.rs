//! Checks whether an earlier started process equals what a cold start would be now. Compares values
//! and file metadata.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::super::super::Task;
use super::super::environment_for_process;
use tenterhook_core::hook::{Command, Invocation};

/// Everything that a process takes from its start. Compared as it is: a digest would hide what
/// differs.
#[derive(Debug)]
pub(super) struct Likeness {
    invocation: Invocation,
    env: Vec<(OsString, OsString)>,
    env_file: Option<&'static str>,
    cwd: PathBuf,
    project: PathBuf,
    seen: Vec<Seen>,
}

/// The state of a file or directory at some time.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    path: PathBuf,
    mark: Option<Mark>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Its content must be the same.
    Script,
    /// It must be the same directory; files in it come and go.
    Directory,
}

/// The metadata that distinguishes two states of a file.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    which: [u64; 2],
    size: u64,
    changed: [i64; 4],
}

impl PartialEq for Likeness {
    fn eq(&self, other: &Self) -> bool {
        self.invocation == other.invocation
            && self.env == other.env
            && self.env_file == other.env_file
            && self.cwd == other.cwd
            && self.project == other.project
    }
}

impl Likeness {
    /// Describes how `command` would be started now.
    pub(super) fn new(task: &Task, command: &Command) -> Self {
        let within = &task.event.within;
        let mut env = environment_for_process(task, command, task.envelope.env.iter());
        env.sort_unstable();
        Self {
            invocation: command.invocation().clone(),
            env,
            env_file: task.envelope.env_file.filter(|_| task.ambient.scratch.is_some()),
            cwd: command.cwd.clone().unwrap_or_else(|| within.cwd.clone()),
            project: within.project.clone(),
            seen: Vec::new(),
        }
    }

    /// Records the metadata of the script and the directory before the process reads them.
    pub(super) fn record_file_metadata(&mut self, task: &Task) {
        let within = &task.event.within;
        let script = task.hook.script_from_base(&self.cwd, &within.project, &within.home);
        self.seen =
            script.map(|script| Seen::from_path(script.path, Kind::Script)).into_iter().collect();
        self.seen.push(Seen::from_path(self.cwd.clone(), Kind::Directory));
    }

    /// Whether the files are unchanged.
    pub(super) fn has_unchanged_files(&self) -> bool {
        self.seen.iter().all(|s| read_compared_metadata(&s.path, s.kind) == s.mark)
    }
}

impl Seen {
    /// Records the current metadata of a path.
    fn from_path(path: PathBuf, kind: Kind) -> Self {
        Self { mark: read_compared_metadata(&path, kind), path, kind }
    }
}

/// Returns the current metadata of a path, as far as it is compared; `None` if it cannot be read.
fn read_compared_metadata(path: &Path, kind: Kind) -> Option<Mark> {
    let found = std::fs::metadata(path).ok()?;
    let mark = mark_from_metadata(&found);
    Some(match kind {
        Kind::Script => mark,
        Kind::Directory => Mark { which: mark.which, size: 0, changed: [0; 4] },
    })
}

#[cfg(unix)]
fn mark_from_metadata(found: &Metadata) -> Mark {
    use std::os::unix::fs::MetadataExt;
    Mark {
        which: [found.dev(), found.ino()],
        size: found.size(),
        // Includes the time of the last inode change: a file can be written and its modification
        // time set back.
        changed: [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()],
    }
}

#[cfg(not(unix))]
fn mark_from_metadata(found: &Metadata) -> Mark {
    let written =
        found.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let written = written.unwrap_or_default();
    let seconds = i64::try_from(written.as_secs()).unwrap_or(i64::MAX);
    Mark {
        which: [0; 2],
        size: found.len(),
        changed: [seconds, written.subsec_nanos().into(), 0, 0],
    }
}
