//! Many sessions at once, each with its own hooks under way: does the time of an event grow as it does without an engine,
//! or is there a cliff?

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tenterhook::Session;
use tenterhook_testkit::fakehook;

use super::command::SILENT;
use super::{Bed, argv, event, hook};
use crate::baseline::process;
use crate::sample::{Sample, Table};

/// How many hooks are for the event.
const HOOKS: u32 = 8;

/// How many events are fired for each number of sessions, all sessions together.
const EVENTS: u32 = 320;

/// In how many parts they are fired, in turn with as many of the raw way, because a shared machine drifts.
const PARTS: u32 = 4;

/// One engine, and more and more sessions that fire one event after the other; against as many threads that start the same
/// programs and read what they say.
pub(crate) fn sessions(table: &mut Table) {
    let bed =
        Bed::written((0..HOOKS as usize).map(|at| hook(at, &argv("run", fakehook(), SILENT))));
    for sessions in [1, 8, 32] {
        let (mut raw, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..PARTS {
            raw.extend(threads(sessions));
            ours.extend(fired(&bed, sessions));
        }
        let name = match sessions {
            1 => format!("{sessions} session, {HOOKS} commands an event"),
            _ => format!("{sessions} sessions at once, {HOOKS} commands an event"),
        };
        let (raw, ours) = (Sample::from_durations(raw), Sample::from_durations(ours));
        table.beside(name, ours, ("as many raw threads", raw), "no cliff");
    }
}

/// How many events of a part are left: each idle task takes the next one.
struct Left(AtomicU32);

impl Left {
    const fn part() -> Self {
        Self(AtomicU32::new(EVENTS / PARTS))
    }

    fn take(&self) -> bool {
        let fewer = |left: u32| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok()
    }
}

/// How long each event takes while `sessions` fire at once.
fn fired(bed: &Bed, sessions: u32) -> Vec<Duration> {
    let left = std::sync::Arc::new(Left::part());
    let running: Vec<_> = (0..sessions)
        .map(|_| {
            let (engine, left) = (bed.engine.clone(), left.clone());
            bed.runtime.spawn(async move {
                let session = Session::default();
                let mut durations = Vec::new();
                while left.take() {
                    let began = Instant::now();
                    drop(black_box(engine.fire(event(), &session).await));
                    durations.push(began.elapsed());
                }
                durations
            })
        })
        .collect();
    running.into_iter().filter_map(|handle| bed.runtime.block_on(handle).ok()).flatten().collect()
}

/// How long the same programs take a thread for each session, which starts them all and then reads what each says.
fn threads(sessions: u32) -> Vec<Duration> {
    let left = Left::part();
    let turns = || {
        let mut durations = Vec::new();
        while left.take() {
            let began = Instant::now();
            black_box(process::several(HOOKS, fakehook(), SILENT, b"{}\n"));
            durations.push(began.elapsed());
        }
        durations
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..sessions).map(|_| scope.spawn(turns)).collect();
        running.into_iter().filter_map(|handle| handle.join().ok()).flatten().collect()
    })
}
