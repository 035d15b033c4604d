//! What does the machine say of a scene's processes? Reads `/proc`, and ends what belongs to a scene; starts nothing.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// One that was found.
#[derive(Debug)]
pub(super) struct Process {
    pid: i32,
    pub(super) said: String,
}

impl Process {
    pub(super) fn kill(&self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.pid) {
            // It may have ended at this moment.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// Processes that belong to a scene: its user's, and those that have its directory in their environment, words or directory.
/// The directory's name is in no other run's.
pub(super) fn processes(mark: &str, user: Option<u32>) -> Vec<Process> {
    let mark = mark.trim_end_matches('/');
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| *pid != own)
        .filter_map(|pid| {
            let place = PathBuf::from(format!("/proc/{pid}"));
            (belongs(&place, mark, user) && !is_over(&place))
                .then(|| Process { pid, said: command_line(&place) })
        })
        .collect()
}

fn belongs(place: &Path, mark: &str, user: Option<u32>) -> bool {
    if user.is_some_and(|user| fs::metadata(place).is_ok_and(|metadata| metadata.uid() == user)) {
        return true;
    }
    let marked = |bytes: &[u8]| holds(bytes, mark.as_bytes());
    let reads = |name: &str| fs::read(place.join(name)).is_ok_and(|bytes| marked(&bytes));
    reads("environ")
        || fs::read_link(place.join("cwd"))
            .is_ok_and(|target| marked(target.as_os_str().as_bytes()))
}

/// Whether `bytes` hold the path `mark` itself or one below it, and not one that only begins alike.
fn holds(bytes: &[u8], mark: &[u8]) -> bool {
    let ends = |next: Option<&u8>| next.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    bytes
        .windows(mark.len())
        .enumerate()
        .any(|(at, window)| window == mark && ends(bytes.get(at + mark.len())))
}

/// One that has ended and was not taken yet.
fn is_over(place: &Path) -> bool {
    let stat = fs::read_to_string(place.join("stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|part| part.chars().next());
    state.is_none_or(|c| matches!(c, 'Z' | 'X'))
}

fn command_line(place: &Path) -> String {
    let line = fs::read(place.join("cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    line.chars().take(60).collect()
}

/// The most memory that a process had so far; 0 where it is not the engine (yet), or over.
pub(super) fn peak_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    if !status.starts_with("Name:\ttenterhook") {
        return 0;
    }
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// How many tasks the user of this process has.
pub(super) fn own_tasks() -> u32 {
    let own = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mine = entries.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == own));
    let tasks = mine.filter_map(|entry| fs::read_dir(entry.path().join("task")).ok());
    tasks.map(|task| u32::try_from(task.count()).unwrap_or(0)).sum()
}

/// Whether a process has one below it.
pub(super) fn has_child(pid: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = |task: fs::DirEntry| fs::read_to_string(task.path().join("children"));
    tasks.filter_map(|task| children(task).ok()).any(|child| !child.trim().is_empty())
}

/// A new path that begins like `base`.
pub(super) fn fresh(base: &Path) -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("{}-{number}", base.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_whose_number_begins_alike_is_another_one() {
        assert!(holds(b"HOME=/t/scene-1/home", b"/t/scene-1"));
        assert!(holds(b"PWD=/t/scene-1", b"/t/scene-1"));
        assert!(!holds(b"HOME=/t/scene-12/home", b"/t/scene-1"));
    }
}
