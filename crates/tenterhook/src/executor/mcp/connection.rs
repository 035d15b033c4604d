//! One connection to a server, from its start to its end: opens it, and calls its tools. Starts nothing twice.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::address::Address;
use super::calls::Calls;
use super::close_reason::{CloseReason, Over};
use super::offer::{self, Offer};
use super::peer::{Lost, Peer, Wire};
use super::program::process_of_server;
use super::rpc::{INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, RpcError};
use super::stdio::Program;
use super::unopened::Unopened;
use super::{Call, CallFault, CallFaultKind, Content, Reply, streamable};
use crate::executor::http::Network;
use tenterhook_core::diagnostic::nearest_word;
use tenterhook_core::hook::Grants;
use tenterhook_core::source::{Reach, Server};

/// The kinds of content beside text.
const KINDS: &[&str] = &["image", "audio", "resource", "resource_link"];

/// The host's environment.
pub(super) type Env = Arc<[(String, String)]>;

/// What to start or reach, and its context.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) server: Server,
    pub(super) env: Env,
    pub(super) network: Network,
    /// The grants of the confined hooks that it is started for.
    pub(super) caller: Option<Grants>,
    /// Where its scratch directory may be created.
    pub(super) scratch: Option<PathBuf>,
    /// Replaces what this machine can confine with: for tests.
    pub(super) pretended: Option<tenterhook_process::Means>,
}

/// A server that completed the handshake.
pub(super) struct Connection {
    peer: Peer,
    close_reason: CloseReason,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("close_reason", &self.close_reason)
            .finish_non_exhaustive()
    }
}

/// The life of a connection: it ends when this is dropped, even if references to the connection
/// remain.
pub(super) struct Life {
    /// Reads what the server writes; dropping it ends the server.
    serving: Pin<Box<dyn Future<Output = ()> + Send>>,
    calls: Arc<Calls>,
    close_reason: CloseReason,
}

impl Life {
    /// Waits for the end of the connection, and returns its reason.
    pub(super) async fn wait_for_end(mut self) -> String {
        self.serving.as_mut().await;
        self.close_reason.get().map_or_else(|| "the connection was lost".to_owned(), |(_, why)| why)
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.calls.close();
    }
}

impl Connection {
    /// Starts or reaches the server, and makes the handshake.
    ///
    /// # Errors
    ///
    /// Why that failed.
    pub(super) async fn open(start: &Start) -> Result<(Self, Life), Unopened> {
        let (peer, mut life) = start_program_or_prepare_address(start)?;
        let close_reason = life.close_reason.clone();
        let hello = tokio::select! {
            biased;
            hello = peer.initialize() => hello,
            () = life.serving.as_mut() => Err(Lost::Closed),
        };
        hello.map_err(|lost| handshake_error(&lost, &close_reason))?;
        Ok((Self { peer, close_reason }, life))
    }

    /// Whether the server can be called.
    pub(super) fn is_open(&self) -> bool {
        self.peer.calls.is_open() && self.close_reason.get().is_none()
    }

    /// Calls a tool. Dropping the future cancels the call at the server.
    pub(super) async fn call_tool(&self, call: Call<'_>) -> Result<Reply, CallFault> {
        let params = [
            ("name".to_owned(), Value::from(call.tool)),
            ("arguments".to_owned(), Value::Object(call.input.clone())),
        ];
        let what = match self.peer.request_and_wait("tools/call", Map::from_iter(params)).await {
            Ok(result) if is_unfinished_result(&result) => {
                "wants to ask the user or to take its time, which no hook can"
            }
            Ok(result) => match parse_tool_result(result) {
                Some(reply) => return Ok(self.remove_secrets(reply)),
                None => "answered with something that is not a result of a tool",
            },
            Err(Lost::Refused(error)) => {
                return Err(self.fault_of_error_reply(&call, &error).await);
            }
            Err(lost) => return Err(self.lost_reply_fault(&call, &lost)),
        };
        Err(protocol_fault(&call, what))
    }

    /// Lists the server's tools. A server that does not know this request has none.
    pub(super) async fn list_tools(&self, server: &str) -> Result<Offer, CallFault> {
        let input = Map::new();
        let tool = "tools/list";
        let deadline = tokio::time::Instant::now();
        let call = Call { server, tool, input: &input, deadline, sandbox: None };
        match offer::request_tools(&self.peer).await {
            Err(Lost::Refused(error)) if error.code() == METHOD_NOT_FOUND => Ok(Offer::default()),
            Err(Lost::Refused(error)) => Err(self.server_error_fault(&call, &error)),
            Err(Lost::Odd) => {
                Err(protocol_fault(&call, "answered with something that is not a list of tools"))
            }
            listed => listed.map_err(|lost| self.lost_reply_fault(&call, &lost)),
        }
    }

    /// Removes secrets from the error of a tool, which becomes part of a fault.
    fn remove_secrets(&self, mut reply: Reply) -> Reply {
        if reply.is_error {
            for content in &mut reply.content {
                if let Content::Text(text) = content {
                    *text = self.close_reason.remove_secrets(text);
                }
            }
        }
        reply
    }

    /// Returns the fault of an error reply, also if the tool is unknown. The list of tools is only
    /// requested now, so that a successful call costs one message.
    async fn fault_of_error_reply(&self, call: &Call<'_>, error: &RpcError) -> CallFault {
        let unknown = [INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND];
        if unknown.contains(&error.code())
            && let Ok(offer) = offer::request_tools(&self.peer).await
            && !offer.is_cut
            && !offer.tools.iter().any(|tool| tool.name == call.tool)
        {
            return unknown_tool_fault(
                call,
                &offer.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(),
            );
        }
        self.server_error_fault(call, error)
    }

    fn server_error_fault(&self, call: &Call<'_>, error: &RpcError) -> CallFault {
        let message = self.close_reason.quote_without_secrets(error.message());
        protocol_fault(call, &format!("answered with the error {}: {message}", error.code()))
    }

    fn lost_reply_fault(&self, call: &Call<'_>, lost: &Lost) -> CallFault {
        let Call { server, tool, .. } = call;
        match self.close_reason.get() {
            Some((Over::Ended, why)) => protocol_fault(call, &format!("brought no answer: {why}")),
            Some((Over::Gone, why)) => CallFault::new(
                CallFaultKind::NotConnected,
                format!("the server `{server}` went away while `{tool}` was called: {why}"),
            ),
            None => {
                let why = match lost {
                    Lost::Unsent(why) | Lost::Unreachable(why) => why,
                    _ => "its answer broke off",
                };
                CallFault::new(
                    CallFaultKind::NotConnected,
                    format!("the server `{server}` brought no answer to `{tool}`: {why}"),
                )
            }
        }
    }
}

/// Starts the program, or prepares the connection to the address.
fn start_program_or_prepare_address(start: &Start) -> Result<(Peer, Life), Unopened> {
    let Start { server, env, network, .. } = start;
    let calls = Arc::new(Calls::default());
    let (wire, serving, close_reason): (_, Pin<Box<dyn Future<Output = ()> + Send>>, _) =
        match &server.reach {
            Reach::Program(command) => {
                let (described, withheld, confined) = process_of_server(start, command)?;
                let reason = CloseReason::new(withheld);
                let (program, serving) =
                    Program::start(described, Arc::clone(&calls), reason.clone(), confined);
                (Wire::Program(program), Box::pin(serving), reason)
            }
            Reach::Withheld(why) => return Err(Unopened::Withheld(why.clone())),
            Reach::Address(http) => {
                let (uri, own, withheld) = streamable::address_of_server(server, http, env)?;
                let reason = CloseReason::new(withheld);
                let (client, calls) = (network.mcp_client(), Arc::clone(&calls));
                let (address, serving) = Address::new(client, uri, own, calls, reason.clone());
                (Wire::Address(address), Box::pin(serving), reason)
            }
        };
    Ok((Peer { calls: Arc::clone(&calls), wire }, Life { serving, calls, close_reason }))
}

/// Explains why the handshake failed.
fn handshake_error(lost: &Lost, close_reason: &CloseReason) -> Unopened {
    if let Some((_, why)) = close_reason.get() {
        return Unopened::Ended(why);
    }
    match lost {
        Lost::Unreachable(why) => Unopened::Unreachable(why.clone()),
        Lost::Unsent(why) => Unopened::Unsent(why.clone()),
        Lost::Closed => Unopened::BrokenOff,
        Lost::Odd => Unopened::NoVersion,
        Lost::Refused(error) => Unopened::Refused {
            code: error.code(),
            message: close_reason.quote_without_secrets(error.message()),
        },
    }
}

fn protocol_fault(call: &Call<'_>, what: &str) -> CallFault {
    CallFault::new(CallFaultKind::Protocol, format!("`{}/{}` {what}", call.server, call.tool))
}

fn unknown_tool_fault(call: &Call<'_>, tools: &[&str]) -> CallFault {
    let listed: Vec<String> = tools.iter().take(8).map(|tool| format!("`{tool}`")).collect();
    let hint = match (nearest_word(call.tool, tools.iter().copied()), listed.is_empty()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, true) => "it has none".to_owned(),
        (None, false) => format!("it has {}", listed.join(", ")),
    };
    let Call { server, tool, .. } = call;
    let why = format!("the server `{server}` has no tool `{tool}`: {hint}");
    CallFault::new(CallFaultKind::UnknownTool, why)
}

/// Whether the server asks for input or made the call a task, so that the result is not final.
fn is_unfinished_result(result: &Value) -> bool {
    result.get("resultType").is_some_and(|kind| !kind.is_null() && kind != "complete")
}

/// Reads the result of a tool; `None` if it is malformed.
fn parse_tool_result(mut result: Value) -> Option<Reply> {
    let fields = result.as_object_mut()?;
    let listed = fields.remove("content").filter(|content| !content.is_null());
    let structured = fields.remove("structuredContent");
    let is_error = fields.remove("isError").filter(|is_error| !is_error.is_null());
    if listed.is_none() && structured.is_none() && is_error.is_none() {
        return None;
    }
    let Value::Array(listed) = listed.unwrap_or(Value::Array(Vec::new())) else { return None };
    let is_error = is_error.unwrap_or(Value::Bool(false)).as_bool()?;
    let mut content =
        listed.into_iter().map(parse_content_block).collect::<Option<Vec<Content>>>()?;
    // Most servers repeat the structured content as text. If one does not, a denial in it still
    // applies.
    let in_text = |content: &Content| matches!(content, Content::Text(text) if text.trim_start().starts_with('{'));
    if let Some(structured) = structured
        && !content.iter().any(in_text)
    {
        if content.is_empty() {
            content.push(Content::Other("structured".to_owned()));
        }
        content.push(Content::Text(structured.to_string()));
    }
    Some(Reply { content, is_error })
}

fn parse_content_block(mut block: Value) -> Option<Content> {
    let kind = block.get("type")?.as_str()?;
    if kind != "text" {
        let known = KINDS.iter().find(|known| **known == kind);
        return Some(Content::Other((*known.unwrap_or(&"unknown")).to_owned()));
    }
    match block.get_mut("text")?.take() {
        Value::String(text) => Some(Content::Text(text)),
        _ => None,
    }
}
