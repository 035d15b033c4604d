//! Sends the envelope to a server and reports what it replied. Knows no dialect and judges nothing.
//!
//! Where a request may go and what its headers say is decided in the room `request`, before anything is sent; `signature`
//! is how it is signed, `reply` what a reply is worth. Rules: HT.

mod network;

#[cfg(any(feature = "mcp", feature = "model"))]
pub(in crate::executor) mod client;
#[cfg(feature = "http")]
mod connect;
#[cfg(feature = "http")]
mod connection;
#[cfg(feature = "http")]
mod destination;
#[cfg(feature = "http")]
mod exchange;
#[cfg(feature = "http")]
mod failure;
#[cfg(feature = "http")]
mod order;
#[cfg(feature = "http")]
mod origin;
#[cfg(feature = "http")]
mod origins;
#[cfg(feature = "http")]
mod reply;
#[cfg(feature = "http")]
pub(in crate::executor) mod resolver;
#[cfg(feature = "http")]
mod signature;
#[cfg(feature = "http")]
mod wire;

pub use network::Network;

use super::Task;
use tenterhook_core::hook::Http;
use tenterhook_core::report::Report;

#[cfg(not(feature = "http"))]
pub(super) async fn run(_task: &Task, _http: &Http) -> Report {
    super::left_out("http")
}

/// One deadline for everything, from the look-up of the name to the last byte of the body (HT-1). Dropping the future
/// closes the connection.
#[cfg(feature = "http")]
pub(super) async fn run(task: &Task, http: &Http) -> Report {
    use tenterhook_core::report::{End, Output, StepOutput};

    let began = tokio::time::Instant::now();
    let mut heard = Vec::new();
    let exchange = exchange::exchange(task, http, &mut heard);
    let end = match tokio::time::timeout(task.budget(), exchange).await {
        Ok(Ok(())) => End::Exited(0),
        Ok(Err(failure)) => failure.end(),
        Err(_) => End::TimedOut,
    };
    let stdout = Output { bytes: heard, ..Output::default() };
    let said = StepOutput::Bytes { stdout, stderr: Output::default() };
    Report { said, ..Report::silent(end, began.elapsed()) }
}

#[cfg(feature = "http")]
#[cfg(test)]
mod tests;
