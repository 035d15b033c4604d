//! A [`Model`] over the common services: OpenAI and services with its protocol, Anthropic, Gemini,
//! DeepSeek, Ollama and others. Reads no environment: the host passes the variables.
//!
//! A question goes to one server, which its service's table row or the host's variables name: no
//! proxy, no redirect. A fault never contains a key. Each service's protocol is in a separate file.

mod anthropic;
mod fault;
mod gemini;
mod ollama;
mod openai;
mod wire;

use std::fmt;
use std::sync::OnceLock;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, Uri};

use super::services::{self, MODEL, ModelTier, Protocol, Target};
use super::{Asking, FaultKind, Model, ModelFault, Question, Reply};
use crate::executor::http::Network;
use crate::executor::http::client::{Addresses, Client, read_body_up_to};
use fault::Failed;
use wire::Wire;

#[cfg(test)]
mod tests;

/// The maximum length of a reply.
const REPLY: usize = 16 << 20;

/// The services whose credentials the host has.
pub struct ModelClient {
    /// The host's variables that name a key, an address or a model.
    env: Vec<(String, String)>,
    model: Option<String>,
    network: Network,
    /// Created for the first question.
    client: OnceLock<Client>,
}

impl fmt::Debug for ModelClient {
    /// Shows the names of the variables, never their values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("ModelClient")
            .field("env", &names)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl ModelClient {
    /// The services that the variables of `env` give access to. Questions that name no model go to
    /// `model`, else to the one that [`MODEL`] names, else to the first service in the table with a
    /// key.
    #[must_use]
    pub fn new(env: &[(String, String)], model: Option<&str>) -> Self {
        let known = |name: &str| {
            name == MODEL || services::env_variables().any(|variable| variable == name)
        };
        let given = |(name, value): &&(String, String)| known(name) && !value.trim().is_empty();
        let env: Vec<_> = env.iter().filter(given).cloned().collect();
        let model = model.or(services::env_value(&env, MODEL)).map(|model| model.trim().to_owned());
        Self { env, model, network: Network::default(), client: OnceLock::new() }
    }

    /// Trusts the certificates that `network` trusts.
    #[must_use]
    pub fn reached_by(mut self, network: Network) -> Self {
        self.network = network;
        self.client = OnceLock::new();
        self
    }

    /// Sends a question to the service of its model.
    async fn send_question(&self, question: &Question) -> Result<Reply, ModelFault> {
        let wanted = question.model.as_deref().or(self.model.as_deref());
        let target = services::choose_target(&self.env, wanted, ModelTier::Quick)
            .map_err(|why| ModelFault::new(FaultKind::NoCredentials, why.to_string()))?;
        self.exchange_with_service(&target, question)
            .await
            .map_err(|failed| fault::fault_from_failure(&failed, &target))
    }

    async fn exchange_with_service(
        &self,
        target: &Target,
        question: &Question,
    ) -> Result<Reply, Failed> {
        let wire = target.speaks.wire_format();
        let request = build_request(wire, target, question).ok_or(Failed::Unsendable)?;
        let client = self.client.get_or_init(|| Client::new(&self.network, Addresses::Any));
        let response = client.send(request).await.map_err(Failed::Network)?;
        let body = read_reply_body(response).await?;
        let json = serde_json::from_slice(&body).map_err(Failed::BrokenJson)?;
        (wire.read)(&json).ok_or(Failed::Empty)
    }
}

impl Model for ModelClient {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(self.send_question(question))
    }
}

impl Protocol {
    /// Returns how requests are written and replies are read.
    const fn wire_format(self) -> &'static Wire {
        match self {
            Self::OpenAi => &openai::OPENAI,
            Self::DeepSeek => &openai::DEEPSEEK,
            Self::Anthropic => &anthropic::ANTHROPIC,
            Self::Gemini => &gemini::GEMINI,
            Self::Ollama => &ollama::OLLAMA,
        }
    }
}

/// The request of a question; `None` if the address or the key cannot be sent.
fn build_request(
    wire: &Wire,
    target: &Target,
    question: &Question,
) -> Option<Request<Full<Bytes>>> {
    let path = (wire.path)(&target.model);
    let body = serde_json::to_vec(&(wire.write)(&target.model, question)).ok()?;
    let mut request = Request::new(Full::new(Bytes::from(body)));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = Uri::try_from(format!("{}{path}", target.address)).ok()?;
    let headers = request.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let agent = concat!("tenterhook/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    for (name, text) in wire.fixed {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(text));
    }
    // A user's own server may need no key.
    if let (Some((name, prefix)), Some(key)) = (wire.key, &target.key) {
        let mut value = HeaderValue::try_from(format!("{prefix}{key}")).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Some(request)
}

/// Reads the body of a reply that may be an answer.
async fn read_reply_body(response: Response<Incoming>) -> Result<Vec<u8>, Failed> {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.map(|header| String::from_utf8_lossy(header.as_bytes()).into_owned());
    let body = read_body_up_to(response.into_body(), REPLY).await;
    if !status.is_success() {
        let body = body.unwrap_or_default();
        return Err(Failed::Status(status.as_u16(), String::from_utf8_lossy(&body).into_owned()));
    }
    match kind {
        Some(kind) if !kind.contains("json") => Err(Failed::NotJson(kind)),
        _ => body.map_err(Failed::Network),
    }
}
