//! Talks to a server over its standard streams: one JSON-RPC message a line. Knows no tool and no
//! hook.
//!
//! `tenterhook-process` owns the process, like that of a command hook: in a process group that ends
//! with its owner. Both directions are bounded: a server that writes faster than it is read waits;
//! one that writes nonsense or a line without end is ended.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tenterhook_process as process;
use tokio::sync::mpsc;

use super::calls::Calls;
use super::close_reason::{CloseReason, Over};
use super::peer::Lost;
use super::replies::{RepliedTwice, Replies};
use super::rpc::Message;
use crate::executor::confine::{ConfinedServer, no_sandbox_message};

/// The longest message that is accepted: four times what is kept of a reply.
const LINE: usize = 4 << 20;

/// How much may wait to be read before the server's output is no longer read.
const BEHIND: usize = 1 << 20;

/// How much unread input may wait for a server that sends nothing.
const MAX_UNREAD: usize = 64 << 20;

/// How much of standard error is kept, to report why a server ended.
const STDERR: usize = 64 << 10;

/// A server that was started.
pub(super) struct Program {
    child: process::Child,
    /// Bytes that it was sent since it last wrote a line.
    unread: AtomicUsize,
}

/// How a server broke the protocol; it is ended then.
enum ProtocolError {
    LongLine,
    EndlessNoise,
    RepliedTwice(RepliedTwice),
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LongLine => {
                write!(f, "it wrote a line of more than {} MiB, and was ended", LINE >> 20)
            }
            Self::EndlessNoise => {
                f.write_str("it wrote too many messages and no response, and was ended")
            }
            Self::RepliedTwice(error) => error.fmt(f),
        }
    }
}

/// What a server wrote.
enum Written {
    Line(Vec<u8>),
    /// The end of one write.
    All,
}

impl Program {
    /// Starts the program. The future reads its output and ends with it; dropping the future ends the program. A failure to
    /// start is in `close_reason`.
    ///
    /// `confined` lives as long as the program.
    pub(super) fn start(
        mut command: process::Command,
        calls: Arc<Calls>,
        close_reason: CloseReason,
        confined: Option<Box<ConfinedServer>>,
    ) -> (Arc<Self>, impl Future<Output = ()> + Send + 'static) {
        command.limits.line = LINE;
        command.limits.stdout = 0;
        command.limits.stderr = STDERR;
        let (sender, lines) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let (counter, reason) = (Arc::clone(&waiting), close_reason.clone());
        let last = sender.clone();
        let child = process::start_with_setup(command, |child| {
            child.on_stream_event(move |output| {
                let process::StreamEvent::Line(line) = output else {
                    // Without a receiver, the program is being ended.
                    let _ = sender.send(Written::All);
                    return process::Flow::More;
                };
                let size = line.len() + 1;
                // Counted before it is sent, or the receiver could take it off first.
                let behind = counter.fetch_add(size, Ordering::AcqRel) + size;
                let is_read = sender.send(Written::Line(line.to_vec())).is_ok();
                if is_read && behind >= BEHIND { process::Flow::Pause } else { process::Flow::More }
            });
            child.on_finish(move |report| {
                // Cancelling follows from another reason, which may not be written yet.
                if report.end != process::End::Cancelled {
                    reason.set_if_first(
                        Over::Gone,
                        describe_end(&report, &reason, confined.as_deref()),
                    );
                }
                // The lines end only now, so that their reader finds the reason.
                drop(last);
            });
        });
        let program = Arc::new(Self { child, unread: AtomicUsize::new(0) });
        let replies = Replies::default();
        let reader =
            Reader { program: Arc::clone(&program), lines, waiting, calls, close_reason, replies };
        (program, reader.route_until_end())
    }

    /// Queues a message for the standard input of the server. Bytes wait until the server reads
    /// them, up to a limit.
    pub(super) fn queue_message(&self, message: &Value) -> Result<(), Lost> {
        let line = format!("{message}\n").into_bytes();
        if self.unread.fetch_add(line.len(), Ordering::AcqRel) + line.len() > MAX_UNREAD {
            return Err(Lost::Unsent("it no longer reads what it is sent".to_owned()));
        }
        self.child.write_stdin(line);
        Ok(())
    }
}

/// Reads what a server writes.
struct Reader {
    program: Arc<Program>,
    lines: mpsc::UnboundedReceiver<Written>,
    waiting: Arc<AtomicUsize>,
    calls: Arc<Calls>,
    close_reason: CloseReason,
    replies: Replies,
}

impl Reader {
    /// Routes messages until the program ends or breaks the protocol. Replies are kept until the
    /// end of their write: if it contains two to one call, neither counts (MC-17).
    async fn route_until_end(mut self) {
        while let Some(written) = self.lines.recv().await {
            match written {
                Written::Line(line) => {
                    if let Err(error) = self.parse_line(&line) {
                        return self.close_reason.set_if_first(Over::Ended, error.to_string());
                    }
                }
                Written::All => self.deliver_replies(),
            }
        }
        self.deliver_replies();
    }

    /// Frees the capacity that a line used, for more output.
    fn release_line_capacity(&self, line: &[u8]) {
        let size = line.len() + 1;
        let before = self.waiting.fetch_sub(size, Ordering::AcqRel);
        // Below half: resuming earlier would only stop again.
        if before > BEHIND / 2 && before - size <= BEHIND / 2 {
            self.program.child.resume_reading();
        }
    }

    /// Parses a line of output. Lines that are no messages are skipped: many servers log to
    /// standard output.
    fn parse_line(&mut self, line: &[u8]) -> Result<(), ProtocolError> {
        self.release_line_capacity(line);
        self.program.unread.store(0, Ordering::Release);
        if line.len() >= LINE {
            return Err(ProtocolError::LongLine);
        }
        let Some(messages) = self.calls.parse_messages_within_limit(line) else {
            return Err(ProtocolError::EndlessNoise);
        };
        for message in messages {
            match message {
                Message::Reply(reply) => {
                    self.replies.keep_reply(reply).map_err(ProtocolError::RepliedTwice)?
                }
                other => {
                    if let Some(response) = self.calls.deliver_reply_or_answer_request(other) {
                        // If it cannot be sent, the next call cannot either, and reports it.
                        let _ = self.program.queue_message(&response);
                    }
                }
            }
        }
        Ok(())
    }

    /// Hands the replies to their calls.
    fn deliver_replies(&mut self) {
        for reply in self.replies.take_all() {
            self.calls.deliver_reply(reply);
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.program.child.close_stdin();
        self.program.child.cancel();
    }
}

/// Describes how a server ended, with the last line of its standard error.
fn describe_end(
    report: &process::Report,
    close_reason: &CloseReason,
    confined: Option<&ConfinedServer>,
) -> String {
    let ended = match &report.end {
        process::End::NotStarted(error) if error.is_sandbox_fault() => {
            return no_sandbox_message(error);
        }
        process::End::NotStarted(error) => return format!("it cannot be started: {error}"),
        process::End::Exited(code) => format!("it ended with exit code {code}"),
        process::End::Signalled(signal) => format!("signal {signal} ended it"),
        process::End::Unknown | process::End::Unread(_) => {
            "it ended, but its exit status was lost".to_owned()
        }
        process::End::TimedOut | process::End::Cancelled => "it was ended".to_owned(),
    };
    let stderr = String::from_utf8_lossy(&report.stderr.bytes);
    let last =
        stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let last = close_reason.quote_without_secrets(last);
    let limited = confined.filter(|_| report.tier > process::Tier::T0);
    let refused = limited
        .and_then(|confined_server| confined_server.refusal_from_stderr(&report.stderr.bytes));
    let refused = refused.map(|text| format!("; {}", close_reason.remove_secrets(&text)));
    let said = if last.is_empty() { ended } else { format!("{ended}: {last}") };
    said + &refused.unwrap_or_default()
}
