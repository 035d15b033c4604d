//! Writes one scripted reply of a server, correct or broken; keeps no state.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

use serde::Deserialize;

use super::{Request, Stream};

/// How long a server that drips waits between two bytes.
const DRIP: Duration = Duration::from_millis(20);

/// The body length that a slow server announces: short enough for every client, and never
/// complete in a test.
const SLOW_BODY: usize = 256 << 10;

/// How much a server that does not end says at once.
const PIECE: usize = 64 << 10;

/// What a server replies.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reply {
    /// In a `when`: the text that the request's body must contain.
    pub contains: String,
    /// Its status.
    pub status: u16,
    /// Its headers beside `content-length`, which says how long the body is unless it is named here.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: String,
    /// How long it takes before the first byte.
    pub sleep_ms: u64,
    /// How it says it.
    pub manner: Manner,
    /// What it replies instead where the request's body contains a text; the first that applies.
    pub when: Vec<Reply>,
    /// What it replies instead to the requests that no `when` is about, one after the other; the last one to all others.
    pub then: Vec<Reply>,
}

/// How a reply is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    /// As it should be; the connection is kept.
    #[default]
    Whole,
    /// The head promises more than the body holds, and the connection is closed.
    Torn,
    /// The body comes in chunks, and the last one never.
    Unended,
    /// The body comes again and again in chunks, without end.
    Endless,
    /// The whole reply comes byte by byte; the body without end, the head with every byte of it slow.
    DripHead,
    /// The head comes at once, the body byte by byte without end.
    DripBody,
    /// Interim replies come again and again, without end, and never the reply.
    Interim,
    /// Nothing comes, and the connection is kept.
    Mute,
    /// Nothing comes, and the connection is closed.
    Closed,
    /// Nothing comes, and the connection is reset.
    Reset,
    /// The body is the whole reply, head included; the connection is kept.
    Raw,
    /// As it should be, and behind it, unasked, the same once more.
    Twice,
}

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    Keep,
    Close,
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            contains: String::new(),
            status: 200,
            headers: BTreeMap::new(),
            body: String::new(),
            sleep_ms: 0,
            manner: Manner::Whole,
            when: Vec::new(),
            then: Vec::new(),
        }
    }
}

impl Reply {
    /// A reply of status 200 with a JSON body.
    #[must_use]
    pub fn json(body: &str) -> Self {
        Self { body: body.to_owned(), ..Self::default() }.header("content-type", "application/json")
    }

    /// A reply of this status without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The same, said like this.
    #[must_use]
    pub fn manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }

    /// The reply to `request`, where `given` of those that come in order were given already.
    pub(super) fn to(&self, request: &Request, given: &mut usize) -> &Self {
        if let Some(when) = self.when.iter().find(|reply| request.body.contains(&reply.contains)) {
            return when.to(request, given);
        }
        let Some(last) = self.then.last() else { return self };
        let next = self.then.get(*given).unwrap_or(last);
        *given += 1;
        next
    }

    /// Takes the time that it takes.
    pub(super) fn wait(&self, is_over_within: impl Fn(Duration) -> bool) {
        if self.sleep_ms > 0 {
            is_over_within(Duration::from_millis(self.sleep_ms));
        }
    }

    /// Sends it.
    pub(super) fn send_to(
        &self,
        stream: &mut dyn Stream,
        socket: &TcpStream,
        is_over_within: &dyn Fn(Duration) -> bool,
    ) -> io::Result<After> {
        let body = self.body.as_bytes();
        let whole = [self.head(body.len()).as_slice(), body].concat();
        match self.manner {
            Manner::Whole => send(stream, &whole)?,
            Manner::Twice => send(stream, &[whole.as_slice(), &whole].concat())?,
            Manner::Raw => send(stream, body)?,
            Manner::Torn => {
                send(stream, &[self.head(body.len() + 1).as_slice(), body].concat())?;
                return Ok(After::Close);
            }
            Manner::Unended => send(stream, &[self.chunked(), chunk(body)].concat())?,
            Manner::Endless => self.endless(stream)?,
            Manner::Interim => flood(stream, &b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1 << 10))?,
            Manner::DripHead => drip(stream, &self.slow_head(), is_over_within)?,
            Manner::DripBody => {
                send(stream, &self.head(SLOW_BODY))?;
                drip(stream, body, is_over_within)?;
            }
            Manner::Mute => {}
            Manner::Closed => return Ok(After::Close),
            Manner::Reset => {
                reset(socket)?;
                return Ok(After::Close);
            }
        }
        Ok(After::Keep)
    }

    fn head(&self, length: usize) -> Vec<u8> {
        let says_length = |name: &String| {
            let name = name.to_ascii_lowercase();
            name == "content-length" || name == "transfer-encoding"
        };
        // These two have no body, and to say how long it is would be wrong.
        let bodiless = matches!(self.status, 204 | 304) && length == 0;
        let mut head = self.first_lines();
        if !bodiless && !self.headers.keys().any(says_length) {
            head.push_str(&format!("content-length: {length}\r\n"));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn chunked(&self) -> Vec<u8> {
        format!("{}transfer-encoding: chunked\r\n\r\n", self.first_lines()).into_bytes()
    }

    /// A head with a header that never ends.
    fn slow_head(&self) -> Vec<u8> {
        format!("{}x-slow: {}", self.first_lines(), self.body).into_bytes()
    }

    fn first_lines(&self) -> String {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        format!("HTTP/1.1 {} Scripted\r\n{}", self.status, headers.collect::<String>())
    }

    /// Ends when the client has enough, or the server.
    fn endless(&self, stream: &mut dyn Stream) -> io::Result<()> {
        let body = if self.body.is_empty() { " " } else { &self.body };
        let piece = chunk(body.repeat(PIECE / body.len() + 1).as_bytes());
        send(stream, &self.chunked())?;
        flood(stream, &piece)
    }
}

fn send(stream: &mut dyn Stream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

fn flood(stream: &mut dyn Stream, piece: &[u8]) -> io::Result<()> {
    loop {
        send(stream, piece)?;
    }
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// Says `bytes` one by one, then spaces, until the client has enough or the server ends.
fn drip(
    stream: &mut dyn Stream,
    bytes: &[u8],
    is_over_within: &dyn Fn(Duration) -> bool,
) -> io::Result<()> {
    for byte in bytes.iter().copied().chain(std::iter::repeat(b' ')) {
        send(stream, &[byte])?;
        if is_over_within(DRIP) {
            break;
        }
    }
    Ok(())
}

/// The system resets a connection that is closed with its linger time at zero.
#[cfg(unix)]
fn reset(socket: &TcpStream) -> io::Result<()> {
    rustix::net::sockopt::set_socket_linger(socket, Some(Duration::ZERO))?;
    Ok(())
}

#[cfg(not(unix))]
fn reset(_: &TcpStream) -> io::Result<()> {
    Ok(())
}
