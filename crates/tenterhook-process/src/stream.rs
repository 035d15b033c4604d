//! What one output stream has said so far: a bounded capture, and its lines as they come.
//!
//! Pure: bytes in, bytes and lines out. Never grows past its limits, whatever comes.

use crate::report::{Closed, Output};

/// What a line's receiver wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next line.
    More,
    /// Nothing until [`Child::resume_reading`](crate::Child::resume_reading): the child is no longer read, and
    /// blocks when its pipe is full.
    Pause,
}

/// An event for the receiver of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEvent<'a> {
    /// A line, without its newline.
    Line(&'a [u8]),
    /// That was all that had been written when the last line was read, and no further line had been
    /// begun: what one write brought is complete.
    AllSoFar,
}

/// A receiver of lines.
pub(crate) type Sink = Box<dyn FnMut(StreamEvent<'_>) -> Flow + Send>;

/// A bounded capture of one stream.
pub(crate) struct Capture {
    kept: Vec<u8>,
    limit: usize,
    dropped: u64,
    /// Why the rest could not be read.
    broken: Option<i32>,
    lines: Option<Lines>,
}

struct Lines {
    sink: Sink,
    partial: Vec<u8>,
    limit: usize,
}

impl Capture {
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit, dropped: 0, broken: None, lines: None }
    }

    /// Takes bytes that were read.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) -> Flow {
        let room = self.limit.saturating_sub(self.kept.len()).min(bytes.len());
        let (kept, dropped) = bytes.split_at(room);
        self.kept.extend_from_slice(kept);
        self.dropped += dropped.len() as u64;
        self.lines.as_mut().map_or(Flow::More, |lines| lines.push_bytes(bytes))
    }

    /// Records that the rest cannot be read because of this error, which is not the end of the
    /// stream.
    pub(crate) const fn set_read_error(&mut self, errno: i32) {
        self.broken = Some(errno);
    }

    /// Sends every line to `sink` from now on, beginning with the lines that were captured already.
    pub(crate) fn send_lines_to(&mut self, sink: Sink, limit: usize) -> Flow {
        let mut lines = Lines { sink, partial: Vec::new(), limit: limit.max(1) };
        let flow = lines.push_bytes(&self.kept);
        self.lines = Some(lines);
        flow
    }

    /// Delivers the last line at the end of the stream, even if it has no newline.
    pub(crate) fn flush_last_line(&mut self) {
        if let Some(mut lines) = self.lines.take() {
            lines.flush_last_line();
        }
    }

    /// Returns what the report contains of this stream.
    pub(crate) fn take_output(&mut self, held: bool) -> Output {
        let closed = match (self.broken, held, self.dropped) {
            (Some(errno), ..) => Closed::Broken(errno),
            (None, true, _) => Closed::Leaked,
            (None, false, 0) => Closed::Complete,
            (None, false, _) => Closed::Truncated,
        };
        Output { bytes: std::mem::take(&mut self.kept), dropped: self.dropped, closed }
    }
}

impl Lines {
    fn push_bytes(&mut self, bytes: &[u8]) -> Flow {
        let flow = self.push_lines(bytes);
        if bytes.is_empty() || !self.partial.is_empty() {
            return flow;
        }
        let quiet = (self.sink)(StreamEvent::AllSoFar);
        if flow == Flow::Pause { Flow::Pause } else { quiet }
    }

    fn push_lines(&mut self, bytes: &[u8]) -> Flow {
        let mut flow = Flow::More;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let mut piece = piece;
            // A line over the limit is delivered in pieces, so that memory stays bounded. Its
            // newline is no line, or a line of just the limit would bring an empty one along.
            while self.partial.len() + piece.strip_suffix(b"\n").unwrap_or(piece).len() > self.limit
            {
                let (head, tail) = piece.split_at(self.limit - self.partial.len());
                self.partial.extend_from_slice(head);
                flow = self.deliver_lines(flow);
                piece = tail;
            }
            self.partial.extend_from_slice(piece);
            if self.partial.last() == Some(&b'\n') {
                flow = self.deliver_lines(flow);
            }
        }
        flow
    }

    fn flush_last_line(&mut self) {
        if !self.partial.is_empty() {
            self.deliver_lines(Flow::More);
        }
    }

    /// Delivers lines without their newline. A requested pause stays requested.
    fn deliver_lines(&mut self, so_far: Flow) -> Flow {
        let line = self.partial.strip_suffix(b"\n").unwrap_or(&self.partial);
        let flow = (self.sink)(StreamEvent::Line(line));
        self.partial.clear();
        if so_far == Flow::Pause { Flow::Pause } else { flow }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn recorder() -> (Arc<Mutex<Vec<String>>>, Sink) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = seen.clone();
        let sink: Sink = Box::new(move |event| {
            let line = match event {
                StreamEvent::Line(line) => String::from_utf8_lossy(line).into_owned(),
                StreamEvent::AllSoFar => "<all>".to_owned(),
            };
            sink.lock().unwrap().push(line);
            Flow::More
        });
        (seen, sink)
    }

    #[test]
    fn the_capture_keeps_the_beginning_and_counts_the_rest() {
        let mut capture = Capture::new(4);
        capture.push_bytes(b"abc");
        capture.push_bytes(b"defg");
        let output = capture.take_output(false);
        assert_eq!((&output.bytes[..], output.dropped), (&b"abcd"[..], 3));
        assert_eq!(output.closed, Closed::Truncated);
    }

    /// What a program said before is kept, and that it is not all is known.
    #[test]
    fn a_stream_that_cannot_be_read_on_is_not_complete() {
        let mut capture = Capture::new(100);
        capture.push_bytes(b"{");
        capture.set_read_error(12);
        let output = capture.take_output(false);
        assert_eq!((&output.bytes[..], output.closed), (&b"{"[..], Closed::Broken(12)));
    }

    #[test]
    fn exactly_full_is_complete() {
        let mut capture = Capture::new(3);
        capture.push_bytes(b"abc");
        assert_eq!(capture.take_output(false).closed, Closed::Complete);
    }

    #[test]
    fn lines_come_whole_also_those_said_before_anybody_listened() {
        let (seen, sink) = recorder();
        let mut capture = Capture::new(100);
        capture.push_bytes(b"one\ntw");
        capture.send_lines_to(sink, 100);
        capture.push_bytes(b"o\n\nlast");
        capture.flush_last_line();
        assert_eq!(*seen.lock().unwrap(), ["one", "two", "", "last"]);
    }

    #[test]
    fn a_write_is_over_when_no_further_line_has_begun() {
        let (seen, sink) = recorder();
        let mut capture = Capture::new(0);
        capture.send_lines_to(sink, 100);
        for piece in ["one\ntwo\nth", "ree\n", "four\n"] {
            capture.push_bytes(piece.as_bytes());
        }
        let expected = ["one", "two", "three", "<all>", "four", "<all>"];
        assert_eq!(*seen.lock().unwrap(), expected);
    }

    #[test]
    fn a_long_line_comes_in_pieces() {
        let (seen, sink) = recorder();
        let mut capture = Capture::new(0);
        capture.send_lines_to(sink, 3);
        capture.push_bytes(b"abcdefgh\nxyz\n");
        capture.flush_last_line();
        assert_eq!(*seen.lock().unwrap(), ["abc", "def", "gh", "xyz", "<all>"]);
    }
}
