//! Entry points for the fuzz targets: private code that reads text from outside. Not for other use.

use std::time::Duration;

use crate::executor::worker::frame;
use tenterhook_core::request::interpolation::Interpolation;
use tenterhook_core::request::{address, headers};

/// Parses a line of a worker: the number and the answer of a reply.
#[must_use]
pub fn parse_worker_reply(line: &[u8]) -> Option<(u64, Vec<u8>)> {
    let reply = frame::parse_reply(line).ok()?;
    Some((reply.id, reply.said.into_answer_bytes()))
}

/// The line that is sent to a worker for an event.
#[must_use]
pub fn worker_request_line(id: u64, event: &[u8]) -> Vec<u8> {
    frame::request_line(id, Duration::from_secs(1), event)
}

/// The host and port of a URL and whether it is plain text, if requests to it are allowed.
#[must_use]
pub fn parse_allowed_url(url: &str) -> Option<(String, u16, bool)> {
    let target = address::Target::parse_url(url).ok()?;
    Some((target.host, target.port, !target.secure))
}

/// The value of a header in which every variable is replaced by `variable`, if it may be sent.
#[must_use]
pub fn expand_header_value(
    name: &str,
    value: &str,
    listed: &[String],
    variable: &str,
) -> Option<String> {
    headers::fill_header_value(name, value, listed, Interpolation::STRICT, |_| Some(variable))
        .ok()
        .map(|filled| filled.text)
}
