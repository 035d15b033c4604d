//! What a host implements so that hooks can ask a model: values and one trait. Asks nothing itself and knows no hook.
//!
//! Small on purpose: a question goes out whole and a reply comes back whole. A host that has a model of its own wraps it; one
//! that has none may take the one that the feature `model` brings.

#[cfg(feature = "model")]
mod client;
#[cfg(feature = "model")]
#[doc(hidden)]
pub mod services;

use std::fmt;
use std::pin::Pin;
use tenterhook_core::diagnostic::Code;

use serde_json::Value;

#[cfg(feature = "model")]
pub use client::ModelClient;

/// Answers the questions of `prompt` and `agent` hooks.
///
/// A question is put once: whoever implements this retries nothing by itself, because each try costs money and the time of
/// somebody who waits. Dropping the future gives the question up.
pub trait Model: Send + Sync + fmt::Debug {
    /// Puts one question.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;
}

/// A question under way.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelFault>> + Send + 'a>>;

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// What it is told before everything else.
    pub system: String,
    /// The conversation so far, which ends with words that are not the model's.
    pub messages: Vec<Message>,
    /// What it may call; where there is nothing, it must answer.
    pub tools: Vec<Tool>,
    /// Which model; `None` leaves it to whoever answers.
    pub model: Option<String>,
    /// How many tokens the reply may have; `None`: as the model's service has it.
    pub max_tokens: Option<u32>,
    /// In which form the reply is wanted.
    pub form: Form,
}

/// In which form a reply is wanted. Not every service can promise one.
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
    /// What is asked or told.
    User(String),
    /// What the model replied, as it came: some services want all of it back.
    Model(Reply),
    /// What its calls brought, one for each call.
    Results(Vec<ToolResult>),
}

/// Something that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, in words for the model.
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
    /// What the service wants back with the call, unread.
    pub signatures: Vec<String>,
}

/// What a call brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The service's name for the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it brought, in words for the model.
    pub text: String,
}

/// What a model replied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// Its words; empty where it only calls.
    pub text: String,
    /// What it wants called.
    pub calls: Vec<ToolCall>,
    /// What it thought on the way, where its service tells.
    pub thoughts: Option<String>,
    /// Why it ended.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
}

impl Reply {
    /// A reply of words alone.
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
    /// It wants its calls made.
    Calls,
    /// It had no tokens left.
    Length,
    /// It, or its service, would not go on.
    Refused,
    /// Another reason, in the service's words.
    Other(String),
}

/// What a reply cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// What was read.
    pub input: u64,
    /// What was written.
    pub output: u64,
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {}", kind.remedy())]
pub struct ModelFault {
    /// Which way it failed.
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

/// The ways in which there is no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Nobody said which model to ask, or with which credentials.
    NoCredentials,
    /// The service does not take the credentials.
    Auth,
    /// Too many questions, or no money left.
    RateLimit,
    /// The service has too much to do.
    Overloaded,
    /// The service would not answer this question.
    Refused,
    /// It could not be reached, or the connection broke.
    Network,
    /// Something else.
    Other,
}

impl FaultKind {
    /// Every kind with its fault code and what to do about it.
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

    /// The code of the fault that this becomes.
    #[must_use]
    pub fn code(self) -> Code {
        Self::ALL
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or(Code::ModelFailed, |(_, code, _)| *code)
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        Self::ALL.iter().find(|(kind, ..)| *kind == self).map_or("", |(.., text)| text)
    }
}
