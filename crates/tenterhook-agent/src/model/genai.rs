//! A model of one of the services that people have, over the network: OpenAI and what speaks its protocol, Anthropic, Gemini,
//! DeepSeek, Ollama and others, by the crate `genai`. Reads no environment: it is handed the variables.
//!
//! A request goes to one server, the one that its service's table row or a variable names: no proxy, no redirect. It is put
//! again where the service is overloaded and has sent nothing of an answer yet; never after.

mod fault;
mod relay;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use genai::Client;
use genai::chat::{ChatRequest, ChatStream, ChatStreamEvent};

use super::{Answer, Delta, ModelError, Provider, Request};
use crate::hooks::services::{self, ModelTier, Target, Unreachable};
use fault::{Again, Fault};
use relay::Relay;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(20);

/// How often a request is put at most.
const ATTEMPTS: u32 = 4;

/// How long is waited before the second attempt; before each further one twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// How long is waited at most because a service wants it: a person would rather know.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// One model of one service.
pub(super) struct Genai {
    target: Arc<Target>,
    /// Made at the first request: to load the certificates takes time.
    client: Arc<OnceLock<Result<Line, LineError>>>,
}

impl fmt::Debug for Genai {
    /// Says nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Genai").field("name", &self.target.name).finish_non_exhaustive()
    }
}

impl Genai {
    /// Opens the named model; without a name, that of the first service with a key.
    pub(super) fn open(
        wanted: Option<&str>,
        env: &[(String, String)],
    ) -> Result<Self, Unreachable> {
        let target = Arc::new(services::choose_target(env, wanted, ModelTier::Able)?);
        Ok(Self { target, client: Arc::default() })
    }

    /// Returns the service and the model, such as `openai::gpt-5`.
    pub(super) fn name(&self) -> &str {
        &self.target.name
    }

    /// Prepares the exchange. Nothing is sent before its first delta is requested.
    fn start_exchange(&self, request: Request) -> Exchange {
        Exchange {
            wire: wire::chat_request(&request, &self.target),
            number: None,
            request,
            target: self.target.clone(),
            client: self.client.clone(),
            attempts: 0,
            wait: Duration::ZERO,
            stream: None,
            spoke: false,
            ready: VecDeque::new(),
            over: false,
        }
    }
}

/// Returns a hint on how to choose another model.
pub(super) const fn model_choice_hint(why: &Unreachable) -> &'static str {
    match why {
        Unreachable::Unknown { .. } => "",
        Unreachable::Unnamed(_) => ", or say it with `--model`",
        // Nothing gives access to a service.
        _ => "; `--model scripted:FILE` plays from a file",
    }
}

impl Provider for Genai {
    fn ask(&self, request: Request) -> Answer {
        Box::pin(stream::unfold(self.start_exchange(request), |mut call| async move {
            let delta = call.next_delta().await?;
            Some((delta, call))
        }))
    }
}

/// One request and its answer, with every attempt. Dropped, it ends the connection.
struct Exchange {
    request: Request,
    wire: ChatRequest,
    /// The number of the attempt under way.
    number: Option<u64>,
    target: Arc<Target>,
    client: Arc<OnceLock<Result<Line, LineError>>>,
    attempts: u32,
    /// How long to wait before the next attempt.
    wait: Duration,
    /// The answer under way.
    stream: Option<ChatStream>,
    /// Whether something of it was handed on.
    spoke: bool,
    /// Received events that are not handed on yet.
    ready: VecDeque<Delta>,
    over: bool,
}

impl Exchange {
    async fn next_delta(&mut self) -> Option<Result<Delta, ModelError>> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Some(Ok(delta));
            }
            if self.over {
                return None;
            }
            if let Err(fault) = self.advance().await {
                self.stream = None;
                match self.retry_delay(&fault) {
                    Some(wait) => {
                        self.wait = wait;
                        self.ready.push_back(Delta::Waits { why: fault.what, wait });
                    }
                    None => {
                        self.over = true;
                        return Some(Err(fault.error));
                    }
                }
            }
        }
    }

    /// Sends the request, or receives the next piece of its answer.
    async fn advance(&mut self) -> Result<(), Fault> {
        let Some(stream) = &mut self.stream else {
            tokio::time::sleep(self.wait).await;
            self.attempts += 1;
            self.stream = Some(self.send_request().await?);
            return Ok(());
        };
        let event = match stream.next().await {
            Some(Ok(event)) => event,
            Some(Err(error)) => return Err(self.fault_of_error(&error)),
            None => return Err(self.incomplete_answer_fault()),
        };
        match event {
            ChatStreamEvent::Chunk(chunk) => self.push_delta(Delta::Text(chunk.content)),
            ChatStreamEvent::ReasoningChunk(reasoning_chunk) => {
                self.push_delta(Delta::Reasoning(reasoning_chunk.content))
            }
            ChatStreamEvent::End(end) => {
                let deltas = wire::final_deltas(end, &self.request, &self.target);
                self.ready.extend(deltas.ok_or_else(|| self.incomplete_answer_fault())?);
                self.over = true;
            }
            // A call is handed on whole, at the end.
            ChatStreamEvent::ToolCallChunk(_) => self.spoke = true,
            ChatStreamEvent::Start
            | ChatStreamEvent::ThoughtSignatureChunk(_)
            | ChatStreamEvent::Heartbeat => {}
        }
        Ok(())
    }

    fn push_delta(&mut self, delta: Delta) {
        self.spoke = true;
        self.ready.push_back(delta);
    }

    async fn send_request(&mut self) -> Result<ChatStream, Fault> {
        let line = self.client.get_or_init(Line::start_relay_client).as_ref();
        let Line { client, relay } =
            line.map_err(|why| Fault::unknown(&why.to_string(), &self.target))?;
        let number = relay.next_request_number();
        self.number = Some(number);
        let options = wire::chat_options(&self.request, &self.target, number);
        let put = client.exec_chat_stream(
            wire::model_spec(&self.target),
            self.wire.clone(),
            Some(&options),
        );
        let put = put.await.map_err(|error| self.fault_of_error(&error))?;
        Ok(put.stream)
    }

    /// Returns the fault for this error: the one that the relay recorded, if it did.
    fn fault_of_error(&self, error: &genai::Error) -> Fault {
        self.relay_fault().unwrap_or_else(|| Fault::from_error(error, &self.target))
    }

    fn incomplete_answer_fault(&self) -> Fault {
        self.relay_fault().unwrap_or_else(|| Fault::incomplete_answer(&self.target))
    }

    fn relay_fault(&self) -> Option<Fault> {
        let line = self.client.get()?.as_ref().ok()?;
        let trouble = line.relay.take_trouble(self.number?)?;
        Some(Fault::from_relay_trouble(&trouble, &self.target))
    }

    /// Returns how long to wait before the next attempt, or `None` if this was the last.
    fn retry_delay(&self, fault: &Fault) -> Option<Duration> {
        if self.spoke || self.attempts >= ATTEMPTS {
            return None;
        }
        match fault.again {
            Again::Never => None,
            Again::Soon => Some(FIRST_WAIT * 2_u32.pow(self.attempts.saturating_sub(1))),
            Again::After(wait) => (wait <= LONGEST_WAIT).then_some(wait),
        }
    }
}

/// The way to the service: the crate's client, and what it speaks through.
struct Line {
    client: Client,
    relay: Relay,
}

/// Why there is no way to a service.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("no connection can be made: {0}")]
    Connection(#[from] reqwest::Error),
    #[error("no connection can be made: {0}")]
    Relay(#[from] std::io::Error),
    #[error("no client can be made: {0}")]
    Client(#[from] genai::Error),
}

impl Line {
    /// Starts a relay, and creates a client that connects only to it.
    fn start_relay_client() -> Result<Self, LineError> {
        // One provider of cryptography for the whole process; the engine may have chosen it already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let straight = || {
            let client = reqwest::Client::builder().no_proxy().no_gzip();
            client.redirect(reqwest::redirect::Policy::none())
        };
        let out = straight().connect_timeout(CONNECT).build()?;
        let relay = Relay::start(out)?;
        // It meets no certificate: what is encrypted is so beyond the relay.
        let near = straight().unix_socket(relay.socket_path()).tls_certs_only([]);
        let near = near.build()?;
        let client = Client::builder().with_reqwest(near).build()?;
        Ok(Self { client, relay })
    }
}
