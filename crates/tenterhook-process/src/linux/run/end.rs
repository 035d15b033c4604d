//! How does a run come to its report? Exit, what is left of the group and of the streams, those who left, the report; when it is to end
//! is not asked here.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::epoll;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, test_kill_process_group, waitid};

use super::{Cause, Next, Phase, Run, Turn};
use crate::backend::exit::Exit;
use crate::backend::sweep::{self, Search, Swept};
use crate::backend::{pidfd, watch};
use crate::command::Sweep;
use crate::report::{End, Force, Report, Times};

/// A killed group is looked at after 1, 2, 4 and 8 ms. A sleeping process needs less than one.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_PAUSE: Duration = Duration::from_millis(8);
/// Somebody else reaps a process in microseconds; what the kernel keeps of its end is there afterwards.
const REAPING: Duration = Duration::from_millis(100);
/// How much longer than another process one takes to go that takes its processes, mounts and network with it, on a busy machine.
const TAKEN_APART: u32 = 5;

impl Run {
    /// Returns how the leader ended, if that is known. It stays a zombie until it is reaped here,
    /// unless other code of the host reaps it first.
    fn peek_exit_status(&mut self, now: Instant) -> Option<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match waitid(WaitId::PidFd(self.pidfd.as_fd()), options) {
            Ok(status) => status.map(Exit::from),
            // The host waits for children that are not its own, or ignores `SIGCHLD`.
            Err(_) => {
                let taken = *self.taken.get_or_insert(now);
                let late = now.saturating_duration_since(taken) > REAPING;
                Option::from(pidfd::stored_exit(&self.pidfd)).or(late.then_some(Exit::Unknown))
            }
        }
    }

    /// Handles the exit of the leader: the program, or process 1 of its namespaces.
    pub(super) fn on_leader_exit(&mut self, turn: &mut Turn<'_>) -> Next {
        let Some(exit) = self.peek_exit_status(turn.now) else { return Next::Stay };
        // The exit is announced until it is reaped; once is enough.
        let _ = epoll::delete(&turn.post.epoll, &self.pidfd);
        self.gone = true;
        match self.phase {
            Phase::GivenUp => {
                self.reap_leader();
                Next::Forget
            }
            Phase::Closing { .. } => self.report_if_init_gone(turn.now),
            // Its message may arrive after its exit.
            _ => match self.status.read_exit(turn.post) {
                Some(exit) => self.on_program_exit(exit, turn),
                None => self.on_program_exit(exit, turn),
            },
        }
    }

    /// Handles the report of process 1 that the program ended. Other processes in its namespaces
    /// get the same grace as processes that hold a stream.
    pub(super) fn on_init_status(&mut self, turn: &mut Turn<'_>) -> Next {
        match self.status.read_exit(turn.post) {
            Some(exit) if !matches!(self.phase, Phase::GivenUp) => self.on_program_exit(exit, turn),
            _ => Next::Stay,
        }
    }

    /// Handles the end of the program.
    fn on_program_exit(&mut self, exit: Exit, turn: &mut Turn<'_>) -> Next {
        if std::mem::replace(&mut self.ended, true) {
            return Next::Stay;
        }
        self.exit = Some(exit);
        self.marks.exited = Some(turn.now);
        self.stdin.discard_unwritten_and_close(turn.post);
        self.stdout.resume_watching(turn.post, self.inbox.id);
        if self.are_streams_closed() {
            return self.kill_remaining(turn);
        }
        let leak = turn.now + self.limits.leak_grace;
        let until = match self.phase {
            // The rest of the group has the same grace as its leader.
            Phase::Terminating { kill_at } => kill_at,
            Phase::Killed { .. } => leak,
            _ => self.deadline.map_or(leak, |deadline| leak.min(deadline.max(turn.now))),
        };
        self.phase = Phase::Draining { until };
        self.act_on_deadline(turn)
    }

    /// Kills what is left of the group and closes the streams.
    pub(super) fn kill_remaining(&mut self, turn: &mut Turn<'_>) -> Next {
        // Looked at before the kill, which would close what is held, and hide that it was.
        let [out, err] = self.drain_streams(turn);
        self.signal_group(Signal::KILL);
        if self.is_isolated {
            let give_up_at = turn.now + self.limits.unkillable * TAKEN_APART;
            self.phase = Phase::Closing { give_up_at };
            return self.report_if_init_gone(turn.now);
        }
        let suspected = out || err || self.cause.is_some() || sweep::has_adopted_orphans();
        if suspected || self.sweep == Sweep::Always {
            // Reaped after the search: until then no other process has the id of the session.
            // One that somebody else reaped may have given its id away already.
            return self.request_descendant_search(self.taken.is_none().then_some(self.pid));
        }
        self.reap_leader();
        self.report_if_group_empty(FIRST_LOOK, turn.now)
    }

    /// Reports once process 1 is gone. The kernel has then killed every process in its namespaces,
    /// so no search is needed.
    fn report_if_init_gone(&mut self, now: Instant) -> Next {
        if !self.gone {
            return Next::Stay;
        }
        self.reap_leader();
        self.deliver_report(Swept::default(), now);
        Next::Forget
    }

    /// Reads what the streams still hold and closes them. Returns which of them another process
    /// still held.
    pub(super) fn drain_streams(&mut self, turn: &mut Turn<'_>) -> [bool; 2] {
        let out = self.stdout.drain_and_close(turn.post, turn.scratch);
        let err = self.stderr.drain_and_close(turn.post, turn.scratch);
        self.said = Some([self.stdout.take_output(out), self.stderr.take_output(err)]);
        [out, err]
    }

    fn reap_leader(&self) {
        // The status was read before; that somebody else has reaped it changes nothing.
        let _ = waitid(
            WaitId::PidFd(self.pidfd.as_fd()),
            WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
        );
    }

    /// Checks whether the group is empty. Signal 0 has no effect on a process, in case the id was
    /// reused.
    pub(super) fn report_if_group_empty(&mut self, pause: Duration, now: Instant) -> Next {
        if test_kill_process_group(self.pid).is_err() {
            self.deliver_report(Swept::default(), now);
            return Next::Forget;
        }
        if pause > LAST_PAUSE {
            return self.request_descendant_search(None);
        }
        self.phase = Phase::Emptying { look_at: now + pause, pause: pause * 2 };
        Next::Stay
    }

    fn request_descendant_search(&mut self, session: Option<Pid>) -> Next {
        self.phase = Phase::Sweeping;
        Next::Sweep(Search { session, word: self.word.clone(), others: Vec::new() })
    }

    pub(crate) fn report_after_search(&mut self, swept: Swept, now: Instant) -> Next {
        self.reap_leader();
        self.deliver_report(swept, now);
        Next::Forget
    }

    /// Reports a process that survived KILL, and watches it until it is gone.
    pub(super) fn report_unkillable(&mut self, turn: &mut Turn<'_>) -> Next {
        self.force = Force::Unkillable;
        self.stdin.discard_unwritten_and_close(turn.post);
        if self.said.is_none() {
            self.drain_streams(turn);
        }
        let survivors = vec![self.pid.as_raw_nonzero().get().unsigned_abs()];
        self.deliver_report(Swept { killed: 0, survivors }, turn.now);
        self.phase = Phase::GivenUp;
        Next::Stay
    }

    /// Builds and delivers the report. If the exit was announced and reported before, a second
    /// report is dropped.
    pub(super) fn deliver_report(&mut self, swept: Swept, now: Instant) {
        let [stdout, stderr] = self.said.take().unwrap_or_default();
        let exited = self.marks.exited.unwrap_or(now);
        // A starter that got no processor for a while may have looked at the clock after the end.
        let executed = self.marks.executed.min(exited);
        let end = match (self.cause, self.exit) {
            (Some(Cause::TimedOut), _) => End::TimedOut,
            (Some(Cause::Cancelled), _) => End::Cancelled,
            (None, Some(Exit::Code(code))) => End::Exited(code),
            (None, Some(Exit::Signal(signal))) => End::Signalled(signal),
            (None, Some(Exit::Unknown)) => End::Unknown,
            (None, Some(Exit::Unread(errno))) => End::Unread(errno.raw_os_error()),
            // Only a killed run is given up, so there is always a cause or an exit.
            (None, None) => End::Cancelled,
        };
        let times = Times {
            spawn: executed.saturating_duration_since(self.marks.requested),
            run: exited.saturating_duration_since(executed),
            drain: now.saturating_duration_since(exited),
            kill: self
                .marks
                .signalled
                .map_or(Duration::ZERO, |at| exited.saturating_duration_since(at)),
        };
        self.inbox.deliver_report(Report {
            end,
            force: self.force,
            stdout,
            stderr,
            stdin: self.stdin.delivery_status(),
            taken: self.stdin.bytes_read_by_child(),
            pid: Some(self.pid.as_raw_nonzero().get().unsigned_abs()),
            times,
            survivors: swept.survivors,
            swept: swept.killed,
            announced: self.leaving.is_some(),
            tier: self.tier,
            asked: self.asked_log.as_ref().map(watch::AskedLog::entries).unwrap_or_default(),
            cwd_substituted: self.cwd_substituted.take(),
        });
    }
}
