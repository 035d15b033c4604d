//! Many sessions at once, each with its own hooks under way: does the time of an event grow as the cores make it grow, or
//! is there a cliff?

use std::hint::black_box;
use std::time::{Duration, Instant};

use tenterhook::Session;
use tenterhook_testkit::fakehook;

use super::command::SILENT;
use super::{Bed, argv, cores, event, hook};
use crate::baseline::process::raw;
use crate::sample::{Sample, Table};

/// How many hooks are for the event.
const HOOKS: u32 = 8;

/// How many events are fired for each number of sessions, all sessions together.
const EVENTS: u32 = 320;

/// One engine, and more and more sessions that fire one event after the other.
pub(crate) fn sessions(table: &mut Table) {
    let bed =
        Bed::written((0..HOOKS as usize).map(|at| hook(at, &argv("run", fakehook(), SILENT))));
    for sessions in [1, 8, 32] {
        // Before each, because a shared machine drifts.
        let limit = period() * HOOKS * sessions;
        let name = match sessions {
            1 => format!("{sessions} session, {HOOKS} commands an event"),
            _ => format!("{sessions} sessions at once, {HOOKS} commands an event"),
        };
        let sample = at_once(&bed, sessions);
        table.against(name, sample, ("what the cores allow", limit), "no cliff");
    }
}

/// How long each event takes while `sessions` fire at once.
fn at_once(bed: &Bed, sessions: u32) -> Sample {
    let running: Vec<_> = (0..sessions)
        .map(|_| {
            let engine = bed.engine.clone();
            bed.runtime.spawn(async move {
                let session = Session::default();
                let mut durations = Vec::new();
                for _ in 0..EVENTS / sessions {
                    let began = Instant::now();
                    black_box(engine.fire(event(), &session).await);
                    durations.push(began.elapsed());
                }
                durations
            })
        })
        .collect();
    let durations = running.into_iter().filter_map(|it| bed.runtime.block_on(it).ok()).flatten();
    Sample::from_durations(durations.collect())
}

/// How often all cores together can start the same program and read its answer: the time from one to the next.
fn period() -> Duration {
    const EACH: u32 = 200;
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..cores() {
            scope.spawn(|| {
                for _ in 0..EACH {
                    black_box(raw(fakehook(), SILENT, b"{}\n"));
                }
            });
        }
    });
    began.elapsed() / (EACH * cores())
}
