//! Entry points for the fuzz targets: private code that reads text from outside. Not for other use.

use std::time::Duration;

use crate::executor::worker::frame;
use tenterhook_core::request::interpolation::Interpolation;
use tenterhook_core::request::{address, headers};

/// Parses a line of a worker: the number and the answer of a reply.
#[must_use]
pub fn reply_of_a_worker(line: &[u8]) -> Option<(u64, Vec<u8>)> {
    let reply = frame::read(line).ok()?;
    Some((reply.id, reply.said.into_bytes()))
}

/// The line that is sent to a worker for an event.
#[must_use]
pub fn line_for_a_worker(id: u64, event: &[u8]) -> Vec<u8> {
    frame::request(id, Duration::from_secs(1), event)
}

/// The host and port of a URL and whether it is plain text, if requests to it are allowed.
#[must_use]
pub fn destination(url: &str) -> Option<(String, u16, bool)> {
    let target = address::Target::read(url).ok()?;
    Some((target.host, target.port, !target.secure))
}

/// The value of a header in which every variable is replaced by `variable`, if it may be sent.
#[must_use]
pub fn header(name: &str, value: &str, listed: &[String], variable: &str) -> Option<String> {
    headers::fill(name, value, listed, Interpolation::STRICT, |_| Some(variable))
        .ok()
        .map(|filled| filled.text)
}
