//! Prints what reading recorded sessions costs, and asking the guardrails about a million calls of them. Asserts nothing.
//!
//! `cargo bench --bench yesterday` takes a part of them, `cargo bench --bench yesterday -- 1000000` all. The calls are those of the samples in
//! `conformance/observed/transcripts`, repeated, each time as another session. An argument that
//! names other scenes runs none of these.

#![expect(clippy::print_stdout, reason = "the figures are this program's data")]
#![expect(clippy::expect_used, reason = "a bench that cannot go on must end")]

mod samples;

use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use tenterhook::backtest::Backtest;
use tenterhook::{Engine, Session};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::transcript::{Action, Copies, Decoder, EventContext, Line, Lines};

use samples::{Sample, samples};

/// How many calls, by default.
const CALLS: usize = 40_000;
/// The cores that a backtest is measured on.
const CORES: usize = 2;

const GUARDRAILS: &str = include_str!("../../crates/tenterhook-cli/packs/guardrails.toml");

fn main() {
    let Some(calls) = wanted(std::env::args().skip(1)) else { return };
    let samples = samples();
    println!("{:<34} {:>9} {:>9} {:>12} {:>10}", "what", "calls", "MiB", "took", "peak MiB");
    // Once beforehand, so that neither side pays for what is read the first time.
    skipped(&samples, calls / 20);
    for sample in &samples {
        let own = std::slice::from_ref(sample);
        let share = calls / 20;
        let (raw, decoded_cost) = (skipped(own, share), decoded(own, share));
        println!(
            "decoding {:<25} {}x as fast as skipping",
            sample.agent.key(),
            ratio(raw.took, decoded_cost.took)
        );
    }
    for size in [calls / 10, calls] {
        row("skipping (serde_json, IgnoredAny)", &skipped(&samples, size));
        row("decoding", &decoded(&samples, size));
    }
    let (raw, decoded_cost) = (skipped(&samples, calls), decoded(&samples, calls));
    println!(
        "decoding all: {}x as fast as skipping; reach 0.8x",
        ratio(raw.took, decoded_cost.took)
    );
    for size in [calls / 10, calls] {
        let cost = judged(&samples, size);
        row(&format!("the guardrails, {CORES} threads"), &cost);
        let million = cost.took.as_secs_f64() * 1e6 / cost.calls as f64;
        println!(
            "  a million in {million:.0} s, {}x as long as decoding alone on one",
            ratio(cost.took, decoded_cost.took.mul_f64(size as f64 / calls as f64))
        );
    }
    println!("reach for a million: 20 s, 200 MiB");
}

/// How many calls are asked for; `None` where other scenes are.
fn wanted(args: impl Iterator<Item = String>) -> Option<usize> {
    let words = args.filter(|arg| !arg.starts_with('-'));
    words.last().map_or(Some(CALLS), |word| word.parse().ok())
}

/// What one measure came to.
struct Cost {
    calls: usize,
    bytes: u64,
    took: Duration,
    peak: u64,
}

fn row(what: &str, cost: &Cost) {
    let mib = |n: u64| n >> 20;
    println!(
        "{what:<34} {:>9} {:>9} {:>10.2} s {:>10}",
        cost.calls,
        mib(cost.bytes),
        cost.took.as_secs_f64(),
        mib(cost.peak)
    );
}

fn ratio(of: Duration, to: Duration) -> String {
    format!("{:.2}", of.as_secs_f64() / to.as_secs_f64())
}

/// Measures how long `work` takes, and the most memory that it has in use at once beside what was there.
fn measured(work: impl FnOnce() -> (usize, u64)) -> Cost {
    // Where the system does not start the mark anew, the peak is that of all before.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let began = Instant::now();
    let (calls, bytes) = work();
    Cost { calls, bytes, took: began.elapsed(), peak: peak() }
}

fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or_default() << 10
}

/// Every line parsed as JSON and thrown away: the lower bound for a reader of JSON.
fn skipped(samples: &[Sample], calls: usize) -> Cost {
    measured(|| {
        let (mut count, mut bytes) = (0, 0);
        for sample in samples {
            let mut lines = Lines::new(sample.repeated(calls / samples.len()));
            while let Some(line) = lines.read_line().expect("memory") {
                let line = line.bytes.unwrap_or_default();
                bytes += line.len() as u64 + 1;
                let _: Option<IgnoredAny> = serde_json::from_slice(line).ok();
            }
            count += calls / samples.len();
        }
        (count, bytes)
    })
}

fn decoded(samples: &[Sample], calls: usize) -> Cost {
    measured(|| {
        let (mut count, mut bytes) = (0, 0);
        for sample in samples {
            bytes += read(sample, calls / samples.len(), |decoder, line| {
                decoder.decode_line(line, &mut |record| {
                    count += usize::from(matches!(record.action, Action::Call(_)));
                });
            });
        }
        (count, bytes)
    })
}

fn read(sample: &Sample, calls: usize, mut decode: impl FnMut(&mut Decoder, Line<'_>)) -> u64 {
    let mut decoder = Decoder::new(sample.agent);
    let mut lines = Lines::new(sample.repeated(calls));
    let mut bytes = 0;
    while let Some(line) = lines.read_line().expect("memory") {
        bytes += line.bytes.map_or(0, |bytes| bytes.len() as u64 + 1);
        decode(&mut decoder, line);
    }
    bytes
}

/// The pack of guardrails about every call, as `backtest` asks it: half of the samples' repeats on each thread.
fn judged(samples: &[Sample], calls: usize) -> Cost {
    let mut source =
        Source::from_text("guardrails.toml", DialectId::NATIVE, GUARDRAILS, "/home/u/project");
    source.home = "/home/u".into();
    let ruleset = Engine::builder().source(source).build().0.ruleset();
    let backtest = Backtest::new(&ruleset);
    measured(|| {
        std::thread::scope(|scope| {
            let half = || scope.spawn(|| ask(&backtest, samples, calls / CORES));
            let threads: Vec<_> = (0..CORES).map(|_| half()).collect();
            threads.into_iter().fold((0, 0), |(calls, bytes), handle| {
                let (more, read) = handle.join().expect("a thread");
                (calls + more, bytes + read)
            })
        })
    })
}

fn ask(backtest: &Backtest, samples: &[Sample], calls: usize) -> (usize, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let around = EventContext { home: "/home/u".into(), ..EventContext::default() };
    let (mut copies, session) = (Copies::default(), Session::default());
    let (mut calls_read, mut bytes) = (0, 0);
    for sample in samples {
        bytes += read(sample, calls / samples.len(), |decoder, line| {
            decoder.decode_line(line, &mut |record| {
                if let Action::Call(call) = &record.action {
                    // A repeat is no copy to us: that it is looked up is what it costs.
                    copies.is_known_call_else_remember(sample.agent, &record, call);
                    calls_read += 1;
                }
                if let Some(event) = record.event(sample.agent, &around) {
                    runtime.block_on(backtest.judge(event, &session));
                }
            })
        });
    }
    (calls_read, bytes)
}
