//! The raw request: one connection that stays open, written and read by hand. Also the server on its other end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

const REPLY: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/// Starts a server that answers every request with `{}` for as long as this program lives, and says where.
pub(crate) fn serve() -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    Ok(address)
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    let mut body = Vec::new();
    while let Some(length) = head(&mut reader)? {
        body.resize(length, 0);
        reader.read_exact(&mut body)?;
        writer.write_all(REPLY)?;
    }
    Ok(())
}

/// Reads up to the empty line; the length of what follows, or `None` where the connection ends.
fn head(reader: &mut impl BufRead) -> std::io::Result<Option<usize>> {
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((key, value)) if key.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap_or(0);
            }
            None if line.trim_end().is_empty() => return Ok(Some(length)),
            Some(_) | None => {}
        }
    }
}

/// A client of one connection.
pub(crate) struct Client {
    writer: TcpStream,
    reader: BufReader<TcpStream>,
    request: Vec<u8>,
    body: Vec<u8>,
}

impl Client {
    /// A client that posts `body` to `address`.
    pub(crate) fn connect(address: SocketAddr, body: &[u8]) -> std::io::Result<Self> {
        let writer = TcpStream::connect(address)?;
        writer.set_nodelay(true)?;
        let reader = BufReader::new(writer.try_clone()?);
        let mut request = format!(
            "POST / HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\naccept: application/json\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        Ok(Self { writer, reader, request, body: Vec::new() })
    }

    /// One request and its reply.
    pub(crate) fn turn(&mut self) -> std::io::Result<&[u8]> {
        self.writer.write_all(&self.request)?;
        let length = head(&mut self.reader)?.unwrap_or(0);
        self.body.resize(length, 0);
        self.reader.read_exact(&mut self.body)?;
        Ok(&self.body)
    }
}
