//! Fires that never leave the host's process: nothing matches, a callback, a rule.

use std::hint::black_box;

use tenterhook::Engine;
use tenterhook::answer::Answer;
use tenterhook::dialect::DialectId;
use tenterhook::hook::{Function, Hook, HookId, Run};

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
        let sample = many(&Bed::written(hooks));
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
        let sample = many(&Bed::of(hooks.fold(Engine::builder(), |all, hook| all.hook(hook))));
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
        Ok(bed) => table.add(name, many(&bed), reach),
        Err(why) => table.skip(name, &why, reach),
    }
}

/// Each duration is the mean of a few fires: a single one is not much longer than reading the clock.
fn many(bed: &Bed) -> Sample {
    const BATCH: u32 = 10;
    let durations = (0..2_000).map(|_| {
        let batch = Sample::of(1, || {
            bed.runtime.block_on(async {
                for _ in 0..BATCH {
                    black_box(bed.engine.fire(event(), &bed.session).await);
                }
            });
        });
        batch.median() / BATCH
    });
    Sample::from_durations(durations.collect())
}
