//! What is measured: each scene builds an engine, fires it many times and says what it is held against.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tenterhook::answer::Answer;
use tenterhook::config::Source;
use tenterhook::dialect::DialectId;
use tenterhook::event::Surroundings;
use tenterhook::executor::function::Function;
use tenterhook::hook::{Hook, HookId, Run};
use tenterhook::{Engine, Event, Session};
use tenterhook_testkit::fakehook;
use tokio::runtime::Runtime;

use crate::baseline::raw;
use crate::sample::{Sample, Table};

/// The event that all scenes fire.
fn event() -> Event {
    let directory = std::path::PathBuf::from("/tmp");
    let within = Surroundings {
        session_id: "bench".to_owned(),
        cwd: directory.clone(),
        project: directory.clone(),
        home: directory,
        ..Surroundings::default()
    };
    Event::new("PreToolUse", within)
        .with("tool_name", "Bash")
        .with("tool_input", json!({"command": "git push origin main", "description": "push"}))
}

/// An engine of one native source with these hooks, each a TOML table.
fn engine(hooks: impl IntoIterator<Item = String>) -> Engine {
    let text: String = hooks.into_iter().collect();
    let (engine, diagnostics) = Engine::builder()
        .source(Source::given("tenterhook.toml", DialectId::NATIVE, &text, "/tmp"))
        .build();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    engine
}

#[expect(clippy::expect_used, reason = "without a runtime there is nothing to measure")]
fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_time().build().expect("a runtime")
}

fn fire(runtime: &Runtime, engine: &Engine, session: &Session) {
    let outcome = runtime.block_on(engine.fire(event(), session));
    black_box(outcome);
}

/// A fire that no hook matches: half of the hooks are for another event, half for other tools.
pub(crate) fn no_match(table: &mut Table) {
    let (runtime, session) = (runtime(), Session::default());
    let mut smallest = None;
    for count in [10, 1_000, 10_000] {
        let hooks = (0..count).map(|at| {
            let (on, pattern) =
                if at % 2 == 0 { ("PostToolUse", "Bash") } else { ("PreToolUse", "Write|Edit") };
            format!("[hook.h{at}]\non = \"{on}\"\nmatch = \"{pattern}\"\nrun = [\"true\"]\n")
        });
        let engine = engine(hooks);
        // One timing of many fires: a single one is not much longer than reading the clock.
        let batch = 100;
        let durations = (0..200).map(|_| {
            let sample = Sample::of(1, || {
                runtime.block_on(async {
                    for _ in 0..batch {
                        black_box(engine.fire(event(), &session).await);
                    }
                });
            });
            sample.median() / batch
        });
        let sample = Sample::from_durations(durations.collect());
        let base = *smallest.get_or_insert(sample.median());
        table.against(
            format!("no hook matches, {count} configured"),
            sample,
            ("10 configured", base),
            "5 us",
        );
    }
}

/// A callback as a hook.
pub(crate) fn function(table: &mut Table) {
    let (runtime, session) = (runtime(), Session::default());
    let function = Function::new("allow", |_| async { Answer::default() });
    let hook = Hook::new(
        HookId::new("f"),
        DialectId::NATIVE,
        "PreToolUse".into(),
        Run::Function(function),
    );
    let (engine, _) = Engine::builder().hook(hook).build();
    let sample = Sample::of(20_000, || fire(&runtime, &engine, &session));
    table.add("one function", sample, "5 us");
}

/// One command hook in turn with the raw baseline.
pub(crate) fn command(table: &mut Table) {
    compare(table, "one command", 1_000, "1.15x");
}

/// The same from a host of a gibibyte.
pub(crate) fn big_host(table: &mut Table) {
    let small = compare(&mut Table::default(), "", 500, "");
    let mut ballast = vec![0_u8; 1 << 30];
    // Every page is written, or the kernel would not have made it.
    ballast.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    let (_, big) = commands(500);
    black_box(&ballast);
    table.against("one command, host of 1 GiB", big, ("small host", small), "1.2x");
}

fn compare(table: &mut Table, name: &str, times: usize, reach: &str) -> Duration {
    let (raw, ours) = commands(times);
    let median = ours.median();
    table.against(name, ours, ("raw posix_spawn", raw.median()), reach);
    median
}

fn commands(times: usize) -> (Sample, Sample) {
    let program = fakehook();
    let args = ["--read-all", "--stdout", "{}"];
    let (runtime, session, engine) =
        (runtime(), Session::default(), engine([run(program, &args, 0)]));
    let input = b"{}\n";
    Sample::pair(
        times,
        || {
            black_box(raw(program, &args, input));
        },
        || fire(&runtime, &engine, &session),
    )
}

fn run(program: &Path, args: &[&str], at: usize) -> String {
    let line = std::iter::once(program.display().to_string())
        .chain(args.iter().map(|it| (*it).to_owned()));
    format!("[hook.h{at}]\non = \"PreToolUse\"\nrun = {}\n", json!(line.collect::<Vec<_>>()))
}

/// Sixteen hooks that each compute for a while, against what the cores allow.
pub(crate) fn parallel(table: &mut Table) {
    let program = fakehook();
    let args = ["--read-all", "--work", "20", "--stdout", "{}"];
    let one = Sample::of(40, || {
        black_box(raw(program, &args, b"{}\n"));
    });
    let cores =
        u32::try_from(std::thread::available_parallelism().map_or(1, usize::from)).unwrap_or(1);
    let limit = one.median() * 16 / cores.min(16);
    let (runtime, session) = (runtime(), Session::default());
    let engine = engine((0..16).map(|at| run(program, &args, at)));
    let sample = Sample::of(40, || fire(&runtime, &engine, &session));
    table.against(
        "16 commands that compute, at once",
        sample,
        ("what the cores allow", limit),
        "1.3x",
    );
}
