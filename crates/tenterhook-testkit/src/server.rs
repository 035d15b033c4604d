//! A scripted HTTP server on its own port: sends the scripted replies and stores the requests.
//! Knows no hook.
//!
//! One thread a connection, because a server that misbehaves must not be helped by a library that behaves. Everything it
//! waits for ends when it is dropped.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

mod reply;
mod request;

pub use reply::{Manner, Reply};
pub use request::Request;

/// How long a test is made to wait before it hears that it waits in vain: longer than any machine needs, shorter than a test's own limit.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a connection is once it may be spoken on: the socket itself, or TLS over it.
pub trait Stream: Read + Write + Send {}

impl<T: Read + Write + Send> Stream for T {}

/// Makes a connection ready to be spoken on. A test that wants TLS brings it; the kit depends on none.
pub type Wrap = dyn Fn(TcpStream) -> io::Result<Box<dyn Stream>> + Send + Sync;

/// A server that runs until it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

/// What all threads of a server share.
struct Shared {
    script: Reply,
    /// Where its marks lie: `NAME.ran`, `NAME.stdin` and `NAME.asked` of this path.
    marks: Option<PathBuf>,
    wrap: Box<Wrap>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    over: bool,
    requests: Vec<Request>,
    /// How many of the replies that come in order were given.
    given: usize,
    /// How many connections were opened.
    opened: usize,
    /// Those that are open, so that the server's end ends them.
    connections: BTreeMap<usize, TcpStream>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Starts a server that speaks plain HTTP.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub fn start(script: Reply) -> io::Result<Self> {
        Self::start_with(script, None, Box::new(|stream| Ok(Box::new(stream))))
    }

    /// Starts one that leaves its marks beside the path `base`.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub fn marking(script: Reply, base: PathBuf) -> io::Result<Self> {
        Self::start_with(script, Some(base), Box::new(|stream| Ok(Box::new(stream))))
    }

    /// Starts one that speaks through `wrap` and, where `marks` is a path, leaves its marks there.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub fn start_with(script: Reply, marks: Option<PathBuf>, wrap: Box<Wrap>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared =
            Shared { script, marks, wrap, state: Mutex::default(), changed: Condvar::new() };
        let shared = Arc::new(shared);
        let accepting = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.accept(&listener))
        };
        Ok(Self { address, shared, accepting: Some(accepting) })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its URL, without a path: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was asked so far, in the order in which the requests were complete.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.clone()
    }

    /// How many connections were opened so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.state().opened
    }

    /// Waits until it was asked `times` times. `false`: that took too long.
    #[must_use]
    pub fn asked(&self, times: usize) -> bool {
        self.waits_while(|state| state.requests.len() < times)
    }

    /// Waits until no connection is open. `false`: that took too long.
    #[must_use]
    pub fn left(&self) -> bool {
        self.waits_while(|state| !state.connections.is_empty())
    }

    fn waits_while(&self, condition: impl Fn(&State) -> bool) -> bool {
        let (state, condition) = (self.shared.state(), |state: &mut State| condition(state));
        let waited = self.shared.changed.wait_timeout_while(state, PATIENCE, condition);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.state().over = true;
        self.shared.changed.notify_all();
        // A connection wakes the accepting thread.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        let (connections, threads) = {
            let mut state = self.shared.state();
            (std::mem::take(&mut state.connections), std::mem::take(&mut state.threads))
        };
        for connection in connections.into_values() {
            // It may be closed already.
            let _ = connection.shutdown(Shutdown::Both);
        }
        for thread in threads {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        while let Ok((stream, _)) = listener.accept() {
            let mut state = self.state();
            if state.over {
                return;
            }
            let number = state.opened;
            state.opened += 1;
            if let Ok(kept) = stream.try_clone() {
                state.connections.insert(number, kept);
            }
            let shared = Arc::clone(self);
            state.threads.push(std::thread::spawn(move || {
                // A client that went away ends its connection; that is what some scripts are for.
                let socket = shared.serve(stream);
                // The last clone closes the connection, and only then is it reset where the script says so.
                shared.state().connections.remove(&number);
                drop(socket);
                shared.changed.notify_all();
            }));
        }
    }

    /// Answers one request after the other until one side has enough, and hands the connection back.
    fn serve(&self, socket: TcpStream) -> io::Result<TcpStream> {
        socket.set_nodelay(true)?;
        let raw = socket.try_clone()?;
        let mut stream = (self.wrap)(socket)?;
        while let Some(request) = Request::read(&mut stream)? {
            let reply = self.note(request);
            reply.wait(|time| self.is_over_within(time));
            if reply.send_to(&mut stream, &raw, &|time| self.is_over_within(time))?
                == reply::After::Close
            {
                break;
            }
        }
        Ok(raw)
    }

    /// Keeps a request, leaves its marks and says what is replied.
    fn note(&self, request: Request) -> Reply {
        let mut state = self.state();
        let reply = self.script.to(&request, &mut state.given).clone();
        if let Some(marks) = &self.marks {
            // A mark that cannot be written is missed by the case that asks for it.
            let _ = request.mark(marks);
        }
        state.requests.push(request);
        self.changed.notify_all();
        reply
    }

    /// Waits for `time`; `true` where the server ends meanwhile.
    fn is_over_within(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.state(), time, |state| !state.over);
        waited.unwrap_or_else(PoisonError::into_inner).0.over
    }
}

#[cfg(test)]
mod tests;
