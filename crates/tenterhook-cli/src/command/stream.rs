//! `fire --stream`: one event a line in, one outcome a line out, one session for the whole process.
//!
//! Each line is fired on arrival and answered when it ends, under the `id` of its event. A line that cannot be read is answered
//! with a denial: a guard that did not see the event has not allowed it. A background step that ends later gets a separate line,
//! `{"finished": {...}}`. When the host goes away, everything is killed (V-42).

mod host;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenterhook::record::Journal;
use tenterhook::session::Finished;
use tenterhook::{Engine, Outcome, Session};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::native::encode_outcome;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::outcome::Fault;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::{Id, JoinError, JoinSet};

use super::input::{self, Given, Lost};
use crate::ambient::Here;
use crate::args::Fire;
use crate::exit::Exit;
use crate::journal;
use crate::last_word::{CallerReply, denial_outcome};
use crate::problem::Problem;
use crate::term::Term;
use crate::wait::{Waited, block_on_interruptible};
use host::{Gone, Host};

/// How many lines are under way at once, until their answers are written; a faster writer waits.
const IN_FLIGHT: usize = 64;

/// How long a host that sends no more events has to read the remaining answers.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Why open events got no judgement, and what to do about it: a user who pipes events in should not have to guess.
const INPUT_ENDED: &str = "the input ended before its hooks had answered, and they were ended; keep the input open until \
    every answer is read, or give the events as a file";

/// Ends a session when it is dropped, even if other owners hold it.
pub(super) struct Ended(pub(super) Session);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.end();
    }
}

pub(crate) fn run_stream(
    engine: &Engine,
    journal: Option<Arc<Journal>>,
    args: &Fire,
    here: &Here,
    config: Vec<Fault>,
    term: Term,
    reply: &CallerReply,
) -> Result<Exit, Problem> {
    let shared = Arc::new(Shared {
        engine: engine.clone(),
        journal,
        term,
        session: Session::default(),
        dialect: args.which.event_dialect(),
        roots: here.roots.clone(),
        budget: args.budget,
        config,
    });
    let host = match Host::new(term) {
        Ok(host) => host,
        Err(starved) => return Ok(starved.deny_to_caller(reply)),
    };
    let stream = async {
        // Hooks that wait for a next event are killed with the stream, however it ends.
        let _ended = Ended(shared.session.clone());
        Stream::new(Arc::clone(&shared), host).serve().await
    };
    let computing = shared.session.clone();
    match block_on_interruptible(stream, move || computing.cancel()) {
        Err(starved) => Ok(starved.deny_to_caller(reply)),
        Ok(Waited::Signal(signal)) => Ok(Exit::Cancelled(signal)),
        Ok(Waited::Done(went_wrong)) => Ok(if went_wrong? { Exit::Wrong } else { Exit::Good }),
    }
}

/// What every line needs.
struct Shared {
    engine: Engine,
    /// Where lines are recorded that are no events.
    journal: Option<Arc<Journal>>,
    term: Term,
    session: Session,
    dialect: DialectId,
    roots: Roots,
    budget: Option<Duration>,
    config: Vec<Fault>,
}

/// What comes next.
enum Next {
    Line(Vec<u8>, OwnedSemaphorePermit),
    EndOfInput,
    Gone(Gone),
    Answered(Result<(Id, Outcome), JoinError>),
    Late(Finished),
    /// Everything is answered; what the last background steps left.
    Over(Vec<Finished>),
}

/// A line in progress: its `id`, and its permit of the limit on open lines.
struct Open {
    id: Value,
    room: OwnedSemaphorePermit,
}

/// One stream while it lasts.
struct Stream {
    shared: Arc<Shared>,
    host: Host,
    running: JoinSet<Outcome>,
    open: HashMap<Id, Open>,
    room: Arc<Semaphore>,
    /// Whether more lines may come.
    is_asked: bool,
    /// Whether a line was refused or not judged to its end.
    went_wrong: bool,
}

impl Stream {
    fn new(shared: Arc<Shared>, host: Host) -> Self {
        Self {
            shared,
            host,
            running: JoinSet::new(),
            open: HashMap::new(),
            room: Arc::new(Semaphore::new(IN_FLIGHT)),
            is_asked: true,
            went_wrong: false,
        }
    }

    /// Serves the stream until its end. Returns whether something went wrong.
    async fn serve(mut self) -> Result<bool, Problem> {
        loop {
            match self.next_input().await {
                Next::Line(line, room) => self.fire_line(&line, room),
                // All lines of a file are answered: there is no host that could go away.
                Next::EndOfInput if self.host.is_file => self.is_asked = false,
                Next::EndOfInput | Next::Gone(Gone::Asking) => return self.cancel_all().await,
                Next::Answered(done) => self.finish_event(done),
                Next::Late(late) => self.send_json_line(&finished_step_json(&late), None),
                // Without a reader the answers have no use: running hooks are killed.
                Next::Gone(Gone::Reading) => return Ok(self.went_wrong),
                Next::Over(late) => {
                    late.iter().for_each(|finished| {
                        self.send_json_line(&finished_step_json(finished), None)
                    });
                    let Self { host, went_wrong, .. } = self;
                    drop(host.outgoing);
                    return host.written.await.unwrap_or(Ok(())).map(|()| went_wrong);
                }
            }
        }
    }

    /// Waits for the next thing to do. Cancel safe.
    async fn next_input(&mut self) -> Next {
        let Self { shared, host, running, room, is_asked, .. } = self;
        let is_over = running.is_empty() && !*is_asked;
        // Stop reading events from a host that does not read its answers.
        let line = async {
            // The semaphore is never closed.
            let room = Arc::clone(room).acquire_owned().await.ok()?;
            host.lines.recv().await.map(|line| (line, room))
        };
        tokio::select! {
            Some(gone) = host.gone.recv() => Next::Gone(gone),
            Some(done) = running.join_next_with_id() => Next::Answered(done),
            line = line, if *is_asked => {
                line.map_or(Next::EndOfInput, |(line, room)| Next::Line(line, room))
            }
            Some(late) = shared.session.next_finished(), if !is_over => Next::Late(late),
            late = shared.session.drain(), if is_over => Next::Over(late),
        }
    }

    /// Fires the event of a line, or refuses it.
    fn fire_line(&mut self, line: &[u8], room: OwnedSemaphorePermit) {
        let (id, event) = self.parse_line(line);
        match event {
            Ok(Given { event, faults }) => {
                let shared = Arc::clone(&self.shared);
                let fired = async move {
                    let fired = shared.engine.fire_within(event, &shared.session, shared.budget);
                    let mut outcome = fired.await;
                    outcome.faults.splice(0..0, faults);
                    outcome
                };
                let task = self.running.spawn(fired).id();
                self.open.insert(task, Open { id, room });
            }
            Err(refused) => {
                self.went_wrong = true;
                journal::record_unseen_event(
                    self.shared.journal.as_ref(),
                    &refused,
                    self.shared.term,
                );
                self.send_outcome(id, refused, room);
            }
        }
    }

    /// Returns the `id` of a line, and its event, or the outcome of a line that cannot be fired.
    fn parse_line(&self, line: &[u8]) -> (Value, Result<Given, Outcome>) {
        let mut whole = match input::parse_object(line) {
            Ok(whole) => whole,
            Err(problem) => {
                return (Value::Null, Err(denial_outcome(Code::UnreadableEvent, &problem.message)));
            }
        };
        let id = whole.fields.shift_remove("id").unwrap_or_default();
        if !id.is_null() && self.open.values().any(|open| open.id == id) {
            let why = format!("an event with the id {id} is still open");
            return (id, Err(denial_outcome(Code::IdInUse, &why)));
        }
        let given = input::decode_object(&whole, self.shared.dialect, &self.shared.roots);
        let refused = |lost| match lost {
            Lost::Unreadable { code, problem, .. } => denial_outcome(code, &problem.message),
            Lost::NotGiven(problem) => denial_outcome(Code::UnreadableEvent, &problem.message),
        };
        (id, given.map_err(refused))
    }

    fn finish_event(&mut self, done: Result<(Id, Outcome), JoinError>) {
        let (task, outcome) = match done {
            Ok((task, outcome)) => (task, outcome),
            Err(error) => {
                self.went_wrong = true;
                (error.id(), cancelled_outcome())
            }
        };
        if let Some(Open { id, room }) = self.open.remove(&task) {
            self.send_outcome(id, outcome, room);
        }
    }

    /// Kills running hooks because the host has gone, and answers open events in case it still
    /// reads (V-42).
    async fn cancel_all(mut self) -> Result<bool, Problem> {
        self.shared.session.end();
        // What computes can only be ended when it has given up.
        self.shared.session.cancel();
        self.running.abort_all();
        while let Some(done) = self.running.join_next_with_id().await {
            self.finish_event(done);
        }
        let Self {
            shared,
            host: Host { mut lines, mut gone, outgoing, written, .. },
            mut went_wrong,
            ..
        } = self;
        let last_words = async {
            while let Some(line) = lines.recv().await {
                went_wrong = true;
                let id = input::parse_object(&line)
                    .ok()
                    .and_then(|mut whole| whole.fields.shift_remove("id"));
                // If the writer has ended, there is no reader either.
                let answer = shared.outcome_json(id.unwrap_or_default(), cancelled_outcome());
                let _ = outgoing.send((format!("{answer}\n"), None));
            }
            drop(outgoing);
            written.await.unwrap_or(Ok(()))
        };
        tokio::select! {
            written = last_words => written?,
            () = wait_until_reader_gone(&mut gone) => {}
            () = tokio::time::sleep(LAST_WORDS) => {}
        }
        Ok(went_wrong)
    }

    fn send_outcome(&self, id: Value, outcome: Outcome, room: OwnedSemaphorePermit) {
        self.send_json_line(&self.shared.outcome_json(id, outcome), Some(room));
    }

    fn send_json_line(&self, value: &Value, room: Option<OwnedSemaphorePermit>) {
        // If the writer has ended, there is no reader either, and the host is about to go.
        let _ = self.host.outgoing.send((format!("{value}\n"), room));
    }
}

/// Waits until the reader has gone.
async fn wait_until_reader_gone(gone: &mut mpsc::UnboundedReceiver<Gone>) {
    while let Some(gone) = gone.recv().await {
        if gone == Gone::Reading {
            return;
        }
    }
    std::future::pending().await
}

impl Shared {
    /// Encodes the line that answers an event.
    fn outcome_json(&self, id: Value, mut outcome: Outcome) -> Value {
        outcome.faults.splice(0..0, self.config.iter().cloned());
        let mut line = Map::new();
        line.insert("id".to_owned(), id);
        if let Value::Object(keys) = encode_outcome(&outcome) {
            line.extend(keys);
        }
        Value::Object(line)
    }
}

/// Returns the outcome of an event whose hooks were killed before they answered: it is not consent
///
fn cancelled_outcome() -> Outcome {
    denial_outcome(Code::Cancelled, INPUT_ENDED)
}

/// Encodes a background step as the outcome that it alone produced.
fn finished_step_json(finished: &Finished) -> Value {
    json!({ "finished": {
        "event": finished.event.as_str(),
        "wakes": finished.wakes,
        "outcome": encode_outcome(&finished.outcome),
    } })
}
