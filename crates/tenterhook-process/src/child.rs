//! A run in parts, for callers that do more than wait: feed, listen, set a deadline, let go.
//!
//! Holds only the inbox and the input of the run; the process belongs to the supervisor.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use crate::backend;
use crate::cancel::Cancel;
use crate::command::Command;
use crate::inbox::{Inbox, Order};
use crate::report::Report;
use crate::stream::{Flow, StreamEvent};

/// Starts `command` and returns at once. If it cannot be started, its report says so.
///
/// `command.stdin` is fed, and standard input stays open until [`Child::close_stdin`].
pub fn start(command: Command) -> Child {
    launch_with_input(command, backend::Input::KeepOpen, |_| ())
}

/// Starts `command` after `prepare` has seen its child.
///
/// What `prepare` orders is in force before the first byte is read: a listener hears every line,
/// also where `limits.stdout` keeps none.
pub fn start_with_setup(command: Command, prepare: impl FnOnce(&Child)) -> Child {
    launch_with_input(command, backend::Input::KeepOpen, prepare)
}

/// The same for a child whose whole input is `command.stdin`: it ends with its last byte.
///
/// Faster than to close it later: what fits into the pipe is written and closed before the child
/// runs, so that a child that reads to the end does not wait.
pub fn start_with_whole_input(command: Command, prepare: impl FnOnce(&Child)) -> Child {
    launch_with_input(command, backend::Input::Close, prepare)
}

fn launch_with_input(
    command: Command,
    input: backend::Input,
    prepare: impl FnOnce(&Child),
) -> Child {
    let inbox = Inbox::new();
    let child = Child { stdin: backend::Stdin::new(inbox.id), inbox, hold: Hold::Owned };
    prepare(&child);
    backend::submit_run(command, input, &child.inbox, &child.stdin);
    child
}

/// A started run.
///
/// Dropping it cancels the run; [`detach`](Self::detach) lets it go on.
#[must_use = "dropping a child cancels its run"]
pub struct Child {
    inbox: Arc<Inbox>,
    stdin: Arc<backend::Stdin>,
    hold: Hold,
}

enum Hold {
    Owned,
    Detached,
}

impl Child {
    /// Queues `bytes` for standard input, after everything queued before. Never blocks; what the
    /// pipe cannot take is kept until the child reads it.
    pub fn write_stdin(&self, bytes: impl Into<Arc<[u8]>>) {
        self.stdin.queue_bytes(bytes.into());
    }

    /// Closes standard input after the last byte that was queued.
    pub fn close_stdin(&self) {
        self.stdin.close_when_empty();
    }

    /// Sets the time at which the run must be over, or removes it; replaces the command's own
    /// timeouts.
    pub fn set_deadline(&self, at: Option<Instant>) {
        self.send_order(Order::Deadline(at));
    }

    /// Gives a child that waits its work: all its input, and the moment when the run must be over.
    ///
    /// The same as [`set_deadline`](Self::set_deadline), [`write_stdin`](Self::write_stdin) and
    /// [`close_stdin`](Self::close_stdin); the child may begin before the supervisor wakes.
    pub fn write_all_input_with_deadline(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        deadline: Option<Instant>,
    ) {
        let wanted = self.inbox.push_order(Order::Deadline(deadline));
        self.stdin.queue_last_bytes(bytes.into());
        if wanted {
            backend::notify_run_of_orders(self.inbox.id);
        }
    }

    /// Ends the run: TERM, grace, KILL.
    pub fn cancel(&self) {
        self.send_order(Order::Cancel);
    }

    /// Adds this run to the runs that `cancel` cancels.
    pub fn attach_cancel_token(&self, cancel: &Cancel) {
        cancel.add_run(&self.inbox);
    }

    /// Calls `line` with every line of standard output, without its newline, as it comes; lines
    /// that came before are replayed. A second call replaces the first.
    ///
    /// `line` runs on the supervisor's thread and must not block. Where it cannot take more, it
    /// answers [`Flow::Pause`]. The output is captured all the same, up to its limit.
    pub fn on_line(&self, mut line: impl FnMut(&[u8]) -> Flow + Send + 'static) {
        self.on_stream_event(move |on_event| match on_event {
            StreamEvent::Line(text) => line(text),
            StreamEvent::AllSoFar => Flow::More,
        });
    }

    /// Calls `on_event` with every line of standard output and after each read, so that lines of
    /// one write can be distinguished from later ones.
    pub fn on_stream_event(&self, on_event: impl FnMut(StreamEvent<'_>) -> Flow + Send + 'static) {
        self.send_order(Order::Follow(Box::new(on_event)));
    }

    /// Continues reading after [`Flow::Pause`].
    pub fn resume_reading(&self) {
        self.send_order(Order::Resume);
    }

    /// Returns a receiver of the lines of standard output. If the receiver falls a mebibyte behind,
    /// the child's output stops until it catches up.
    pub fn lines(&self) -> Lines {
        let (sender, receiver) = mpsc::channel::<Vec<u8>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counter = waiting.clone();
        self.on_line(move |line| {
            // Counted before it is sent, or the receiver could take it off first. Counts at least
            // one byte a line, so that empty lines are bounded too.
            let size = line.len() + 1;
            let waiting = counter.fetch_add(size, Ordering::AcqRel) + size;
            // A receiver that is gone wants nothing, and must not hold up the child.
            let is_received = sender.send(line.to_vec()).is_ok();
            if is_received && waiting >= BEHIND { Flow::Pause } else { Flow::More }
        });
        Lines { receiver, waiting, inbox: self.inbox.clone() }
    }

    /// Calls `done` with the report when the run is over, on the supervisor's thread, where it
    /// must not block; at once and on this thread where the run is over already.
    ///
    /// The child stays in the caller's hands: dropping it still cancels.
    pub fn on_finish(&self, done: impl FnOnce(Report) + Send + 'static) {
        self.inbox.on_report(Box::new(done));
    }

    /// Waits for the report. Closes standard input first, because a child that reads it would never
    /// end.
    pub fn close_stdin_and_wait(self) -> Report {
        self.close_stdin();
        wait_for_report(&self.inbox)
    }

    /// Lets the run continue without an owner, until it ends by itself, by its deadline, or by its
    /// [`Cancel`].
    pub fn detach(mut self) {
        self.hold = Hold::Detached;
    }

    fn send_order(&self, order: Order) {
        if self.inbox.push_order(order) {
            backend::notify_run_of_orders(self.inbox.id);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if matches!(self.hold, Hold::Owned) {
            self.send_order(Order::Cancel);
        }
    }
}

impl std::fmt::Debug for Child {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Child").field("run", &self.inbox.id).finish()
    }
}

/// How many bytes of lines may wait for their receiver: as much as a stream keeps by default.
const BEHIND: usize = 1 << 20;

/// The lines of a child, as they come. Ends with the child's output.
pub struct Lines {
    receiver: mpsc::Receiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    inbox: Arc<Inbox>,
}

impl Lines {
    /// Waits for the next line until `at`. Returns `None` if no line came in time, or the output is
    /// at its end.
    pub fn next_line_until(&mut self, at: Instant) -> Option<Vec<u8>> {
        let left = at.saturating_duration_since(Instant::now());
        let line = self.receiver.recv_timeout(left).ok()?;
        self.resume_when_half_read(&line);
        Some(line)
    }

    fn resume_when_half_read(&self, line: &[u8]) {
        let size = line.len() + 1;
        let before = self.waiting.fetch_sub(size, Ordering::AcqRel);
        // Half empty: reading on earlier would only stop again.
        if before > BEHIND / 2
            && before - size <= BEHIND / 2
            && self.inbox.push_order(Order::Resume)
        {
            backend::notify_run_of_orders(self.inbox.id);
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // The receiver is gone: a child that was stopped for it goes on.
        if self.inbox.push_order(Order::Resume) {
            backend::notify_run_of_orders(self.inbox.id);
        }
    }
}

impl Iterator for Lines {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let line = self.receiver.recv().ok()?;
        self.resume_when_half_read(&line);
        Some(line)
    }
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Lines").field("run", &self.inbox.id).finish()
    }
}

/// Blocks until the run of `inbox` is over, and returns its report.
fn wait_for_report(inbox: &Inbox) -> Report {
    let (sender, receiver) = mpsc::sync_channel(1);
    inbox.on_report(Box::new(move |report| {
        // The receiver is waiting below; it cannot be gone.
        let _ = sender.send(report);
    }));
    // The supervisor never drops a run without its report.
    receiver.recv().unwrap_or_else(|_| backend::unknown_failure_report())
}

/// Runs `command` to its end and calls `done` with its report.
///
/// `done` is called once, on the supervisor's thread, where it must not block. Pulling `cancel`
/// ends the run early; dropping it does nothing.
pub fn run_in_background(
    command: Command,
    cancel: &Cancel,
    done: impl FnOnce(Report) + Send + 'static,
) {
    let child = launch_with_input(command, backend::Input::Close, |child| {
        child.attach_cancel_token(cancel)
    });
    child.on_finish(done);
    child.detach();
}

/// Runs `command` to its end on this thread.
pub fn run_blocking(command: Command, cancel: &Cancel) -> Report {
    let child = launch_with_input(command, backend::Input::Close, |child| {
        child.attach_cancel_token(cancel)
    });
    let report = wait_for_report(&child.inbox);
    child.detach();
    report
}
