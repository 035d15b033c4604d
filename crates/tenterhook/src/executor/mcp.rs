//! Calls a tool of an MCP server as a hook, through the host's connections or those of
//! `Configured`. Knows no dialect and judges nothing.
//!
//! A host that is connected to MCP servers anyway implements [`Servers`] itself; with the feature
//! `mcp`, `Configured` connects those that configurations name. Implements `docs/spec/exec-mcp.md`.

#[cfg(feature = "mcp")]
mod address;
#[cfg(feature = "mcp")]
mod calls;
#[cfg(feature = "mcp")]
mod close_reason;
#[cfg(feature = "mcp")]
mod configured;
#[cfg(feature = "mcp")]
mod connection;
#[cfg(feature = "mcp")]
mod events;
#[cfg(feature = "mcp")]
mod health;
#[cfg(feature = "mcp")]
mod offer;
#[cfg(feature = "mcp")]
mod peer;
#[cfg(feature = "mcp")]
mod program;
#[cfg(feature = "mcp")]
mod replies;
#[cfg(feature = "mcp")]
mod rpc;
#[cfg(feature = "mcp")]
mod stdio;
#[cfg(feature = "mcp")]
mod streamable;
#[cfg(feature = "mcp")]
mod unopened;
#[cfg(feature = "mcp")]
mod withheld;

#[cfg(test)]
mod tests;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};
use tokio::time::Instant;

#[cfg(feature = "mcp")]
pub use configured::Configured;
#[cfg(feature = "mcp")]
pub use offer::{Offer, Offered};

use super::{Task, function, not_started_report};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::{Grants, McpTool};
use tenterhook_core::report::{Closed, Delivery, End, Output, Report, StepOutput};
use tenterhook_core::request::input;
use tenterhook_core::strict::put_objects_on_own_lines;

/// How much text of a reply is kept: as much as of a program's output.
const KEPT: usize = 1 << 20;

/// How much of a tool's error is quoted in the fault.
const QUOTED: usize = 200;

/// A call under way. Dropping it cancels the call: an implementation notifies the server if it can.
pub type Calling<'a> = Pin<Box<dyn Future<Output = Result<Reply, CallFault>> + Send + 'a>>;

/// Calls the tools of `mcp` hooks.
pub trait Servers: Send + Sync + fmt::Debug {
    /// Calls one tool once. A sent call is never sent again: the tool may have done its work.
    fn call<'a>(&'a self, call: Call<'a>) -> Calling<'a>;

    /// Whether it starts servers in [`Call::sandbox`]. If not, confined hooks cannot call tools.
    fn confines(&self) -> bool {
        false
    }
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The server, as the hook names it.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, complete.
    pub input: &'a Map<String, Value>,
    /// The end of the caller's patience.
    pub deadline: Instant,
    /// The grants of a confined hook: a server with wider access must not serve the call (MC-19).
    pub sandbox: Option<&'a Grants>,
}

/// What a tool replied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Its contents, in order.
    pub content: Vec<Content>,
    /// Whether the tool says that it failed (`isError`).
    pub is_error: bool,
}

/// One content of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A content of a different kind; the kind, for people: `image`, `audio`, `resource`.
    Other(String),
}

/// Why a call brought no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct CallFault {
    /// The kind of failure; decides the code of the fault and its remedy.
    pub kind: CallFaultKind,
    /// What happened, for people: the server, the tool, the system's message.
    pub why: String,
}

/// The kinds of [`CallFault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallFaultKind {
    /// No server of that name is configured.
    UnknownServer,
    /// The server differs from the approved one, so it was not called.
    Withheld,
    /// The server could not be started or reached, or went away.
    NotConnected,
    /// The server has no such tool.
    UnknownTool,
    /// The server answered with an error, or with a message that is no answer to the call.
    Protocol,
}

/// The code of each kind, and its remedy.
const KINDS: &[(CallFaultKind, Code, &str)] = {
    use CallFaultKind as Kind;
    &[
        (Kind::UnknownServer, Code::McpUnknownServer, "configure it, or correct the name"),
        (Kind::Withheld, Code::ChangedSinceApproved, "`tenterhook trust` shows what changed"),
        (Kind::NotConnected, Code::McpNotConnected, "see that it runs and can be reached"),
        (Kind::UnknownTool, Code::McpUnknownTool, "correct the name, or update the server"),
        (
            Kind::Protocol,
            Code::McpProtocol,
            "correct the input, or report it to the server's author",
        ),
    ]
};

impl CallFaultKind {
    /// The code of the fault.
    #[must_use]
    pub fn code(self) -> Code {
        self.kind_row().1
    }

    /// Returns the row of the table of kinds.
    fn kind_row(self) -> &'static (Self, Code, &'static str) {
        const UNLISTED: &(CallFaultKind, Code, &str) =
            &(CallFaultKind::Protocol, Code::McpProtocol, "");
        KINDS.iter().find(|(kind, ..)| *kind == self).unwrap_or(UNLISTED)
    }
}

impl CallFault {
    /// A fault of that kind.
    pub fn new(kind: CallFaultKind, why: impl Into<String>) -> Self {
        Self { kind, why: why.into() }
    }
}

pub(super) async fn run_mcp_call(task: &Task, call: &McpTool) -> Report {
    let began = Instant::now();
    let Some(servers) = &task.ambient.servers else {
        return not_started_report(
            "this host is connected to no MCP servers; it has to bring them, or the feature `mcp` has to be built in",
        );
    };
    let sandbox = task.hook.sandbox.grants();
    if sandbox.is_some() && !servers.confines() {
        return not_started_report(
            "its `sandbox` is for the server that it calls, and this host connects servers itself and does not confine them",
        );
    }
    let filled = match input::fill_tool_input(&call.input, &task.envelope.body) {
        Ok(filled) => filled,
        Err(why) => {
            return Report::without_output(
                failed_end(Code::McpInput, why.to_string()),
                began.elapsed(),
            );
        }
    };
    let deadline = began + task.remaining_time();
    let call = Call { server: &call.server, tool: &call.tool, input: &filled, deadline, sandbox };
    let calling = function::await_catching_panics(async { servers.call(call).await });
    let (end, said) = match tokio::time::timeout_at(deadline, calling).await {
        Ok(Ok(Ok(reply))) => output_from_reply(&call, reply),
        Ok(Ok(Err(fault))) => {
            let (_, code, remedy) = fault.kind.kind_row();
            (failed_end(*code, format!("{fault}; {remedy}")), empty_output())
        }
        Ok(Err(words)) => {
            return function::panic_report("the host's MCP client", &words, began);
        }
        Err(_) => (End::TimedOut, empty_output()),
    };
    Report { said, delivery: Delivery::Delivered, ..Report::without_output(end, began.elapsed()) }
}

fn failed_end(code: Code, why: String) -> End {
    End::Failed { code, why }
}

fn empty_output() -> StepOutput {
    StepOutput::Bytes { stdout: Output::default(), stderr: Output::default() }
}

/// Reads the first text like the output of a program with exit code 0 (MC-5). Further contents can
/// only deny: further objects are treated like output behind the first text, other text like a
/// program's log. The same holds for a reply that is no answer (MC-6).
fn output_from_reply(call: &Call<'_>, reply: Reply) -> (End, StepOutput) {
    let Call { server, tool, .. } = call;
    let mut contents = reply.content.into_iter();
    let (first, other) = match contents.next() {
        Some(Content::Text(text)) => (text, None),
        None => (String::new(), None),
        Some(Content::Other(kind)) => (String::new(), Some(kind)),
    };
    let end = match other {
        Some(kind) => {
            let why = format!(
                "the first content of `{server}/{tool}` is of the kind `{kind}`, not text; a tool that is a hook answers in text"
            );
            failed_end(Code::McpNoText, why)
        }
        None if reply.is_error => {
            let words = quoted_first_line(&first);
            let why = format!(
                "`{server}/{tool}` failed{words}; what a failed tool says is not an answer"
            );
            failed_end(Code::McpToolFailed, why)
        }
        None => End::Exited(0),
    };
    let rest = contents.filter_map(|content| match content {
        Content::Text(text) => Some(text),
        Content::Other(_) => None,
    });
    let is_second =
        |text: &String| text.trim_start().starts_with('{') && text.trim() != first.trim();
    let (objects, words): (Vec<_>, Vec<_>) = rest.partition(is_second);
    let (printed, logged) = if first.trim().is_empty() && end == End::Exited(0) {
        (first, [words, objects].concat())
    } else {
        ([vec![first], objects].concat().join("\n"), words)
    };
    let stdout = put_objects_on_own_lines(&printed).unwrap_or(printed);
    (
        end,
        StepOutput::Bytes {
            stdout: capped_output(&stdout),
            stderr: capped_output(&logged.join("\n")),
        },
    )
}

/// Returns `: ` and the start of the first line of a message; empty if the message is empty.
fn quoted_first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let line: String = line.chars().take(QUOTED).collect();
    if line.is_empty() { line } else { format!(": {line}") }
}

/// Builds an output from a text, cut at the limit.
fn capped_output(text: &str) -> Output {
    let bytes: Vec<u8> = text.bytes().take(KEPT).collect();
    let dropped = (text.len() - bytes.len()) as u64;
    let closed = if dropped > 0 { Closed::Truncated } else { Closed::Complete };
    Output { bytes, dropped, closed }
}
