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
    /// How the leader ended, where that is known. It stays a zombie until we reap it, unless somebody else was faster.
    fn look_at_exit(&mut self, now: Instant) -> Option<Exit> {
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

    /// The leader has exited: the program, or process 1 of its namespaces.
    pub(super) fn on_exit(&mut self, turn: &mut Turn<'_>) -> Next {
        let Some(exit) = self.look_at_exit(turn.now) else { return Next::Stay };
        // The exit is announced until it is reaped; once is enough.
        let _ = epoll::delete(&turn.post.epoll, &self.pidfd);
        self.gone = true;
        match self.phase {
            Phase::GivenUp => {
                self.reap();
                Next::Forget
            }
            Phase::Closing { .. } => self.close(turn.now),
            // Its message may arrive after its exit.
            _ => match self.status.read(turn.post) {
                Some(exit) => self.on_end(exit, turn),
                None => self.on_end(exit, turn),
            },
        }
    }

    /// Process 1 reports how the program ended. Other processes in its namespaces get the grace of
    /// processes that hold a stream.
    pub(super) fn on_status(&mut self, turn: &mut Turn<'_>) -> Next {
        match self.status.read(turn.post) {
            Some(exit) if !matches!(self.phase, Phase::GivenUp) => self.on_end(exit, turn),
            _ => Next::Stay,
        }
    }

    /// The program has ended.
    fn on_end(&mut self, exit: Exit, turn: &mut Turn<'_>) -> Next {
        if std::mem::replace(&mut self.ended, true) {
            return Next::Stay;
        }
        self.exit = Some(exit);
        self.marks.exited = Some(turn.now);
        self.stdin.close(turn.post);
        self.stdout.resume(turn.post, self.inbox.id);
        if self.is_silent() {
            return self.destroy(turn);
        }
        let leak = turn.now + self.limits.leak_grace;
        let until = match self.phase {
            // The rest of the group has the same grace as its leader.
            Phase::Terminating { kill_at } => kill_at,
            Phase::Killed { .. } => leak,
            _ => self.deadline.map_or(leak, |deadline| leak.min(deadline.max(turn.now))),
        };
        self.phase = Phase::Draining { until };
        self.check_time(turn)
    }

    /// Ends what is left of the group and of the streams.
    pub(super) fn destroy(&mut self, turn: &mut Turn<'_>) -> Next {
        // Looked at before the kill, which would close what is held, and hide that it was.
        let [out, err] = self.last_look(turn);
        self.signal(Signal::KILL);
        if self.is_isolated {
            let give_up_at = turn.now + self.limits.unkillable * TAKEN_APART;
            self.phase = Phase::Closing { give_up_at };
            return self.close(turn.now);
        }
        let suspected = out || err || self.cause.is_some() || sweep::has_orphans();
        if suspected || self.sweep == Sweep::Always {
            // Reaped after the search: until then no other process has the id of the session.
            // One that somebody else reaped may have given its id away already.
            return self.search(self.taken.is_none().then_some(self.pid));
        }
        self.reap();
        self.look(FIRST_LOOK, turn.now)
    }

    /// Reports, once process 1 is gone: the kernel has then ended everybody in its namespaces, so that no search is needed.
    fn close(&mut self, now: Instant) -> Next {
        if !self.gone {
            return Next::Stay;
        }
        self.reap();
        self.settle(Swept::default(), now);
        Next::Forget
    }

    /// Takes what the streams still hold and closes them. Says which of them somebody held.
    pub(super) fn last_look(&mut self, turn: &mut Turn<'_>) -> [bool; 2] {
        let out = self.stdout.last_look(turn.post, turn.scratch);
        let err = self.stderr.last_look(turn.post, turn.scratch);
        self.said = Some([self.stdout.take_output(out), self.stderr.take_output(err)]);
        [out, err]
    }

    fn reap(&self) {
        // The status was read before; that somebody else has reaped it changes nothing.
        let _ = waitid(
            WaitId::PidFd(self.pidfd.as_fd()),
            WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
        );
    }

    /// Looks whether the group is empty. Signal 0 has no effect on a process, should the id be reused.
    pub(super) fn look(&mut self, pause: Duration, now: Instant) -> Next {
        if test_kill_process_group(self.pid).is_err() {
            self.settle(Swept::default(), now);
            return Next::Forget;
        }
        if pause > LAST_PAUSE {
            return self.search(None);
        }
        self.phase = Phase::Emptying { look_at: now + pause, pause: pause * 2 };
        Next::Stay
    }

    fn search(&mut self, session: Option<Pid>) -> Next {
        self.phase = Phase::Sweeping;
        Next::Sweep(Search { session, word: self.word.clone(), others: Vec::new() })
    }

    pub(crate) fn on_swept(&mut self, swept: Swept, now: Instant) -> Next {
        self.reap();
        self.settle(swept, now);
        Next::Forget
    }

    /// It outlived KILL: reports it, and watches it until it goes.
    pub(super) fn give_up(&mut self, turn: &mut Turn<'_>) -> Next {
        self.force = Force::Unkillable;
        self.stdin.close(turn.post);
        if self.said.is_none() {
            self.last_look(turn);
        }
        let survivors = vec![self.pid.as_raw_nonzero().get().unsigned_abs()];
        self.settle(Swept { killed: 0, survivors }, turn.now);
        self.phase = Phase::GivenUp;
        Next::Stay
    }

    /// Hands over the report. A second one, of a process that had announced its exit, is dropped.
    pub(super) fn settle(&mut self, swept: Swept, now: Instant) {
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
        self.inbox.settle(Report {
            end,
            force: self.force,
            stdout,
            stderr,
            stdin: self.stdin.delivery(),
            taken: self.stdin.taken(),
            pid: Some(self.pid.as_raw_nonzero().get().unsigned_abs()),
            times,
            survivors: swept.survivors,
            swept: swept.killed,
            announced: self.leaving.is_some(),
            tier: self.tier,
            asked: self.asked_log.as_ref().map(watch::AskedLog::all).unwrap_or_default(),
            cwd_substituted: self.cwd_substituted.take(),
        });
    }
}
