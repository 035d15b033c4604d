//! Our ends of a child's output streams: what is read, watched and closed.
//!
//! Never blocks. Takes a descriptor out of the epoll set before it closes it: a process that is
//! being made at this moment may hold a copy for some microseconds more.

use std::os::fd::OwnedFd;

use rustix::event::epoll;
use rustix::io::Errno;

use super::post::{Post, Source, encode_event};
use crate::inbox::catch_panic;
use crate::report::Output;
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
pub(crate) enum Watch {
    On,
    Off,
}

/// A pipe's capacity is 64 KiB unless its holder raised it, at most to 1 MiB without privilege.
/// A last look at a held pipe reads at most that much.
const LAST_LOOK: usize = 1 << 20;

impl Reader {
    /// Takes a descriptor that is in the epoll set.
    pub(crate) fn new(fd: OwnedFd, source: Source, limit: usize) -> Self {
        Self { fd: Some(fd), source, watch: Watch::On, capture: Capture::new(limit) }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.fd.is_none()
    }

    /// Reads once. Epoll reports again if there is more.
    pub(crate) fn read_once(&mut self, post: &Post, id: u64, scratch: &mut [u8]) {
        if self.read_chunk(post, scratch) == Read::Some(Flow::Pause) {
            self.set_epoll_watch(post, id, Watch::Off);
        }
    }

    fn read_chunk(&mut self, post: &Post, scratch: &mut [u8]) -> Read {
        let Some(fd) = &self.fd else { return Read::Nothing };
        match rustix::io::read(fd, &mut *scratch) {
            Ok(0) => {
                self.close(post);
                Read::Nothing
            }
            Ok(count) => {
                let capture = &mut self.capture;
                let bytes = scratch.get(..count).unwrap_or_default();
                Read::Some(catch_panic(|| capture.push_bytes(bytes)).unwrap_or(Flow::More))
            }
            // Nothing was read, and more may be there: only an empty pipe says that it is empty.
            Err(Errno::INTR) => Read::Some(Flow::More),
            Err(Errno::AGAIN) => Read::Nothing,
            Err(error) => {
                self.capture.set_read_error(error.raw_os_error());
                self.close(post);
                Read::Nothing
            }
        }
    }

    /// Reads what is available, and closes. Returns whether another process still holds the stream.
    pub(crate) fn drain_and_close(&mut self, post: &Post, scratch: &mut [u8]) -> bool {
        let turns = LAST_LOOK / scratch.len().max(1);
        for _ in 0..=turns {
            if matches!(self.read_chunk(post, scratch), Read::Nothing) {
                break;
            }
        }
        let held = self.fd.is_some();
        self.close(post);
        held
    }

    pub(crate) fn send_lines_to(&mut self, sink: Sink, limit: usize, post: &Post, id: u64) {
        let capture = &mut self.capture;
        if catch_panic(|| capture.send_lines_to(sink, limit)) == Some(Flow::Pause) {
            self.set_epoll_watch(post, id, Watch::Off);
        }
        if self.fd.is_none() {
            catch_panic(|| self.capture.flush_last_line());
        }
    }

    /// Watches the stream again after a pause.
    pub(crate) fn resume_watching(&mut self, post: &Post, id: u64) {
        self.set_epoll_watch(post, id, Watch::On);
    }

    fn set_epoll_watch(&mut self, post: &Post, id: u64, watch: Watch) {
        let Some(fd) = &self.fd else { return };
        if self.watch == watch {
            return;
        }
        // Taken out rather than masked: a masked pipe still reports that it was hung up.
        let changed = match watch {
            Watch::On => {
                epoll::add(&post.epoll, fd, encode_event(id, self.source), epoll::EventFlags::IN)
            }
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
            catch_panic(|| self.capture.flush_last_line());
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
