//! `log --shadow`: what would have come of the hooks in shadow, a line a hook that would have done something; with `--stats`, how often
//! each. Changes nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::firing::{Firing, Ran};
use super::{decision_style, pad_right};
use crate::args::{Format, Log};
use crate::command::print_json;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{DIM, PLAIN, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::{Reader, Term};

/// Returns whether a shadow hook would have had an effect.
pub(super) fn has_shadow_effect(ran: Ran<'_>) -> bool {
    ran.shadow_result().is_some_and(|shadow| shadow != "silent") && !ran.is_shadow_pending()
}

pub(super) fn print_shadow_results(
    firings: &[Firing],
    args: &Log,
    term: Term,
) -> Result<Exit, Problem> {
    if args.stats {
        return print_shadow_stats(firings, args, term);
    }
    let wanted = |ran: &Ran<'_>| {
        args.hook.as_deref().is_none_or(|hook| [ran.hook_id(), ran.name()].contains(&hook))
    };
    for firing in firings {
        let lines = match args.output.format {
            Format::Json => format!("{}\n", firing.to_json()),
            Format::Text => firing
                .hook_runs()
                .filter(|hook| has_shadow_effect(*hook) && wanted(hook))
                .map(|hook| shadow_line(firing, hook))
                .collect(),
        };
        if term.print_data_if_read(&lines)? == Reader::Gone {
            return Ok(Exit::Good);
        }
    }
    if firings.is_empty() {
        term.print_note("no shadow hook would have acted in these firings");
    }
    Ok(Exit::Good)
}

/// Renders number, time, event, tool, shadow result, hook, duration and, if recorded, the reason.
fn shadow_line(firing: &Firing, ran: Ran<'_>) -> String {
    let word = ran.shadow_result().unwrap_or_default();
    let faults = match ran.shadow_fault_codes().join(", ") {
        faults if faults.is_empty() => faults,
        faults => format!("  {}", paint(WARNING, layout::to_safe_line(&faults))),
    };
    let reason = firing.shadow_reason(ran.hook_id()).unwrap_or_default();
    let line = format!(
        "{} {}  {}  {}  {}  {}  {}{faults}  {}",
        paint(DIM, format!("{:>5}", firing.number())),
        paint(DIM, firing.local_end_time()),
        pad_right(firing.event_name(), 16),
        pad_right(firing.tool_name().unwrap_or("-"), 8),
        paint(decision_style(word), pad_right(&format!("would {word}"), 13)),
        pad_right(ran.name(), 24),
        layout::format_duration(ran.duration()),
        paint(DIM, layout::to_safe_line(&reason)),
    );
    format!("{}\n", line.trim_end())
}

/// How often each hook in shadow was asked, and what would have come of it.
#[derive(Debug, Default)]
struct Sum {
    asked: usize,
    would: BTreeMap<String, usize>,
    faults: usize,
}

/// The sums of hooks, by name and file.
type Hooks<'a> = BTreeMap<(&'a str, &'a str), Sum>;

fn print_shadow_stats(firings: &[Firing], args: &Log, term: Term) -> Result<Exit, Problem> {
    let mut hooks: Hooks<'_> = BTreeMap::new();
    for ran in firings
        .iter()
        .flat_map(Firing::hook_runs)
        .filter(|hook| hook.was_run() && !hook.is_shadow_pending())
    {
        let Some(word) = ran.shadow_result() else { continue };
        let sum = hooks.entry((ran.name(), ran.config_file())).or_default();
        sum.asked += 1;
        *sum.would.entry(word.to_owned()).or_default() += 1;
        sum.faults += usize::from(!ran.shadow_fault_codes().is_empty());
    }
    match args.output.format {
        Format::Json => print_json(&shadow_stats_json(&hooks), term)?,
        Format::Text => term.print_data(&shadow_stats_text(&hooks, term.width()))?,
    }
    Ok(Exit::Good)
}

fn shadow_stats_json(hooks: &Hooks<'_>) -> Value {
    let hooks = hooks.iter().map(|((hook, _), sum)| {
        json!({ "hook": hook, "asked": sum.asked, "would": sum.would, "faults": sum.faults })
    });
    json!({ "hooks": hooks.collect::<Value>() })
}

fn shadow_stats_text(hooks: &Hooks<'_>, width: usize) -> String {
    let mut table = Table::new(&[
        Column::new("HOOK", Give::Fold),
        Column::right_aligned("ASKED"),
        Column::new("WOULD", Give::Wrap),
        Column::right_aligned("FAULTS"),
    ]);
    for ((hook, _), sum) in hooks {
        let said = sum.would.iter().filter(|(word, _)| *word != "silent");
        let said: Vec<String> = said.map(|(word, count)| format!("{word} {count}")).collect();
        let style = if said.is_empty() { DIM } else { WARNING };
        let said = if said.is_empty() { "nothing".to_owned() } else { said.join(", ") };
        table.push_row([
            Cell::new(PLAIN, *hook),
            Cell::new(PLAIN, sum.asked.to_string()),
            Cell::new(style, said),
            Cell::new(if sum.faults == 0 { DIM } else { WARNING }, sum.faults.to_string()),
        ]);
    }
    let text = if hooks.is_empty() { String::new() } else { format!("{}\n", table.render(width)) };
    format!("{text}{} in shadow\n", layout::format_count(hooks.len(), "hook"))
}
