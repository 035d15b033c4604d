//! One connection on which requests are sent, one after the other. It lives in the task of the
//! step: nothing runs after the step, no data moves between tasks, and dropping it closes it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

use super::wire::{Allowance, Wire};

/// The request of a hook.
pub(super) type Post = Request<Full<Bytes>>;

/// How much a server may send in one exchange: interim replies and heads that are discarded, and
/// the overhead of chunks and encryption for a body of the maximum size. A server that sends more
/// sent no answer (HT-54).
const ALLOWANCE: usize = (2 << 20) + HEAD;

/// How long the head of a reply may be.
const HEAD: usize = 64 << 10;

type Protocol = http1::Connection<TokioIo<Wire>, Full<Bytes>>;

/// A connection and the state of its protocol.
pub(super) struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    protocol: Protocol,
    allowance: Allowance,
    /// The protocol ended; the connection must not be polled again.
    over: bool,
}

/// Why a request was not answered.
pub(super) enum Unanswered {
    /// No byte of it was sent; this returns it.
    Unsent(Box<Post>, hyper::Error),
    /// It may have arrived.
    Lost(hyper::Error),
}

impl Connection {
    /// Starts HTTP/1.1 on `wire`.
    pub(super) async fn handshake(wire: Wire, allowance: Allowance) -> hyper::Result<Self> {
        let (sender, protocol) =
            http1::Builder::new().max_buf_size(HEAD).handshake(TokioIo::new(wire)).await?;
        Ok(Self { sender, protocol, allowance, over: false })
    }

    /// Sends a request and waits for the head of its reply.
    pub(super) async fn send(&mut self, post: Post) -> Result<Response<Incoming>, Unanswered> {
        self.allowance.allow_reply_bytes(ALLOWANCE);
        let reply = pin!(self.sender.try_send_request(post));
        let reply = poll_work_and_connection(&mut self.protocol, &mut self.over, reply).await;
        reply.map_err(|mut error| match error.take_message() {
            Some(post) => Unanswered::Unsent(Box::new(post), error.into_error()),
            None => Unanswered::Lost(error.into_error()),
        })
    }

    /// Drives the connection while `work` waits for data from it.
    pub(super) async fn drive_while<T>(&mut self, work: impl Future<Output = T>) -> T {
        poll_work_and_connection(&mut self.protocol, &mut self.over, pin!(work)).await
    }

    /// Whether the connection can take the next request, as far as is known: the last reply is
    /// complete, and no data followed.
    pub(super) fn is_ready_for_request(&mut self) -> bool {
        // No task waits here, so the waker does nothing. A real one would be woken by the next
        // request, and poll again, the reactor too, before any data can have come.
        let cx = &mut Context::from_waker(Waker::noop());
        self.over = self.over || Pin::new(&mut self.protocol).poll(cx).is_ready();
        !self.over && self.sender.is_ready()
    }

    /// Whether the connection can take the next request and the system has received nothing since,
    /// not even the end of the connection (HT-43).
    pub(super) fn is_ready_and_silent(&mut self) -> bool {
        self.allowance.forbid_reply();
        self.is_ready_for_request()
    }
}

/// Polls `work` and the connection in turn. Most bodies arrive with their heads; then the
/// connection need not be driven.
async fn poll_work_and_connection<T>(
    protocol: &mut Protocol,
    over: &mut bool,
    mut work: Pin<&mut impl Future<Output = T>>,
) -> T {
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(done);
        }
        *over = *over || Pin::new(&mut *protocol).poll(cx).is_ready();
        work.as_mut().poll(cx)
    })
    .await
}
