//! `fire --stream`: one event a line in, one outcome a line out, one session for the whole process.
//!
//! Lines are fired as they come and answered as they end, each under the `id` of its event. A line that cannot be read
//! is answered too, with a denial: a guard that did not see the event has not agreed to it. A background step that ends
//! later is told in a line of its own, `{"finished": {...}}`.

use std::io::{BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value, json};
use tenterhook::answer::Restraint;
use tenterhook::dialect::native::encode_outcome;
use tenterhook::dialect::{DialectId, Roots};
use tenterhook::outcome::{Fault, Reason};
use tenterhook::session::Finished;
use tenterhook::{Engine, Outcome, Session};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::input::{self, MAX_BYTES};
use crate::ambient::Here;
use crate::args::Fire;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::{Reader, Term};
use crate::wait::{Waited, block_on};

/// How many lines are under way at once; a faster writer waits.
const IN_FLIGHT: usize = 64;

/// What every line needs.
struct Line {
    engine: Engine,
    session: Session,
    dialect: DialectId,
    roots: Roots,
    budget: Option<std::time::Duration>,
    config: Vec<Fault>,
    unread: AtomicBool,
}

/// Ends a session when it is dropped, whoever else still holds it.
pub(super) struct Ended(pub(super) Session);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.end();
    }
}

pub(crate) fn run(
    engine: &Engine,
    args: &Fire,
    here: &Here,
    config: Vec<Fault>,
    term: Term,
) -> Result<Exit, Problem> {
    let shared = Arc::new(Line {
        engine: engine.clone(),
        session: Session::default(),
        dialect: args.which.dialect,
        roots: here.roots.clone(),
        budget: args.budget,
        config,
        unread: AtomicBool::new(false),
    });
    let lines = read_lines();
    match block_on(answer_all(Arc::clone(&shared), lines, term)) {
        Err(starved) => Ok(starved.deny()),
        Ok(Waited::Signal(signal)) => Ok(Exit::Cancelled(signal)),
        Ok(Waited::Done(written)) => {
            written?;
            let unread = shared.unread.load(Ordering::Relaxed);
            Ok(if unread { Exit::Wrong } else { Exit::Good })
        }
    }
}

/// Reads standard input on a thread of its own: a blocked read must not hold up an outcome, nor the end of the program.
fn read_lines() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(IN_FLIGHT);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            // A line that is too long arrives cut, fails to parse and is denied, once: its rest is no line.
            match (&mut input).take(MAX_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) if !line.ends_with(b"\n") && input.skip_until(b'\n').is_err() => break,
                Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => {
                    if sender.blocking_send(line).is_err() {
                        break;
                    }
                }
            }
        }
    });
    receiver
}

async fn answer_all(
    shared: Arc<Line>,
    mut lines: mpsc::Receiver<Vec<u8>>,
    term: Term,
) -> Result<(), Problem> {
    // What waits for a next event is ended with the stream, however that ends; nobody waits for it then.
    let _ended = Ended(shared.session.clone());
    let mut running: JoinSet<Value> = JoinSet::new();
    let mut open = true;
    while open || !running.is_empty() {
        let said = tokio::select! {
            line = lines.recv(), if open && running.len() < IN_FLIGHT => {
                match line {
                    None => open = false,
                    Some(line) => {
                        let shared = Arc::clone(&shared);
                        running.spawn(async move { answer(&shared, &line).await });
                    }
                }
                continue;
            }
            Some(done) = running.join_next() => match done {
                Ok(answer) => answer,
                // A line's task neither panics nor is aborted; if it did, saying nothing is all that is left.
                Err(_) => continue,
            },
            Some(late) = shared.session.next_finished() => told(&late),
        };
        // Without a reader there is nobody to ask for: what still runs is ended.
        if print(&said, term)? == Reader::Gone {
            return Ok(());
        }
    }
    for late in shared.session.drain().await {
        print(&told(&late), term)?;
    }
    Ok(())
}

fn print(value: &Value, term: Term) -> Result<Reader, Problem> {
    term.offer(&format!("{value}\n"))
}

async fn answer(shared: &Line, line: &[u8]) -> Value {
    let mut id = Value::Null;
    let read = input::object(line).and_then(|mut map| {
        id = map.shift_remove("id").unwrap_or_default();
        input::decode_map(&map, shared.dialect, &shared.roots)
    });
    let mut outcome = match read {
        Ok(event) => shared.engine.fire_within(event, &shared.session, shared.budget).await,
        Err(problem) => {
            shared.unread.store(true, Ordering::Relaxed);
            denied(&problem)
        }
    };
    outcome.faults.splice(0..0, shared.config.iter().cloned());
    with_id(id, encode_outcome(&outcome))
}

/// The outcome of an event that cannot be read.
fn denied(problem: &Problem) -> Outcome {
    let fault = Fault { code: "unreadable-event", hook: None, message: problem.message.clone() };
    let reason = Reason {
        hook: tenterhook::hook::HookId::new("tenterhook"),
        text: format!("blocked, because no hook could see it: {}", problem.message),
    };
    Outcome {
        restraint: Restraint::Deny,
        reasons: vec![reason],
        faults: vec![fault],
        ..Outcome::default()
    }
}

fn with_id(id: Value, outcome: Value) -> Value {
    let mut line = Map::new();
    line.insert("id".to_owned(), id);
    if let Value::Object(keys) = outcome {
        line.extend(keys);
    }
    Value::Object(line)
}

/// A background step, in the words of an outcome that it alone made.
fn told(finished: &Finished) -> Value {
    let verdict = finished.verdict.clone();
    let outcome = encode_outcome(&Outcome {
        restraint: verdict.restraint,
        reasons: verdict.reason.into_iter().collect(),
        effects: verdict.effects,
        faults: verdict.faults,
        steps: vec![finished.step.clone()],
    });
    json!({ "finished": {
        "event": finished.event.as_str(),
        "wakes": finished.wakes,
        "outcome": outcome,
    } })
}
