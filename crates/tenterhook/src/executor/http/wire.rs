//! The bytes of one connection: is what comes still within what the server may say, and is it encrypted? Knows no HTTP.

use std::io::{self, IoSlice, Read};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How many bytes a server may still say.
#[derive(Clone, Debug, Default)]
pub(super) struct Allowance(Arc<Left>);

#[derive(Debug, Default)]
struct Left {
    bytes: AtomicUsize,
    /// Nobody asked the server anything, and whether it spoke all the same is asked of the system.
    unasked: AtomicBool,
}

/// How much encryption may say for itself on a connection on which nothing is asked: a ticket for the next connection, new
/// keys.
const UNASKED: usize = 16 << 10;

impl Allowance {
    /// It is asked something, and may say so much.
    pub(super) fn set(&self, bytes: usize) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.unasked.store(false, Ordering::Relaxed);
    }

    /// It was not asked anything, and should have said nothing.
    pub(super) fn none(&self) {
        self.0.bytes.store(UNASKED, Ordering::Relaxed);
        self.0.unasked.store(true, Ordering::Relaxed);
    }

    fn left(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    fn is_unasked(&self) -> bool {
        self.0.unasked.load(Ordering::Relaxed)
    }

    fn spend(&self, bytes: usize) {
        self.0.bytes.store(self.left().saturating_sub(bytes), Ordering::Relaxed);
    }
}

/// A server said more than it may.
#[derive(Debug, thiserror::Error)]
#[error("the server says more than an answer takes")]
pub(super) struct Overspoken;

/// A socket whose server may say only so much. It is counted below the encryption, so that a server cannot flood that
/// either.
#[derive(Debug)]
pub(super) struct Metered {
    socket: TcpStream,
    allowance: Allowance,
}

impl Metered {
    pub(super) const fn new(socket: TcpStream, allowance: Allowance) -> Self {
        Self { socket, allowance }
    }

    /// Whether anything waits to be read, an end among it. Asks the system and not the runtime, which has not looked since
    /// it last waited: between two events of a quiet host it does not wait at all.
    fn is_spoken_to(&self) -> bool {
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
        if self.allowance.left() == 0 && self.is_spoken_to() {
            return Poll::Ready(Err(io::Error::other(Overspoken)));
        }
        if self.allowance.is_unasked() && self.is_spoken_to() {
            // What it is, whoever reads this knows: encryption what is its own, HTTP that nothing else should be there.
            let length = (&*SockRef::from(&self.socket)).read(buf.initialize_unfilled())?;
            buf.advance(length);
        } else {
            ready!(Pin::new(&mut self.socket).poll_read(cx, buf))?;
        }
        self.allowance.spend(buf.filled().len() - before);
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

/// What HTTP may be spoken on: a socket, or the encryption over one.
pub(super) trait Speaks: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Speaks for T {}

/// The one or the other.
pub(super) type Wire = Box<dyn Speaks>;
