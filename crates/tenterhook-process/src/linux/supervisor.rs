//! The loop that owns every run: its events, its clock, its end.
//!
//! One thread for all runs. Holds no rule about a run, which is `run`'s; starts and searches
//! nothing itself, because both may block.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;

use super::Host;
use super::clone::block_signals;
use super::post::{ALARM, Adopted, BELL, Message, decode_event};
use super::run::{Next, Run, Turn};
use super::sweep::{self, Search, Swept};
use crate::inbox::{Inbox, catch_panic};
use crate::report::{End, NotStarted, Report, Step};

/// A start that takes this long is stuck in a file system, or the machine is: another thread
/// takes over the queue.
pub(crate) const STUCK: Duration = Duration::from_millis(250);
/// As much as a pipe holds.
const SCRATCH: usize = 64 << 10;
const EVENTS: usize = 64;

/// Runs the supervisor's event loop forever, on its own thread.
pub(crate) fn run_supervisor_thread(host: &Arc<Host>) {
    block_signals();
    let mut supervisor = Supervisor {
        host: host.clone(),
        runs: HashMap::new(),
        alarms: BinaryHeap::new(),
        scratch: vec![0; SCRATCH],
        events: Vec::with_capacity(EVENTS),
    };
    loop {
        // A fault of our own must not end the supervision of all others.
        catch_panic(|| supervisor.run_loop_once());
    }
}

struct Supervisor {
    host: Arc<Host>,
    runs: HashMap<u64, Entry>,
    /// When to look at which run. May hold moments that no longer matter.
    alarms: BinaryHeap<Reverse<(Instant, u64)>>,
    scratch: Vec<u8>,
    events: Vec<epoll::Event>,
}

enum Entry {
    Starting(Starting),
    Started { run: Box<Run>, alarm: Option<Instant> },
}

struct Starting {
    inbox: Arc<Inbox>,
    requested: Instant,
    stuck_at: Instant,
    start_by: Instant,
    deadline: Option<Instant>,
    /// How it ends, once that is decided: as soon as the starter knows of it, which is at once
    /// unless it is stuck.
    over: Option<End>,
}

impl Starting {
    fn next_deadline(&self) -> Instant {
        let deadline = self.deadline.filter(|_| self.over.is_none());
        deadline.into_iter().fold(self.start_by.min(self.stuck_at), Instant::min)
    }

    /// Ends the start. A starter drops it if it has not begun. If it is starting at this moment, it
    /// is ended as a run, so that the report comes when the process is gone; no caller waits long
    /// for a starter that is stuck.
    fn end_start_early(&mut self, end: End, now: Instant) {
        self.over.get_or_insert(end);
        self.start_by = self.start_by.min(now + STUCK);
    }

    /// Returns how a start ended that did not happen in time: as it was ended early, otherwise as
    /// not started.
    fn end_of_failed_start(&mut self) -> End {
        let errno = Errno::TIMEDOUT.raw_os_error();
        let late = NotStarted { step: Step::Prepare, path: "starter".into(), errno };
        self.over.take().unwrap_or(End::NotStarted(late))
    }
}

impl Supervisor {
    fn run_loop_once(&mut self) {
        self.events.clear();
        // A turn that panicked took the vector with it; without capacity, epoll would refuse to wait.
        self.events.reserve(EVENTS);
        let host = self.host.clone();
        match epoll::wait(&host.post.epoll, spare_capacity(&mut self.events), None) {
            Ok(_) | Err(Errno::INTR) => (),
            // A broken epoll set cannot happen; should it, this must not become a busy loop.
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
        let now = Instant::now();
        // Mail first: a run whose descriptors stirred has its mail in the box.
        for message in host.post.take_messages() {
            self.on_message(message, now);
        }
        let mut events = std::mem::take(&mut self.events);
        for event in events.drain(..) {
            match decode_event(event.data) {
                BELL => host.post.clear_wakeup(),
                ALARM => host.post.clear_timer(),
                (id, source) => {
                    self.let_run_handle_event(id, now, |run, turn| run.on_event(source, turn))
                }
            }
        }
        self.events = events;
        self.fire_due_alarms(Instant::now());
    }

    fn on_message(&mut self, message: Message, now: Instant) {
        match message {
            Message::Expect { inbox, requested, start_by, deadline } => {
                let id = inbox.id;
                let stuck_at = requested + STUCK;
                let starting =
                    Starting { inbox, requested, stuck_at, start_by, deadline, over: None };
                self.alarms.push(Reverse((starting.next_deadline(), id)));
                self.runs.insert(id, Entry::Starting(starting));
                self.apply_orders_of(id, now);
            }
            Message::Adopt(adopted) => self.adopt_started_run(*adopted, now),
            Message::Failed(id, end) => self.report_failed_start(id, end, now),
            Message::Nudge(id) => self.apply_orders_of(id, now),
            Message::Swept(id, swept) => self.let_run_handle_event(id, now, |run, turn| {
                run.report_after_search(swept, turn.now)
            }),
        }
    }

    fn adopt_started_run(&mut self, adopted: Adopted, now: Instant) {
        let id = adopted.inbox.id;
        let entry = self.runs.remove(&id);
        let (requested, abandoned) = match entry {
            Some(Entry::Starting(starting)) => (starting.requested, false),
            // Its report is out: it took too long to start. It is killed without a report.
            _ => (now, true),
        };
        let run = Box::new(Run::new(adopted, requested));
        self.runs.insert(id, Entry::Started { run, alarm: None });
        self.let_run_handle_event(id, now, |run, turn| {
            if abandoned {
                run.cancel(turn.now);
            }
            run.apply_orders(turn)
        });
    }

    fn apply_orders_of(&mut self, id: u64, now: Instant) {
        match self.runs.get_mut(&id) {
            Some(Entry::Started { .. }) => {
                self.let_run_handle_event(id, now, |run, turn| run.apply_orders(turn))
            }
            // All orders but two wait for the start.
            Some(Entry::Starting(starting)) => {
                if let Some(deadline) = starting.inbox.last_ordered_deadline() {
                    starting.deadline = deadline;
                }
                if starting.inbox.is_cancelled() {
                    starting.end_start_early(End::Cancelled, now);
                }
                self.alarms.push(Reverse((starting.next_deadline(), id)));
            }
            None => (),
        }
    }

    fn report_failed_start(&mut self, id: u64, end: End, now: Instant) {
        if let Some(Entry::Starting(starting)) = self.runs.remove(&id) {
            let took = now.saturating_duration_since(starting.requested);
            starting.inbox.deliver_report(Report::without_process(end, took));
        }
    }

    /// Lets a run handle an event, and carries out what it asks for next.
    fn let_run_handle_event(
        &mut self,
        id: u64,
        now: Instant,
        handle: impl FnOnce(&mut Run, &mut Turn<'_>) -> Next,
    ) {
        let Some(Entry::Started { run, alarm }) = self.runs.get_mut(&id) else { return };
        let mut turn = Turn { post: &self.host.post, scratch: &mut self.scratch, now };
        match handle(run, &mut turn) {
            Next::Stay => (),
            Next::Sweep(search) => return self.submit_descendant_search(id, search, now),
            Next::Forget => {
                self.runs.remove(&id);
                return;
            }
        }
        let due = run.next_deadline();
        if let Some(at) = due
            && alarm.is_none_or(|set| at < set)
        {
            *alarm = due;
            self.alarms.push(Reverse((at, id)));
        }
    }

    /// Has another thread search for the descendants of a run, whose report waits for the result.
    fn submit_descendant_search(&mut self, id: u64, mut search: Search, now: Instant) {
        let words = self.runs.iter().filter_map(|(other, entry)| match entry {
            Entry::Started { run, .. } if *other != id => Some(run.tag().to_owned()),
            _ => None,
        });
        search.others = words.collect();
        let host = self.host.clone();
        host.searches.lock().unwrap_or_else(PoisonError::into_inner).push((id, search));
        if self.host.sweepers.submit_job(Box::new(move || run_pending_searches(&host))).is_err() {
            // No thread to be had: the report goes out without a search.
            self.let_run_handle_event(id, now, |run, turn| {
                run.report_after_search(Swept::default(), turn.now)
            });
        }
    }

    fn fire_due_alarms(&mut self, now: Instant) {
        while let Some(Reverse((at, id))) = self.alarms.peek().copied() {
            if at > now {
                break;
            }
            self.alarms.pop();
            self.on_run_alarm(id, now);
        }
        // The moments of runs that are over stay in the heap until they come, unless they pile up.
        if self.alarms.len() > 64 + 4 * self.runs.len() {
            let runs = &self.runs;
            self.alarms.retain(|Reverse((_, id))| runs.contains_key(id));
        }
        if let Some(Reverse((at, _))) = self.alarms.peek() {
            self.host.post.wake_at(*at);
        }
    }

    fn on_run_alarm(&mut self, id: u64, now: Instant) {
        match self.runs.get_mut(&id) {
            Some(Entry::Started { alarm, .. }) => {
                *alarm = None;
                self.let_run_handle_event(id, now, |run, turn| run.act_on_deadline(turn));
            }
            Some(Entry::Starting(starting)) if starting.start_by <= now => {
                let end = starting.end_of_failed_start();
                self.report_failed_start(id, end, now);
            }
            Some(Entry::Starting(starting)) => {
                if starting.deadline.is_some_and(|deadline| deadline <= now) {
                    starting.end_start_early(End::TimedOut, now);
                }
                if starting.stuck_at <= now {
                    starting.stuck_at = now + STUCK;
                    self.host.starters.add_thread_if_stuck();
                }
                let due = starting.next_deadline();
                self.alarms.push(Reverse((due, id)));
            }
            None => (),
        }
    }
}

/// Runs all searches that have come in: one scan of all processes serves many runs.
fn run_pending_searches(host: &Host) {
    let searches =
        std::mem::take(&mut *host.searches.lock().unwrap_or_else(PoisonError::into_inner));
    if searches.is_empty() {
        return;
    }
    let (ids, searches): (Vec<_>, Vec<_>) = searches.into_iter().unzip();
    for (id, swept) in ids.into_iter().zip(sweep::kill_descendants(&searches)) {
        host.post.push_message(Message::Swept(id, swept));
    }
    host.post.wake_supervisor();
}
