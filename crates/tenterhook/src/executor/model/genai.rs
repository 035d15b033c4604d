//! A [`Model`] over the services that people have: OpenAI and what speaks its protocol, Anthropic, Gemini, DeepSeek, Ollama
//! and others, by the crate `genai`. Reads no environment: the host hands over the variables.
//!
//! A question goes to one server, the one that its service's table row or the host's variables name: no proxy, no redirect.
//! What a fault says never holds a key.

mod fault;
pub mod services;
mod wire;

use std::fmt;
use std::sync::OnceLock;

use ::genai::adapter::AdapterKind;
use ::genai::resolver::{AuthData, Endpoint};
use ::genai::{Client, ModelIden, ModelSpec, ServiceTarget};

use super::{Asking, FaultKind, Model, ModelFault, Question, Reply};
use services::{Protocol, Target, Taste};

#[cfg(test)]
mod tests;

/// The variable that names the model, where neither the hook nor the host does.
pub const MODEL: &str = "TENTERHOOK_MODEL";

/// The services whose credentials the host has.
pub struct Genai {
    /// The host's variables, those alone that name a key, an address or a model.
    env: Vec<(String, String)>,
    model: Option<String>,
    /// Made at the first question: to load the certificates takes longer than most hooks.
    client: OnceLock<Result<Client, String>>,
}

impl fmt::Debug for Genai {
    /// Says which variables there are, and of none what it holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Genai").field("env", &names).field("model", &self.model).finish()
    }
}

impl Genai {
    /// The services that the variables of `env` give access to. Questions without a model of their own go to `model`, else to
    /// what [`MODEL`] names, else to the first service in the table that there is a key for.
    #[must_use]
    pub fn new(env: &[(String, String)], model: Option<&str>) -> Self {
        let known = |name: &str| name == MODEL || services::variables().any(|it| it == name);
        let given = |(name, value): &&(String, String)| known(name) && !value.trim().is_empty();
        let env: Vec<_> = env.iter().filter(given).cloned().collect();
        let model = model.or(services::value(&env, MODEL)).map(|it| it.trim().to_owned());
        Self { env, model, client: OnceLock::new() }
    }

    fn client(&self) -> Result<&Client, ModelFault> {
        let client = self.client.get_or_init(client).as_ref();
        client.map_err(|why| ModelFault::new(FaultKind::Other, why.clone()))
    }

    async fn put(&self, question: &Question) -> Result<Reply, ModelFault> {
        let wanted = question.model.as_deref().or(self.model.as_deref());
        let target = services::choose(&self.env, wanted, Taste::Quick)
            .map_err(|why| ModelFault::new(FaultKind::NoCredentials, why.to_string()))?;
        let Target { name, address, key, .. } = &target;
        let asked = self
            .client()?
            .exec_chat(target.spec(), wire::request(question), Some(&wire::options(question)))
            .await;
        match asked {
            Ok(reply) => wire::reply(reply).ok_or_else(|| fault::empty(name)),
            Err(error) => Err(fault::of(&error, name, address, key.as_deref())),
        }
    }
}

impl Model for Genai {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(self.put(question))
    }
}

impl Target {
    /// The same in the words of the crate `genai`, for those who ask with it themselves. Complete: nothing of it is looked for
    /// in the environment.
    #[must_use]
    pub fn spec(&self) -> ModelSpec {
        let speaks = match self.speaks {
            Protocol::OpenAi => AdapterKind::OpenAI,
            Protocol::Anthropic => AdapterKind::Anthropic,
            Protocol::Gemini => AdapterKind::Gemini,
            Protocol::DeepSeek => AdapterKind::DeepSeek,
            Protocol::Ollama => AdapterKind::Ollama,
        };
        // Servers of one's own want no key, and the protocol has no way to send none.
        let key = self.key.as_deref().unwrap_or("none");
        ModelSpec::Target(ServiceTarget {
            endpoint: Endpoint::from_owned(self.address.as_str()),
            auth: AuthData::from_single(key),
            model: ModelIden::new(speaks, self.model.as_str()),
        })
    }
}

/// A client that goes straight to the server that it is told, and nowhere else.
fn client() -> Result<Client, String> {
    // One provider of cryptography for the whole process; where the host has chosen one, that stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| format!("no connection can be made: {error}"))?;
    let built = Client::builder().with_reqwest(http).build();
    built.map_err(|error| format!("no client can be made: {error}"))
}
