//! One run from its start to its report: a state machine that the supervisor feeds with events.
//!
//! The order of an end: signal the group, look for those who left it, reap the leader, see the
//! group empty, report. Never blocks, and never signals a process id after it was reaped.

mod end;

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, pidfd_send_signal};

use super::announce::Announcements;
use super::exit::Exit;
use super::init::Status;
use super::leaving::Leaving;
use super::pidfd;
use super::pipes::Reader;
use super::post::{Adopted, Post, Source};
use super::stdin::Stdin;
use super::sweep::{Search, Swept};
use crate::command::{Limits, Sweep};
use crate::inbox::{Inbox, Order};
use crate::report::{Force, Output};

/// What a run sees of the supervisor while it handles an event.
pub(crate) struct Turn<'a> {
    pub(crate) post: &'a Post,
    pub(crate) scratch: &'a mut [u8],
    pub(crate) now: Instant,
}

/// What the supervisor does next with a run.
pub(crate) enum Next {
    /// Waits for its next event.
    Stay,
    /// Lets somebody search for its descendants.
    Sweep(Search),
    /// Forgets it.
    Forget,
}

/// One process and its streams.
pub(crate) struct Run {
    inbox: Arc<Inbox>,
    pid: Pid,
    pidfd: OwnedFd,
    stdin: Arc<Stdin>,
    stdout: Reader,
    stderr: Reader,
    announcements: Announcements,
    /// What process 1 of its namespaces tells, which is then the leader.
    status: Status,
    /// Whether it is in separate namespaces, which no process can leave.
    is_isolated: bool,
    /// Whether the program has ended.
    ended: bool,
    /// Whether the leader has.
    gone: bool,
    /// The exit code that it said itself.
    announced: Option<u8>,
    limits: Limits,
    sweep: Sweep,
    word: String,
    deadline: Option<Instant>,
    phase: Phase,
    cause: Option<Cause>,
    exit: Option<Exit>,
    force: Force,
    said: Option<[Output; 2]>,
    marks: Marks,
    /// Since when it is known that somebody else reaped the leader: its id may be anybody's.
    taken: Option<Instant>,
    /// Counted among those that live while its process does, though its report is out.
    leaving: Option<Leaving>,
    tier: crate::confine::Tier,
    asked_log: Option<super::watch::AskedLog>,
    cwd_substituted: Option<std::path::PathBuf>,
}

/// Where a run is.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Running,
    /// It has said its exit code, the report is out, and it is on its way out.
    Leaving {
        kill_at: Instant,
    },
    /// TERM was sent.
    Terminating {
        kill_at: Instant,
    },
    /// KILL was sent.
    Killed {
        give_up_at: Instant,
    },
    /// The leader has exited; somebody may still hold a stream.
    Draining {
        until: Instant,
    },
    /// The leader is reaped and the group was killed; its members are on their way out.
    Emptying {
        look_at: Instant,
        pause: Duration,
    },
    /// Process 1 was killed, and everybody with it; the kernel lets it go as the last of them.
    Closing {
        give_up_at: Instant,
    },
    /// Somebody searches for those who left.
    Sweeping,
    /// The report is out, but the process lives on.
    GivenUp,
}

/// Why a run was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    TimedOut,
    Cancelled,
}

struct Marks {
    requested: Instant,
    executed: Instant,
    signalled: Option<Instant>,
    exited: Option<Instant>,
}

impl Run {
    pub(crate) fn new(adopted: Adopted, requested: Instant) -> Self {
        let Adopted { inbox, stdin, command, launched } = adopted;
        let own = command.timeout.map(|timeout| launched.executed + timeout);
        let deadline = [own, command.deadline].into_iter().flatten().min();
        let limits = command.limits;
        Self {
            inbox,
            pid: launched.pid,
            pidfd: launched.pidfd,
            stdin,
            stdout: Reader::new(launched.stdout, Source::Stdout, limits.stdout),
            stderr: Reader::new(launched.stderr, Source::Stderr, limits.stderr),
            announcements: Announcements::new(launched.announce),
            is_isolated: launched.status.is_some(),
            status: Status::new(launched.status),
            ended: false,
            gone: false,
            announced: None,
            limits,
            sweep: command.sweep,
            word: launched.word,
            deadline,
            phase: Phase::Running,
            cause: None,
            exit: None,
            force: Force::None,
            said: None,
            marks: Marks { requested, executed: launched.executed, signalled: None, exited: None },
            taken: None,
            leaving: None,
            tier: launched.tier,
            asked_log: launched.asked_log,
            cwd_substituted: launched.cwd_substituted,
        }
    }

    /// Returns the tag of this run's descendants.
    pub(crate) fn tag(&self) -> &str {
        &self.word
    }

    /// Returns when the run must be checked next, even without an event.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Running => self.deadline,
            Phase::Leaving { kill_at } | Phase::Terminating { kill_at } => Some(kill_at),
            Phase::Killed { give_up_at } | Phase::Closing { give_up_at } => Some(give_up_at),
            Phase::Draining { until } => Some(until),
            Phase::Emptying { look_at, .. } => Some(look_at),
            Phase::Sweeping | Phase::GivenUp => None,
        }
    }

    pub(crate) fn apply_orders(&mut self, turn: &mut Turn<'_>) -> Next {
        let id = self.inbox.id;
        for order in self.inbox.take_orders() {
            match order {
                Order::Deadline(at) => self.deadline = at,
                Order::Follow(sink) => {
                    self.stdout.send_lines_to(sink, self.limits.line, turn.post, id)
                }
                Order::Resume => self.stdout.resume_watching(turn.post, id),
                Order::Cancel => self.cancel(turn.now),
            }
        }
        self.act_on_deadline(turn)
    }

    /// Ends the run at its owner's request.
    pub(crate) fn cancel(&mut self, now: Instant) {
        match self.phase {
            Phase::Running => self.send_term(Cause::Cancelled, now),
            // It has answered already; no further wait for processes that hold its streams.
            Phase::Draining { .. } => self.phase = Phase::Draining { until: now },
            _ => (),
        }
    }

    pub(crate) fn on_event(&mut self, source: Source, turn: &mut Turn<'_>) -> Next {
        let id = self.inbox.id;
        match source {
            Source::Stdin => self.stdin.write_pending(turn.post),
            Source::Stdout => self.stdout.read_once(turn.post, id, turn.scratch),
            Source::Stderr => self.stderr.read_once(turn.post, id, turn.scratch),
            Source::Announcement => self.read_announced_exit(turn),
            Source::Exit => return self.on_leader_exit(turn),
            Source::Status => return self.on_init_status(turn),
        }
        match (self.phase, self.announced) {
            (Phase::Draining { .. }, _) if self.are_streams_closed() => self.kill_remaining(turn),
            (Phase::Running, Some(code)) if self.are_streams_closed() => {
                self.report_announced_exit(code, turn)
            }
            _ => Next::Stay,
        }
    }

    fn read_announced_exit(&mut self, turn: &mut Turn<'_>) {
        self.announced =
            self.announced.or(self.announcements.read_exit_code(turn.post, turn.scratch));
        if self.announced.is_some() {
            // All output must be read, even if a pause was requested.
            self.stdout.resume_watching(turn.post, self.inbox.id);
        }
    }

    /// Reports the exit that was announced. The process goes on dying after its report, and then is
    /// handled like any other.
    fn report_announced_exit(&mut self, code: u8, turn: &mut Turn<'_>) -> Next {
        self.exit = Some(Exit::Code(code.into()));
        self.marks.exited = Some(turn.now);
        self.stdin.discard_unwritten_and_close(turn.post);
        self.drain_streams(turn);
        self.leaving = Some(Leaving::count_run_as_live());
        self.deliver_report(Swept::default(), turn.now);
        self.phase = Phase::Leaving { kill_at: turn.now + self.limits.grace };
        Next::Stay
    }

    fn are_streams_closed(&self) -> bool {
        self.stdout.is_closed() && self.stderr.is_closed()
    }

    /// Takes the next step of the run if its deadline has passed.
    pub(crate) fn act_on_deadline(&mut self, turn: &mut Turn<'_>) -> Next {
        if self.next_deadline().is_none_or(|due| due > turn.now) {
            return Next::Stay;
        }
        match self.phase {
            Phase::Running => {
                self.send_term(Cause::TimedOut, turn.now);
                Next::Stay
            }
            Phase::Leaving { .. } | Phase::Terminating { .. } => {
                self.send_kill(turn.now);
                Next::Stay
            }
            Phase::Killed { .. } | Phase::Closing { .. } => self.report_unkillable(turn),
            Phase::Draining { .. } => self.kill_remaining(turn),
            Phase::Emptying { pause, .. } => self.report_if_group_empty(pause, turn.now),
            Phase::Sweeping | Phase::GivenUp => Next::Stay,
        }
    }

    fn send_term(&mut self, cause: Cause, now: Instant) {
        self.cause = Some(cause);
        self.marks.signalled = Some(now);
        self.force = Force::Term;
        self.signal_group(Signal::TERM);
        // A stopped process handles its TERM only when it goes on.
        self.signal_group(Signal::CONT);
        self.phase = Phase::Terminating { kill_at: now + self.limits.grace };
    }

    fn send_kill(&mut self, now: Instant) {
        self.force = Force::Kill;
        self.signal_group(Signal::KILL);
        // The leader cannot have left its group; this is for a kernel that disagrees.
        let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
        self.phase = Phase::Killed { give_up_at: now + self.limits.unkillable };
    }

    /// Signals the group through its leader's pidfd, which no other process can have. Kernels
    /// before 6.9 cannot do that, so the group id is used there until the leader is reaped.
    fn signal_group(&self, signal: Signal) {
        // It fails only where no process is left to signal, or where a set-user-id program may not be.
        if pidfd::signal_group(&self.pidfd, signal) == Err(Errno::INVAL) && self.taken.is_none() {
            let _ = kill_process_group(self.pid, signal);
        }
    }
}
