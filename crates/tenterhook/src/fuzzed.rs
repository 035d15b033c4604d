//! What reads texts from outside and is not public, for the fuzz targets. Promises nothing to anybody else.

use std::time::Duration;

use crate::executor::worker::frame;
use tenterhook_core::request::interpolation::Interpolation;
use tenterhook_core::request::{address, headers};

/// What a worker's line says: its number and its answer, where it is a reply.
#[must_use]
pub fn reply_of_a_worker(line: &[u8]) -> Option<(u64, Vec<u8>)> {
    let reply = frame::read(line).ok()?;
    Some((reply.id, reply.said.into_bytes()))
}

/// The line that a worker is written for an event.
#[must_use]
pub fn line_for_a_worker(id: u64, event: &[u8]) -> Vec<u8> {
    frame::request(id, Duration::from_secs(1), event)
}

/// Where a URL leads, if anything may be sent there: the host, the port, and whether it is sent in plain text.
#[must_use]
pub fn destination(url: &str) -> Option<(String, u16, bool)> {
    let target = address::Target::read(url).ok()?;
    Some((target.host, target.port, !target.secure))
}

/// What is sent as the value of a header whose variables all hold `held`, if it may be sent.
#[must_use]
pub fn header(name: &str, value: &str, listed: &[String], held: &str) -> Option<String> {
    headers::fill(name, value, listed, Interpolation::STRICT, |_| Some(held))
        .ok()
        .map(|filled| filled.text)
}
