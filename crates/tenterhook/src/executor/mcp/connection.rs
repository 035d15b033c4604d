//! One connection to a server, from its start to its end: opens it, and calls its tools. Starts nothing twice.

use std::ffi::OsString;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ContentBlock, ErrorCode,
    ErrorData, Implementation,
};
use rmcp::service::{Peer, RunningService, ServiceError, serve_client};
use rmcp::{ClientHandler, RoleClient};
use tenterhook_process as process;

use super::expand::expand;
use super::stdio::{Epitaph, Over, Stdio};
use super::streamable;
use super::{Call, CallFault, CallFaultKind, Content, Reply};
use crate::config::{Reach, Server};
use crate::diagnostic::nearest;
use crate::dialect::DialectId;
use crate::executor::command::LISTED;
use crate::executor::http::Network;
use crate::hook::{Command, Inherit, Invocation};

/// The host's environment.
pub(super) type Env = Arc<[(String, String)]>;

/// A server that said hello.
#[derive(Debug)]
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    epitaph: Epitaph,
}

/// The life of a connection: it ends when this is dropped, whoever still holds the connection.
pub(super) struct Life {
    service: RunningService<RoleClient, Client>,
    epitaph: Epitaph,
}

impl Life {
    /// Waits for the end of the connection, and says why it ended.
    pub(super) async fn over(self) -> String {
        // How the task ended says less than the epitaph.
        let _ = self.service.waiting().await;
        self.epitaph.read().map_or_else(|| "the connection was lost".to_owned(), |(_, why)| why)
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
    pub(super) async fn open(
        server: &Server,
        env: &Env,
        network: &Network,
    ) -> Result<(Self, Life), String> {
        let (opened, epitaph) = match &server.reach {
            Reach::Program(command) => {
                let (transport, epitaph) = Stdio::start(describe(server, command, env)?);
                (serve_client(Client, transport).await, epitaph)
            }
            Reach::Address(http) => {
                let transport = streamable::open(server, http, env, network)?;
                (serve_client(Client, transport).await, Epitaph::default())
            }
        };
        let service = opened.map_err(|error| {
            let known = epitaph.read().map(|(_, why)| why);
            known.unwrap_or_else(|| format!("it does not speak MCP: {error}"))
        })?;
        let peer = service.peer().clone();
        Ok((Self { peer, epitaph: epitaph.clone() }, Life { service, epitaph }))
    }

    /// Whether it can be asked.
    pub(super) fn is_open(&self) -> bool {
        !self.peer.is_transport_closed()
    }

    /// Calls a tool. Dropped before the reply, it tells the server that nobody waits any longer.
    pub(super) async fn call(&self, call: Call<'_>) -> Result<Reply, CallFault> {
        let tool = call.tool.to_owned();
        let params = CallToolRequestParams::new(tool).with_arguments(call.input.clone());
        match self.peer.call_tool_once(params).await {
            Ok(CallToolResponse::Complete(result)) => Ok(reply(result)),
            Ok(_) => {
                Err(protocol(&call, "wants to ask the user or to take its time, which no hook can"))
            }
            Err(ServiceError::McpError(error)) => Err(self.refused(&call, &error).await),
            Err(ServiceError::UnexpectedResponse) => {
                Err(protocol(&call, "answered with something that is no result of a tool"))
            }
            Err(error) => Err(self.lost(&call, &error)),
        }
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
        let message: String = error.message.chars().take(super::QUOTED).collect();
        protocol(call, &format!("answered with the error {}: {message}", error.code.0))
    }

    fn lost(&self, call: &Call<'_>, error: &ServiceError) -> CallFault {
        let Call { server, tool, .. } = call;
        match self.epitaph.read() {
            Some((Over::Ended, why)) => protocol(call, &format!("brought no answer: {why}")),
            Some((Over::Gone, why)) => CallFault::new(
                CallFaultKind::NotConnected,
                format!("the server `{server}` went away while `{tool}` was called: {why}"),
            ),
            None => CallFault::new(
                CallFaultKind::NotConnected,
                format!(
                    "the connection to the server `{server}` was lost while `{tool}` was called: {error}"
                ),
            ),
        }
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

/// What is started: the program of the configuration, as its format names variables, in an environment of the rules of
/// command hooks.
fn describe(server: &Server, command: &Command, env: &Env) -> Result<process::Command, String> {
    let fill = |text: &str| match server.dialect {
        DialectId::NATIVE => Ok(text.to_owned()),
        _ => expand(text, |name| variable(env, name)).map_err(|name| {
            format!("its configuration names the variable `{name}`, which is not set")
        }),
    };
    let cwd = command.cwd.clone().unwrap_or_default();
    let mut described = match &command.invocation {
        Invocation::Argv { program, args } => {
            let args = args.iter().map(|it| fill(it)).collect::<Result<Vec<_>, _>>()?;
            process::Command::new(fill(program)?, args, cwd)
        }
        Invocation::Shell { text, .. } => process::Command::shell(text, cwd),
    };
    let passes = |name: &str| match command.inherit {
        Inherit::All => !server.dialect.dialect().withholds(name),
        Inherit::Listed => LISTED.contains(&name) || command.pass.iter().any(|it| it == name),
    };
    let mut variables: Vec<(OsString, OsString)> = env
        .iter()
        .filter(|(name, _)| passes(name) && !command.env.iter().any(|(own, _)| own == name))
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    for (name, value) in &command.env {
        variables.push((name.into(), fill(value)?.into()));
    }
    described.env = variables;
    described.umask = None;
    Ok(described)
}

pub(super) fn variable(env: &Env, name: &str) -> Option<String> {
    env.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.clone())
}
