//! A server at an address, as one that may misbehave: bounds what it says unasked, and says in plain words why a message did
//! not reach it. Knows no tool and no hook.

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpError};

use super::client::McpClient;
use super::close_reason::{CloseReason, Over};
use super::unasked::{Unasked, answers};
use crate::executor::http::client::Unanswered;

/// The conversation with it.
pub(super) struct Reached {
    inner: StreamableHttpClientTransport<McpClient>,
    unasked: Unasked,
    close_reason: CloseReason,
}

/// Why a message did not reach the server, for people. It names no address: one may hold a secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unsent(String);

impl Reached {
    pub(super) fn new(
        inner: StreamableHttpClientTransport<McpClient>,
        close_reason: CloseReason,
    ) -> Self {
        Self { inner, unasked: Unasked::default(), close_reason }
    }
}

impl Transport<RoleClient> for Reached {
    type Error = Unsent;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Unsent>> + Send + 'static {
        let (sent, close_reason) = (self.inner.send(item), self.close_reason.clone());
        async move {
            sent.await.map_err(|error| {
                let is_forgotten = matches!(error, StreamableHttpError::SessionExpired);
                let why = close_reason.quote(&words(error));
                if is_forgotten {
                    close_reason.write(Over::Gone, why.clone());
                }
                Unsent(why)
            })
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        let size = match answers(&message) {
            true => 0,
            false => serde_json::to_vec(&message).map_or(0, |it| it.len()),
        };
        if self.unasked.note(size, Some(&message)) {
            self.close_reason
                .write(Over::Ended, "it says things without end and answers nothing, and was left");
            return None;
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Unsent> {
        self.inner.close().await.map_err(|error| Unsent(self.close_reason.quote(&words(error))))
    }
}

fn words(error: StreamableHttpError<Unanswered>) -> String {
    use StreamableHttpError as Error;
    match error {
        Error::Client(error) => format!("it cannot be asked: {error}"),
        Error::HttpStatus(error) => format!("it answered with the status {}", error.status),
        Error::AuthRequired(_) => {
            "it answered with the status 401; give it an `Authorization` header".to_owned()
        }
        Error::InsufficientScope(_) => {
            "it answered with the status 403: what its `Authorization` header says is not enough"
                .to_owned()
        }
        Error::SessionExpired => {
            "it knows our session no more, as after a restart; the next call begins a new one"
                .to_owned()
        }
        other => other.to_string(),
    }
}
