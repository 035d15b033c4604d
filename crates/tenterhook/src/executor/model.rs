//! What a host implements so that hooks can ask a model: values and one trait. Asks nothing itself and knows no hook.
//!
//! Small on purpose: a question is sent whole and a reply returned whole. A host with its own model
//! wraps it; others may use the one that the feature `model` brings.

#[cfg(feature = "model")]
mod client;
#[cfg(feature = "model")]
pub(super) mod services;

use std::fmt;
use std::pin::Pin;
use tenterhook_core::diagnostic::Code;

use serde_json::Value;

#[cfg(feature = "model")]
pub use client::ModelClient;

/// Answers the questions of `prompt` and `agent` hooks.
///
/// A question is asked once: implementations must not retry, because each try costs money and the
/// time of a waiting user. Dropping the future cancels the question.
pub trait Model: Send + Sync + fmt::Debug {
    /// Puts one question.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;
}

/// A question under way.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelFault>> + Send + 'a>>;

/// A question to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// The system prompt.
    pub system: String,
    /// The conversation so far, which ends with a message that is not the model's.
    pub messages: Vec<Message>,
    /// The tools that it may call; without tools it must answer.
    pub tools: Vec<Tool>,
    /// The model; `None` uses the default of the implementation.
    pub model: Option<String>,
    /// The maximum number of tokens in the reply; `None` uses the default of the model's service.
    pub max_tokens: Option<u32>,
    /// The wanted form of the reply.
    pub form: Form,
}

/// The form of a reply. Not every service can guarantee one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Any text.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A question or a statement.
    User(String),
    /// The model's reply, as it came: some services need all of it back.
    Model(Reply),
    /// The results of its calls, one for each call.
    Results(Vec<ToolResult>),
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub about: String,
    /// The JSON Schema of its input.
    pub input: Value,
}

/// A call that a model wants made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The service's name for the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its input.
    pub input: Value,
    /// Data that the service needs back with the call, unread.
    pub signatures: Vec<String>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The service's name for the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The result, as text for the model.
    pub text: String,
}

/// What a model replied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// Its text; empty if it only calls tools.
    pub text: String,
    /// The calls that it asks for.
    pub calls: Vec<ToolCall>,
    /// Its reasoning, if its service returns it.
    pub thoughts: Option<String>,
    /// Why it ended.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
}

impl Reply {
    /// A reply with only text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Why a reply ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// The model was done.
    #[default]
    Done,
    /// It asks for its calls.
    Calls,
    /// It had no tokens left.
    Length,
    /// It, or its service, refused to go on.
    Refused,
    /// Another reason, in the service's words.
    Other(String),
}

/// What a reply cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that were read.
    pub input: u64,
    /// Tokens that were written.
    pub output: u64,
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {}", kind.remedy())]
pub struct ModelFault {
    /// The kind of failure.
    pub kind: FaultKind,
    /// What happened, for people; never a credential.
    pub message: String,
}

impl ModelFault {
    /// A fault of this kind.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// The reasons why there is no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Neither the hook nor the host names a model, or there are no credentials for it.
    NoCredentials,
    /// The service rejected the credentials.
    Auth,
    /// Too many questions, or no money left.
    RateLimit,
    /// The service is overloaded.
    Overloaded,
    /// The service refused to answer this question.
    Refused,
    /// It could not be reached, or the connection broke.
    Network,
    /// Something else.
    Other,
}

impl FaultKind {
    /// Every kind with its fault code and its remedy.
    pub const ALL: &'static [(Self, Code, &'static str)] = &[
        (
            Self::NoCredentials,
            Code::ModelNoCredentials,
            "give the host the credentials of a model, or let the hook name a model that it has",
        ),
        (Self::Auth, Code::ModelAuth, "check the key, and that it may use this model"),
        (
            Self::RateLimit,
            Code::ModelRateLimit,
            "ask less often, let the hook run on fewer events, or raise the limit",
        ),
        (
            Self::Overloaded,
            Code::ModelOverloaded,
            "try again later, or let the hook name another model",
        ),
        (Self::Refused, Code::ModelRefused, "put the question in other words, or to another model"),
        (Self::Network, Code::ModelNetwork, "check the address and the connection"),
        (Self::Other, Code::ModelFailed, "check the name of the model and its service"),
    ];

    /// The code of the fault.
    #[must_use]
    pub fn code(self) -> Code {
        Self::ALL
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or(Code::ModelFailed, |(_, code, _)| *code)
    }

    /// The remedy.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        Self::ALL.iter().find(|(kind, ..)| *kind == self).map_or("", |(.., text)| text)
    }
}
