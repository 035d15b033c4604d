//! One event of the demo as a few lines: what happened, which hooks ran and did not, what they said, the verdict.

use std::sync::Arc;
use std::time::Duration;

use tenterhook::{Event, Outcome};
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Hook;
use tenterhook_core::outcome::{Ended, Step};
use tenterhook_core::plan::Because;

use crate::show::layout::{line, time, width, wrap};
use crate::show::outcome::{about, effects, name_of, step_verdict, verdict};
use crate::show::paint::{BOLD, DIM, HELP, PLAIN, WARNING, paint};

/// How far everything under an event is set in.
const INDENT: usize = 8;

/// Screens below this many columns are narrow.
const NARROW: usize = 60;

/// One event, as it went.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    /// From the start of the play to this event.
    pub(super) at: Duration,
    /// What happened.
    pub(super) event: &'a Event,
    /// The plan for every hook.
    pub(super) plan: &'a [(Arc<Hook>, Because)],
    /// What came of it.
    pub(super) outcome: &'a Outcome,
}

/// Draws one event in `columns`.
pub(super) fn draw(scene: &Scene<'_>, ruleset: &Ruleset, columns: usize) -> String {
    let mut out = head(scene, columns);
    let (not_run, did_run): (Vec<&Step>, Vec<&Step>) =
        scene.outcome.steps.iter().partition(|step| !step.ended.is_run());
    for step in did_run {
        out.push_str(&ran(step, ruleset, columns));
    }
    for (label, text) in effects(scene.outcome) {
        labelled(label, &text, columns, &mut out);
    }
    for fault in &scene.outcome.faults {
        let text = format!("{}: {}", fault.code, fault.message);
        marked(paint(WARNING, "fault"), 5, &text, columns, &mut out);
    }
    if let Some(Ended::NotRun(why)) = not_run.first().map(|step| &step.ended) {
        let names: Vec<String> = not_run.iter().map(|step| name(step, ruleset)).collect();
        aside(&format!("skip {} ({why})", names.join(", ")), columns, &mut out);
    }
    skipped(scene, columns, &mut out);
    out
}

fn name(step: &Step, ruleset: &Ruleset) -> String {
    name_of(&step.hook, ruleset)
}

/// Whose protocol the hook speaks, where hooks of so many agents answer that one may ask.
fn speaks(step: &Step, ruleset: &Ruleset) -> Option<String> {
    let mut all: Vec<DialectId> = ruleset.hooks().iter().map(|hook| hook.dialect).collect();
    all.sort_unstable();
    all.dedup();
    let hook =
        ruleset.hooks().iter().find(|hook| hook.id == step.hook).filter(|_| all.len() > 2)?;
    let width = all.iter().map(|dialect_id| dialect_id.as_str().len()).max().unwrap_or(0);
    Some(format!("{:width$}", hook.dialect.as_str()))
}

fn aside(text: &str, columns: usize, out: &mut String) {
    for (at, text) in wrap(text, columns.saturating_sub(INDENT + 5)).iter().enumerate() {
        let inset = if at == 0 { INDENT } else { INDENT + 5 };
        out.push_str(&format!("{}{}\n", " ".repeat(inset), paint(DIM, text)));
    }
}

fn head(scene: &Scene<'_>, columns: usize) -> String {
    let at = format!("{:>6.3}", scene.at.as_secs_f64());
    let (word, _) = verdict(scene.outcome);
    let name = line(scene.event.name.as_str());
    let room = columns.saturating_sub(INDENT + width(&name) + 2 + 2 + width(word));
    let about = line(&about(scene.event));
    if width(&about) <= room {
        return head_line(scene, &at, &name, &about, room);
    }
    // What does not fit beside the verdict stands below it.
    let mut out = head_line(scene, &at, &name, "", room);
    for text in wrap(&about, columns.saturating_sub(INDENT)) {
        out.push_str(&format!("{}{text}\n", " ".repeat(INDENT)));
    }
    out
}

fn head_line(scene: &Scene<'_>, at: &str, name: &str, about: &str, room: usize) -> String {
    let (word, style) = verdict(scene.outcome);
    let pad = " ".repeat(room.saturating_sub(width(about)) + 2);
    format!("{}  {}  {about}{pad}{}\n", paint(DIM, at), paint(BOLD, name), paint(style, word))
}

fn ran(step: &Step, ruleset: &Ruleset, columns: usize) -> String {
    let (word, style) = step_verdict(step.verdict);
    // On a narrow screen the name of the hook says more.
    let (word, word_width) = match (word, columns < NARROW) {
        (word, true) => (word, 5),
        ("-", false) => ("no objection", 12),
        (word, false) => (word, 12),
    };
    let room = columns.saturating_sub(INDENT + 4 + 2 + word_width + 8);
    let mut name = line(&name(step, ruleset));
    if let Some(dialect) = speaks(step, ruleset) {
        name = format!("{dialect}  {name}");
    }
    if !matches!(step.ended, Ended::Exited(0) | Ended::Answered) {
        name.push_str(&format!("  ({})", line(&step.ended.to_string())));
    }
    let indent = " ".repeat(INDENT);
    let mut above = String::new();
    // A name that does not fit beside its verdict stands above it, whole.
    if width(&name) > room {
        let lines = wrap(&name, columns.saturating_sub(INDENT + 4));
        let (last, first) =
            lines.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
        above = first.iter().map(|text| format!("{indent}    {text}\n")).collect();
        let fits = width(last) <= room;
        if !fits {
            above.push_str(&format!("{indent}    {last}\n"));
        }
        name = if fits { last.to_owned() } else { String::new() };
        if !above.is_empty() {
            above.replace_range(..INDENT + 4, &format!("{indent}{} ", paint(HELP, "ran")));
        }
    }
    let lead = if above.is_empty() { paint(HELP, "ran") } else { "   ".to_owned() };
    let pad = " ".repeat(room.saturating_sub(width(&name)) + 2);
    let took = format!("{:>8}", time(step.took));
    let verdict = paint(style, format!("{word:<word_width$}"));
    format!("{above}{indent}{lead} {name}{pad}{verdict}{}\n", paint(DIM, took))
}

fn labelled(label: &str, text: &str, columns: usize, out: &mut String) {
    marked(paint(PLAIN, label), width(label), text, columns, out);
}

fn marked(label: String, label_width: usize, text: &str, columns: usize, out: &mut String) {
    let inset = INDENT + 4;
    let lines = wrap(text, columns.saturating_sub(inset + label_width + 2));
    for (at, text) in lines.iter().enumerate() {
        if at == 0 {
            out.push_str(&format!("{}{label}: {text}\n", " ".repeat(inset)));
        } else {
            out.push_str(&format!("{}{text}\n", " ".repeat(inset + label_width + 2)));
        }
    }
}

/// The hooks of this very event that were not selected. Hooks of other events would say nothing here.
fn skipped(scene: &Scene<'_>, columns: usize, out: &mut String) {
    let names: Vec<String> = scene
        .plan
        .iter()
        .filter(|(hook, because)| hook.event == scene.event.name && !because.selected)
        .map(|(hook, _)| hook.short_name())
        .collect();
    match (names.is_empty(), scene.outcome.steps.is_empty()) {
        (true, true) => aside("no hook is for it", columns, out),
        (true, false) => {}
        (false, _) => aside(&format!("skip {}", names.join(", ")), columns, out),
    }
}
