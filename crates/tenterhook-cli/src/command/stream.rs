//! `fire --stream`: one event a line in, one outcome a line out, one session for the whole process.
//!
//! Lines are fired as they come and answered as they end, each under the `id` of its event. A line that cannot be read
//! is answered too, with a denial: a guard that did not see the event has not agreed to it. A background step that ends
//! later is told in a line of its own, `{"finished": {...}}`. With the host goes everything (V-42).

mod host;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenterhook::diagnostic::Code;
use tenterhook::dialect::native::encode_outcome;
use tenterhook::dialect::{DialectId, Roots};
use tenterhook::outcome::Fault;
use tenterhook::record::Journal;
use tenterhook::session::Finished;
use tenterhook::{Engine, Outcome, Session};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::{Id, JoinError, JoinSet};

use super::input::{self, Given, Lost};
use crate::ambient::Here;
use crate::args::Fire;
use crate::exit::Exit;
use crate::journal;
use crate::last_word::outcome;
use crate::problem::Problem;
use crate::term::Term;
use crate::wait::{Waited, block_on_or};
use host::{Gone, Host};

/// How many lines are under way at once, until their answers are written; a faster writer waits.
const IN_FLIGHT: usize = 64;

/// How long a host that asks nothing more has to read what it is still told.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Why what was open got no judgement, and what to do about it: whoever pipes events in should not have to guess.
const INPUT_ENDED: &str = "the input ended before its hooks had answered, and they were ended; keep the input open until \
    every answer is read, or give the events as a file";

/// Ends a session when it is dropped, whoever else still holds it.
pub(super) struct Ended(pub(super) Session);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.end();
    }
}

pub(crate) fn run(
    engine: &Engine,
    journal: Option<Arc<Journal>>,
    args: &Fire,
    here: &Here,
    config: Vec<Fault>,
    term: Term,
) -> Result<Exit, Problem> {
    let shared = Arc::new(Shared {
        engine: engine.clone(),
        journal,
        term,
        session: Session::default(),
        dialect: args.which.events(),
        roots: here.roots.clone(),
        budget: args.budget,
        config,
    });
    let host = match Host::new(term) {
        Ok(host) => host,
        Err(starved) => return Ok(starved.deny()),
    };
    let stream = async {
        // What waits for a next event is ended with the stream, however that ends; nobody waits for it then.
        let _ended = Ended(shared.session.clone());
        Stream::new(Arc::clone(&shared), host).serve().await
    };
    let computing = shared.session.clone();
    match block_on_or(stream, move || computing.cancel()) {
        Err(starved) => Ok(starved.deny()),
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

/// A line that is under way: its `id`, and its room among those that are.
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

    /// Whether something went wrong.
    async fn serve(mut self) -> Result<bool, Problem> {
        loop {
            match self.next().await {
                Next::Line(line, room) => self.take(&line, room),
                // All lines of a file are answered: it is nobody who could go.
                Next::EndOfInput if self.host.is_file => self.is_asked = false,
                Next::EndOfInput | Next::Gone(Gone::Asking) => return self.cancel().await,
                Next::Answered(done) => self.answer(done),
                Next::Late(late) => self.tell(&told(&late), None),
                // Without a reader there is nobody to ask for: what still runs is ended.
                Next::Gone(Gone::Reading) => return Ok(self.went_wrong),
                Next::Over(late) => {
                    late.iter().for_each(|finished| self.tell(&told(finished), None));
                    let Self { host, went_wrong, .. } = self;
                    drop(host.told);
                    return host.written.await.unwrap_or(Ok(())).map(|()| went_wrong);
                }
            }
        }
    }

    /// Cancel safe, as is everything that is waited for.
    async fn next(&mut self) -> Next {
        let Self { shared, host, running, room, is_asked, .. } = self;
        let is_over = running.is_empty() && !*is_asked;
        // A host that does not read what it is told is not listened to either.
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

    /// Fires a line, or refuses it.
    fn take(&mut self, line: &[u8], room: OwnedSemaphorePermit) {
        let (id, event) = self.read(line);
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
                journal::unseen(self.shared.journal.as_ref(), &refused, self.shared.term);
                self.say(id, refused, room);
            }
        }
    }

    /// The `id` of a line, and its event, or the outcome of one that cannot be fired.
    fn read(&self, line: &[u8]) -> (Value, Result<Given, Outcome>) {
        let mut whole = match input::object(line) {
            Ok(whole) => whole,
            Err(problem) => {
                return (Value::Null, Err(outcome(Code::UnreadableEvent, &problem.message)));
            }
        };
        let id = whole.fields.shift_remove("id").unwrap_or_default();
        if !id.is_null() && self.open.values().any(|open| open.id == id) {
            let why = format!("an event with the id {id} is still open");
            return (id, Err(outcome(Code::IdInUse, &why)));
        }
        let given = input::decode_whole(&whole, self.shared.dialect, &self.shared.roots);
        let refused = |lost| match lost {
            Lost::Unreadable { code, problem, .. } => outcome(code, &problem.message),
            Lost::NotGiven(problem) => outcome(Code::UnreadableEvent, &problem.message),
        };
        (id, given.map_err(refused))
    }

    fn answer(&mut self, done: Result<(Id, Outcome), JoinError>) {
        let (task, outcome) = match done {
            Ok((task, outcome)) => (task, outcome),
            Err(error) => {
                self.went_wrong = true;
                (error.id(), cancelled())
            }
        };
        if let Some(Open { id, room }) = self.open.remove(&task) {
            self.say(id, outcome, room);
        }
    }

    /// Nobody asks any more: what runs is ended, and what is open is answered for whoever may still read (V-42).
    async fn cancel(mut self) -> Result<bool, Problem> {
        self.shared.session.end();
        // What computes can only be ended when it has given up.
        self.shared.session.cancel();
        self.running.abort_all();
        while let Some(done) = self.running.join_next_with_id().await {
            self.answer(done);
        }
        let Self {
            shared,
            host: Host { mut lines, mut gone, told, written, .. },
            mut went_wrong,
            ..
        } = self;
        let last_words = async {
            while let Some(line) = lines.recv().await {
                went_wrong = true;
                let id =
                    input::object(&line).ok().and_then(|mut whole| whole.fields.shift_remove("id"));
                // Where nobody writes any more, nobody reads either.
                let answer = shared.answer(id.unwrap_or_default(), cancelled());
                let _ = told.send((format!("{answer}\n"), None));
            }
            drop(told);
            written.await.unwrap_or(Ok(()))
        };
        tokio::select! {
            written = last_words => written?,
            () = reader_gone(&mut gone) => {}
            () = tokio::time::sleep(LAST_WORDS) => {}
        }
        Ok(went_wrong)
    }

    fn say(&self, id: Value, outcome: Outcome, room: OwnedSemaphorePermit) {
        self.tell(&self.shared.answer(id, outcome), Some(room));
    }

    fn tell(&self, value: &Value, room: Option<OwnedSemaphorePermit>) {
        // Where nobody writes any more, nobody reads either, and the host is about to be gone.
        let _ = self.host.told.send((format!("{value}\n"), room));
    }
}

/// Pends until nobody reads any more.
async fn reader_gone(gone: &mut mpsc::UnboundedReceiver<Gone>) {
    while let Some(gone) = gone.recv().await {
        if gone == Gone::Reading {
            return;
        }
    }
    std::future::pending().await
}

impl Shared {
    /// The line that answers an event.
    fn answer(&self, id: Value, mut outcome: Outcome) -> Value {
        outcome.faults.splice(0..0, self.config.iter().cloned());
        let mut line = Map::new();
        line.insert("id".to_owned(), id);
        if let Value::Object(keys) = encode_outcome(&outcome) {
            line.extend(keys);
        }
        Value::Object(line)
    }
}

/// The outcome of an event whose hooks were ended before they had judged it: no consent.
fn cancelled() -> Outcome {
    outcome(Code::Cancelled, INPUT_ENDED)
}

/// A background step, in the words of an outcome that it alone made.
fn told(finished: &Finished) -> Value {
    json!({ "finished": {
        "event": finished.event.as_str(),
        "wakes": finished.wakes,
        "outcome": encode_outcome(&finished.outcome),
    } })
}
