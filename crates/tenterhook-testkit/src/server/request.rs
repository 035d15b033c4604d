//! What was a server asked? Reads one request as HTTP/1.1 writes it, generously: a test sees what came, not what should.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;

/// How long a head may be: a client that never ends it would fill the machine.
const HEAD: usize = 64 << 10;

/// One request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Its method.
    pub method: String,
    /// Its path and query, as they were sent.
    pub path: String,
    /// Its headers, names in small letters; of a repeated one the last.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: String,
}

impl Request {
    /// Reads the next one; `None` where the client has closed the connection instead.
    pub(super) fn read(stream: &mut dyn Read) -> io::Result<Option<Self>> {
        let Some(head) = read_head(stream)? else { return Ok(None) };
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let (method, path) = (word(), word());
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers: BTreeMap<_, _> = lines.filter_map(header).collect();
        let length = headers
            .get("content-length")
            .and_then(|content_length| content_length.parse().ok())
            .unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(Some(Self { method, path, headers, body }))
    }

    /// Leaves the marks of a case beside `base`: that it was asked, with which body, and the whole request.
    pub(super) fn mark(&self, base: &Path) -> io::Result<()> {
        let mark = |kind: &str| base.with_file_name(format!("{}.{kind}", name(base)));
        std::fs::write(mark("stdin"), &self.body)?;
        std::fs::write(mark("asked"), serde_json::to_vec(self)?)?;
        writeln!(OpenOptions::new().create(true).append(true).open(mark("ran"))?, "ran")
    }
}

fn name(base: &Path) -> String {
    base.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Byte by byte: what follows the head belongs to the body or to the next request.
fn read_head(stream: &mut dyn Read) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > HEAD {
            return Err(io::Error::other("the head of a request does not end"));
        }
        if stream.read(&mut byte)? == 0 {
            return Ok(None);
        }
        head.extend_from_slice(&byte);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    Ok(Some(head.trim_end().to_owned()))
}
