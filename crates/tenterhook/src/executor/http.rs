//! Sends the envelope to a server and reports what it replied. Knows no dialect and judges nothing.
//!
//! The module `request` decides, before anything is sent, where a request may go and what its
//! headers contain. `signature` computes signatures, `reply` judges replies. Rules: HT.

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
pub(super) async fn run_http_hook(_task: &Task, _http: &Http) -> Report {
    super::missing_executor_report("http")
}

/// Sends the envelope. One deadline covers everything, from the name look-up to the last byte of
/// the body (HT-1). Dropping the future closes the connection.
#[cfg(feature = "http")]
pub(super) async fn run_http_hook(task: &Task, http: &Http) -> Report {
    use tenterhook_core::report::{End, Output, StepOutput};

    let began = tokio::time::Instant::now();
    let mut received = Vec::new();
    let exchange = exchange::post_envelope(task, http, &mut received);
    let end = match tokio::time::timeout(task.remaining_time(), exchange).await {
        Ok(Ok(())) => End::Exited(0),
        Ok(Err(failure)) => failure.into_step_end(),
        Err(_) => End::TimedOut,
    };
    let stdout = Output { bytes: received, ..Output::default() };
    let said = StepOutput::Bytes { stdout, stderr: Output::default() };
    Report { said, ..Report::without_output(end, began.elapsed()) }
}

#[cfg(feature = "http")]
#[cfg(test)]
mod tests;
