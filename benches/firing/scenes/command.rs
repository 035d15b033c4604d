//! Programs that are started for each event, against `posix_spawn` with two pipes.

use std::hint::black_box;
use std::time::Duration;

use tenterhook_testkit::fakehook;

use super::{Bed, argv, cores, hook};
use crate::baseline::process::raw;
use crate::sample::{Sample, Table};

/// A hook that reads its envelope and has no objection.
pub(super) const SILENT: &[&str] = &["--read-all", "--stdout", "{}"];

/// One command hook in turn with the raw baseline.
pub(crate) fn command(table: &mut Table) {
    let (raw, ours) = in_turn(1_000);
    table.against("one command", ours, ("raw posix_spawn", raw), "1.15x");
}

/// The same from a host of a gibibyte.
pub(crate) fn big_host(table: &mut Table) {
    let (_, small) = in_turn(500);
    let mut ballast = vec![0_u8; 1 << 30];
    // Every page is written, or the kernel would not have made it.
    ballast.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    let (_, big) = in_turn(500);
    black_box(&ballast);
    table.against("one command, host of 1 GiB", big, ("small host", small.median()), "1.2x");
}

/// The median of the raw way, and ours.
fn in_turn(times: usize) -> (Duration, Sample) {
    let bed = Bed::written([hook(0, &argv("run", fakehook(), SILENT))]);
    let (raw, ours) = Sample::pair(
        times,
        || {
            black_box(raw(fakehook(), SILENT, b"{}\n"));
        },
        || {
            drop(black_box(bed.fire()));
        },
    );
    (raw.median(), ours)
}

/// Sixteen hooks that each compute for a while, against what the cores allow.
pub(crate) fn parallel(table: &mut Table) {
    let args = ["--read-all", "--work", "20", "--stdout", "{}"];
    let one = Sample::take(40, || {
        black_box(raw(fakehook(), &args, b"{}\n"));
    });
    let limit = one.median() * 16 / cores().min(16);
    let bed = Bed::written((0..16).map(|at| hook(at, &argv("run", fakehook(), &args))));
    let sample = Sample::take(40, || {
        drop(black_box(bed.fire()));
    });
    let against = ("what the cores allow", limit);
    table.against("16 commands that compute, at once", sample, against, "1.3x");
}
