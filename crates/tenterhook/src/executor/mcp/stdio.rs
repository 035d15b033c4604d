//! Speaks to a server by its standard streams: one JSON-RPC message a line. Knows no tool and no hook.
//!
//! The process belongs to `tenterhook-process`, as that of a command hook does: its own group, ended with its owner. Both
//! directions are bounded: a server that writes faster than it is read waits, one that writes nonsense without end, or
//! a line without end, is ended.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tenterhook_process as process;
use tokio::sync::mpsc;

use super::close_reason::{CloseReason, Over};
use super::replies::Replies;
use super::unasked::{Unasked, answers};
use crate::executor::confine::{ConfinedServer, not_reached};

/// The longest message that is taken: four times what is kept of a reply.
const LINE: usize = 4 << 20;

/// How much may wait to be read before the server is no longer listened to.
const BEHIND: usize = 1 << 20;

/// How much may wait to be taken by a server that says nothing.
const UNHEARD: usize = 64 << 20;

/// How much of standard error is kept, to say why a server ended.
const STDERR: usize = 64 << 10;

/// A server that was started.
pub(super) struct Stdio {
    child: process::Child,
    lines: mpsc::UnboundedReceiver<Written>,
    waiting: Arc<AtomicUsize>,
    close_reason: CloseReason,
    unasked: Unasked,
    unheard: usize,
    replies: Replies,
    /// What may be handed on.
    ready: VecDeque<RxJsonRpcMessage<RoleClient>>,
}

/// What a server wrote.
enum Written {
    Line(Vec<u8>),
    /// That was all so far.
    All,
}

impl Stdio {
    /// Starts the program; that it could not be is told by the close_reason.
    ///
    /// What `confined` holds goes with the program.
    pub(super) fn start(
        mut command: process::Command,
        close_reason: CloseReason,
        confined: Option<Box<ConfinedServer>>,
    ) -> Self {
        command.limits.line = LINE;
        command.limits.stdout = 0;
        command.limits.stderr = STDERR;
        let (sender, lines) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let (counter, told) = (Arc::clone(&waiting), close_reason.clone());
        let last = sender.clone();
        let child = process::start_with(command, |child| {
            child.on_lines(move |heard| {
                let process::Heard::Line(line) = heard else {
                    // Who no longer listens wants nothing more.
                    let _ = sender.send(Written::All);
                    return process::Flow::More;
                };
                let size = line.len() + 1;
                // Counted before it is sent, or the receiver could take it off first.
                let behind = counter.fetch_add(size, Ordering::AcqRel) + size;
                let heard = sender.send(Written::Line(line.to_vec())).is_ok();
                if heard && behind >= BEHIND { process::Flow::Pause } else { process::Flow::More }
            });
            child.finish(move |report| {
                // Whoever ended it knows why: that it was ended is no reason, and may be known before that one.
                if report.end != process::End::Cancelled {
                    told.write(Over::Gone, words(&report, &told, confined.as_deref()));
                }
                // Only now the lines are at their end, so that whoever reads them knows why.
                drop(last);
            });
        });
        Self {
            child,
            lines,
            waiting,
            close_reason,
            unasked: Unasked::default(),
            unheard: 0,
            replies: Replies::default(),
            ready: VecDeque::new(),
        }
    }

    fn took(&self, line: &[u8]) {
        let size = line.len() + 1;
        let before = self.waiting.fetch_sub(size, Ordering::AcqRel);
        // Half empty: reading on earlier would only stop again.
        if before > BEHIND / 2 && before - size <= BEHIND / 2 {
            self.child.resume();
        }
    }

    /// Takes a line. Those that are no messages are passed over: many servers log to standard output.
    fn hear(&mut self, line: &[u8]) -> Result<(), String> {
        self.took(line);
        self.unheard = 0;
        if line.len() >= LINE {
            return Err(format!("it wrote a line of more than {} MiB, and was ended", LINE >> 20));
        }
        let message = serde_json::from_slice(line).ok();
        if self.unasked.note(line.len(), message.as_ref()) {
            return Err("it writes without end and answers nothing, and was ended".to_owned());
        }
        match message {
            Some(reply) if answers(&reply) => self.replies.keep(line, reply)?,
            Some(message) => self.ready.push_back(message),
            None => {}
        }
        Ok(())
    }

    /// Ends a server that broke the protocol.
    fn end(&mut self, why: impl Into<String>) {
        self.close_reason.write(Over::Ended, why);
        self.lines.close();
        self.child.cancel();
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = std::io::Error;

    /// Bytes are kept until the server takes them; what waits is bounded by what it may leave unanswered.
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sent = serde_json::to_vec(&item).map_err(std::io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.unheard += line.len();
            if self.unheard > UNHEARD {
                return Err(std::io::Error::other("it no longer reads what it is sent"));
            }
            self.child.feed(line);
            Ok(())
        });
        std::future::ready(sent)
    }

    /// The next message. A reply is kept until the end of the write that brought it: a second one beside it would make both
    /// unreadable (MC-17).
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            match self.lines.recv().await {
                Some(Written::Line(line)) => {
                    if let Err(why) = self.hear(&line) {
                        self.end(why);
                        return None;
                    }
                }
                Some(Written::All) => self.ready.extend(self.replies.take()),
                None => {
                    self.ready.extend(self.replies.take());
                    return self.ready.pop_front();
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.child.close_stdin();
        self.child.cancel();
        Ok(())
    }
}

/// How a server ended, with the last that it wrote on standard error.
fn words(
    report: &process::Report,
    close_reason: &CloseReason,
    confined: Option<&ConfinedServer>,
) -> String {
    let ended = match &report.end {
        process::End::NotStarted(error) if error.is_of_sandbox() => return not_reached(error),
        process::End::NotStarted(error) => return format!("it cannot be started: {error}"),
        process::End::Exited(code) => format!("it ended with exit code {code}"),
        process::End::Signalled(signal) => format!("signal {signal} ended it"),
        process::End::Unknown | process::End::Unread(_) => {
            "it ended, and how is not known".to_owned()
        }
        process::End::TimedOut | process::End::Cancelled => "it was ended".to_owned(),
    };
    let stderr = String::from_utf8_lossy(&report.stderr.bytes);
    let last = stderr.lines().rev().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
    let last = close_reason.quote(last);
    let limited = confined.filter(|_| report.tier > process::Tier::T0);
    let refused = limited.and_then(|it| it.told(&report.stderr.bytes));
    let refused = refused.map(|it| format!("; {}", close_reason.without_withheld(&it)));
    let said = if last.is_empty() { ended } else { format!("{ended}: {last}") };
    said + &refused.unwrap_or_default()
}
