//! Carries the messages of the protocol to a server at an address and back: the half of the protocol's crate that sends.
//! What a status and a kind of content mean is the specification of streamable HTTP; where a request may go is decided as
//! for `http` hooks.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT, WWW_AUTHENTICATE};
use hyper::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use serde_json::Value;
use sse_stream::{Sse, SseStream};

use super::events::Bounded;
use super::once::once;
use crate::executor::http::Network;
use crate::executor::http::client::{Addresses, Client, Unanswered, whole};

const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// How long an event of a stream may be where nobody says it.
const EVENT: usize = 4 << 20;

/// How long a reply may be, and one that says what went wrong.
const REPLY: usize = 16 << 20;
const REFUSAL: usize = 64 << 10;

/// How much of a reply that cannot be read is repeated.
const SHOWN: usize = 256;

type Fault = StreamableHttpError<Unanswered>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type PostResult = Result<StreamableHttpPostResponse, Fault>;

/// The client of a network for MCP servers.
#[derive(Clone)]
pub(in crate::executor) struct McpClient(Client);

impl McpClient {
    pub(in crate::executor) fn new(network: &Network) -> Self {
        Self(Client::new(network, Addresses::Vetted))
    }

    async fn send(&self, draft: Draft) -> Result<Response<Incoming>, Fault> {
        let response = self.0.send(draft.request()?).await.map_err(Fault::Client)?;
        challenge(&response).map_or(Ok(response), Err)
    }
}

/// A request to be.
struct Draft {
    method: Method,
    uri: Arc<str>,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Draft {
    fn new(
        method: Method,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        auth: Option<String>,
        own: Headers,
    ) -> Result<Self, Fault> {
        let mut headers = HeaderMap::new();
        headers.insert(
            USER_AGENT,
            HeaderValue::from_static(concat!("tenterhook/", env!("CARGO_PKG_VERSION"))),
        );
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        if let Some(auth) = auth {
            headers.insert(AUTHORIZATION, value(&format!("Bearer {auth}"))?);
        }
        for (name, value) in own {
            if [ACCEPT, SESSION, LAST_EVENT].contains(&name) {
                return Err(Fault::ReservedHeaderConflict(name.to_string()));
            }
            headers.insert(name, value);
        }
        if let Some(session) = session {
            headers.insert(SESSION, value(&session)?);
        }
        Ok(Self { method, uri, headers, body: Vec::new() })
    }

    fn request(self) -> Result<Request<Full<Bytes>>, Fault> {
        let mut request = Request::new(Full::new(Bytes::from(self.body)));
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri.parse().map_err(|_| unexpected("its URL cannot be sent"))?;
        *request.headers_mut() = self.headers;
        Ok(request)
    }
}

fn value(text: &str) -> Result<HeaderValue, Fault> {
    HeaderValue::from_str(text).map_err(|_| unexpected("a header that it asks for cannot be sent"))
}

fn unexpected(what: impl Into<Cow<'static, str>>) -> Fault {
    Fault::UnexpectedServerResponse(what.into())
}

/// What a server wants to know first.
fn challenge(response: &Response<Incoming>) -> Option<Fault> {
    let asked = response.headers().get(WWW_AUTHENTICATE)?.to_str().ok()?.to_owned();
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(Fault::AuthRequired(AuthRequiredError::new(asked))),
        StatusCode::FORBIDDEN => {
            Some(Fault::InsufficientScope(InsufficientScopeError::new(asked, None)))
        }
        _ => None,
    }
}

/// The status of a server that has too much to do, or broke.
fn overloaded(response: &Response<Incoming>) -> Option<Fault> {
    let status = response.status();
    let is_one = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let wait = || Some(response.headers().get(RETRY_AFTER)?.to_str().ok()?.to_owned());
    is_one.then(|| HttpStatusError::new(status.as_u16(), wait()).into())
}

fn kind(response: &Response<Incoming>) -> Option<String> {
    let kind = response.headers().get(CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(kind.as_bytes()).into_owned())
}

fn is(kind: Option<&str>, wanted: &str) -> bool {
    kind.is_some_and(|it| it.starts_with(wanted))
}

fn events(response: Response<Incoming>, limit: usize) -> Events {
    SseStream::new(Bounded::new(response.into_body(), limit)).boxed()
}

/// The messages of a body that holds more than one, be it one behind the other or in an array: each as an event of a stream,
/// because of two replies none counts there (MC-17).
fn several(body: &[u8]) -> Option<Vec<Sse>> {
    let values = serde_json::Deserializer::from_slice(body).into_iter::<Value>();
    let values: Vec<Value> = values.collect::<Result<_, _>>().ok()?;
    let messages = values.into_iter().flat_map(|value| match value {
        Value::Array(messages) => messages,
        message => vec![message],
    });
    let event = |message: Value| Sse { data: Some(message.to_string()), ..Sse::default() };
    let all: Vec<Sse> = messages.map(event).collect();
    (all.len() > 1).then_some(all)
}

/// What a message that needs no reply may be answered with is not looked at.
const fn wants_a_reply(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(_))
}

/// A reply that refuses may say so in the protocol's own words.
async fn refused(response: Response<Incoming>, session: Option<String>) -> PostResult {
    let status = response.status();
    let is_json = is(kind(&response).as_deref(), JSON);
    let busy = match overloaded(&response) {
        Some(busy) if !is_json || status == StatusCode::TOO_MANY_REQUESTS => return Err(busy),
        busy => busy,
    };
    let body = match whole(response.into_body(), REFUSAL).await {
        Ok(body) => body,
        Err(error) => return Err(busy.unwrap_or(Fault::Client(error))),
    };
    let is_about_access = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if is_json
        && !is_about_access
        && let Ok(message @ ServerJsonRpcMessage::Error(_)) = serde_json::from_slice(&body)
    {
        return Ok(StreamableHttpPostResponse::Json(message, session));
    }
    let said = String::from_utf8_lossy(&body).into_owned();
    Err(busy.unwrap_or_else(|| unexpected(format!("HTTP {status}: {said}"))))
}

impl StreamableHttpClient for McpClient {
    type Error = Unanswered;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        own: Headers,
    ) -> PostResult {
        self.post_message_with_max_sse_event_size(uri, message, session, auth, own, EVENT).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        own: Headers,
        limit: usize,
    ) -> PostResult {
        let in_session = session.is_some();
        let mut draft = Draft::new(Method::POST, uri, session, auth, own)?;
        draft.headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        draft.body = serde_json::to_vec(&message)?;
        let response = self.send(draft).await?;
        let session = response.headers().get(&SESSION);
        let session = session.and_then(|it| it.to_str().ok()).map(str::to_owned);
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => {
                return Ok(StreamableHttpPostResponse::Accepted);
            }
            StatusCode::NOT_FOUND if in_session => return Err(Fault::SessionExpired),
            status if !status.is_success() => return refused(response, session).await,
            _ if !wants_a_reply(&message) => return Ok(StreamableHttpPostResponse::Accepted),
            _ => {}
        }
        let kind = kind(&response);
        if is(kind.as_deref(), STREAM) {
            return Ok(StreamableHttpPostResponse::Sse(once(events(response, limit)), session));
        }
        if !is(kind.as_deref(), JSON) {
            return Err(Fault::UnexpectedContentType(kind));
        }
        let body = whole(response.into_body(), REPLY).await.map_err(Fault::Client)?;
        if let Some(all) = several(&body) {
            let events = stream::iter(all.into_iter().map(Ok)).boxed();
            return Ok(StreamableHttpPostResponse::Sse(once(events), session));
        }
        let message = serde_json::from_slice(&body).map_err(|error| {
            let said: String = String::from_utf8_lossy(&body).chars().take(SHOWN).collect();
            unexpected(format!("unrecognized JSON-RPC message: {error}: {said}"))
        })?;
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        own: Headers,
    ) -> Result<(), Fault> {
        let draft = Draft::new(Method::DELETE, uri, Some(session), auth, own)?;
        // A server need not let itself be told.
        self.send(draft).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        own: Headers,
    ) -> Result<Events, Fault> {
        self.get_stream_with_max_sse_event_size(uri, session, last, auth, own, EVENT).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        own: Headers,
        limit: usize,
    ) -> Result<Events, Fault> {
        let mut draft = Draft::new(Method::GET, uri, session, auth, own)?;
        if let Some(last) = last {
            draft.headers.insert(LAST_EVENT, value(&last)?);
        }
        let response = self.send(draft).await?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(Fault::ServerDoesNotSupportSse);
        }
        if let Some(busy) = overloaded(&response) {
            return Err(busy);
        }
        if !response.status().is_success() {
            return Err(unexpected(format!("HTTP {}", response.status())));
        }
        let kind = kind(&response);
        if !is(kind.as_deref(), STREAM) && !is(kind.as_deref(), JSON) {
            return Err(Fault::UnexpectedContentType(kind));
        }
        Ok(events(response, limit))
    }
}
