//! Which of a run's descendants are still alive, and may we end them?
//!
//! The group of a run is killed without any search. This is for those who left the group: they are
//! known by their session or by the [tag](crate::TAG) in their environment. A descendant that
//! made a new session *and* cleared its environment is found only where this host adopts
//! orphans. Bounded in time: a chain of forks may outrun it, and is then reported.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, kill_process, pidfd_open,
    pidfd_send_signal, set_child_subreaper, waitid,
};

use crate::tag::TAG;

/// Whether descendants that lose their parent become children of this process.
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// A chain of forks that is not caught by then outruns us for good.
const LONGEST: Duration = Duration::from_millis(200);
/// How much longer those have to go who were all killed before: on a busy machine none of them may have had the processor yet.
const LEAVING: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);

/// Makes this process the parent of every descendant that loses its own, and lets each run end
/// those that it left behind, also daemons in separate sessions.
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
    /// The session that the run's leader made, while the leader is not reaped: its id is the
    /// leader's, and could soon be somebody else's.
    pub(crate) session: Option<Pid>,
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

/// Returns whether this process has adopted orphans. Cheap: reads one small file, and nothing if no
/// orphans are adopted.
pub(crate) fn has_adopted_orphans() -> bool {
    ADOPTING.load(Ordering::Acquire) && !list_orphans().is_empty()
}

/// Searches for the descendants of several runs at once, kills those that may be killed, and
/// reports the others. The results are in the order of the searches.
pub(crate) fn kill_descendants(searches: &[Search]) -> Vec<Swept> {
    let until = Instant::now() + LONGEST;
    let adopting = ADOPTING.load(Ordering::Acquire);
    let mut found: Vec<_> = searches.iter().map(Found::new).collect();
    loop {
        let mut quiet = true;
        let before = count_killed(&found);
        for target in found.iter_mut().filter(|_| adopting) {
            quiet &= kill_and_reap_orphans(target.search, until, &mut target.killed);
        }
        found.iter_mut().for_each(|target| target.left.clear());
        for pid in list_processes() {
            let Some(traits) = Traits::read_process(pid) else { continue };
            for target in &mut found {
                let Some(location) = target.search.location_of_process(&traits) else { continue };
                if adopting || location == Location::Session {
                    quiet = false;
                    target.kill_process(pid);
                }
                target.left.push(pid.as_raw_nonzero().get().unsigned_abs());
            }
        }
        // Those that the first look finds were there before it.
        let is_chain = before > 0 && count_killed(&found) > before;
        let until = if is_chain { until } else { until + LEAVING };
        if quiet || Instant::now() >= until {
            return found.into_iter().map(Found::into_search_result).collect();
        }
        std::thread::sleep(PAUSE);
    }
}

/// Returns how many processes were killed so far.
fn count_killed(found: &[Found<'_>]) -> usize {
    found.iter().map(|target| target.killed.len()).sum()
}

/// What was found for one search so far.
struct Found<'a> {
    search: &'a Search,
    killed: HashSet<Pid>,
    left: Vec<u32>,
}

impl<'a> Found<'a> {
    fn new(search: &'a Search) -> Self {
        Self { search, killed: HashSet::new(), left: Vec::new() }
    }

    /// Kills `pid`, unless the id belongs to another process by now.
    fn kill_process(&mut self, pid: Pid) {
        let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        let still = Traits::read_process(pid)
            .is_some_and(|traits| self.search.location_of_process(&traits).is_some());
        if still && pidfd_send_signal(pidfd, Signal::KILL).is_ok() {
            self.killed.insert(pid);
        }
    }

    fn into_search_result(self) -> Swept {
        Swept { killed: self.killed.len(), survivors: self.left }
    }
}

/// Ends and reaps those who came to us. Says whether there were none.
///
/// They are our children: their ids cannot be reused before we reap them. Goes round without a
/// pause, because a chain of forks is caught only by being faster than its next fork.
fn kill_and_reap_orphans(search: &Search, until: Instant, killed: &mut HashSet<Pid>) -> bool {
    let mut quiet = true;
    loop {
        let mut ours = 0;
        for pid in list_orphans() {
            // Read only where it could make a difference: reading is what makes us slow.
            if !search.others.is_empty() && search.is_process_of_other_run(pid) {
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
enum Location {
    /// In the run's session, in a separate group.
    Session,
    /// In a separate session.
    Elsewhere,
}

/// What a living process is known by.
struct Traits {
    session: i32,
    environ: Vec<u8>,
}

impl Traits {
    fn read_process(pid: Pid) -> Option<Self> {
        let stat = std::fs::read(proc_file_path(pid, "stat")).ok()?;
        let (state, session) = parse_stat(&stat)?;
        if state == b'Z' || state == b'X' {
            return None;
        }
        // Processes of other users hide theirs.
        let environ = std::fs::read(proc_file_path(pid, "environ")).unwrap_or_default();
        Some(Self { session, environ })
    }
}

impl Search {
    /// Returns where a process was found, if it belongs to this run.
    fn location_of_process(&self, traits: &Traits) -> Option<Location> {
        if self.session.is_some_and(|session| session.as_raw_nonzero().get() == traits.session) {
            return Some(Location::Session);
        }
        has_tag(&traits.environ, &self.word).then_some(Location::Elsewhere)
    }

    fn is_process_of_other_run(&self, pid: Pid) -> bool {
        let Some(traits) = Traits::read_process(pid) else { return false };
        // Without a tag it may be anybody's, and is left for the last run to end.
        let claimed = self.others.iter().any(|word| has_tag(&traits.environ, word));
        !has_tag(&traits.environ, &self.word) && (claimed || !has_any_tag(&traits.environ))
    }
}

fn proc_file_path(pid: Pid, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{name}", pid.as_raw_nonzero()))
}

/// Lists all visible processes except this one.
pub(super) fn list_processes() -> impl Iterator<Item = Pid> {
    let own = getpid();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter(move |pid| *pid != own)
}

/// Lists the children of the main thread. Processes that this crate starts are children of its
/// starter threads, so these are the adopted ones.
fn list_orphans() -> Vec<Pid> {
    let path = format!("/proc/self/task/{}/children", getpid().as_raw_nonzero());
    let list = std::fs::read_to_string(path).unwrap_or_default();
    list.split_ascii_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect()
}

/// Parses state and session of `/proc/PID/stat`. The program's name, in parentheses, may hold any
/// bytes.
fn parse_stat(stat: &[u8]) -> Option<(u8, i32)> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let session = fields.nth(2)?.parse().ok()?;
    Some((state, session))
}

/// Returns whether an environment, in the format of `/proc/PID/environ`, has the tag `word`.
fn has_tag(environ: &[u8], word: &str) -> bool {
    tag_value(environ).is_some_and(|value| {
        value.split(|byte| *byte == b',').any(|value| value == word.as_bytes())
    })
}

/// Returns whether an environment has any tag.
fn has_any_tag(environ: &[u8]) -> bool {
    tag_value(environ).is_some()
}

fn tag_value(environ: &[u8]) -> Option<&[u8]> {
    let entries = environ.split(|byte| *byte == 0);
    let mut tags =
        entries.filter_map(|entry| entry.strip_prefix(TAG.as_bytes())?.strip_prefix(b"="));
    tags.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_cannot_forge_its_stat() {
        let stat = b"42 (a) Z 1 1 7 (b) S 1 40 41 0 -1";
        assert_eq!(parse_stat(stat), Some((b'S', 41)));
        assert_eq!(parse_stat(b"42 (a"), None);
        assert_eq!(parse_stat(b""), None);
    }

    #[test]
    fn a_process_carries_the_words_of_all_runs_around_it() {
        let environ = b"A=b\0TENTERHOOK_RUN=one,two\0C=d\0";
        assert!(has_tag(environ, "one") && has_tag(environ, "two"));
        assert!(!has_tag(environ, "on"));
        assert!(!has_tag(b"X=TENTERHOOK_RUN=one\0", "one"));
    }
}
