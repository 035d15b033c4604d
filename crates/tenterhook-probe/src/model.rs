//! The scripted model: a server on its own port that speaks the wires of four services and
//! stores the requests.
//!
//! One thread a connection; all of them end when it is dropped. It says what its script says, whatever it is asked: how far
//! a conversation has come is told from the conversation itself, so an agent may retry.

mod http;
mod reply;
mod wire;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::script::Script;
pub use wire::Wire;

/// One request of a turn that the model was sent.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Whether it belongs to the main conversation, not to a sub-agent's.
    pub main: bool,
    /// How many answers the model had given before.
    pub step: usize,
    /// Its body as one text, because tests search long conversations often.
    pub body: String,
}

/// A scripted model, listening until it is dropped.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    script: Script,
    /// The tool without which a request is no turn, but a side request for a title or the like.
    tool: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    over: bool,
    asked: Vec<Asked>,
    opened: usize,
    connections: BTreeMap<usize, TcpStream>,
    threads: Vec<JoinHandle<()>>,
}

impl Model {
    /// Starts a model that plays `script` for an agent which offers the tool `tool` in each turn.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub fn start(script: Script, tool: &str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { script, tool: tool.to_owned(), state: Mutex::default() });
        let accepting = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.accept_connections(&listener))
        };
        Ok(Self { address, shared, accepting: Some(accepting) })
    }

    /// Returns the URL of the model, without a path.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the turns that the model was asked for so far.
    #[must_use]
    pub fn requested_turns(&self) -> Vec<Asked> {
        self.shared.lock_state().asked.clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.lock_state().over = true;
        // A connection wakes the accepting thread.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        let (connections, threads) = {
            let mut state = self.shared.lock_state();
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
    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept_connections(self: &Arc<Self>, listener: &TcpListener) {
        while let Ok((stream, _)) = listener.accept() {
            let mut state = self.lock_state();
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
                // An agent that exits closes its connection; the error has no receiver.
                let _ = shared.serve_connection(stream);
                shared.lock_state().connections.remove(&number);
            }));
        }
    }

    fn serve_connection(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        while let Some(request) = http::read_request(&mut stream)? {
            http::write_reply(&mut stream, &self.reply_to_request(&request))?;
        }
        Ok(())
    }

    fn reply_to_request(&self, request: &http::Request) -> http::Reply {
        let Some(wire) = Wire::from_path(&request.path) else {
            return reply::side_request_reply(&request.path);
        };
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let streamed = wire.is_stream_requested(&request.path, &body);
        if !wire::offers_tool(&body, &self.tool) {
            return reply::step_reply(
                wire,
                &self.script.step_at(true, usize::MAX),
                "side",
                streamed,
            );
        }
        let (main, step) = (wire::is_main_conversation(&body), wire.count_answers(&body));
        let id = {
            let mut state = self.lock_state();
            state.asked.push(Asked { main, step, body: body.to_string() });
            format!("{}_{step}", state.asked.len())
        };
        reply::step_reply(wire, &self.script.step_at(main, step), &id, streamed)
    }
}

#[cfg(test)]
mod tests;
