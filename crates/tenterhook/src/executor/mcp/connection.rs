//! One connection to a server, from its start to its end: opens it, and calls its tools. Starts nothing twice.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ContentBlock, ErrorCode,
    ErrorData, Implementation,
};
use rmcp::service::{ClientInitializeError, Peer, RunningService, ServiceError, serve_client};
use rmcp::{ClientHandler, RoleClient};

use super::close_reason::{CloseReason, Over};
use super::offer::{self, Offer};
use super::program::describe;
use super::reached::Reached;
use super::stdio::Stdio;
use super::streamable;
use super::{Call, CallFault, CallFaultKind, Content, Reply};
use crate::diagnostic::nearest;
use crate::executor::http::Network;
use crate::hook::Grants;
use crate::source::{Reach, Server};

/// The host's environment.
pub(super) type Env = Arc<[(String, String)]>;

/// What is to be started or reached, and with what.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) server: Server,
    pub(super) env: Env,
    pub(super) network: Network,
    /// What is left to the hooks that it is started for, where those are confined.
    pub(super) caller: Option<Grants>,
    /// Where a confined one may be given a directory for passing files.
    pub(super) scratch: Option<PathBuf>,
    /// In place of what this machine can confine with: for tests.
    pub(super) pretended: Option<tenterhook_process::Means>,
}

/// A server that said hello.
#[derive(Debug)]
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    close_reason: CloseReason,
}

/// The life of a connection: it ends when this is dropped, whoever still holds the connection.
pub(super) struct Life {
    service: RunningService<RoleClient, Client>,
    close_reason: CloseReason,
}

impl Life {
    /// Waits for the end of the connection, and says why it ended.
    pub(super) async fn over(self) -> String {
        // How the task ended says less than the close_reason.
        let _ = self.service.waiting().await;
        self.close_reason
            .read()
            .map_or_else(|| "the connection was lost".to_owned(), |(_, why)| why)
    }
}

/// Who we are to a server: one that calls tools, and can be asked nothing.
#[derive(Debug)]
struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("tenterhook", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(rmcp::model::ClientCapabilities::default(), own)
    }
}

impl Connection {
    /// Starts or reaches the server, and shakes hands.
    ///
    /// # Errors
    ///
    /// What kept it from that, for people.
    pub(super) async fn open(start: &Start) -> Result<(Self, Life), String> {
        let Start { server, env, network, .. } = start;
        let (opened, close_reason) = match &server.reach {
            Reach::Program(command) => {
                let (described, withheld, confined) = describe(start, command)?;
                let close_reason = CloseReason::new(withheld);
                let transport = Stdio::start(described, close_reason.clone(), confined);
                (serve_client(Client, transport).await, close_reason)
            }
            Reach::Withheld(why) => return Err(why.clone()),
            Reach::Address(http) => {
                let (transport, withheld) = streamable::open(server, http, env, network)?;
                let close_reason = CloseReason::new(withheld);
                let transport = Reached::new(transport, close_reason.clone());
                (serve_client(Client, transport).await, close_reason)
            }
        };
        let service = opened.map_err(|error| unopened(&error, &close_reason))?;
        let peer = service.peer().clone();
        Ok((Self { peer, close_reason: close_reason.clone() }, Life { service, close_reason }))
    }

    /// Whether it can be asked.
    pub(super) fn is_open(&self) -> bool {
        !self.peer.is_transport_closed() && self.close_reason.read().is_none()
    }

    /// Calls a tool. Dropped before the reply, it tells the server that nobody waits any longer.
    pub(super) async fn call(&self, call: Call<'_>) -> Result<Reply, CallFault> {
        let tool = call.tool.to_owned();
        let params = CallToolRequestParams::new(tool).with_arguments(call.input.clone());
        match self.peer.call_tool_once(params).await {
            Ok(CallToolResponse::Complete(result)) => Ok(self.reply(result)),
            Ok(_) => {
                Err(protocol(&call, "wants to ask the user or to take its time, which no hook can"))
            }
            Err(ServiceError::McpError(error)) => Err(self.refused(&call, &error).await),
            Err(ServiceError::UnexpectedResponse) => {
                Err(protocol(&call, "answered with something that is not a result of a tool"))
            }
            Err(error) => Err(self.lost(&call, &error)),
        }
    }

    /// Asks which tools it offers.
    pub(super) async fn offer(&self, server: &str) -> Result<Offer, CallFault> {
        let input = serde_json::Map::new();
        let tool = "tools/list";
        let deadline = tokio::time::Instant::now();
        let call = Call { server, tool, input: &input, deadline, sandbox: None };
        offer::list(&self.peer).await.map_err(|error| match error {
            ServiceError::McpError(error) => {
                let message = self.close_reason.quote(&error.message);
                protocol(&call, &format!("answered with the error {}: {message}", error.code.0))
            }
            ServiceError::UnexpectedResponse => {
                protocol(&call, "answered with something that is not a list of tools")
            }
            error => self.lost(&call, &error),
        })
    }

    /// What a tool says that failed ends up in a fault, so it is without what the server was handed.
    fn reply(&self, result: CallToolResult) -> Reply {
        let mut reply = reply(result);
        if reply.is_error {
            for content in &mut reply.content {
                if let Content::Text(text) = content {
                    *text = self.close_reason.without_withheld(text);
                }
            }
        }
        reply
    }

    /// An error of the server. Which tools it has is asked only now: a call that goes well costs one message.
    async fn refused(&self, call: &Call<'_>, error: &ErrorData) -> CallFault {
        let unknown =
            [ErrorCode::INVALID_PARAMS, ErrorCode::METHOD_NOT_FOUND, ErrorCode::RESOURCE_NOT_FOUND];
        if unknown.contains(&error.code)
            && let Ok(tools) = self.peer.list_all_tools().await
            && !tools.iter().any(|it| it.name == call.tool)
        {
            return no_tool(call, &tools.iter().map(|it| &*it.name).collect::<Vec<_>>());
        }
        let message = self.close_reason.quote(&error.message);
        protocol(call, &format!("answered with the error {}: {message}", error.code.0))
    }

    fn lost(&self, call: &Call<'_>, error: &ServiceError) -> CallFault {
        let Call { server, tool, .. } = call;
        match self.close_reason.read() {
            Some((Over::Ended, why)) => protocol(call, &format!("brought no answer: {why}")),
            Some((Over::Gone, why)) => CallFault::new(
                CallFaultKind::NotConnected,
                format!("the server `{server}` went away while `{tool}` was called: {why}"),
            ),
            None => CallFault::new(
                CallFaultKind::NotConnected,
                format!("the server `{server}` brought no answer to `{tool}`: {}", unsent(error)),
            ),
        }
    }
}

/// What kept a server from saying hello.
fn unopened(error: &ClientInitializeError, close_reason: &CloseReason) -> String {
    if let Some((_, why)) = close_reason.read() {
        return why;
    }
    match error {
        ClientInitializeError::TransportError { error, .. } => {
            format!("it cannot be asked: {}", error.error)
        }
        other => format!("it does not speak MCP: {}", close_reason.quote(&other.to_string())),
    }
}

/// What kept a message from the server: what the transport said, without the names of its types.
fn unsent(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => error.error.to_string(),
        ServiceError::TransportClosed => "its answer broke off".to_owned(),
        other => other.to_string(),
    }
}

fn protocol(call: &Call<'_>, what: &str) -> CallFault {
    CallFault::new(CallFaultKind::Protocol, format!("`{}/{}` {what}", call.server, call.tool))
}

fn no_tool(call: &Call<'_>, tools: &[&str]) -> CallFault {
    let listed: Vec<String> = tools.iter().take(8).map(|it| format!("`{it}`")).collect();
    let hint = match (nearest(call.tool, tools.iter().copied()), listed.is_empty()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, true) => "it has none".to_owned(),
        (None, false) => format!("it has {}", listed.join(", ")),
    };
    let Call { server, tool, .. } = call;
    let why = format!("the server `{server}` has no tool `{tool}`: {hint}");
    CallFault::new(CallFaultKind::UnknownTool, why)
}

fn reply(result: CallToolResult) -> Reply {
    let content = result.content.into_iter().map(|block| match block {
        ContentBlock::Text(text) => Content::Text(text.text),
        other => Content::Other(kind(&other).to_owned()),
    });
    let mut content: Vec<Content> = content.collect();
    // Servers say in text what is structured, too; where one does not, a denial in it is not to be lost.
    let in_text =
        |it: &Content| matches!(it, Content::Text(text) if text.trim_start().starts_with('{'));
    if let Some(structured) = result.structured_content
        && !content.iter().any(in_text)
    {
        if content.is_empty() {
            content.push(Content::Other("structured".to_owned()));
        }
        content.push(Content::Text(structured.to_string()));
    }
    Reply { content, is_error: result.is_error == Some(true) }
}

fn kind(block: &ContentBlock) -> &'static str {
    match block {
        ContentBlock::Image(_) => "image",
        ContentBlock::Audio(_) => "audio",
        ContentBlock::Resource(_) => "resource",
        ContentBlock::ResourceLink(_) => "resource_link",
        _ => "unknown",
    }
}
