//! Who of a run's descendants is still alive, and may we end them?
//!
//! The group of a run is killed without any search. This is for those who left the group: they are
//! known by their session or by the [tag](crate::TAG) in their environment. A descendant that
//! made a session of its own *and* cleared its environment is found only where this host adopts
//! orphans. Bounded in time: a chain of forks may outrun it, and is then reported.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, kill_process, pidfd_open,
    pidfd_send_signal, set_child_subreaper, waitid,
};

use crate::tag;

/// Whether descendants that lose their parent become children of this process.
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// A chain of forks that is not caught by then outruns us for good (H30).
const LONGEST: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(1);

/// Makes this process the parent of every descendant that loses its own, and lets each run end
/// those that it left behind, also daemons in sessions of their own.
///
/// For programs, not for libraries: it is a property of the whole process (a *child subreaper*).
/// Call it only where all children are started through this crate: after a run, a child of the
/// main thread that no other run can claim is taken for an orphan, killed and reaped.
///
/// # Errors
///
/// Where the system has no such property.
pub fn adopt_orphans() -> std::io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    ADOPTING.store(true, Ordering::Release);
    Ok(())
}

/// What to search for.
pub(crate) struct Search {
    /// The session that the run's leader made; its id was the leader's.
    pub(crate) session: Pid,
    /// The run's word in the tag of its descendants.
    pub(crate) word: String,
    /// The words of the other runs that are under way.
    pub(crate) others: Vec<String>,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    pub(crate) killed: usize,
    pub(crate) survivors: Vec<u32>,
}

/// Whether orphans have come to us. Cheap: one small file, and nothing where none are adopted.
pub(crate) fn has_orphans() -> bool {
    ADOPTING.load(Ordering::Acquire) && !orphans().is_empty()
}

/// Searches, ends what may be ended, and reports the others.
pub(crate) fn sweep(search: &Search) -> Swept {
    let until = Instant::now() + LONGEST;
    let adopting = ADOPTING.load(Ordering::Acquire);
    let mut killed = HashSet::new();
    loop {
        let mut quiet = !adopting || end_orphans(search, until, &mut killed);
        let mut left = Vec::new();
        for pid in processes() {
            let Some(place) = search.place(pid) else { continue };
            if adopting || place == Place::Session {
                quiet = false;
                if search.kill(pid) {
                    killed.insert(pid);
                }
            }
            left.push(pid.as_raw_nonzero().get().unsigned_abs());
        }
        if quiet || Instant::now() >= until {
            return Swept { killed: killed.len(), survivors: left };
        }
        std::thread::sleep(PAUSE);
    }
}

/// Ends and reaps those who came to us. Says whether there were none.
///
/// They are our children: their ids cannot be reused before we reap them. Goes round without a
/// pause, because a chain of forks is caught only by being faster than its next fork.
fn end_orphans(search: &Search, until: Instant, killed: &mut HashSet<Pid>) -> bool {
    let mut quiet = true;
    loop {
        let mut ours = 0;
        for pid in orphans() {
            // Read only where it could make a difference: reading is what makes us slow.
            if !search.others.is_empty() && search.is_of_another(pid) {
                continue;
            }
            ours += 1;
            // Dead by itself, or killed in the round before: then it is gone now.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            if matches!(waitid(WaitId::Pid(pid), options), Ok(None))
                && kill_process(pid, Signal::KILL).is_ok()
            {
                killed.insert(pid);
            }
        }
        if ours == 0 || Instant::now() >= until {
            return quiet;
        }
        quiet = false;
    }
}

/// Where a descendant lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the run's session, in a group of its own.
    Session,
    /// In a session of its own.
    Elsewhere,
}

impl Search {
    /// Where `pid` lives, if it is alive and of this run.
    fn place(&self, pid: Pid) -> Option<Place> {
        let stat = std::fs::read(file(pid, "stat")).ok()?;
        let (state, session) = read_stat(&stat)?;
        if state == b'Z' || state == b'X' {
            return None;
        }
        if session == self.session.as_raw_nonzero().get() {
            return Some(Place::Session);
        }
        let environ = std::fs::read(file(pid, "environ")).ok()?;
        tag::carries(&environ, &self.word).then_some(Place::Elsewhere)
    }

    fn is_of_another(&self, pid: Pid) -> bool {
        let environ = std::fs::read(file(pid, "environ")).unwrap_or_default();
        let alive = |state: u8| state != b'Z' && state != b'X';
        let alive = std::fs::read(file(pid, "stat"))
            .is_ok_and(|stat| read_stat(&stat).is_some_and(|(state, _)| alive(state)));
        // Without a tag it may be anybody's, and is left for the last run to end.
        let claimed = self.others.iter().any(|word| tag::carries(&environ, word));
        alive && !tag::carries(&environ, &self.word) && (claimed || !tag::is_in(&environ))
    }

    /// Kills `pid`, unless it is not any more who it was.
    fn kill(&self, pid: Pid) -> bool {
        let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
        self.place(pid).is_some() && pidfd_send_signal(pidfd, Signal::KILL).is_ok()
    }
}

fn file(pid: Pid, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{name}", pid.as_raw_nonzero()))
}

/// All processes that we can see, but not ourselves.
fn processes() -> impl Iterator<Item = Pid> {
    let own = getpid();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|it| it.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter(move |pid| *pid != own)
}

/// The children of the main thread. Those that this crate starts are children of its starters,
/// so that these are the adopted ones.
fn orphans() -> Vec<Pid> {
    let path = format!("/proc/self/task/{}/children", getpid().as_raw_nonzero());
    let list = std::fs::read_to_string(path).unwrap_or_default();
    list.split_ascii_whitespace().filter_map(|it| Pid::from_raw(it.parse().ok()?)).collect()
}

/// State and session of `/proc/PID/stat`. The program's name, in parentheses, may hold anything.
fn read_stat(stat: &[u8]) -> Option<(u8, i32)> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let session = fields.nth(2)?.parse().ok()?;
    Some((state, session))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_cannot_forge_its_stat() {
        let stat = b"42 (a) Z 1 1 7 (b) S 1 40 41 0 -1";
        assert_eq!(read_stat(stat), Some((b'S', 41)));
        assert_eq!(read_stat(b"42 (a"), None);
        assert_eq!(read_stat(b""), None);
    }
}
