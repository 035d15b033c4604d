//! Our ends of a child's streams: what is read, written, watched and closed.
//!
//! Never blocks. Takes a descriptor out of the epoll set before it closes it: a process that is
//! being made at this moment may hold a copy for some microseconds more.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::event::epoll;
use rustix::io::Errno;

use super::post::{Post, Source, mark};
use crate::inbox::shielded;
use crate::report::{Delivery, Output};
use crate::stream::{Capture, Flow, Sink};

/// An output stream.
pub(crate) struct Reader {
    fd: Option<OwnedFd>,
    source: Source,
    watch: Watch,
    capture: Capture,
}

/// Whether epoll looks at a descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    On,
    Off,
}

/// A pipe's capacity is 64 KiB unless its holder raised it, at most to 1 MiB without privilege.
/// A last look at a held pipe reads no more than that.
const LAST_LOOK: usize = 1 << 20;

impl Reader {
    /// Takes a descriptor that is in the epoll set.
    pub(crate) fn new(fd: OwnedFd, source: Source, limit: usize) -> Self {
        Self { fd: Some(fd), source, watch: Watch::On, capture: Capture::new(limit) }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.fd.is_none()
    }

    /// Reads once. More is announced by epoll again.
    pub(crate) fn read(&mut self, post: &Post, id: u64, scratch: &mut [u8]) {
        if self.read_some(post, scratch) == Read::Some(Flow::Pause) {
            self.set_watch(post, id, Watch::Off);
        }
    }

    fn read_some(&mut self, post: &Post, scratch: &mut [u8]) -> Read {
        let Some(fd) = &self.fd else { return Read::Nothing };
        match rustix::io::read(fd, &mut *scratch) {
            Ok(0) => {
                self.close(post);
                Read::Nothing
            }
            Ok(count) => {
                let capture = &mut self.capture;
                let bytes = scratch.get(..count).unwrap_or_default();
                Read::Some(shielded(|| capture.push(bytes)).unwrap_or(Flow::More))
            }
            Err(Errno::AGAIN | Errno::INTR) => Read::Nothing,
            Err(_) => {
                self.close(post);
                Read::Nothing
            }
        }
    }

    /// Reads what is there, and closes. Says whether somebody else still holds the stream.
    pub(crate) fn last_look(&mut self, post: &Post, scratch: &mut [u8]) -> bool {
        let turns = LAST_LOOK / scratch.len().max(1);
        for _ in 0..=turns {
            if matches!(self.read_some(post, scratch), Read::Nothing) {
                break;
            }
        }
        let held = self.fd.is_some();
        self.close(post);
        held
    }

    pub(crate) fn follow(&mut self, sink: Sink, limit: usize, post: &Post, id: u64) {
        let capture = &mut self.capture;
        if shielded(|| capture.follow(sink, limit)) == Some(Flow::Pause) {
            self.set_watch(post, id, Watch::Off);
        }
        if self.fd.is_none() {
            shielded(|| self.capture.end_lines());
        }
    }

    /// Watches again, after a pause.
    pub(crate) fn resume(&mut self, post: &Post, id: u64) {
        self.set_watch(post, id, Watch::On);
    }

    fn set_watch(&mut self, post: &Post, id: u64, watch: Watch) {
        let Some(fd) = &self.fd else { return };
        if self.watch == watch {
            return;
        }
        // Taken out rather than masked: a masked pipe still reports that it was hung up.
        let changed = match watch {
            Watch::On => epoll::add(&post.epoll, fd, mark(id, self.source), epoll::EventFlags::IN),
            Watch::Off => epoll::delete(&post.epoll, fd),
        };
        if changed.is_ok() {
            self.watch = watch;
        }
    }

    fn close(&mut self, post: &Post) {
        if let Some(fd) = self.fd.take() {
            if self.watch == Watch::On {
                // It fails only for a descriptor that is not in the set.
                let _ = epoll::delete(&post.epoll, &fd);
            }
            shielded(|| self.capture.end_lines());
        }
    }

    pub(crate) fn take_output(&mut self, held: bool) -> Output {
        self.capture.take_output(held)
    }
}

#[derive(PartialEq, Eq)]
enum Read {
    Some(Flow),
    Nothing,
}

/// The input stream.
pub(crate) struct Writer {
    fd: Option<OwnedFd>,
    watch: Watch,
    queue: VecDeque<Arc<[u8]>>,
    /// How much of the first in the queue is written.
    offset: usize,
    written: u64,
    /// How much of that nobody had read when the input was given up.
    left: u64,
    close_when_empty: bool,
}

impl Writer {
    /// Takes the input, of which `written` bytes of `first` are in the pipe already.
    pub(crate) fn new(
        fd: Option<OwnedFd>,
        first: Arc<[u8]>,
        written: usize,
        close_when_empty: bool,
    ) -> Self {
        let mut queue = VecDeque::new();
        let offset = if written < first.len() { written } else { 0 };
        if written < first.len() {
            queue.push_back(first);
        }
        let written = written as u64;
        Self { fd, watch: Watch::Off, queue, offset, written, left: 0, close_when_empty }
    }

    pub(crate) fn feed(&mut self, bytes: Arc<[u8]>, post: &Post, id: u64) {
        if !bytes.is_empty() {
            self.queue.push_back(bytes);
        }
        self.write(post, id);
    }

    pub(crate) fn close_when_empty(&mut self, post: &Post, id: u64) {
        self.close_when_empty = true;
        self.write(post, id);
    }

    /// Writes what fits, closes after the last byte, and watches only while there is more.
    pub(crate) fn write(&mut self, post: &Post, id: u64) {
        while let (Some(fd), Some(first)) = (&self.fd, self.queue.front()) {
            match rustix::io::write(fd, first.get(self.offset..).unwrap_or_default()) {
                Ok(count) => {
                    self.written += count as u64;
                    self.offset += count;
                    if self.offset >= first.len() {
                        self.queue.pop_front();
                        self.offset = 0;
                    }
                }
                Err(Errno::INTR) => (),
                Err(Errno::AGAIN) => return self.set_watch(post, id, Watch::On),
                // A closed pipe is no fault: exit and output decide.
                Err(_) => self.close(post),
            }
        }
        if self.close_when_empty {
            // Its reader has not come to the end yet; what is left in the pipe is still its own.
            self.shut(post);
        } else {
            self.set_watch(post, id, Watch::Off);
        }
    }

    fn set_watch(&mut self, post: &Post, id: u64, watch: Watch) {
        let Some(fd) = &self.fd else { return };
        if self.watch == watch {
            return;
        }
        let changed = match watch {
            Watch::On => {
                epoll::add(&post.epoll, fd, mark(id, Source::Stdin), epoll::EventFlags::OUT)
            }
            Watch::Off => epoll::delete(&post.epoll, fd),
        };
        if changed.is_ok() {
            self.watch = watch;
        }
    }

    /// Gives up what is not written, and looks what was not read.
    pub(crate) fn close(&mut self, post: &Post) {
        if let Some(fd) = &self.fd {
            // It fails for what is no pipe; then all of it may have been read.
            self.left = rustix::io::ioctl_fionread(fd).unwrap_or(0);
        }
        self.shut(post);
    }

    fn shut(&mut self, post: &Post) {
        if let Some(fd) = self.fd.take()
            && self.watch == Watch::On
        {
            // It fails only for a descriptor that is not in the set.
            let _ = epoll::delete(&post.epoll, &fd);
        }
    }

    /// How many bytes can have been read.
    pub(crate) fn taken(&self) -> u64 {
        self.written.saturating_sub(self.left)
    }

    pub(crate) fn delivery(&self) -> Delivery {
        match self.queue.is_empty() {
            true => Delivery::Delivered,
            false => Delivery::Refused { written: self.written },
        }
    }
}
