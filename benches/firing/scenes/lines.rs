//! The pack of guardrails on the shell lines that cost the most, short and long, against the grammar that reads them alone.

use std::time::{Duration, Instant};

use serde_json::json;
use tenterhook::Event;
use tenterhook_testkit::shapes::{self, Shape};

use super::{Bed, configured, event};
use crate::baseline::grammar;
use crate::sample::{Sample, Table};

const PACK: &str = include_str!("../../../crates/tenterhook-cli/packs/guardrails.toml");

/// A line of an ordinary call.
const ORDINARY: &str = "cd crates/app && cargo test --workspace 2>&1 | tail -20";

/// How many of the slowest shapes have a row.
const SLOWEST: usize = 3;

/// Every rule of the pack, on an ordinary line and on each length of each shape; the slowest shapes of each length have a row, and the one in the
/// middle.
pub(crate) fn lines(table: &mut Table) {
    let bed = Bed::new(configured([PACK.to_owned()]));
    let ours = Sample::take(1000, || drop(fire(&bed, ORDINARY)));
    let grammar = Sample::take(1000, || grammar::parse(ORDINARY));
    let name = "34 rules, an ordinary line".to_owned();
    table.against(name, ours, ("the grammar alone", grammar.median()), "");
    for kib in [1, 4, 16, 64] {
        let took = |shape: Shape| (once(&bed, &shape.line(kib * 1024)), shape);
        let mut shapes: Vec<(Duration, Shape)> = shapes::all().map(took).collect();
        shapes.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
        let middle = shapes.len() / 2;
        for (_, shape) in shapes.iter().take(SLOWEST).chain(shapes.get(middle)) {
            let line = shape.line(kib * 1024);
            let ours = Sample::take(10, || drop(fire(&bed, &line)));
            let grammar = Sample::take(10, || grammar::parse(&line));
            let reach = if kib == 64 { "50 ms" } else { "" };
            let name = format!("34 rules, {kib} KiB: {}", shape.name);
            table.against(name, ours, ("the grammar alone", grammar.median()), reach);
        }
    }
}

fn on(line: &str) -> Event {
    event().with("tool_input", json!({ "command": line }))
}

fn fire(bed: &Bed, line: &str) -> tenterhook::Outcome {
    bed.runtime.block_on(bed.engine.fire(on(line), &bed.session))
}

fn once(bed: &Bed, line: &str) -> Duration {
    let began = Instant::now();
    drop(fire(bed, line));
    began.elapsed()
}
