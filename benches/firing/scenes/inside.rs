//! Fires that never leave the host's process: nothing matches, a callback, a rule, the rules that protect guards.

use std::hint::black_box;

use serde_json::{Value, json};
use tenterhook::{Engine, Event};
use tenterhook_core::answer::Answer;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::{Function, Hook, HookId, Run};

use super::{Bed, event, hook};
use crate::sample::{Sample, Table};

/// A fire that no hook matches: half of the hooks are for another event, half for other tools.
pub(crate) fn no_match(table: &mut Table) {
    let mut smallest = None;
    for count in [10, 1_000, 10_000] {
        let hooks = (0..count).map(|at| {
            let (on, pattern) =
                if at % 2 == 0 { ("PostToolUse", "Bash") } else { ("PreToolUse", "Write|Edit") };
            format!("[hook.h{at}]\non = \"{on}\"\nmatch = \"{pattern}\"\nrun = [\"true\"]\n")
        });
        let sample = many(&Bed::written(hooks), event);
        let base = *smallest.get_or_insert(sample.median());
        let name = format!("no hook matches, {count} configured");
        table.against(name, sample, ("10 configured", base), "5 us");
    }
}

/// One callback as a hook, and as many as the longest lists in use have.
pub(crate) fn functions(table: &mut Table) {
    let mut one = None;
    for (count, reach) in [(1, "5 us"), (10, ""), (37, "")] {
        let hooks = (0..count).map(|at| {
            let answer = Function::new("silent", |_| async { Answer::default() });
            let id = HookId::new(format!("f{at}"));
            Hook::new(id, DialectId::NATIVE, "PreToolUse".into(), Run::Function(answer))
        });
        let bed = Bed::new(hooks.fold(Engine::builder(), |all, hook| all.hook(hook)));
        let sample = many(&bed, event);
        let base = *one.get_or_insert(sample.median());
        let name =
            if count == 1 { "one function".to_owned() } else { format!("{count} functions") };
        table.against(name, sample, ("one function", base), reach);
    }
}

/// One rule that looks into the tool's input, and does not hold.
pub(crate) fn rule(table: &mut Table) {
    let (name, reach) = ("one rule", "10 us");
    let when = "when = 'tool.name == \"Bash\" && tool.command.matches(\"push.*--force\")'\n\
                deny = \"push without --force\"";
    match Bed::written([hook(0, when)]).ready() {
        Ok(bed) => table.add(name, many(&bed, event), reach),
        Err(fault) => table.skip(name, &fault.message, reach),
    }
}

/// A call that concerns no guard, with the rules that protect guards and without them. Nothing else is configured: what
/// the row says is all that a fire takes.
pub(crate) fn self_protection(table: &mut Table) {
    let (with, without) =
        (Bed::new(Engine::builder().self_protection()), Bed::new(Engine::builder()));
    for (what, tool, input) in innocent() {
        let call = || {
            Event { payload: serde_json::Map::new(), ..event() }
                .with("tool_name", tool)
                .with("tool_input", input.clone())
        };
        let base = many(&without, call).median();
        let name = format!("self-protection, {what}");
        table.against(name, many(&with, call), ("without", base), "10 us");
    }
}

/// Calls as agents make them all day.
fn innocent() -> [(&'static str, &'static str, Value); 5] {
    let source = "pub fn add(left: u64, right: u64) -> u64 {\n    left + right\n}\n";
    let tests = "cargo test --workspace -- --nocapture 2>&1 | tail -40 && ";
    [
        ("a short line", "Bash", json!({"command": "git push origin main"})),
        ("a line of 1 KiB", "Bash", json!({"command": tests.repeat(18) + "ls"})),
        ("a read", "Read", json!({"file_path": "/tmp/src/lib.rs"})),
        (
            "a write of 4 KiB",
            "Write",
            json!({"file_path": "/tmp/src/lib.rs", "content": source.repeat(64)}),
        ),
        (
            "a write of 64 KiB",
            "Write",
            json!({"file_path": "/tmp/src/lib.rs", "content": source.repeat(1024)}),
        ),
    ]
}

/// Each duration is the mean of a few fires: a single one is not much longer than reading the clock.
fn many(bed: &Bed, event: impl Fn() -> Event) -> Sample {
    const BATCH: u32 = 10;
    let durations = (0..2_000).map(|_| {
        let batch = Sample::take(1, || {
            bed.runtime.block_on(async {
                for _ in 0..BATCH {
                    drop(black_box(bed.engine.fire(event(), &bed.session).await));
                }
            });
        });
        batch.median() / BATCH
    });
    Sample::from_durations(durations.collect())
}
