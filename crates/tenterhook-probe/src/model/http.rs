//! As much HTTP/1.1 as agents speak to a model on the loopback: requests with a length or in chunks, replies with a length.

use std::io::{self, Read, Write};

/// More than any agent sends; a longer request is cut off.
const MOST: usize = 64 << 20;
const MOST_HEAD: usize = 256 << 10;

/// A request, read to its end.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// A reply.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) kind: &'static str,
    pub(super) body: String,
}

/// Reads one request. Returns `None` if the connection ended before it.
pub(super) fn read_request(stream: &mut (impl Read + Write)) -> io::Result<Option<Request>> {
    let mut stream = Buffered { stream, ahead: Vec::new() };
    let Some(first) = stream.read_line()? else { return Ok(None) };
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut length, mut chunked, mut waits) = (0, false, false);
    while let Some(line) = stream.read_line()?.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "expect" => waits = true,
            _ => {}
        }
    }
    if waits {
        stream.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = if chunked { stream.read_chunked_body()? } else { stream.read_exact(length)? };
    Ok(Some(Request { path, body }))
}

/// Writes one reply.
pub(super) fn write_reply(stream: &mut impl Write, reply: &Reply) -> io::Result<()> {
    let Reply { kind, body } = reply;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice())?;
    stream.flush()
}

struct Buffered<'a, S> {
    stream: &'a mut S,
    ahead: Vec<u8>,
}

impl<S: Read> Buffered<'_, S> {
    fn fill_buffer(&mut self) -> io::Result<bool> {
        let mut piece = [0; 16 << 10];
        let count = self.stream.read(&mut piece)?;
        self.ahead.extend(piece.iter().take(count));
        Ok(count > 0)
    }

    /// Reads a line without its line ending. Returns `None` at the end of the stream.
    fn read_line(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(at) = self.ahead.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.ahead.drain(..=at).collect();
                let line = String::from_utf8_lossy(&line);
                return Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()));
            }
            if self.ahead.len() > MOST_HEAD {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if !self.fill_buffer()? {
                return Ok(None);
            }
        }
    }

    fn read_exact(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        while self.ahead.len() < length {
            if !self.fill_buffer()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.ahead.drain(..length).collect())
    }

    fn read_chunked_body(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.read_line()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| io::ErrorKind::InvalidData)?;
            if body.len() + size > MOST {
                return Err(io::ErrorKind::InvalidData.into());
            }
            body.extend(self.read_exact(size)?);
            self.read_line()?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
}
