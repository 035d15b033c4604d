//! The transport to a server at an address: streamable HTTP. Where a request may go is decided as for `http` hooks (HT-10 to
//! HT-23). Knows no tool and no hook.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::header::{USER_AGENT, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response, StatusCode, Uri};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::calls::Calls;
use super::close_reason::{CloseReason, Over};
use super::events::{Events, Next};
use super::peer::Lost;
use super::replies::Replies;
use super::rpc::{self, Message, Reply};
use crate::executor::http::client::{Client, read_body_up_to};

const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The headers that only the protocol sets.
pub(super) const RESERVED: [HeaderName; 4] = [ACCEPT, SESSION, VERSION, LAST_EVENT];

/// The longest body of a reply, and of a reply with an error status.
const REPLY: usize = 16 << 20;
const REFUSAL: usize = 64 << 10;

/// How many characters of an unreadable reply are quoted.
const SHOWN: usize = 256;

/// How long a stream may bring a second reply after the first. Servers end it at once. Also the shortest pause before a
/// stream is resumed.
const LAST: Duration = Duration::from_millis(50);

/// The pause before a stream that broke is resumed.
const BROKEN: Duration = Duration::from_secs(1);

/// Timeout of messages that no call waits for.
const UNWAITED: Duration = Duration::from_secs(5);

/// How many calls may wait for the head of their reply at once.
const AT_ONCE: usize = 16;

/// A server at an address.
pub(super) struct Address {
    client: Client,
    uri: Uri,
    /// The headers of its configuration.
    own: HeaderMap,
    /// The id of the session, set by the reply to `initialize`.
    session: OnceLock<Option<HeaderValue>>,
    version: OnceLock<HeaderValue>,
    calls: Arc<Calls>,
    close_reason: CloseReason,
    later: mpsc::UnboundedSender<Value>,
    at_once: Semaphore,
    initialized: Notify,
    flooded: Notify,
}

impl Address {
    /// Prepares a connection; sends nothing. The future sends the messages of `queue_message` and
    /// reads the server's own stream. It ends if the server floods; dropping it ends the session.
    pub(super) fn new(
        client: Client,
        uri: Uri,
        own: HeaderMap,
        calls: Arc<Calls>,
        close_reason: CloseReason,
    ) -> (Arc<Self>, impl Future<Output = ()> + Send + 'static) {
        let (later, messages) = mpsc::unbounded_channel();
        let address = Arc::new(Self {
            client,
            uri,
            own,
            session: OnceLock::new(),
            version: OnceLock::new(),
            calls,
            close_reason,
            later,
            at_once: Semaphore::new(AT_ONCE),
            initialized: Notify::new(),
            flooded: Notify::new(),
        });
        (Arc::clone(&address), serve_queue_and_stream(address, messages))
    }

    /// Sets the version of the protocol that each further request names.
    pub(super) fn set_protocol_version(&self, version: &str) {
        if let Ok(version) = HeaderValue::from_str(version) {
            let _ = self.version.set(version);
        }
    }

    /// Starts to read the server's own stream, because the handshake is complete.
    pub(super) fn start_own_stream(&self) {
        self.initialized.notify_one();
    }

    /// Queues a message for which no call waits.
    pub(super) fn queue_message(&self, message: Value) {
        // Without a receiver the connection is over.
        let _ = self.later.send(message);
    }

    /// Sends a message and routes what the server replies. `Ok` if the response can still come.
    pub(super) async fn post_message(&self, message: &Value) -> Result<(), Lost> {
        let asked = message.get("method").and_then(|_| message.get("id")).and_then(Value::as_u64);
        let permit = match asked {
            Some(_) => self.at_once.acquire().await.ok(),
            None => None,
        };
        let response = self.send_http_request(Method::POST, Some(message), None).await?;
        drop(permit);
        let headers = response.headers();
        let in_session = self.session_id().is_some();
        self.session.get_or_init(|| headers.get(&SESSION).cloned());
        match response.status() {
            StatusCode::NOT_FOUND if in_session => {
                let why = "it knows our session no more, as after a restart; the next call begins a new one";
                self.close_reason.set_if_first(Over::Gone, why);
                return Err(Lost::Unsent(why.to_owned()));
            }
            status if !status.is_success() => {
                return self.read_error_status_reply(response, asked).await;
            }
            // A notification has no response; the body is ignored.
            _ if asked.is_none() => return Ok(()),
            // The response may come on the server's own stream.
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT if in_session => return Ok(()),
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Err(Lost::Closed),
            _ => {}
        }
        if has_content_type(&response, STREAM) {
            return self.route_stream(Events::new(response.into_body())).await;
        }
        if !has_content_type(&response, JSON) {
            let kind =
                headers.get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()));
            return Err(self.unsent_error(&format!("unexpected content type: {kind:?}")));
        }
        let body = read_body_up_to(response.into_body(), REPLY)
            .await
            .map_err(|error| self.unreachable_error(&error))?;
        self.route_body(&body, asked)
    }

    /// Routes the messages of a body. If it contains two replies to one call, neither counts
    /// (MC-17).
    fn route_body(&self, body: &[u8], asked: Option<u64>) -> Result<(), Lost> {
        let mut replies = Replies::default();
        let messages = self.parse_messages_or_close(body)?;
        if messages.is_empty() {
            let text: String = String::from_utf8_lossy(body).chars().take(SHOWN).collect();
            let what = format!("unexpected server response: unrecognized JSON-RPC message: {text}");
            return Err(self.unsent_error(&what));
        }
        for message in messages {
            self.keep_reply_or_answer_request(message, asked, &mut replies);
        }
        self.deliver_replies(replies);
        Err(Lost::Closed)
    }

    /// Routes the messages of a stream, until it ends or `LAST` after its first reply. If it
    /// contains two replies to one call, neither counts (MC-17).
    async fn route_stream(&self, mut events: Events) -> Result<(), Lost> {
        let mut replies = Replies::default();
        let mut until = None;
        loop {
            let next = match until {
                None => events.next_event().await,
                Some(until) => timeout_at(until, events.next_event()).await.unwrap_or(Next::End),
            };
            match next {
                Next::Data(data) => {
                    for message in self.parse_messages_or_close(&data)? {
                        if self.keep_reply_or_answer_request(message, None, &mut replies) {
                            until.get_or_insert_with(|| Instant::now() + LAST);
                        }
                    }
                }
                // However the stream ends after a reply, that reply counts.
                _ if until.is_some() || events.last_event_id().is_none() => break,
                end if self.resume_stream(&mut events, &end).await => {}
                _ => break,
            }
        }
        self.deliver_replies(replies);
        Err(Lost::Closed)
    }

    /// Resumes a stream that broke, or that the server ended with a `retry`. Returns `false` if the
    /// stream is over.
    async fn resume_stream(&self, events: &mut Events, end: &Next) -> bool {
        let pause = match end {
            Next::Broken => Some(BROKEN),
            Next::End => events.retry_delay(),
            Next::TooLarge | Next::Data(_) => None,
        };
        let Some(pause) = pause else { return false };
        sleep(pause.max(LAST)).await;
        let body = self.open_event_stream(events.last_event_id()).await;
        body.map(|body| events.continue_with_body(body)).is_some()
    }

    async fn open_event_stream(&self, last: Option<HeaderValue>) -> Option<Incoming> {
        let response = self.send_http_request(Method::GET, None, last).await.ok()?;
        (response.status().is_success() && has_content_type(&response, STREAM))
            .then(|| response.into_body())
    }

    /// Routes the messages of the server's own stream, if it has a session and such a stream.
    async fn read_own_stream(&self) {
        self.initialized.notified().await;
        if self.session_id().is_none() {
            return;
        }
        let Some(body) = self.open_event_stream(None).await else { return };
        let mut events = Events::new(body);
        loop {
            match events.next_event().await {
                Next::Data(data) => {
                    let Ok(messages) = self.parse_messages_or_close(&data) else { return };
                    let responses = messages
                        .into_iter()
                        .filter_map(|message| self.calls.deliver_reply_or_answer_request(message));
                    responses.for_each(|response| self.queue_message(response));
                }
                end if self.resume_stream(&mut events, &end).await => {}
                _ => return,
            }
        }
    }

    /// Parses a text. Closes the connection if the server floods.
    fn parse_messages_or_close(&self, text: &[u8]) -> Result<Vec<Message>, Lost> {
        self.calls.parse_messages_within_limit(text).ok_or_else(|| {
            let why = "it sent too many messages and no response; the connection was closed";
            self.close_reason.set_if_first(Over::Ended, why);
            self.calls.close();
            self.flooded.notify_one();
            Lost::Closed
        })
    }

    /// Keeps a reply for its call and answers a request of the server. Returns `true` for a reply.
    /// An error without an id belongs to `asked`.
    fn keep_reply_or_answer_request(
        &self,
        message: Message,
        asked: Option<u64>,
        replies: &mut Replies,
    ) -> bool {
        match message {
            Message::Reply(Reply { id, outcome }) => {
                let id = id.or(asked.filter(|_| outcome.is_err()));
                replies.keep_reply(Reply { id, outcome }).is_ok()
            }
            other => {
                self.calls
                    .deliver_reply_or_answer_request(other)
                    .into_iter()
                    .for_each(|response| self.queue_message(response));
                false
            }
        }
    }

    /// Hands the replies to their calls.
    fn deliver_replies(&self, mut replies: Replies) {
        for reply in replies.take_all() {
            self.calls.deliver_reply(reply);
        }
    }

    /// Reads a reply with an error status, whose body may be an error of the protocol.
    async fn read_error_status_reply(
        &self,
        response: Response<Incoming>,
        asked: Option<u64>,
    ) -> Result<(), Lost> {
        let status = response.status();
        let is_json = has_content_type(&response, JSON);
        let is_overloaded = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        let busy =
            || self.unsent_error(&format!("it answered with the status {}", status.as_u16()));
        if is_overloaded && (!is_json || status == StatusCode::TOO_MANY_REQUESTS) {
            return Err(busy());
        }
        let body = match read_body_up_to(response.into_body(), REFUSAL).await {
            Ok(body) => body,
            Err(_) if is_overloaded => return Err(busy()),
            Err(error) => return Err(self.unreachable_error(&error)),
        };
        let is_about_access = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if is_json
            && !is_about_access
            && let [Message::Reply(Reply { outcome: Err(error), .. })] =
                &*rpc::parse_messages(&body)
            && asked.is_some()
        {
            return Err(Lost::Refused(error.clone()));
        }
        let text = String::from_utf8_lossy(&body);
        Err(match is_overloaded {
            true => busy(),
            false => {
                self.unsent_error(&format!("unexpected server response: HTTP {status}: {text}"))
            }
        })
    }

    async fn send_http_request(
        &self,
        method: Method,
        message: Option<&Value>,
        last: Option<HeaderValue>,
    ) -> Result<Response<Incoming>, Lost> {
        let body = message.map(Value::to_string).unwrap_or_default();
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = method;
        request.uri_mut().clone_from(&self.uri);
        let headers = request.headers_mut();
        let agent = concat!("tenterhook/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        headers.extend(self.own.clone());
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        let json = message.map(|_| HeaderValue::from_static(JSON));
        let session = self.session_id().cloned();
        let version = self.version.get().cloned();
        for (name, value) in
            [(CONTENT_TYPE, json), (SESSION, session), (VERSION, version), (LAST_EVENT, last)]
        {
            headers.extend(value.map(|value| (name, value)));
        }
        let response =
            self.client.send(request).await.map_err(|error| self.unreachable_error(&error))?;
        describe_auth_challenge(&response).map_or(Ok(response), |what| Err(self.unsent_error(what)))
    }

    fn session_id(&self) -> Option<&HeaderValue> {
        self.session.get().and_then(Option::as_ref)
    }

    fn unreachable_error(&self, error: &dyn std::error::Error) -> Lost {
        Lost::Unreachable(
            self.close_reason.quote_without_secrets(&format!("it cannot be asked: {error}")),
        )
    }

    fn unsent_error(&self, why: &str) -> Lost {
        Lost::Unsent(self.close_reason.quote_without_secrets(why))
    }
}

/// Describes a reply that asks for authorization, for a message.
fn describe_auth_challenge(response: &Response<Incoming>) -> Option<&'static str> {
    response.headers().get(WWW_AUTHENTICATE)?;
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Some("it answered with the status 401; give it an `Authorization` header")
        }
        StatusCode::FORBIDDEN => Some(
            "it answered with the status 403: what its `Authorization` header says is not enough",
        ),
        _ => None,
    }
}

fn has_content_type(response: &Response<Incoming>, kind: &str) -> bool {
    let given = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    given.is_some_and(|given| given.starts_with(kind.as_bytes()))
}

/// Sends queued messages one by one and reads the server's own stream, until the connection is to be closed.
async fn serve_queue_and_stream(
    address: Arc<Address>,
    mut messages: mpsc::UnboundedReceiver<Value>,
) {
    let _leaving = Leaving { address: Arc::clone(&address), runtime: Handle::current() };
    let sending = async {
        while let Some(message) = messages.recv().await {
            // No call waits for it.
            let _ = timeout(UNWAITED, address.post_message(&message)).await;
        }
    };
    tokio::select! {
        () = address.flooded.notified() => {}
        _ = async { tokio::join!(sending, address.read_own_stream()) } => {}
    }
}

/// Ends the session when it is dropped.
struct Leaving {
    address: Arc<Address>,
    runtime: Handle,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let address = Arc::clone(&self.address);
        if address.session_id().is_some() {
            self.runtime.spawn(async move {
                // Servers may refuse this.
                let _ =
                    timeout(UNWAITED, address.send_http_request(Method::DELETE, None, None)).await;
            });
        }
    }
}
