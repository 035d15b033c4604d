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
use super::post::{Post, Source, mark};
use super::{host, sigpipe};
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
    /// The input of run `id`.
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes `bytes` after all that was fed before, as far as the pipe takes them; the rest follows.
    pub(crate) fn feed(&self, bytes: Arc<[u8]>) {
        self.owner(|state| state.push(bytes));
    }

    /// Writes `bytes` likewise, and closes after them.
    pub(crate) fn feed_last(&self, bytes: Arc<[u8]>) {
        self.owner(|state| {
            state.push(bytes);
            state.close_when_empty = true;
        });
    }

    /// Closes after the last byte that was fed.
    pub(crate) fn close_when_empty(&self) {
        self.owner(|state| state.close_when_empty = true);
    }

    /// What the owner of the run does, on a thread of the host's.
    fn owner(&self, change: impl FnOnce(&mut State)) {
        // In a copy of the host, made by `fork`, the pipe is not ours.
        let Ok(host) = host() else { return };
        let mut state = self.lock();
        change(&mut state);
        if matches!(state.pipe, Pipe::Open { watch: Watch::Off, .. }) {
            sigpipe::blocked(|| state.write(&host.post, self.id));
        }
    }

    /// Takes the pipe, in which `written` bytes of `first` are already. `None`: it was closed behind them.
    pub(crate) fn open(
        &self,
        fd: Option<OwnedFd>,
        first: Arc<[u8]>,
        written: usize,
        input: Input,
        post: &Post,
    ) {
        let mut state = self.lock();
        state.pipe = fd.map_or(Pipe::Closed, |fd| Pipe::Open { fd, watch: Watch::Off });
        if written < first.len() {
            state.queue.push_front(first);
            state.offset = written;
        }
        state.written = written as u64;
        state.close_when_empty |= input == Input::Close;
        state.write(post, self.id);
    }

    /// Writes on: the pipe takes more.
    pub(crate) fn write(&self, post: &Post) {
        self.lock().write(post, self.id);
    }

    /// Gives up what is not written, and looks what was not read.
    pub(crate) fn close(&self, post: &Post) {
        self.lock().give_up(post);
    }

    /// How many bytes can have been read.
    pub(crate) fn taken(&self) -> u64 {
        let state = self.lock();
        state.written.saturating_sub(state.left)
    }

    pub(crate) fn delivery(&self) -> Delivery {
        let state = self.lock();
        match state.queue.is_empty() {
            true => Delivery::Delivered,
            false => Delivery::Refused { written: state.written },
        }
    }
}

impl State {
    fn push(&mut self, bytes: Arc<[u8]>) {
        // Refused bytes are counted, not stored again and again.
        let refused = matches!(self.pipe, Pipe::Closed) && !self.queue.is_empty();
        if !bytes.is_empty() && !refused {
            self.queue.push_back(bytes);
        }
    }

    /// Writes what fits, closes after the last byte, and has epoll watch only while there is more.
    fn write(&mut self, post: &Post, id: u64) {
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
                Err(Errno::AGAIN) => return self.set_watch(Watch::On, post, id),
                // A closed pipe is no fault: exit and output decide.
                Err(_) => self.give_up(post),
            }
        }
        if self.close_when_empty {
            // Its reader has not come to the end yet; what is left in the pipe is still its own.
            self.shut(post);
        } else {
            self.set_watch(Watch::Off, post, id);
        }
    }

    fn set_watch(&mut self, wanted: Watch, post: &Post, id: u64) {
        let Pipe::Open { fd, watch } = &mut self.pipe else { return };
        if *watch == wanted {
            return;
        }
        let room = epoll::EventFlags::OUT;
        let changed = match wanted {
            Watch::On => epoll::add(&post.epoll, &*fd, mark(id, Source::Stdin), room),
            Watch::Off => epoll::delete(&post.epoll, &*fd),
        };
        if changed.is_ok() {
            *watch = wanted;
        }
    }

    fn give_up(&mut self, post: &Post) {
        if let Pipe::Open { fd, .. } = &self.pipe {
            // It fails for what is no pipe; then all of it may have been read.
            self.left = rustix::io::ioctl_fionread(fd).unwrap_or(0);
        }
        self.shut(post);
    }

    fn shut(&mut self, post: &Post) {
        if let Pipe::Open { fd, watch: Watch::On } = &self.pipe {
            // It fails only for a descriptor that is not in the set.
            let _ = epoll::delete(&post.epoll, fd);
        }
        self.pipe = Pipe::Closed;
    }
}
