//! Bounds each event of a stream of events, below whoever takes the stream apart. Reads no event.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::body::{Body, Bytes, Frame, Incoming};

use crate::executor::http::client::Unanswered;

/// A body whose events may each have so many bytes.
pub(super) struct Bounded {
    body: Incoming,
    event: EventSize,
}

impl Bounded {
    pub(super) const fn new(body: Incoming, limit: usize) -> Self {
        Self { body, event: EventSize::new(limit) }
    }
}

impl Body for Bounded {
    type Data = Bytes;
    type Error = Unanswered;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Unanswered>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let Some(frame) = frame else { return Poll::Ready(None) };
        let frame = frame.map_err(|error| Unanswered::because(&error));
        let fits = match &frame {
            Ok(frame) => frame.data_ref().is_none_or(|data| self.event.takes(data)),
            Err(_) => true,
        };
        if fits {
            return Poll::Ready(Some(frame));
        }
        let too_large = TooLarge(self.event.limit);
        Poll::Ready(Some(Err(Unanswered::because(&too_large))))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("an event exceeded the maximum size of {0} bytes")]
struct TooLarge(usize);

/// How much of the event under way has come: an empty line ends it.
struct EventSize {
    limit: usize,
    size: usize,
    is_line_empty: bool,
    /// `\r\n` is one end of a line, not two.
    after_return: bool,
}

impl EventSize {
    const fn new(limit: usize) -> Self {
        Self { limit, size: 0, is_line_empty: true, after_return: false }
    }

    /// Counts the bytes; `false` where the event is too large.
    fn takes(&mut self, bytes: &[u8]) -> bool {
        for &byte in bytes {
            let completes_line_end = self.after_return && byte == b'\n';
            self.after_return = byte == b'\r';
            if completes_line_end {
                continue;
            }
            let ends_line = matches!(byte, b'\n' | b'\r');
            self.size = if ends_line && self.is_line_empty { 0 } else { self.size + 1 };
            self.is_line_empty = ends_line;
            if self.size > self.limit {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MC-9
    #[test]
    fn an_empty_line_begins_a_new_event() {
        let size = EventSize::new;
        assert!(size(10).takes(b"data: a\n\ndata: b\n\ndata: c\n\n"));
        assert!(size(10).takes(b"data: a\r\n\r\ndata: b\r\n\r\n"));
        assert!(!size(10).takes(b"data: a\ndata: b\n"));
        assert!(!size(10).takes(b"data: a\r\ndata: b\r\n"));
        let mut event = size(10);
        assert!(event.takes(b"data: ") && event.takes(b"abc\n") && !event.takes(b"x"));
    }
}
