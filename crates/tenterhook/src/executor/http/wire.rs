//! The bytes of one connection: bounds what the server may send, with or without encryption. Knows
//! no HTTP.

use std::io::{self, IoSlice, Read};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How many bytes a server may still send.
#[derive(Clone, Debug, Default)]
pub(super) struct Allowance(Arc<Left>);

#[derive(Debug, Default)]
struct Left {
    bytes: AtomicUsize,
    /// No request is under way, so the system is asked whether data has come anyway.
    unasked: AtomicBool,
}

/// How much encryption may send on an idle connection: a session ticket, new keys.
const UNASKED: usize = 16 << 10;

impl Allowance {
    /// Allows a reply of this many bytes, because a request is sent.
    pub(super) fn allow_reply_bytes(&self, bytes: usize) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.unasked.store(false, Ordering::Relaxed);
    }

    /// Notes that no request is in progress, so that the server should send nothing.
    pub(super) fn forbid_reply(&self) {
        self.0.bytes.store(UNASKED, Ordering::Relaxed);
        self.0.unasked.store(true, Ordering::Relaxed);
    }

    fn remaining_bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Whether no request is in progress.
    fn expects_no_reply(&self) -> bool {
        self.0.unasked.load(Ordering::Relaxed)
    }

    fn spend_allowed_bytes(&self, bytes: usize) {
        self.0.bytes.store(self.remaining_bytes().saturating_sub(bytes), Ordering::Relaxed);
    }
}

/// The server sent more than it may.
#[derive(Debug, thiserror::Error)]
#[error("the server says more than an answer takes")]
pub(super) struct Overspoken;

/// A socket whose server may send only a limited number of bytes. They are counted below the
/// encryption, so that a server cannot flood that either.
#[derive(Debug)]
pub(super) struct Metered {
    socket: TcpStream,
    allowance: Allowance,
}

impl Metered {
    pub(super) const fn new(socket: TcpStream, allowance: Allowance) -> Self {
        Self { socket, allowance }
    }

    /// Whether data or the end of the stream waits to be read. Asks the system and not the runtime,
    /// which polls only when it waits: between two events of a quiet host it does not wait at all.
    fn has_unread_data(&self) -> bool {
        let peeked = SockRef::from(&self.socket).peek(&mut [MaybeUninit::uninit()]);
        !peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if self.allowance.remaining_bytes() == 0 && self.has_unread_data() {
            return Poll::Ready(Err(io::Error::other(Overspoken)));
        }
        if self.allowance.expects_no_reply() && self.has_unread_data() {
            // The reader knows whether this data is its own: the encryption expects some, HTTP
            // expects none.
            let length = (&*SockRef::from(&self.socket)).read(buf.initialize_unfilled())?;
            buf.advance(length);
        } else {
            ready!(Pin::new(&mut self.socket).poll_read(cx, buf))?;
        }
        self.allowance.spend_allowed_bytes(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}

/// A stream for HTTP: a socket, or the encryption over one.
pub(super) trait Speaks: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Speaks for T {}

/// Either of them.
pub(super) type Wire = Box<dyn Speaks>;
