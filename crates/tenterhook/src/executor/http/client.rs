//! A client for requests other than envelopes of hooks: to MCP servers and to services of models.
//! It sends only to the given address: no proxy, no redirect, no second try. Knows no protocol
//! above HTTP.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Body, Bytes, Incoming};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::pki_types::ServerName;
use tower_service::Service;

use super::connect::{Tls, connect_to_first_that_accepts};
use super::network::Network;
use super::resolver::Resolver;
use super::wire::Wire;

/// How long an idle connection is kept: less than the five seconds after which common servers close
/// theirs.
const IDLE: Duration = Duration::from_secs(4);

/// The addresses to which the name of a server may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executor) enum Addresses {
    /// Those that `http` hooks may reach (HT-12).
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "only MCP servers need it"))]
    Vetted,
    /// All of them: the owner of the host named the address.
    #[cfg_attr(not(feature = "model"), expect(dead_code, reason = "models alone are reached so"))]
    Any,
}

/// The client. Cheap to clone; every clone shares its connections.
#[derive(Clone)]
pub(in crate::executor) struct Client(Pool<Connector, Full<Bytes>>);

/// Why there is no reply, in the words of the innermost cause. Never names the address, which may
/// hold a secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(in crate::executor) struct Unanswered(String);

impl Unanswered {
    /// Keeps the innermost cause of an error: "connection refused" is more useful than "request
    /// could not be sent".
    pub(in crate::executor) fn from_innermost_cause(error: &(dyn Error + 'static)) -> Self {
        let mut cause = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        Self(cause.to_string())
    }

    /// The error that the reply is longer than `limit` bytes.
    fn reply_too_long(limit: usize) -> Self {
        Self(format!("the reply exceeded the maximum size of {limit} bytes"))
    }
}

impl Client {
    pub(in crate::executor) fn new(network: &Network, addresses: Addresses) -> Self {
        let (tls, resolver) = (Arc::clone(network.tls()), network.resolver().clone());
        let connector = Connector { tls, resolver, addresses };
        let pool = Pool::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            // A connection must not repeat a request, which may have had effects.
            .retry_canceled_requests(false)
            .build(connector);
        Self(pool)
    }

    /// Sends a request to an absolute address, and waits for the head of its reply.
    pub(in crate::executor) async fn send(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Unanswered> {
        self.0.request(request).await.map_err(|error| Unanswered::from_innermost_cause(&error))
    }
}

/// Reads the whole body. Fails if it is longer than `limit` bytes.
pub(in crate::executor) async fn read_body_up_to(
    mut body: Incoming,
    limit: usize,
) -> Result<Vec<u8>, Unanswered> {
    if body.size_hint().lower() > limit as u64 {
        return Err(Unanswered::reply_too_long(limit));
    }
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|error| Unanswered::from_innermost_cause(&error))?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return Err(Unanswered::reply_too_long(limit));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

/// Opens the connections of a client.
#[derive(Clone)]
struct Connector {
    tls: Arc<Tls>,
    resolver: Resolver,
    addresses: Addresses,
}

impl Connector {
    /// Connects to the host of an address, with TLS for `https`.
    async fn connect(self, uri: Uri) -> io::Result<Socket> {
        let secure = uri.scheme_str() == Some("https");
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase();
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let found = match (host.parse(), self.addresses) {
            (Ok(address), _) => vec![address],
            (Err(_), Addresses::Vetted) => self.resolver.allowed_addresses(&host).await?,
            (Err(_), Addresses::Any) => self.resolver.all_addresses(&host).await?,
        };
        let socket = connect_to_first_that_accepts(found, port).await?;
        if !secure {
            return Ok(Socket(TokioIo::new(Box::new(socket))));
        }
        let connector = self.tls.connector().map_err(io::Error::other)?;
        let name = ServerName::try_from(host).map_err(io::Error::other)?;
        Ok(Socket(TokioIo::new(Box::new(connector.connect(name, socket).await?))))
    }
}

impl Service<Uri> for Connector {
    type Response = Socket;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Socket>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

/// One connection, encrypted or not.
struct Socket(TokioIo<Wire>);

impl Connection for Socket {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
