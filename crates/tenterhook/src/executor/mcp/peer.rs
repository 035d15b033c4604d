//! Makes requests of a server over either transport and waits for the responses. Knows no tool and no hook.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::address::Address;
use super::calls::{Calls, HELLO};
use super::rpc::{self, RpcError};
use super::stdio::Program;

/// The newest version of the protocol that has `initialize`. A server without it answers with its own version; every
/// version has the requests that are made here.
const VERSION: &str = "2025-11-25";

/// The transport to a server.
pub(super) enum Wire {
    Program(Arc<Program>),
    Address(Arc<Address>),
}

/// A server that takes requests.
pub(super) struct Peer {
    pub(super) calls: Arc<Calls>,
    pub(super) wire: Wire,
}

/// Why a request brought no result.
#[derive(Debug)]
pub(super) enum Lost {
    /// The server answered with an error.
    Refused(RpcError),
    /// The server answered with a message other than the result of such a request.
    Odd,
    /// No connection to the server could be opened; why, for people.
    Unreachable(String),
    /// The request did not reach the server; why, for people.
    Unsent(String),
    /// The connection ended before the response.
    Closed,
}

impl Wire {
    /// Sends a message. `Ok` if its response can still come.
    async fn send_message(&self, message: &Value) -> Result<(), Lost> {
        match self {
            Self::Program(program) => program.queue_message(message),
            Self::Address(address) => address.post_message(message).await,
        }
    }

    /// Sends a message whose failure does not matter.
    fn send_in_background(&self, message: Value) {
        match self {
            Self::Program(program) => drop(program.queue_message(&message)),
            Self::Address(address) => address.queue_message(message),
        }
    }
}

impl Peer {
    /// Makes the handshake.
    pub(super) async fn initialize(&self) -> Result<(), Lost> {
        let own = json!({"name": "tenterhook", "version": env!("CARGO_PKG_VERSION")});
        let params = [
            ("protocolVersion".to_owned(), json!(VERSION)),
            ("capabilities".to_owned(), json!({})),
            ("clientInfo".to_owned(), own),
        ];
        let hello = self.request_and_wait("initialize", Map::from_iter(params)).await?;
        let version = hello.get("protocolVersion").and_then(Value::as_str).ok_or(Lost::Odd)?;
        if let Wire::Address(address) = &self.wire {
            address.set_protocol_version(version);
        }
        self.wire.send_message(&rpc::build_notification("notifications/initialized", None)).await?;
        if let Wire::Address(address) = &self.wire {
            address.start_own_stream();
        }
        Ok(())
    }

    /// Makes a request and waits for its response. Dropping the future cancels the request at the server (MC-10).
    pub(super) async fn request_and_wait(
        &self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<Value, Lost> {
        let (id, mut response) = self.calls.begin_request();
        let _asked = Asked { peer: self, id };
        let message = rpc::build_request(id, method, params);
        let sending = async {
            match self.wire.send_message(&message).await {
                Ok(()) => std::future::pending().await,
                Err(lost) => lost,
            }
        };
        let outcome = tokio::select! {
            biased;
            outcome = &mut response => outcome.map_err(|_| Lost::Closed),
            // The response may have come with what broke off.
            lost = sending => response.try_recv().map_err(|_| {
                self.calls.cancel_request(id);
                lost
            }),
        };
        outcome?.map_err(Lost::Refused)
    }
}

/// A request that is under way.
struct Asked<'a> {
    peer: &'a Peer,
    id: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        // The protocol forbids to cancel `initialize`.
        if self.peer.calls.cancel_request(self.id) && self.id != HELLO {
            let params = json!({"requestId": self.id, "reason": "the caller no longer waits"});
            let cancelled = rpc::build_notification("notifications/cancelled", Some(params));
            self.peer.wire.send_in_background(cancelled);
        }
    }
}
