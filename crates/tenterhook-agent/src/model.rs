//! What a model is to this agent: a request goes in, a stream of deltas comes out. Knows no provider.

mod genai;
mod scripted;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;
use serde_json::Value;

use crate::conversation::{Call, Echo, Message};
use crate::hooks::services::Unreachable;
use crate::hooks::{MODEL, services};

/// Everything that one call of the model is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// The system prompt, with what hooks added to it.
    pub(crate) system: String,
    /// The conversation so far.
    pub(crate) messages: Vec<Message>,
    /// The tools that it may call.
    pub(crate) tools: Vec<ToolSpec>,
    /// How long its answer may be.
    pub(crate) max_tokens: u32,
}

/// The description of a tool for a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolSpec {
    /// Its name.
    pub(crate) name: Cow<'static, str>,
    /// What it does, for the model.
    pub(crate) about: Cow<'static, str>,
    /// The JSON Schema of its arguments.
    pub(crate) schema: Value,
}

/// A piece of an answer, as it comes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Delta {
    /// More of its words.
    Text(String),
    /// More of its thoughts.
    Reasoning(String),
    /// A whole tool call.
    Call(Call),
    /// What the service wants to have back in the next request.
    Echo(Echo),
    /// Nothing came yet: the service has too much to do, and is asked again after a while.
    Waits {
        /// What it says.
        why: String,
        /// How long.
        wait: Duration,
    },
    /// The end, what it cost, and why it is the end.
    End(Usage, Stop),
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The answer is complete.
    Done,
    /// It may be no longer.
    Length,
    /// The service will not say it: its word for why.
    Refused(String),
}

/// What one call cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Tokens read.
    pub(crate) input: u64,
    /// Tokens written.
    pub(crate) output: u64,
}

/// The words for how a model can fail: the matcher subjects of `StopFailure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// Too many requests.
    RateLimit,
    /// No credentials, or wrong ones.
    Auth,
    /// The account does not pay for it.
    Billing,
    /// The service has too much to do.
    Overloaded,
    /// The service is broken.
    Server,
    /// The service knows no such model.
    NoModel,
    /// The request is not one that the model takes: too long, most often.
    InvalidRequest,
    /// The answer was cut at its limit before it said anything that can be used.
    MaxTokens,
    /// It could not be reached, or broke off.
    Unknown,
}

impl ErrorKind {
    /// Every kind with the word that hooks match.
    pub(crate) const ALL: &'static [(Self, &'static str)] = &[
        (Self::RateLimit, "rate_limit"),
        (Self::Auth, "authentication_failed"),
        (Self::Billing, "billing_error"),
        (Self::Overloaded, "overloaded"),
        (Self::Server, "server_error"),
        (Self::NoModel, "model_not_found"),
        (Self::InvalidRequest, "invalid_request"),
        (Self::MaxTokens, "max_output_tokens"),
        (Self::Unknown, "unknown"),
    ];

    /// Returns the name that hooks match.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("unknown", |(_, word)| word)
    }
}

/// Why a model did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ModelError {
    /// What kind of failure.
    pub(crate) kind: ErrorKind,
    /// What happened, and what to do about it.
    pub(crate) message: String,
}

/// The pieces of one answer. Dropping the stream ends the call.
pub(crate) type Answer = Pin<Box<dyn Stream<Item = Result<Delta, ModelError>> + Send>>;

/// Somebody who answers requests.
pub(crate) trait Provider: Send + Sync + fmt::Debug {
    /// Asks the model.
    fn ask(&self, request: Request) -> Answer;
}

/// The model that answers, and its name.
#[derive(Debug)]
pub(crate) struct Opened {
    /// What the model is called: as it was asked for, else the service and the model that were found.
    pub(crate) name: String,
    /// The model that answers.
    pub(crate) provider: Arc<dyn Provider>,
}

/// Why there is no model of a name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error(transparent)]
    Script(#[from] scripted::ScriptError),
    #[error("{reason}{hint}", reason = .0, hint = genai::model_choice_hint(.0))]
    Service(#[from] Unreachable),
}

/// Opens the provider of the named model. Without a name, uses the model that a variable names, or
/// the first service with a key.
pub(crate) fn open(name: Option<&str>, env: &[(String, String)]) -> Result<Opened, OpenError> {
    let name = name.filter(|name| !name.trim().is_empty());
    let name = name.or_else(|| services::env_value(env, MODEL));
    if let Some((name, file)) = name.and_then(|name| Some((name, name.strip_prefix("scripted:")?)))
    {
        let provider = Arc::new(scripted::Scripted::load(Path::new(file))?);
        return Ok(Opened { name: name.to_owned(), provider });
    }
    let provider = genai::Genai::open(name, env)?;
    let name = name.unwrap_or(provider.name()).to_owned();
    Ok(Opened { name, provider: Arc::new(provider) })
}
