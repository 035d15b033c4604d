//! The supervision of processes on macOS: `posix_spawn`, and a thread for each run.
//!
//! Built and tried on Linux (`--cfg tenterhook_portable`), not yet on the system it is for. It promises
//! less: no death with the host, no search for those who left the session. What it cannot do and is
//! asked to do (limits, privileges, announced exits, a laxer mask for files than the host's) it refuses,
//! rather than start without.

mod spawn;
mod start;
mod stdin;

use std::collections::{HashMap, VecDeque};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

pub(crate) use self::stdin::Stdin;
use crate::arguments::start_error;
use crate::command::Command;
use crate::confine::{Means, Tier};
use crate::inbox::{Inbox, Order, catch_panic};
use crate::report::{Delivery, End, Force, Output, Report, Step, Times};
use crate::stream::{Capture, Flow};

/// What becomes of standard input after the command's own bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Close,
    KeepOpen,
}

/// Whether a program can announce its exit.
pub(crate) const ANNOUNCES: bool = false;

/// Returns no means: this platform has no sandbox.
pub(crate) fn available_sandbox_means() -> Means {
    Means::default()
}

/// Returns no means, for any tier.
pub(crate) fn sandbox_means_for_tier(_: Tier) -> Means {
    available_sandbox_means()
}

/// Starts a keeper for this program; only Linux has what it needs.
///
/// # Errors
///
/// Always, here.
pub fn kill_descendants_on_exit() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Does nothing: there is no keeper.
pub const fn leave_descendants_on_exit() {}

/// Makes this process the parent of orphaned descendants; only Linux can.
///
/// # Errors
///
/// Always, here.
pub fn adopt_orphans() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// How often a run looks whether its program has exited: nothing here tells it.
const LOOK: Duration = Duration::from_millis(5);

/// Locks the wake-up pipes of all runs.
fn lock_wakeup_pipes() -> MutexGuard<'static, HashMap<u64, OwnedFd>> {
    static MAP: std::sync::OnceLock<Mutex<HashMap<u64, OwnedFd>>> = std::sync::OnceLock::new();
    MAP.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the thread of run `id` that it has orders.
pub(crate) fn notify_run_of_orders(id: u64) {
    if let Some(bell) = lock_wakeup_pipes().get(&id) {
        // A full pipe rings already.
        let _ = rustix::io::write(bell, b"!");
    }
}

/// Starts a separate thread that runs `command`.
pub(crate) fn submit_run(command: Command, input: Input, inbox: &Arc<Inbox>, stdin: &Arc<Stdin>) {
    let requested = Instant::now();
    let (own, stdin) = (inbox.clone(), stdin.clone());
    let thread = std::thread::Builder::new().name("process-run".into());
    let spawned = thread.spawn(move || {
        let id = own.id;
        let report = catch_panic(|| run_command(command, input, &own, &stdin, requested))
            .unwrap_or_else(unknown_failure_report);
        lock_wakeup_pipes().remove(&id);
        own.deliver_report(report);
    });
    if let Err(error) = spawned {
        let errno = Errno::from_io_error(&error).unwrap_or(Errno::AGAIN);
        let end = start_error(Step::Prepare, Path::new("thread"), errno);
        inbox.deliver_report(Report::without_process(End::NotStarted(end), requested.elapsed()));
    }
}

pub(crate) fn unknown_failure_report() -> Report {
    let end = start_error(Step::Prepare, Path::new("supervisor"), Errno::IO);
    Report::without_process(End::NotStarted(end), Duration::ZERO)
}

fn run_command(
    command: Command,
    input: Input,
    inbox: &Inbox,
    stdin: &Stdin,
    requested: Instant,
) -> Report {
    if inbox.is_cancelled() {
        return Report::without_process(End::Cancelled, requested.elapsed());
    }
    match Run::start_command(command, input, inbox.id, requested) {
        Ok(mut run) => run.supervise(inbox, stdin),
        Err(fault) => Report::without_process(End::NotStarted(fault), requested.elapsed()),
    }
}

struct Run {
    command: Command,
    pid: Pid,
    bell: OwnedFd,
    stdin: Option<OwnedFd>,
    queue: VecDeque<Arc<[u8]>>,
    written: u64,
    input: Input,
    streams: [(Option<OwnedFd>, Capture); 2],
    paused: Flow,
    deadline: Option<Instant>,
    /// Why it is being ended, and when the next force is due.
    ending: Option<(End, Instant)>,
    force: Force,
    exited: Option<(Instant, End)>,
    requested: Instant,
    executed: Instant,
    signalled: Option<Instant>,
    cwd_substituted: Option<PathBuf>,
}

impl Run {
    fn supervise(&mut self, inbox: &Inbox, stdin: &Stdin) -> Report {
        loop {
            self.apply_orders(inbox);
            self.take_queued_input(stdin);
            self.write_stdin();
            self.read_streams();
            self.peek_exit_status();
            if self.act_on_deadline(Instant::now()) {
                return self.build_report();
            }
            self.wait_for_event();
        }
    }

    fn apply_orders(&mut self, inbox: &Inbox) {
        // Whatever rang the bell is taken here.
        let _ = rustix::io::read(&self.bell, &mut [0; 64]);
        for order in inbox.take_orders() {
            match order {
                Order::Deadline(at) => self.deadline = at,
                Order::Follow(sink) => {
                    let [(fd, capture), _] = &mut self.streams;
                    let limit = self.command.limits.line;
                    self.paused =
                        catch_panic(|| capture.send_lines_to(sink, limit)).unwrap_or(Flow::More);
                    if fd.is_none() {
                        catch_panic(|| capture.flush_last_line());
                    }
                }
                Order::Resume => self.paused = Flow::More,
                Order::Cancel => self.send_term(End::Cancelled),
            }
        }
    }

    fn take_queued_input(&mut self, stdin: &Stdin) {
        let mut fed = stdin.lock_state();
        self.queue.extend(fed.queue.drain(..).filter(|queue| !queue.is_empty()));
        if fed.close {
            self.input = Input::Close;
        }
    }

    fn write_stdin(&mut self) {
        while let (Some(fd), Some(first)) = (&self.stdin, self.queue.front_mut()) {
            match rustix::io::write(fd, first) {
                Ok(count) => {
                    self.written += count as u64;
                    match first.get(count..).filter(|rest| !rest.is_empty()) {
                        Some(rest) => *first = rest.into(),
                        None => drop(self.queue.pop_front()),
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => return,
                Err(_) => self.stdin = None,
            }
        }
        if self.input == Input::Close && self.queue.is_empty() {
            self.stdin = None;
        }
    }

    fn read_streams(&mut self) {
        let paused = self.paused == Flow::Pause && self.exited.is_none();
        let mut scratch = vec![0; 64 << 10];
        for (index, (slot, capture)) in self.streams.iter_mut().enumerate() {
            let Some(fd) = slot.as_ref().filter(|_| index == 1 || !paused) else { continue };
            match rustix::io::read(fd, &mut scratch[..]) {
                Ok(0) => {
                    *slot = None;
                    catch_panic(|| capture.flush_last_line());
                }
                Ok(count) => {
                    let bytes = scratch.get(..count).unwrap_or_default();
                    if catch_panic(|| capture.push_bytes(bytes)) == Some(Flow::Pause) {
                        self.paused = Flow::Pause;
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => (),
                Err(error) => {
                    capture.set_read_error(error.raw_os_error());
                    *slot = None;
                }
            }
        }
    }

    /// Reads the exit status without reaping: the zombie keeps the id of the group in use.
    fn peek_exit_status(&mut self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        if self.exited.is_some() {
            return;
        }
        let end = match waitid(WaitId::Pid(self.pid), options) {
            Ok(None) => return,
            Ok(Some(status)) => match status.exit_status() {
                Some(code) => End::Exited(code),
                None => status.terminating_signal().map_or(End::Unknown, End::Signalled),
            },
            // Somebody else reaped it.
            Err(_) => End::Unknown,
        };
        self.exited = Some((Instant::now(), end));
        self.stdin = None;
    }

    fn are_streams_closed(&self) -> bool {
        self.streams.iter().all(|(fd, _)| fd.is_none())
    }

    /// Returns when the run must act next, even without an event.
    fn next_deadline(&self) -> Option<Instant> {
        match (&self.exited, &self.ending) {
            (Some((at, _)), _) => Some(*at + self.command.limits.leak_grace),
            (None, Some((_, at))) => Some(*at),
            (None, None) => self.deadline,
        }
    }

    /// Takes the next step if the deadline has passed. Returns whether the run is over.
    fn act_on_deadline(&mut self, now: Instant) -> bool {
        if self.exited.is_some() && self.are_streams_closed() {
            return true;
        }
        if self.next_deadline().is_none_or(|due| due > now) {
            return false;
        }
        if self.exited.is_some() {
            return true;
        }
        match self.force {
            Force::None => self.send_term(End::TimedOut),
            Force::Term => {
                self.signal_group(Signal::KILL);
                self.force = Force::Kill;
                if let Some((_, at)) = &mut self.ending {
                    *at = now + self.command.limits.unkillable;
                }
            }
            Force::Kill | Force::Unkillable => self.force = Force::Unkillable,
        }
        self.force == Force::Unkillable
    }

    fn send_term(&mut self, end: End) {
        if self.ending.is_some() || self.exited.is_some() {
            return;
        }
        let now = Instant::now();
        self.ending = Some((end, now + self.command.limits.grace));
        self.signalled = Some(now);
        self.force = Force::Term;
        self.signal_group(Signal::TERM);
        self.signal_group(Signal::CONT);
    }

    fn signal_group(&self, signal: Signal) {
        // It fails only where no process is left to signal.
        let _ = kill_process_group(self.pid, signal);
    }

    fn wait_for_event(&self) {
        let due = self.next_deadline().map(|due| due.saturating_duration_since(Instant::now()));
        let most = due.map_or(LOOK, |due| due.min(LOOK));
        let most = Timespec { tv_sec: 0, tv_nsec: most.subsec_nanos().into() };
        let mut fds = vec![PollFd::new(&self.bell, PollFlags::IN)];
        let [(stdout, _), (stderr, _)] = &self.streams;
        let stdout = stdout.as_ref().filter(|_| self.paused == Flow::More);
        let readable = [stdout, stderr.as_ref()].into_iter().flatten().map(AsFd::as_fd);
        fds.extend(readable.map(|fd: BorrowedFd<'_>| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        if let Some(fd) = self.stdin.as_ref().filter(|_| !self.queue.is_empty()) {
            fds.push(PollFd::new(fd, PollFlags::OUT));
        }
        // An error is met again by the call that it is about.
        let _ = poll(&mut fds, Some(&most));
    }

    fn build_report(&mut self) -> Report {
        let now = Instant::now();
        let unkillable = self.force == Force::Unkillable;
        self.signal_group(Signal::KILL);
        if !unkillable {
            // Read already; here only the zombie goes.
            let _ = waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        }
        let (exited, end) = self.exited.clone().unwrap_or((now, End::TimedOut));
        let pid = self.pid.as_raw_nonzero().get().unsigned_abs();
        let [stdout, stderr] = &mut self.streams;
        let [stdout, stderr] = [stdout, stderr].map(|(fd, capture)| -> Output {
            catch_panic(|| capture.flush_last_line());
            capture.take_output(fd.take().is_some())
        });
        Report {
            end: self.ending.take().map_or(end, |(end, _)| end),
            force: self.force,
            stdout,
            stderr,
            taken: self.written,
            stdin: match self.queue.is_empty() {
                true => Delivery::Delivered,
                false => Delivery::Refused { written: self.written },
            },
            pid: Some(pid),
            times: Times {
                spawn: self.executed.saturating_duration_since(self.requested),
                run: exited.saturating_duration_since(self.executed),
                drain: now.saturating_duration_since(exited),
                kill: self
                    .signalled
                    .map_or(Duration::ZERO, |at| exited.saturating_duration_since(at)),
            },
            survivors: if unkillable { vec![pid] } else { Vec::new() },
            swept: 0,
            announced: false,
            tier: Tier::T0,
            asked: Vec::new(),
            cwd_substituted: self.cwd_substituted.take(),
        }
    }
}
