//! One running worker process: the requests that wait for its replies, and the reason of its end.
//! Restarts nothing.
//!
//! Output of the worker arrives on the supervisor's thread, which this blocks only as long as it
//! takes to read a line.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use tenterhook_process as process;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::command;
use super::frame::{self, Reply};
use crate::executor::confine::Confined;

/// A worker that gets no request for this long is ended; the next event starts a new one (WK-13).
const IDLE: Duration = Duration::from_secs(600);

/// How long a worker that closed its output may take to exit, so that its exit code is known.
const CLOSED: Duration = Duration::from_millis(100);

/// The result of a request.
#[derive(Debug)]
pub(super) enum Received {
    /// The worker replied.
    Reply(frame::WorkerReply),
    /// It wrote a line that is no reply: what is wrong, and the line.
    Broken { why: String, line: Vec<u8> },
    /// It ended.
    Ended(String),
    /// It could not be started.
    NotStarted(String),
    /// It ended before it read a byte of the request, which may therefore be sent to a new worker.
    NotTaken(String),
}

/// One process. Dropping the last owner kills it and its whole process group.
pub(super) struct Link {
    child: OnceLock<process::Child>,
    state: Mutex<State>,
    answered: AtomicBool,
    /// Its scratch directory is removed with it.
    _confined: Option<Box<Confined>>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Waiting>,
    /// How many bytes it was sent.
    sent: u64,
    /// When it is ended if it gets no further request.
    ends: Option<Instant>,
    closed: bool,
    over: bool,
    /// How it broke the protocol while no event was waiting for a reply.
    broke: Option<String>,
    /// How it ended.
    ended: Option<String>,
}

struct Waiting {
    id: u64,
    /// How many bytes were sent before its request.
    offset: u64,
    /// Its reply, kept until the write that brought it is complete: the write may bring more.
    reply: Option<frame::WorkerReply>,
    /// Fails if the event no longer waits: then the reply is dropped.
    sender: oneshot::Sender<Received>,
}

impl Link {
    /// Starts `command`. A failure to start is returned to the events that ask it.
    pub(super) fn start_worker(
        mut command: process::Command,
        confined: Option<Box<Confined>>,
    ) -> Arc<Self> {
        // One byte more than a reply may have, to detect one that is too long.
        command.limits.line = frame::LONGEST + 1;
        command.limits.stdout = 0;
        let link = Arc::new(Self {
            child: OnceLock::new(),
            state: Mutex::default(),
            answered: AtomicBool::new(false),
            _confined: confined,
        });
        let child = process::start_with_setup(command, |child| {
            let ear = Ear(Arc::downgrade(&link));
            child.on_stream_event(move |received| ear.forward_output(received));
            let owner = Arc::downgrade(&link);
            child.on_finish(move |report| {
                if let Some(link) = owner.upgrade() {
                    link.report_end(&report);
                }
            });
        });
        // It is set only here.
        let _ = link.child.set(child);
        if link.lock_state().closed {
            link.limit_worker_exit_time();
        }
        link
    }

    /// Returns whether the worker ever gave an answer.
    pub(super) fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// Takes the description of a protocol error that was not reported to an event.
    pub(super) fn take_protocol_error(&self) -> Option<String> {
        self.lock_state().broke.take()
    }

    /// Returns how the worker ended, if it did.
    pub(super) fn end_description(&self) -> Option<String> {
        self.lock_state().ended.clone()
    }

    /// Returns whether the worker takes no more requests.
    pub(super) fn is_closed(&self) -> bool {
        self.lock_state().over
    }

    /// Sends a request whose reply is awaited until `deadline`. Returns `None` if the worker takes
    /// no more requests.
    pub(super) fn send_request(
        &self,
        id: u64,
        line: Vec<u8>,
        deadline: Instant,
    ) -> Option<oneshot::Receiver<Received>> {
        let child = self.child.get()?;
        let mut state = self.lock_state();
        if state.over {
            return None;
        }
        if let Some(ends) = new_idle_deadline(state.ends, Instant::now(), deadline) {
            child.set_deadline(Some(ends.into_std()));
            state.ends = Some(ends);
        }
        let (sender, reply) = oneshot::channel();
        let offset = state.sent;
        state.waiting.push(Waiting { id, offset, reply: None, sender });
        state.sent += line.len() as u64;
        child.write_stdin(line);
        Some(reply)
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive_output(&self, received: process::StreamEvent<'_>) -> process::Flow {
        let line = match received {
            process::StreamEvent::Line(line) => line,
            process::StreamEvent::AllSoFar => {
                self.deliver_replies();
                return process::Flow::More;
            }
        };
        let (why, line) = match frame::parse_reply(line) {
            Ok(Reply { id, said }) => match self.keep_reply_until_write_ends(id, said) {
                Ok(()) => return process::Flow::More,
                Err((why, said)) => (why, said.into_answer_bytes()),
            },
            Err(why) => (why.to_string(), line.to_vec()),
        };
        self.close_after_protocol_error(&why, &line);
        // Its further output is ignored.
        process::Flow::Pause
    }

    /// Holds a reply until the end of the write that brought it: a second reply to the same request
    /// would make both invalid.
    fn keep_reply_until_write_ends(
        &self,
        id: u64,
        said: frame::WorkerReply,
    ) -> Result<(), (String, frame::WorkerReply)> {
        let mut state = self.lock_state();
        match state.waiting.iter_mut().find(|w| w.id == id) {
            Some(Waiting { reply: Some(_), .. }) => {
                Err((format!("it replied to {id} twice"), said))
            }
            Some(waiting) => {
                waiting.reply = Some(said);
                Ok(())
            }
            None => {
                Err((format!("it replied to {id}, which it was not asked or had answered"), said))
            }
        }
    }

    fn deliver_replies(&self) {
        let mut state = self.lock_state();
        for waiting in state.waiting.extract_if(.., |w| w.reply.is_some()) {
            if let Some(frame) = waiting.reply {
                self.answered.store(true, Ordering::Relaxed);
                // A late reply has no receiver and is dropped.
                let _ = waiting.sender.send(Received::Reply(frame));
            }
        }
    }

    /// Closes the link because the worker broke the protocol: none of its further output can be
    /// trusted as an answer. A denial in the reply, or in the output beside it, still applies.
    fn close_after_protocol_error(&self, why: &str, line: &[u8]) {
        let waiting = self.close_and_take_waiting_requests();
        if waiting.is_empty() {
            self.lock_state().broke = Some(why.to_owned());
        }
        for Waiting { reply, sender, .. } in waiting {
            let mut written = reply.map(frame::WorkerReply::into_answer_bytes).unwrap_or_default();
            if !written.is_empty() && !line.is_empty() {
                written.push(b'\n');
            }
            written.extend_from_slice(line);
            // An event that no longer waits needs no result.
            let _ = sender.send(Received::Broken { why: why.to_owned(), line: written });
        }
        if let Some(child) = self.child.get() {
            child.cancel();
        }
    }

    /// Stops taking requests, and returns those that still wait.
    fn close_and_take_waiting_requests(&self) -> Vec<Waiting> {
        let mut state = self.lock_state();
        state.over = true;
        std::mem::take(&mut state.waiting)
    }

    /// Records how the worker ended, and reports it to the requests that still wait.
    fn report_end(&self, report: &process::Report) {
        let closed = self.lock_state().closed;
        let why = match &report.end {
            process::End::NotStarted(error) => command::not_started_message(error),
            _ => describe_end(report, closed),
        };
        self.lock_state().ended = Some(why.clone());
        for waiting in self.close_and_take_waiting_requests() {
            let why = why.clone();
            let received = match &report.end {
                process::End::NotStarted(_) => Received::NotStarted(why),
                _ if report.taken <= waiting.offset && waiting.reply.is_none() => {
                    Received::NotTaken(why)
                }
                _ => Received::Ended(why),
            };
            // An event that no longer waits needs no result.
            let _ = waiting.sender.send(received);
        }
    }

    fn limit_worker_exit_time(&self) {
        if let Some(child) = self.child.get() {
            child.set_deadline(Some((Instant::now() + CLOSED).into_std()));
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // A worker whose output is no longer read could block on its last output, and would wait
        // for its SIGKILL.
        if let Some(child) = self.child.get() {
            child.resume_reading();
        }
    }
}

/// Receives a worker's lines. Dropped when the worker's output ends.
struct Ear(Weak<Link>);

impl Ear {
    fn forward_output(&self, received: process::StreamEvent<'_>) -> process::Flow {
        self.0.upgrade().map_or(process::Flow::More, |link| link.receive_output(received))
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        if let Some(link) = self.0.upgrade() {
            link.lock_state().closed = true;
            link.limit_worker_exit_time();
        }
    }
}

/// Returns when to end an idle worker that gets a request at `now`, with the deadline `deadline`;
/// `None` if that time does not change. It changes in large steps, because each change costs a
/// message to the supervisor.
fn new_idle_deadline(ends: Option<Instant>, now: Instant, deadline: Instant) -> Option<Instant> {
    let least = deadline.max(now) + IDLE / 2;
    ends.is_none_or(|ends| ends < least).then(|| deadline.max(now) + IDLE)
}

/// Describes for users how a worker ended.
fn describe_end(report: &process::Report, closed: bool) -> String {
    let how = match report.end {
        process::End::Exited(code) => format!("it exited with code {code}"),
        process::End::Signalled(signal) => format!("it was ended by signal {signal}"),
        process::End::Unknown | process::End::Unread(_) => {
            "it ended, but its exit status was lost".to_owned()
        }
        _ if closed => "it closed its output".to_owned(),
        _ => "it was ended".to_owned(),
    };
    let how = format!("{how} before it replied");
    let stderr = String::from_utf8_lossy(&report.stderr.bytes);
    match stderr.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{how}; on stderr: {}", tenterhook_core::text::clean(line, 200).text),
        None => how,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WK-13: it lives for at least half of its idle time after the last event, however long that
    /// takes, and then ends.
    #[test]
    fn a_worker_ends_that_is_asked_nothing() {
        let (now, step) = (Instant::now(), IDLE / 10);
        assert_eq!(new_idle_deadline(None, now, now), Some(now + IDLE));
        assert_eq!(new_idle_deadline(Some(now + IDLE), now + step, now + step), None);
        assert_eq!(
            new_idle_deadline(Some(now + IDLE), now + step, now + IDLE),
            Some(now + IDLE + IDLE)
        );
        assert_eq!(
            new_idle_deadline(Some(now + IDLE), now + step * 6, now),
            Some(now + step * 6 + IDLE)
        );
    }
}
