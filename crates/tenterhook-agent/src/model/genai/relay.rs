//! Stands between the crate that speaks the protocols and the service that answers, so that what reaches the crate is bounded
//! (AG-21): the crate reads lines of any length, unpacks what was packed, and makes room for as many calls as an answer says
//! that there are. Knows no protocol; changes nothing of what it lets through.
//!
//! It listens at a socket in a directory that only this user may enter. A request that comes there goes to the service as it
//! is, and its answer back, event by event, through `Bounds`. What went wrong is kept under the number of the request, because
//! the crate would only report that an answer broke off.

mod bounds;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

use bounds::{Bounds, BoundsError};

/// The header in which a request says its number and where it goes. Neither reaches the service.
pub(super) const NUMBER: &str = "x-tenterhook-request";
pub(super) const TO: &str = "x-tenterhook-to";
/// The host for the crate: the socket is the way there.
pub(super) const HERE: &str = "http://service.invalid";
/// How long the head of a request may be, and how much of an error is read.
const HEAD: usize = 64 << 10;
const ERROR: usize = 64 << 10;
/// Headers that are about one connection, or about how the body is packed on it.
const HOPS: &[&str] = &[
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "accept-encoding",
    "keep-alive",
    NUMBER,
    TO,
];

/// What went wrong behind the relay.
#[derive(Debug)]
pub(super) enum Trouble {
    /// With the connection to the service.
    Network(reqwest::Error),
    /// The answer is longer than allowed.
    Bounds(BoundsError),
    /// The answer is compressed.
    Compressed,
}

/// The troubles, by the number of the request.
type Troubles = Arc<Mutex<HashMap<u64, Trouble>>>;

/// The relay, as long as somebody asks through it.
#[derive(Debug)]
pub(super) struct Relay {
    directory: TempDir,
    troubles: Troubles,
    next: AtomicU64,
    listening: JoinHandle<()>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Relay {
    /// Starts a relay that sends requests with this client.
    pub(super) fn start(client: Client) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("tenterhook-").tempdir()?;
        let listener = UnixListener::bind(directory.path().join("service"))?;
        let troubles = Troubles::default();
        let kept = Arc::clone(&troubles);
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (client, kept) = (client.clone(), Arc::clone(&kept));
                tokio::spawn(async move {
                    // The requester has gone, or reads the stored failure.
                    let _ = serve_connection(stream, &client, &kept).await;
                });
            }
        });
        Ok(Self { directory, troubles, next: AtomicU64::new(0), listening })
    }

    /// Returns the path of the socket on which the relay listens.
    pub(super) fn socket_path(&self) -> std::path::PathBuf {
        self.directory.path().join("service")
    }

    /// Returns the number for the next request.
    pub(super) fn next_request_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Removes and returns what went wrong with that request.
    pub(super) fn take_trouble(&self, number: u64) -> Option<Trouble> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).remove(&number)
    }
}

/// One request, as it came.
struct Asked {
    method: Method,
    url: String,
    headers: HeaderMap,
    number: u64,
    body: Vec<u8>,
}

async fn serve_connection(
    mut stream: UnixStream,
    client: &Client,
    troubles: &Troubles,
) -> io::Result<()> {
    let Asked { method, url, headers, number, body } = read_request(&mut stream).await?;
    let keep = |trouble| {
        troubles.lock().unwrap_or_else(PoisonError::into_inner).insert(number, trouble);
    };
    let sent = client.request(method, url).headers(headers).body(body).send();
    let response = tokio::select! {
        response = sent => response,
        // It is no longer awaited.
        () = wait_for_disconnect(&stream) => return Ok(()),
    };
    let mut response = match response {
        Ok(response) => response,
        Err(error) => {
            keep(Trouble::Network(error));
            return Ok(());
        }
    };
    if is_compressed(&response) {
        keep(Trouble::Compressed);
        return Ok(());
    }
    stream.write_all(response_head(&response).as_bytes()).await?;
    let of_events = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|header| header.to_str().ok())
        .is_some_and(|header| header.starts_with("text/event-stream"));
    let refused = !response.status().is_success();
    let mut bounds = if refused { Bounds::for_error_body(ERROR) } else { Bounds::new(of_events) };
    loop {
        let piece = tokio::select! {
            piece = response.chunk() => piece,
            () = wait_for_disconnect(&stream) => return Ok(()),
        };
        let let_through = match piece {
            Ok(Some(piece)) => bounds.push_piece_and_take_events(&piece),
            Ok(None) => {
                write_chunk(&mut stream, &bounds.take_rest()).await?;
                return stream.write_all(b"0\r\n\r\n").await;
            }
            Err(error) => {
                keep(Trouble::Network(error));
                return Ok(());
            }
        };
        match let_through {
            Ok(bytes) => write_chunk(&mut stream, &bytes).await?,
            Err(why) => {
                keep(Trouble::Bounds(why));
                return Ok(());
            }
        }
    }
}

/// Waits until the other side has disconnected. It sends nothing after its request.
async fn wait_for_disconnect(stream: &UnixStream) {
    let mut byte = [0];
    loop {
        if stream.readable().await.is_err() {
            return;
        }
        match stream.try_read(&mut byte) {
            Ok(0) => return,
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return,
            Ok(_) | Err(_) => {}
        }
    }
}

/// Writes one chunk of a chunked HTTP body.
async fn write_chunk(stream: &mut UnixStream, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
    stream.write_all(bytes).await?;
    stream.write_all(b"\r\n").await
}

fn is_compressed(response: &Response) -> bool {
    let how = response.headers().get(CONTENT_ENCODING);
    how.is_some_and(|header| !header.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn response_head(response: &Response) -> String {
    let status = response.status();
    let mut head = format!("HTTP/1.1 {} \r\n", status.as_u16());
    let kept = |name: &HeaderName| !HOPS.contains(&name.as_str());
    for (name, value) in response.headers().iter().filter(|(name, _)| kept(name)) {
        // An answer that is no text is not for people.
        if let Ok(value) = value.to_str() {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str("connection: close\r\ntransfer-encoding: chunked\r\n\r\n");
    head
}

async fn read_request(stream: &mut UnixStream) -> io::Result<Asked> {
    let broken = || io::Error::other("the request is malformed");
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if bytes.len() > HEAD || stream.read_buf(&mut bytes).await? == 0 {
            return Err(broken());
        }
    };
    let mut body = bytes.split_off(end + 4);
    let head = String::from_utf8(bytes).map_err(io::Error::other)?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let method = first.next().and_then(|word| word.parse().ok()).ok_or_else(broken)?;
    let path = first.next().ok_or_else(broken)?;
    let (mut headers, mut length, mut number, mut to) = (HeaderMap::new(), 0, 0, String::new());
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let (name, value) = (name.to_ascii_lowercase(), value.trim());
        match name.as_str() {
            "content-length" => length = value.parse().map_err(io::Error::other)?,
            NUMBER => number = value.parse().map_err(io::Error::other)?,
            TO => value.clone_into(&mut to),
            _ => {}
        }
        if !HOPS.contains(&name.as_str()) {
            let name: HeaderName = name.parse().map_err(io::Error::other)?;
            headers.append(name, HeaderValue::from_str(value).map_err(io::Error::other)?);
        }
    }
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Err(broken());
        }
    }
    Ok(Asked { method, url: format!("{to}{path}"), headers, number, body })
}
