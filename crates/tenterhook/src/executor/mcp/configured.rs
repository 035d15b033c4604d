//! Connects the servers that configurations name: each when a hook first calls it, once for the
//! life of this value (MC-8, MC-9). Knows no protocol.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::connection::{Connection, Env, Start};
use super::health::Health;
use super::offer::Offer;
use super::unopened::Unopened;
use super::{Call, CallFault, CallFaultKind, Calling, Reply, Servers};
use crate::executor::Ambient;
use crate::executor::http::Network;
use crate::executor::restart::NotNow;
use tenterhook_core::diagnostic::nearest_word;
use tenterhook_core::hook::Grants;
use tenterhook_core::source::{Reach, Server};

/// How long a server may take to start and complete the handshake, for any caller: the limit that
/// agents use. A hook with less time leaves it starting, so that the next call finds it.
const OPENING: Duration = Duration::from_secs(30);

/// The servers of configurations.
///
/// A server starts with the first call of one of its tools and is ended when this value is dropped.
/// If it ends by itself, the next call starts it again; if it keeps ending, it is quarantined.
#[derive(Debug)]
pub struct Configured {
    env: Env,
    network: Network,
    scratch: Option<PathBuf>,
    pretended: Option<tenterhook_process::Means>,
    lines: Mutex<HashMap<String, Arc<Line>>>,
}

/// One server and the connection to it.
#[derive(Debug)]
struct Line {
    start: Start,
    state: Arc<Mutex<State>>,
    /// The same server for confined hooks: one process for each sandbox (MC-19).
    confined: Mutex<HashMap<Grants, Arc<Self>>>,
}

#[derive(Debug, Default)]
struct State {
    health: Health,
    opened: Option<Opened>,
}

/// The result of opening a connection; `None` while it is being opened.
type Opening = watch::Receiver<Option<Result<Arc<Connection>, CallFault>>>;

/// Whether a connection to a server is being opened.
enum Turn {
    /// It is.
    Now(Opening),
    /// It failed a moment ago, and may be started again at this time.
    At(Instant),
}

/// A connection, or the attempt to open one. Dropping it cancels the attempt and closes the
/// connection.
#[derive(Debug)]
struct Opened {
    result: Opening,
    life: JoinHandle<()>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.life.abort();
    }
}

impl Configured {
    /// The servers of a configuration, none of them started. `env` is the host's environment.
    #[must_use]
    pub fn new(servers: impl IntoIterator<Item = Server>, env: Vec<(String, String)>) -> Self {
        let configured = Self {
            env: env.into(),
            network: Network::default(),
            scratch: None,
            pretended: None,
            lines: Mutex::default(),
        };
        configured.replace(servers);
        configured
    }

    /// Uses `network` to reach servers at an address: for example that of the engine's `http`
    /// hooks.
    #[must_use]
    pub fn reached_by(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Creates scratch directories for confined servers where `ambient` has one.
    #[must_use]
    pub fn within(mut self, ambient: &Ambient) -> Self {
        self.scratch.clone_from(&ambient.scratch);
        self.pretended = ambient.pretended;
        self
    }

    /// Replaces the configuration. An unchanged server stays connected; a removed or changed one is
    /// ended, and a quarantined one is tried again.
    pub fn replace(&self, servers: impl IntoIterator<Item = Server>) {
        let mut lines = lock_mutex(&self.lines);
        let mut kept = HashMap::new();
        for server in servers {
            let line = lines.remove(&server.name).filter(|line| line.start.server == server);
            let line = line.unwrap_or_else(|| {
                Line::new(Start {
                    server: server.clone(),
                    env: Arc::clone(&self.env),
                    network: self.network.clone(),
                    caller: None,
                    scratch: self.scratch.clone(),
                    pretended: self.pretended,
                })
            });
            lock_mutex(&line.state).health.reset();
            // It is not known here whether a hook with that sandbox still exists.
            lock_mutex(&line.confined).clear();
            kept.insert(server.name, line);
        }
        *lines = kept;
    }

    /// The names of the servers, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = lock_mutex(&self.lines).keys().cloned().collect();
        names.sort();
        names
    }

    /// The tools that a server offers, for a host that passes them to its model: 1,000 at most.
    /// Starts or connects the server if necessary; the caller limits the time (MC-18).
    ///
    /// # Errors
    ///
    /// A [`CallFault`], as for a call.
    pub async fn offer(&self, server: &str) -> Result<Offer, CallFault> {
        let line = self.line_to_server(server)?;
        let connection = line.connect_if_necessary().await?;
        let mut waiting = Waiting { line: &line, answered: false };
        let result = connection.list_tools(server).await;
        waiting.answered = true;
        if connection.is_open() {
            lock_mutex(&line.state).health.reset();
        }
        result
    }

    /// Returns the line to a configured server. Fails if no server has that name.
    fn line_to_server(&self, name: &str) -> Result<Arc<Line>, CallFault> {
        let lines = lock_mutex(&self.lines);
        lines.get(name).map(Arc::clone).ok_or_else(|| {
            let near = nearest_word(name, lines.keys().map(String::as_str));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let why = format!("no server `{name}` is configured{near}");
            CallFault::new(CallFaultKind::UnknownServer, why)
        })
    }
}

impl Servers for Configured {
    fn call<'a>(&'a self, call: Call<'a>) -> Calling<'a> {
        Box::pin(async move {
            self.line_to_server(call.server)?
                .line_confined_for_caller(call.sandbox)
                .call_tool(call)
                .await
        })
    }

    fn confines(&self) -> bool {
        true
    }
}

impl Line {
    fn new(start: Start) -> Arc<Self> {
        Arc::new(Self { start, state: Arc::default(), confined: Mutex::default() })
    }

    /// Returns the line to a program whose access is limited to that of `caller`. A server at an
    /// address starts no program.
    fn line_confined_for_caller(self: &Arc<Self>, caller: Option<&Grants>) -> Arc<Self> {
        let server = &self.start.server;
        let caller = caller.filter(|caller| server.sandbox.grants() != Some(caller));
        let Some(caller) = caller.filter(|_| matches!(server.reach, Reach::Program(_))) else {
            return Arc::clone(self);
        };
        let mut all = lock_mutex(&self.confined);
        let start = || Start { caller: Some(caller.clone()), ..self.start.clone() };
        Arc::clone(all.entry(caller.clone()).or_insert_with(|| Self::new(start())))
    }

    async fn call_tool(&self, call: Call<'_>) -> Result<Reply, CallFault> {
        let connection = self.connect_if_necessary().await?;
        let mut waiting = Waiting { line: self, answered: false };
        let result = connection.call_tool(call).await;
        waiting.answered = true;
        if connection.is_open() {
            lock_mutex(&self.state).health.reset();
        }
        result
    }

    /// Returns the connection, and opens it if necessary.
    async fn connect_if_necessary(&self) -> Result<Arc<Connection>, CallFault> {
        if let Reach::Withheld(why) = &self.start.server.reach {
            let why = format!("the server `{}` is not started: {why}", self.start.server.name);
            return Err(CallFault::new(CallFaultKind::Withheld, why));
        }
        let mut result = loop {
            match self.connection_or_retry_time()? {
                Turn::Now(result) => break result,
                Turn::At(at) => tokio::time::sleep_until(at).await,
            }
        };
        let opened = match result.wait_for(Option::is_some).await {
            Ok(opened) => opened.clone(),
            // The task that opened it is gone: the configuration changed, or the runtime ended.
            Err(_) => None,
        };
        opened.unwrap_or_else(|| Err(not_connected_fault(&self.start.server, "it was given up")))
    }

    /// Returns the connection that is open or being opened, or the time at which it may be opened
    /// again.
    fn connection_or_retry_time(&self) -> Result<Turn, CallFault> {
        let mut state = lock_mutex(&self.state);
        if let Some(opened) = &state.opened {
            let stands = match &*opened.result.borrow() {
                Some(Ok(connection)) => connection.is_open(),
                Some(Err(_)) => false,
                None => !opened.life.is_finished(),
            };
            if stands {
                return Ok(Turn::Now(opened.result.clone()));
            }
            state.opened = None;
        }
        match state.health.check_may_start(Instant::now()) {
            Ok(()) => {}
            Err(NotNow::Until(at)) => return Ok(Turn::At(at)),
            Err(NotNow::Rests(left)) => {
                let (why, left) = (state.health.last_failure(), left.as_secs() + 1);
                let why = format!("{why}; it keeps failing and is left alone for {left} s more");
                return Err(not_connected_fault(&self.start.server, &why));
            }
        }
        let opened = self.spawn_connection();
        let result = opened.result.clone();
        state.opened = Some(opened);
        Ok(Turn::Now(result))
    }

    /// Opens a connection in a separate task, which lives as long as the connection.
    fn spawn_connection(&self) -> Opened {
        let (sender, result) = watch::channel(None);
        let start = self.start.clone();
        // A strong reference in the task would keep its owner alive.
        let state = Arc::downgrade(&self.state);
        let life = tokio::spawn(async move {
            let opening = tokio::time::timeout(OPENING, Connection::open(&start)).await;
            let opened = opening.unwrap_or(Err(Unopened::Silent(OPENING)));
            let failed = |why: String| {
                if let Some(state) = state.upgrade() {
                    lock_mutex(&state).health.record_failure(Instant::now(), why);
                }
            };
            match opened {
                Ok((connection, life)) => {
                    sender.send_replace(Some(Ok(Arc::new(connection))));
                    failed(life.wait_for_end().await);
                }
                // Stored before the waiting calls receive it, because they may call again at once.
                Err(why) => {
                    let why = why.to_string();
                    failed(why.clone());
                    sender.send_replace(Some(Err(not_connected_fault(&start.server, &why))));
                }
            }
        });
        Opened { result, life }
    }

    /// Notes that a call was cancelled. A server that sent nothing during several cancelled calls
    /// is restarted.
    fn note_cancel_and_maybe_restart(&self) {
        let mut state = lock_mutex(&self.state);
        if state.health.record_cancelled_call() {
            state.health.record_failure(Instant::now(), "it no longer answers".to_owned());
            state.opened = None;
        }
    }
}

fn not_connected_fault(server: &Server, why: &str) -> CallFault {
    let why = format!("the server `{}`: {why}", server.name);
    CallFault::new(CallFaultKind::NotConnected, why)
}

/// Notifies the line if a call is dropped before its answer.
struct Waiting<'a> {
    line: &'a Line,
    answered: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.answered {
            self.line.note_cancel_and_maybe_restart();
        }
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
