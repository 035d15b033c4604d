//! `log --shadow`: what would have come of the hooks in shadow, a line a hook that would have done something; with `--stats`, how often
//! each. Changes nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::firing::{Firing, Ran};
use super::{padded, style_of};
use crate::args::{Format, Log};
use crate::command::print_json;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{DIM, PLAIN, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::{Reader, Term};

/// Whether something would have come of a hook in shadow.
pub(super) fn has_said(ran: Ran<'_>) -> bool {
    ran.shadow().is_some_and(|shadow| shadow != "silent") && !ran.goes_on()
}

pub(super) fn run(firings: &[Firing], args: &Log, term: Term) -> Result<Exit, Problem> {
    if args.stats {
        return stats(firings, args, term);
    }
    let wanted = |ran: &Ran<'_>| args.hook.as_deref().is_none_or(|hook| ran.hook() == hook);
    for firing in firings {
        let lines = match args.output.format {
            Format::Json => format!("{}\n", firing.json()),
            Format::Text => firing
                .hooks()
                .filter(|hook| has_said(*hook) && wanted(hook))
                .map(|hook| line(firing, hook))
                .collect(),
        };
        if term.offer(&lines)? == Reader::Gone {
            return Ok(Exit::Good);
        }
    }
    if firings.is_empty() {
        term.note("no shadow hook would have acted in these firings");
    }
    Ok(Exit::Good)
}

/// Number, time, event, tool, what would have come of it, hook, duration, and the words where they are on record.
fn line(firing: &Firing, ran: Ran<'_>) -> String {
    let word = ran.shadow().unwrap_or_default();
    let faults = match ran.shadow_faults().join(", ") {
        faults if faults.is_empty() => faults,
        faults => format!("  {}", paint(WARNING, layout::line(&faults))),
    };
    let reason = firing.shadow_reason(ran.hook()).unwrap_or_default();
    let line = format!(
        "{} {}  {}  {}  {}  {}  {}{faults}  {}",
        paint(DIM, format!("{:>5}", firing.number())),
        paint(DIM, firing.shown_time()),
        padded(firing.event(), 16),
        padded(firing.tool().unwrap_or("-"), 8),
        paint(style_of(word), padded(&format!("would {word}"), 13)),
        padded(ran.hook(), 24),
        layout::time(ran.took()),
        paint(DIM, layout::line(&reason)),
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

fn stats(firings: &[Firing], args: &Log, term: Term) -> Result<Exit, Problem> {
    let mut hooks: BTreeMap<&str, Sum> = BTreeMap::new();
    for ran in firings.iter().flat_map(Firing::hooks).filter(|hook| hook.ran() && !hook.goes_on()) {
        let Some(word) = ran.shadow() else { continue };
        let sum = hooks.entry(ran.hook()).or_default();
        sum.asked += 1;
        *sum.would.entry(word.to_owned()).or_default() += 1;
        sum.faults += usize::from(!ran.shadow_faults().is_empty());
    }
    match args.output.format {
        Format::Json => print_json(&to_json(&hooks), term)?,
        Format::Text => term.data(&to_text(&hooks, term.width()))?,
    }
    Ok(Exit::Good)
}

fn to_json(hooks: &BTreeMap<&str, Sum>) -> Value {
    let hooks = hooks.iter().map(|(hook, sum)| {
        json!({ "hook": hook, "asked": sum.asked, "would": sum.would, "faults": sum.faults })
    });
    json!({ "hooks": hooks.collect::<Value>() })
}

fn to_text(hooks: &BTreeMap<&str, Sum>, width: usize) -> String {
    let mut table = Table::new(&[
        Column::new("HOOK", Give::Fold),
        Column::right("ASKED"),
        Column::new("WOULD", Give::Wrap),
        Column::right("FAULTS"),
    ]);
    for (hook, sum) in hooks {
        let said = sum.would.iter().filter(|(word, _)| *word != "silent");
        let said: Vec<String> = said.map(|(word, count)| format!("{word} {count}")).collect();
        let style = if said.is_empty() { DIM } else { WARNING };
        let said = if said.is_empty() { "nothing".to_owned() } else { said.join(", ") };
        table.row([
            Cell::new(PLAIN, *hook),
            Cell::new(PLAIN, sum.asked.to_string()),
            Cell::new(style, said),
            Cell::new(if sum.faults == 0 { DIM } else { WARNING }, sum.faults.to_string()),
        ]);
    }
    let text = if hooks.is_empty() { String::new() } else { format!("{}\n", table.render(width)) };
    format!("{text}{} in shadow\n", layout::count(hooks.len(), "hook"))
}
