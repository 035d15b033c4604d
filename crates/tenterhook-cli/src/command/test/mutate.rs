//! `test --mutate`: which neutered gates no case notices (TE-30 to TE-32).

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook_core::hook::HookId;

use super::compare::differences;
use super::mutant::{self, Mutant};
use super::play::{self, Job, World};
use super::suite::{At, Suite};
use super::{Played, count_runs_per_hook};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::layout::format_count;
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, HELP, paint};

/// One gate and what became of its mutants.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) name: String,
    pub(super) place: String,
    /// How many cases ran it.
    pub(super) cases: usize,
    /// Every way in which it was neutered: its name, what it does, and whether a case noticed.
    pub(super) ways: Vec<(&'static mutant::Way, bool)>,
}

/// Breaks every gate of `suites`, whose cases all passed, and returns which breakages a case
/// noticed.
pub(super) async fn run_mutants(
    suites: &[Arc<Suite>],
    played: &[Played],
    world: &World,
) -> Vec<Gate> {
    let runs = count_runs_per_hook(played);
    let mut gates: Vec<Gate> = Vec::new();
    let mut trials: Vec<(usize, usize)> = Vec::new();
    let mut wanted: Vec<Job> = Vec::new();
    for suite in suites {
        let mutants: Vec<Arc<Mutant>> =
            mutant::all_mutants(suite).into_iter().map(Arc::new).collect();
        for mutant in mutants {
            let (gate, way) = find_or_add_gate(&mut gates, suite, &mutant, &runs);
            let of_it = played.iter().filter(|result| {
                Arc::ptr_eq(&result.job.suite, suite)
                    && result.came.as_ref().is_ok_and(|came| came.ran.contains(&mutant.hook))
            });
            for played in of_it {
                trials.push((gate, way));
                wanted.push(Job { mutant: Some(Arc::clone(&mutant)), ..played.job.clone() });
            }
        }
    }
    let expected: Vec<_> = wanted.iter().map(|job| job.case.expect.clone()).collect();
    let came = play::play_all("breaking gates", wanted, world).await;
    for (((gate, way), expected), came) in trials.into_iter().zip(expected).zip(came) {
        let noticed = came.map_or(true, |came| !differences(&expected, &came).is_empty());
        if let Some((_, seen)) = gates.get_mut(gate).and_then(|gate| gate.ways.get_mut(way)) {
            *seen |= noticed;
        }
    }
    gates
}

/// Returns the positions of a mutant's gate and of its mutation in that gate. Both are added if
/// they are new.
fn find_or_add_gate(
    gates: &mut Vec<Gate>,
    suite: &Suite,
    mutant: &Mutant,
    runs: &HashMap<&At, usize>,
) -> (usize, usize) {
    let place = hook_location(suite, &mutant.hook);
    let gate = gates.iter().position(|gate| gate.place == place).unwrap_or_else(|| {
        let name = crate::show::outcome::hook_display_name(&mutant.hook, &suite.ruleset);
        let at = suite.places.get(&mutant.hook);
        let cases = at.and_then(|location| runs.get(location)).copied().unwrap_or(0);
        gates.push(Gate { name, place, cases, ways: Vec::new() });
        gates.len() - 1
    });
    let Some(entry) = gates.get_mut(gate) else { return (gate, 0) };
    let way = entry.ways.iter().position(|(way, _)| std::ptr::eq(*way, mutant.way));
    let way = way.unwrap_or_else(|| {
        entry.ways.push((mutant.way, false));
        entry.ways.len() - 1
    });
    (gate, way)
}

fn hook_location(suite: &Suite, id: &HookId) -> String {
    let at = suite.places.get(id);
    at.map_or_else(
        || id.to_string(),
        |(file, line)| format!("{}:{line}", suite.texts.display_name(file)),
    )
}

/// Returns the exit code: success if every broken gate was noticed.
pub(super) fn exit_code(gates: &[Gate]) -> Exit {
    let all = gates.iter().flat_map(|gate| &gate.ways).all(|(_, noticed)| *noticed);
    if all { Exit::Good } else { Exit::Wrong }
}

pub(super) fn tested_gates_json(gates: &[Gate]) -> Value {
    let gate = |gate: &Gate| {
        let mutant = |(way, noticed): &(&mutant::Way, bool)| json!({ "way": way.name, "about": way.about, "noticed": noticed });
        json!({
            "hook": gate.name,
            "place": gate.place,
            "cases": gate.cases,
            "mutants": gate.ways.iter().map(mutant).collect::<Vec<_>>(),
        })
    };
    json!({ "gates": gates.iter().map(gate).collect::<Vec<_>>() })
}

pub(super) fn tested_gates_text(gates: &[Gate]) -> String {
    let mut out = String::new();
    for gate in gates {
        let unseen: Vec<_> = gate.ways.iter().filter(|(_, noticed)| !noticed).collect();
        if unseen.is_empty() {
            continue;
        }
        out.push_str(&format!("{}  {}\n", paint(BOLD, &gate.name), paint(DIM, &gate.place)));
        if gate.cases == 0 {
            out.push_str(&format!("  {}\n\n", paint(ERROR, "no case runs it")));
            continue;
        }
        for (way, _) in unseen {
            let name = format!("{:<12}", way.name);
            out.push_str(&format!("  {} {}\n", paint(ERROR, name), way.about));
        }
        out.push('\n');
    }
    let all: usize = gates.iter().map(|gate| gate.ways.len()).sum();
    let seen = gates.iter().flat_map(|gate| &gate.ways).filter(|(_, noticed)| *noticed).count();
    let sum = format!("noticed: {seen} of {} to neuter a gate", format_count(all, "way"));
    let style = if seen == all { GOOD } else { ERROR };
    out.push_str(&format!("{} ({})\n", paint(style, sum), format_count(gates.len(), "gate")));
    if seen < all {
        let hint =
            "a gate needs a case that it denies, with its `reason`, and one that it lets pass";
        out.push_str(&format!("{} {hint}\n", paint(HELP, "hint:")));
    }
    out
}

/// Returns an error if a case failed: gates can only be broken if their cases pass.
pub(super) fn require_all_passed(played: &[Played]) -> Result<(), Problem> {
    match played.iter().filter(|result| !result.has_passed()).count() {
        0 => Ok(()),
        failed => Err(Problem::new(format!(
            "{} not pass, so the effect of a broken gate could not be seen",
            if failed == 1 { "1 case does".to_owned() } else { format!("{failed} cases do") }
        ))
        .with_help("fix what `tenterhook test` shows first")),
    }
}
