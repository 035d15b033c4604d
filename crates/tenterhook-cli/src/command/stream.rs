//! `fire --stream`: one event a line in, one outcome a line out, one session for the whole process.
//!
//! Each line is fired on arrival and answered when it ends, under the `id` of its event. A line that cannot be read is answered
//! with a denial: a guard that did not see the event has not allowed it. A background step that ends later gets a separate line,
//! `{"finished": {...}}`. A line may also be a request (V-45). When the host goes away, everything is killed (V-42).

mod host;
mod request;
mod unread;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenterhook::record::Journal;
use tenterhook::session::{Finished, StatusWatch};
use tenterhook::{Engine, Outcome, Session};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::native::encode_outcome;
use tenterhook_core::dialect::{DialectId, Roots, Whole};
use tenterhook_core::outcome::Fault;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::input::{self, Given, Lost};
use crate::ambient::Here;
use crate::args::Fire;
use crate::exit::Exit;
use crate::journal;
use crate::last_word::{CallerReply, denial_outcome};
use crate::load;
use crate::problem::Problem;
use crate::term::Term;
use crate::wait::{Waited, block_on_interruptible};
use host::{Gone, Host};
use request::{HookCounts, Reloaded, Request, State};

/// How many events are under way at once, until their answers are written; a faster writer waits.
const IN_FLIGHT: usize = 64;

/// How many replies to requests may be unread. Requests do not wait for events: one of them may be the cancellation of an event.
const UNREAD_REPLIES: usize = 64;

/// How long a host that sends no more events has to read the remaining answers.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Why open events got no judgement, and what to do about it: a user who pipes events in should not have to guess.
const INPUT_ENDED: &str = "the input ended before its hooks had answered, and they were ended; keep the input open until \
    every answer is read, or give the events as a file";

/// Why a cancelled event got no judgement.
const HOST_CANCELLED: &str = "the host cancelled the event before its hooks had answered";

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
    });
    let host = match Host::new(term) {
        Ok(host) => host,
        Err(starved) => return Ok(starved.deny_to_caller(reply)),
    };
    let stream = async {
        // Hooks that wait for a next event are killed with the stream, however it ends.
        let _ended = Ended(shared.session.clone());
        Stream::new(Arc::clone(&shared), host, (args, here), config).serve().await
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
}

/// An object that the host sent, or why a line is not an object, and the `id` that it shows nevertheless.
type Parsed = Result<Whole, (Value, Problem)>;

fn parse_line(line: &[u8]) -> Parsed {
    input::parse_object(line).map_err(|problem| (unread::find_id(line), problem))
}

/// What comes next.
enum Next {
    Line(Parsed, OwnedSemaphorePermit),
    EndOfInput,
    /// The status message changed, and the host follows it.
    StatusChanged,
    Gone(Gone),
    Answered(Result<(Id, Outcome), JoinError>),
    Late(Finished),
    /// Everything is answered; what the last background steps left.
    Over(Vec<Finished>),
}

/// An event in progress: its `id`, and its permit of the limit on open events.
struct Open {
    id: Value,
    room: OwnedSemaphorePermit,
    task: AbortHandle,
    /// Whether the host cancelled it.
    is_cancelled: bool,
}

/// One stream while it lasts.
struct Stream<'a> {
    shared: Arc<Shared>,
    host: Host,
    /// Where the hooks come from.
    origin: (&'a Fire, &'a Here),
    /// The faults of the hook files, which are part of each outcome.
    config: Vec<Fault>,
    /// The status messages of hooks, and whether the host follows them.
    status: StatusWatch,
    follows_status: bool,
    /// The next line, while it waits for its permit.
    waiting: Option<Parsed>,
    running: JoinSet<Outcome>,
    open: HashMap<Id, Open>,
    room: Arc<Semaphore>,
    replies: Arc<Semaphore>,
    /// Whether more lines may come.
    is_asked: bool,
    /// Whether a line was refused or not judged to its end.
    went_wrong: bool,
}

impl<'a> Stream<'a> {
    fn new(
        shared: Arc<Shared>,
        host: Host,
        origin: (&'a Fire, &'a Here),
        config: Vec<Fault>,
    ) -> Self {
        Self {
            status: shared.session.status(),
            shared,
            host,
            origin,
            config,
            follows_status: false,
            waiting: None,
            running: JoinSet::new(),
            open: HashMap::new(),
            room: Arc::new(Semaphore::new(IN_FLIGHT)),
            replies: Arc::new(Semaphore::new(UNREAD_REPLIES)),
            is_asked: true,
            went_wrong: false,
        }
    }

    /// Serves the stream until its end. Returns whether something went wrong.
    async fn serve(mut self) -> Result<bool, Problem> {
        loop {
            match self.wait_for_next_action().await {
                Next::Line(line, room) => self.serve_line(line, room),
                Next::StatusChanged => {
                    let state = self.current_state();
                    self.send_json_line(&request::status_json(&state), None);
                }
                // All lines of a file are answered: there is no host that could go away.
                Next::EndOfInput if self.host.is_file => self.is_asked = false,
                Next::EndOfInput | Next::Gone(Gone::Asking) => {
                    return self.cancel_all_events().await;
                }
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
    async fn wait_for_next_action(&mut self) -> Next {
        let Self {
            shared,
            host,
            status,
            follows_status,
            waiting,
            running,
            room,
            replies,
            is_asked,
            ..
        } = self;
        let is_over = running.is_empty() && !*is_asked;
        let line = async {
            if waiting.is_none() {
                *waiting = Some(parse_line(&host.lines.recv().await?));
            }
            // Stop reading lines from a host that does not read its answers.
            let is_request =
                waiting.iter().flatten().any(|whole| request::request_name(whole).is_some());
            let permits = if is_request { replies } else { room };
            // The semaphores are never closed.
            let room = Arc::clone(permits).acquire_owned().await.ok()?;
            Some((waiting.take()?, room))
        };
        tokio::select! {
            Some(gone) = host.gone.recv() => Next::Gone(gone),
            Some(done) = running.join_next_with_id() => Next::Answered(done),
            line = line, if *is_asked => {
                line.map_or(Next::EndOfInput, |(line, room)| Next::Line(line, room))
            }
            Some(late) = shared.session.next_finished(), if !is_over => Next::Late(late),
            true = status.changed(), if *follows_status => Next::StatusChanged,
            late = shared.session.drain(), if is_over => Next::Over(late),
        }
    }

    /// Fires the event of a line, replies to its request, or refuses it.
    fn serve_line(&mut self, line: Parsed, room: OwnedSemaphorePermit) {
        let mut whole = match line {
            Ok(whole) => whole,
            Err((id, problem)) => return self.refuse_line(id, &problem.into(), room),
        };
        let id = whole.fields.get("id").cloned().unwrap_or_default();
        if self.is_event_open(&id) {
            let why = format!("an event with the id {id} is still open");
            return self.refuse_line(id, &Refusal { code: Code::IdInUse, why }, room);
        }
        if let Some(name) = request::request_name(&whole) {
            return match Request::parse(name, &whole) {
                Ok(request) => self.serve_request(id, &request, room),
                Err(problem) => self.refuse_line(id, &problem.into(), room),
            };
        }
        whole.fields.shift_remove("id");
        match input::decode_object(&whole, self.shared.dialect, &self.shared.roots) {
            Ok(given) => self.fire_event(id, given, room),
            Err(lost) => self.refuse_line(id, &lost.into(), room),
        }
    }

    /// Returns whether an event with this `id` has no outcome yet.
    fn is_event_open(&self, id: &Value) -> bool {
        !id.is_null() && self.open.values().any(|open| open.id == *id)
    }

    /// Denies a line that is neither an event nor a request.
    fn refuse_line(&mut self, id: Value, refusal: &Refusal, room: OwnedSemaphorePermit) {
        self.went_wrong = true;
        let refused = denial_outcome(refusal.code, &refusal.why);
        journal::record_unseen_event(self.shared.journal.as_ref(), &refused, self.shared.term);
        self.send_outcome(id, refused, room);
    }

    fn fire_event(&mut self, id: Value, given: Given, room: OwnedSemaphorePermit) {
        let Given { event, faults } = given;
        let shared = Arc::clone(&self.shared);
        let task = self.running.spawn(async move {
            let fired = shared.engine.fire_within(event, &shared.session, shared.budget);
            let mut outcome = fired.await;
            outcome.faults.splice(0..0, faults);
            outcome
        });
        self.open.insert(task.id(), Open { id, room, task, is_cancelled: false });
    }

    /// Does what a request asks for, and replies under its name.
    fn serve_request(&mut self, id: Value, request: &Request, room: OwnedSemaphorePermit) {
        let reply = match request {
            Request::Hello => request::hello_json(self.shared.dialect, IN_FLIGHT),
            Request::Cancel(event) => request::cancel_json(event, self.cancel_event(event)),
            Request::Reload => {
                let reloaded = self.reload_hooks();
                request::reload_json(&reloaded, &self.config)
            }
            Request::Status { follows } => {
                self.follows_status |= follows;
                request::status_json(&self.current_state())
            }
        };
        self.send_json_line(&request::with_id(id, reply), Some(room));
    }

    /// Ends the hooks of the open event with this `id`, which is then answered with a denial (V-46).
    /// Returns whether there is such an event.
    fn cancel_event(&mut self, id: &Value) -> bool {
        let Some(open) = self.open.values_mut().find(|open| open.id == *id) else { return false };
        open.is_cancelled = true;
        open.task.abort();
        true
    }

    /// Reads the hook files again, for the events that come later (V-47).
    fn reload_hooks(&mut self) -> Reloaded {
        let (args, here) = self.origin;
        let engine = &self.shared.engine;
        let error = match load::load_hooks(&args.which, here) {
            Ok(loaded) => {
                let mut loaded = loaded.prepare_for_firing();
                loaded.diagnostics.extend(engine.reload(&loaded.sources));
                self.config = loaded.faults_of_rejected_hooks();
                None
            }
            Err(problem) => Some(problem.message),
        };
        let ruleset = engine.ruleset();
        let unusable = request::faults_of_unusable_hooks(&ruleset);
        Reloaded { hooks: HookCounts::of_ruleset(&ruleset), unusable, error }
    }

    /// Returns what the stream is doing now.
    fn current_state(&mut self) -> State {
        let running = self.shared.session.running();
        State {
            hooks: HookCounts::of_ruleset(&self.shared.engine.ruleset()),
            open: self.open.values().map(|open| open.id.clone()).collect(),
            background: running.into_iter().map(|step| (step.event, step.hook)).collect(),
            message: self.status.current(),
        }
    }

    fn finish_event(&mut self, done: Result<(Id, Outcome), JoinError>) {
        let (task, outcome) = match done {
            Ok((task, outcome)) => (task, Some(outcome)),
            Err(error) => (error.id(), None),
        };
        let Some(Open { id, room, is_cancelled, .. }) = self.open.remove(&task) else { return };
        let outcome = outcome.unwrap_or_else(|| {
            // The host knows of the events that it cancelled.
            self.went_wrong |= !is_cancelled;
            denial_outcome(Code::Cancelled, if is_cancelled { HOST_CANCELLED } else { INPUT_ENDED })
        });
        self.send_outcome(id, outcome, room);
    }

    /// Kills running hooks because the host has gone, and answers open events in case it still
    /// reads (V-42).
    async fn cancel_all_events(mut self) -> Result<bool, Problem> {
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
            config,
            mut waiting,
            mut went_wrong,
            ..
        } = self;
        let last_words = async {
            loop {
                let parsed = match waiting.take() {
                    Some(parsed) => parsed,
                    None => match lines.recv().await {
                        Some(line) => parse_line(&line),
                        None => break,
                    },
                };
                let answer =
                    shared.encode_answer_to_unserved_line(&config, parsed, &mut went_wrong);
                // If the writer has ended, there is no reader either.
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
        self.send_json_line(&outcome_json(&self.config, id, outcome), Some(room));
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
    /// Encodes the answer to a line that the host wrote before its input ended, and that was not served: a denial, unless it is a
    /// request.
    fn encode_answer_to_unserved_line(
        &self,
        config: &[Fault],
        parsed: Parsed,
        went_wrong: &mut bool,
    ) -> Value {
        let request = parsed.as_ref().ok().and_then(|whole| {
            request::request_name(whole).and_then(|name| Request::parse(name, whole).ok())
        });
        let id = parsed.map_or_else(
            |(id, _)| id,
            |mut whole| whole.fields.shift_remove("id").unwrap_or_default(),
        );
        let hooks = HookCounts::of_ruleset(&self.engine.ruleset());
        let reply = match request {
            Some(Request::Hello) => request::hello_json(self.dialect, IN_FLIGHT),
            // Every event was answered before.
            Some(Request::Cancel(event)) => request::cancel_json(&event, false),
            Some(Request::Reload) => {
                let error = Some("the input ended before the hooks were read".to_owned());
                request::reload_json(&Reloaded { hooks, unusable: Vec::new(), error }, config)
            }
            Some(Request::Status { .. }) => {
                request::status_json(&State { hooks, ..State::default() })
            }
            // Hooks that were killed before they answered have not consented.
            None => {
                *went_wrong = true;
                let denied = denial_outcome(Code::Cancelled, INPUT_ENDED);
                return outcome_json(config, id, denied);
            }
        };
        request::with_id(id, reply)
    }
}

/// Why a line is denied without a judgement.
struct Refusal {
    code: Code,
    why: String,
}

impl Refusal {
    /// A host reads one sentence, so that it has the remedy, too.
    fn new(code: Code, problem: Problem) -> Self {
        let why = match problem.help {
            Some(help) => format!("{}; {help}", problem.message),
            None => problem.message,
        };
        Self { code, why }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::new(Code::UnreadableEvent, problem)
    }
}

impl From<Lost> for Refusal {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Unreadable { code, problem, .. } => Self::new(code, problem),
            Lost::NotGiven(problem) => problem.into(),
        }
    }
}

/// Encodes the line that answers an event.
fn outcome_json(config: &[Fault], id: Value, mut outcome: Outcome) -> Value {
    outcome.faults.splice(0..0, config.iter().cloned());
    request::with_id(id, encode_outcome(&outcome))
}

/// Encodes a background step as the outcome that it alone produced.
fn finished_step_json(finished: &Finished) -> Value {
    json!({ "finished": {
        "event": finished.event.as_str(),
        "wakes": finished.wakes,
        "outcome": encode_outcome(&finished.outcome),
    } })
}
