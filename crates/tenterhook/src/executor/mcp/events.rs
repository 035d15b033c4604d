//! Parses a stream of server-sent events as the HTML standard says, and bounds the size of each. Parses no message.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::header::HeaderValue;

/// The longest event that is read, as of a program's line.
const EVENT: usize = 4 << 20;

/// A stream of events from a server.
pub(super) struct Events {
    body: Incoming,
    parser: Parser,
    ready: VecDeque<Vec<u8>>,
}

/// What `Events::next` found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The data of an event.
    Data(Vec<u8>),
    /// The stream is complete.
    End,
    /// The connection broke.
    Broken,
    /// An event exceeds the bound.
    TooLarge,
}

impl Events {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, parser: Parser::new(EVENT), ready: VecDeque::new() }
    }

    /// Waits for the next event. Dropping the future loses nothing.
    pub(super) async fn next_event(&mut self) -> Next {
        loop {
            if let Some(data) = self.ready.pop_front() {
                return Next::Data(data);
            }
            match poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await {
                None => return Next::End,
                Some(Err(_)) => return Next::Broken,
                Some(Ok(frame)) => {
                    let Some(bytes) = frame.data_ref() else { continue };
                    if !self.parser.parse_bytes(bytes, &mut self.ready) {
                        return Next::TooLarge;
                    }
                }
            }
        }
    }

    /// Continues the stream with another body.
    pub(super) fn continue_with_body(&mut self, body: Incoming) {
        let Parser { last, .. } = std::mem::replace(&mut self.parser, Parser::new(EVENT));
        self.parser.last = last;
        self.body = body;
    }

    /// Returns the id of the last event that had one. The server resumes the stream after it.
    pub(super) fn last_event_id(&self) -> Option<HeaderValue> {
        let last = self.parser.last.as_deref().filter(|last| !last.is_empty())?;
        HeaderValue::from_bytes(last).ok()
    }

    /// Returns how long to wait before resuming a stream that the server ended, if the server asked
    /// for that.
    pub(super) fn retry_delay(&self) -> Option<Duration> {
        self.parser.retry
    }
}

/// The state of the parser.
struct Parser {
    limit: usize,
    is_begun: bool,
    /// `\r\n` is one end of a line, not two.
    after_return: bool,
    line: Vec<u8>,
    /// Bytes of the current event.
    size: usize,
    data: Option<Vec<u8>>,
    kind: Vec<u8>,
    last: Option<Vec<u8>>,
    retry: Option<Duration>,
}

impl Parser {
    const fn new(limit: usize) -> Self {
        Self {
            limit,
            is_begun: false,
            after_return: false,
            line: Vec::new(),
            size: 0,
            data: None,
            kind: Vec::new(),
            last: None,
            retry: None,
        }
    }

    /// Parses bytes and appends the data of complete messages to `ready`. Returns `false` if an event is too large.
    fn parse_bytes(&mut self, bytes: &[u8], ready: &mut VecDeque<Vec<u8>>) -> bool {
        for &byte in bytes {
            let completes_line_end = self.after_return && byte == b'\n';
            self.after_return = byte == b'\r';
            if completes_line_end {
                continue;
            }
            self.size += 1;
            if !matches!(byte, b'\n' | b'\r') {
                self.line.push(byte);
            } else if let Some(data) = self.parse_end_of_line() {
                ready.push_back(data);
            }
            if self.size > self.limit {
                return false;
            }
        }
        true
    }

    /// Parses a complete line. An empty line ends the event; then its data is returned.
    fn parse_end_of_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let mark = if is_first { b"\xef\xbb\xbf".as_slice() } else { b"" };
        let line = line.strip_prefix(mark).unwrap_or(&line);
        if line.is_empty() {
            self.size = 0;
            let kind = std::mem::take(&mut self.kind);
            return self.data.take().filter(|_| kind.is_empty() || kind == b"message");
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (field, value) = (parts.next()?, parts.next().unwrap_or_default());
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match (field, &mut self.data) {
            (b"data", Some(data)) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            (b"data", none) => *none = Some(value.to_vec()),
            (b"event", _) => self.kind = value.to_vec(),
            (b"id", _) if !value.contains(&0) => self.last = Some(value.to_vec()),
            (b"retry", _) => {
                let digits = str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok());
                self.retry = digits.map(Duration::from_millis).or(self.retry);
            }
            // A comment, or an unknown field.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of a stream that comes in pieces of this size.
    fn parse(stream: &str, size: usize) -> (Vec<String>, Parser) {
        let (mut parser, mut ready) = (Parser::new(1 << 10), VecDeque::new());
        for piece in stream.as_bytes().chunks(size) {
            assert!(parser.parse_bytes(piece, &mut ready));
        }
        let texts = ready.into_iter().map(|data| String::from_utf8(data).unwrap());
        (texts.collect(), parser)
    }

    /// MC-15: however the stream is cut.
    #[test]
    fn data_of_an_event_is_read_however_the_stream_is_written() {
        for (stream, data) in [
            ("data: {\"a\":\ndata: 1}\n\n", vec!["{\"a\":\n1}"]),
            ("data: a\r\n\r\ndata:b\r\rdata:  c\n\n", vec!["a", "b", " c"]),
            (": a comment\n\n:\ndata: a\n: another\ndata: b\n\n", vec!["a\nb"]),
            ("\u{feff}data: a\n\n", vec!["a"]),
            ("event: message\nid: 7\nretry: 5\nother: x\nno colon\ndata: a\n\n", vec!["a"]),
            ("event: ping\ndata: a\n\ndata: b\n\n", vec!["b"]),
            ("data\n\nid: 7\n\n\n\ndata: cut off", vec![""]),
        ] {
            for size in [1, 2, 3, 1000] {
                assert_eq!(parse(stream, size).0, data, "{stream:?} by {size}");
            }
        }
    }

    /// MC-15.
    #[test]
    fn last_id_and_pause_are_kept() {
        let (_, parser) = parse("id: 7\nretry: 20\n\ndata: a\n\nid: x\0y\nretry: soon\n\n", 4);
        assert_eq!(parser.last.as_deref(), Some(b"7".as_slice()));
        assert_eq!(parser.retry, Some(Duration::from_millis(20)));
        assert_eq!(parse("id: 7\n\nid\n\n", 3).1.last.as_deref(), Some(b"".as_slice()));
    }

    /// MC-41.
    #[test]
    fn event_that_is_too_large_is_noticed_and_an_empty_line_begins_another() {
        let takes =
            |parser: &mut Parser, bytes: &[u8]| parser.parse_bytes(bytes, &mut VecDeque::new());
        let fits = |bytes: &[u8]| takes(&mut Parser::new(10), bytes);
        assert!(fits(b"data: a\n\ndata: b\n\ndata: c\n\n"));
        assert!(fits(b"data: a\r\n\r\ndata: b\r\n\r\n"));
        assert!(!fits(b"data: a\ndata: b\n"));
        assert!(!fits(b"data: a\r\ndata: b\r\n"));
        let mut parser = Parser::new(10);
        assert!(takes(&mut parser, b"data: ") && takes(&mut parser, b"abc\n"));
        assert!(!takes(&mut parser, b"x"));
    }
}
