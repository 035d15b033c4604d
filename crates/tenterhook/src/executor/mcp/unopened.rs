//! Why no connection to a server could be made. Values and their messages.

use std::time::Duration;

use tenterhook_core::request::address::BadUrl;
use tenterhook_core::request::headers::BadHeader;
use tenterhook_core::request::variables::Unset;

/// Why no connection to a server could be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unopened {
    #[error("its configuration names the variable `{}`, which is not set", .0.name)]
    Variable(#[from] Unset),
    #[error("its URL cannot be used: {0}")]
    Url(#[from] BadUrl),
    #[error("its URL cannot be sent")]
    UnsendableUrl,
    #[error("{0}")]
    Header(#[from] BadHeader),
    #[error("the header `{0}` cannot be sent")]
    UnsendableHeader(String),
    #[error("the header `{0}` is set by the protocol; leave it out")]
    ReservedHeader(String),
    /// It may not start; the approval states why.
    #[error("{0}")]
    Withheld(String),
    /// It ended during the handshake; its end states why.
    #[error("{0}")]
    Ended(String),
    /// No connection to its address could be made.
    #[error("{0}")]
    Unreachable(String),
    #[error("it did not say hello within {0:?}")]
    Silent(Duration),
    #[error("it cannot be asked: {0}")]
    Unsent(String),
    #[error("it does not speak MCP: its answer to `initialize` broke off")]
    BrokenOff,
    #[error("it does not speak MCP: its answer to `initialize` names no version of the protocol")]
    NoVersion,
    #[error("it does not speak MCP: it answered `initialize` with the error {code}: {message}")]
    Refused { code: i64, message: String },
}
