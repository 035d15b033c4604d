//! Our end of a child's standard input: written bytes, bytes that wait for capacity, refused bytes.
//!
//! Shared by the owner of a run and its supervisor, and written by either of them:
//! to wake another thread for it would take longer than the write. Never blocks.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::epoll;
use rustix::io::Errno;

use super::launch::Input;
use super::pipes::Watch;
use super::post::{Post, Source, encode_event};
use super::{shared_host, sigpipe};
use crate::report::Delivery;

/// The input of one run, from before its start until after its end.
pub(crate) struct Stdin {
    id: u64,
    state: Mutex<State>,
}

struct State {
    pipe: Pipe,
    queue: VecDeque<Arc<[u8]>>,
    /// How much of the first in the queue is written.
    offset: usize,
    written: u64,
    /// How many of those bytes were unread when the input was given up.
    left: u64,
    close_when_empty: bool,
}

enum Pipe {
    /// The child has not started.
    Ahead,
    Open {
        fd: OwnedFd,
        watch: Watch,
    },
    Closed,
}

impl Stdin {
    /// Makes the input of run `id`.
    pub(crate) fn new(id: u64) -> Arc<Self> {
        let state = State {
            pipe: Pipe::Ahead,
            queue: VecDeque::new(),
            offset: 0,
            written: 0,
            left: 0,
            close_when_empty: false,
        };
        Arc::new(Self { id, state: Mutex::new(state) })
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues `bytes` after everything queued before, and writes what the pipe takes now.
    pub(crate) fn queue_bytes(&self, bytes: Arc<[u8]>) {
        self.change_and_write(|state| state.push_bytes(bytes));
    }

    /// Queues `bytes` and closes the pipe after them.
    pub(crate) fn queue_last_bytes(&self, bytes: Arc<[u8]>) {
        self.change_and_write(|state| {
            state.push_bytes(bytes);
            state.close_when_empty = true;
        });
    }

    /// Closes the pipe after the last byte that was queued.
    pub(crate) fn close_when_empty(&self) {
        self.change_and_write(|state| state.close_when_empty = true);
    }

    /// Changes the state on a thread of the host, then writes what the pipe takes.
    fn change_and_write(&self, change: impl FnOnce(&mut State)) {
        // In a copy of the host, made by `fork`, the pipe is not ours.
        let Ok(host) = shared_host() else { return };
        let mut state = self.lock_state();
        change(&mut state);
        if matches!(state.pipe, Pipe::Open { watch: Watch::Off, .. }) {
            sigpipe::run_with_sigpipe_blocked(|| state.write_pending(&host.post, self.id));
        }
    }

    /// Takes the pipe, into which `written` bytes of `first` were written already. `None`: it was
    /// closed after them.
    pub(crate) fn attach_pipe(
        &self,
        fd: Option<OwnedFd>,
        first: Arc<[u8]>,
        written: usize,
        input: Input,
        post: &Post,
    ) {
        let mut state = self.lock_state();
        state.pipe = fd.map_or(Pipe::Closed, |fd| Pipe::Open { fd, watch: Watch::Off });
        if written < first.len() {
            state.queue.push_front(first);
            state.offset = written;
        }
        state.written = written as u64;
        state.close_when_empty |= input == Input::Close;
        state.write_pending(post, self.id);
    }

    /// Continues writing when the pipe can take more.
    pub(crate) fn write_pending(&self, post: &Post) {
        self.lock_state().write_pending(post, self.id);
    }

    /// Discards what is not written yet, and records how much was not read.
    pub(crate) fn discard_unwritten_and_close(&self, post: &Post) {
        self.lock_state().record_unread_and_close(post);
    }

    /// Returns how many bytes the child can have read.
    pub(crate) fn bytes_read_by_child(&self) -> u64 {
        let state = self.lock_state();
        state.written.saturating_sub(state.left)
    }

    pub(crate) fn delivery_status(&self) -> Delivery {
        let state = self.lock_state();
        match state.queue.is_empty() {
            true => Delivery::Delivered,
            false => Delivery::Refused { written: state.written },
        }
    }
}

impl State {
    fn push_bytes(&mut self, bytes: Arc<[u8]>) {
        // Refused bytes are counted, not stored again and again.
        let refused = matches!(self.pipe, Pipe::Closed) && !self.queue.is_empty();
        if !bytes.is_empty() && !refused {
            self.queue.push_back(bytes);
        }
    }

    /// Writes what fits, closes the pipe after the last byte, and keeps epoll watching only while
    /// there is more.
    fn write_pending(&mut self, post: &Post, id: u64) {
        while let (Pipe::Open { fd, .. }, Some(first)) = (&self.pipe, self.queue.front()) {
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
                Err(Errno::AGAIN) => return self.set_epoll_watch(Watch::On, post, id),
                // A closed pipe is no fault: exit and output decide.
                Err(_) => self.record_unread_and_close(post),
            }
        }
        if self.close_when_empty {
            // Its reader has not come to the end yet; what is left in the pipe is still its own.
            self.close_pipe(post);
        } else {
            self.set_epoll_watch(Watch::Off, post, id);
        }
    }

    fn set_epoll_watch(&mut self, wanted: Watch, post: &Post, id: u64) {
        let Pipe::Open { fd, watch } = &mut self.pipe else { return };
        if *watch == wanted {
            return;
        }
        let room = epoll::EventFlags::OUT;
        let changed = match wanted {
            Watch::On => epoll::add(&post.epoll, &*fd, encode_event(id, Source::Stdin), room),
            Watch::Off => epoll::delete(&post.epoll, &*fd),
        };
        if changed.is_ok() {
            *watch = wanted;
        }
    }

    fn record_unread_and_close(&mut self, post: &Post) {
        if let Pipe::Open { fd, .. } = &self.pipe {
            // It fails for what is no pipe; then all of it may have been read.
            self.left = rustix::io::ioctl_fionread(fd).unwrap_or(0);
        }
        self.close_pipe(post);
    }

    fn close_pipe(&mut self, post: &Post) {
        if let Pipe::Open { fd, watch: Watch::On } = &self.pipe {
            // It fails only for a descriptor that is not in the set.
            let _ = epoll::delete(&post.epoll, fd);
        }
        self.pipe = Pipe::Closed;
    }
}
