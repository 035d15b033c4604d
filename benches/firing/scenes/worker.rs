//! A program that is up already, against the same lines over the same pipes by hand.

use std::hint::black_box;

use super::{Bed, argv, envelope, hook};
use crate::baseline::line::{ANSWER_LINES, PingPong};
use crate::sample::{Sample, Table};

const TIMES: usize = 5_000;

/// The pipes alone, and a worker on them.
pub(crate) fn worker(table: &mut Table) {
    let (name, reach) = ("one worker", "60 us");
    let Some(mut raw) = PingPong::start() else {
        return table.skip(name, "this program cannot start itself", reach);
    };
    // What a worker is handed is this, and a number and a deadline before it.
    let mut line = br#"{"id":1,"deadline_ms":60000,"event":"#.to_vec();
    line.extend_from_slice(envelope().trim_ascii_end());
    line.extend_from_slice(b"}\n");
    let mut turn = || {
        black_box(raw.turn(&line));
    };
    let this = std::env::current_exe().unwrap_or_default();
    match Bed::written([hook(0, &argv("worker", &this, &[ANSWER_LINES]))]).ready() {
        Ok(bed) => {
            let (raw, ours) = Sample::pair(TIMES, turn, || {
                drop(black_box(bed.fire()));
            });
            let median = raw.median();
            table.add("raw pipe, a line there and one back", raw, "");
            table.against(name, ours, ("raw pipe", median), reach);
        }
        Err(fault) => {
            table.add("raw pipe, a line there and one back", Sample::take(TIMES, &mut turn), "");
            table.skip(name, &fault.message, reach);
        }
    }
}
