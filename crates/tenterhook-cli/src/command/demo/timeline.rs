//! One event of the demo as a few lines: what happened, which hooks ran and did not, what they said, the verdict.

use std::sync::Arc;
use std::time::Duration;

use tenterhook::{Event, Outcome};
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Hook;
use tenterhook_core::outcome::{Ended, Step};
use tenterhook_core::plan::Because;

use crate::show::layout::{display_width, format_duration, to_safe_line, wrap_text};
use crate::show::outcome::{
    event_subject, hook_display_name, outcome_effects, step_verdict_label, verdict_label,
};
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
pub(super) fn draw_event(scene: &Scene<'_>, ruleset: &Ruleset, columns: usize) -> String {
    let mut out = event_head(scene, columns);
    let (not_run, did_run): (Vec<&Step>, Vec<&Step>) =
        scene.outcome.steps.iter().partition(|step| !step.ended.was_attempted());
    for step in did_run {
        out.push_str(&hook_lines(step, ruleset, columns));
    }
    for (label, text) in outcome_effects(scene.outcome) {
        push_labelled(label, &text, columns, &mut out);
    }
    for fault in &scene.outcome.faults {
        let text = format!("{}: {}", fault.code, fault.message);
        push_with_label(paint(WARNING, "fault"), 5, &text, columns, &mut out);
    }
    if let Some(Ended::NotRun(why)) = not_run.first().map(|step| &step.ended) {
        let names: Vec<String> = not_run.iter().map(|step| hook_name(step, ruleset)).collect();
        push_dimmed_text(&format!("skip {} ({why})", names.join(", ")), columns, &mut out);
    }
    push_skipped_hooks(scene, columns, &mut out);
    out
}

fn hook_name(step: &Step, ruleset: &Ruleset) -> String {
    hook_display_name(&step.hook, ruleset)
}

/// Returns the name of the hook's dialect, if the hooks are of more than two dialects.
fn dialect_label(step: &Step, ruleset: &Ruleset) -> Option<String> {
    let mut all: Vec<DialectId> = ruleset.hooks().iter().map(|hook| hook.dialect).collect();
    all.sort_unstable();
    all.dedup();
    let hook =
        ruleset.hooks().iter().find(|hook| hook.id == step.hook).filter(|_| all.len() > 2)?;
    let width = all.iter().map(|dialect_id| dialect_id.as_str().len()).max().unwrap_or(0);
    Some(format!("{:width$}", hook.dialect.as_str()))
}

fn push_dimmed_text(text: &str, columns: usize, out: &mut String) {
    for (at, text) in wrap_text(text, columns.saturating_sub(INDENT + 5)).iter().enumerate() {
        let inset = if at == 0 { INDENT } else { INDENT + 5 };
        out.push_str(&format!("{}{}\n", " ".repeat(inset), paint(DIM, text)));
    }
}

fn event_head(scene: &Scene<'_>, columns: usize) -> String {
    let at = format!("{:>6.3}", scene.at.as_secs_f64());
    let (word, _) = verdict_label(scene.outcome);
    let name = to_safe_line(scene.event.name.as_str());
    let room = columns.saturating_sub(INDENT + display_width(&name) + 2 + 2 + display_width(word));
    let about = to_safe_line(&event_subject(scene.event));
    if display_width(&about) <= room {
        return event_head_line(scene, &at, &name, &about, room);
    }
    // What does not fit beside the verdict stands below it.
    let mut out = event_head_line(scene, &at, &name, "", room);
    for text in wrap_text(&about, columns.saturating_sub(INDENT)) {
        out.push_str(&format!("{}{text}\n", " ".repeat(INDENT)));
    }
    out
}

fn event_head_line(scene: &Scene<'_>, at: &str, name: &str, about: &str, room: usize) -> String {
    let (word, style) = verdict_label(scene.outcome);
    let pad = " ".repeat(room.saturating_sub(display_width(about)) + 2);
    format!("{}  {}  {about}{pad}{}\n", paint(DIM, at), paint(BOLD, name), paint(style, word))
}

fn hook_lines(step: &Step, ruleset: &Ruleset, columns: usize) -> String {
    let (word, style) = step_verdict_label(step.verdict);
    // On a narrow screen the name of the hook says more.
    let (word, word_width) = match (word, columns < NARROW) {
        (word, true) => (word, 5),
        ("-", false) => ("no objection", 12),
        (word, false) => (word, 12),
    };
    let room = columns.saturating_sub(INDENT + 4 + 2 + word_width + 8);
    let mut name = to_safe_line(&hook_name(step, ruleset));
    if let Some(dialect) = dialect_label(step, ruleset) {
        name = format!("{dialect}  {name}");
    }
    if !matches!(step.ended, Ended::Exited(0) | Ended::Answered) {
        name.push_str(&format!("  ({})", to_safe_line(&step.ended.to_string())));
    }
    let indent = " ".repeat(INDENT);
    let mut above = String::new();
    // A name that does not fit beside its verdict stands above it, whole.
    if display_width(&name) > room {
        let lines = wrap_text(&name, columns.saturating_sub(INDENT + 4));
        let (last, first) =
            lines.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
        above = first.iter().map(|text| format!("{indent}    {text}\n")).collect();
        let fits = display_width(last) <= room;
        if !fits {
            above.push_str(&format!("{indent}    {last}\n"));
        }
        name = if fits { last.to_owned() } else { String::new() };
        if !above.is_empty() {
            above.replace_range(..INDENT + 4, &format!("{indent}{} ", paint(HELP, "ran")));
        }
    }
    let lead = if above.is_empty() { paint(HELP, "ran") } else { "   ".to_owned() };
    let pad = " ".repeat(room.saturating_sub(display_width(&name)) + 2);
    let took = format!("{:>8}", format_duration(step.took));
    let verdict = paint(style, format!("{word:<word_width$}"));
    format!("{above}{indent}{lead} {name}{pad}{verdict}{}\n", paint(DIM, took))
}

fn push_labelled(label: &str, text: &str, columns: usize, out: &mut String) {
    push_with_label(paint(PLAIN, label), display_width(label), text, columns, out);
}

fn push_with_label(
    label: String,
    label_width: usize,
    text: &str,
    columns: usize,
    out: &mut String,
) {
    let inset = INDENT + 4;
    let lines = wrap_text(text, columns.saturating_sub(inset + label_width + 2));
    for (at, text) in lines.iter().enumerate() {
        if at == 0 {
            out.push_str(&format!("{}{label}: {text}\n", " ".repeat(inset)));
        } else {
            out.push_str(&format!("{}{text}\n", " ".repeat(inset + label_width + 2)));
        }
    }
}

/// Appends the hooks of this event that were not selected. Hooks of other events are left out.
fn push_skipped_hooks(scene: &Scene<'_>, columns: usize, out: &mut String) {
    let names: Vec<String> = scene
        .plan
        .iter()
        .filter(|(hook, because)| hook.event == scene.event.name && !because.selected)
        .map(|(hook, _)| hook.short_name())
        .collect();
    match (names.is_empty(), scene.outcome.steps.is_empty()) {
        (true, true) => push_dimmed_text("no hook is for it", columns, out),
        (true, false) => {}
        (false, _) => push_dimmed_text(&format!("skip {}", names.join(", ")), columns, out),
    }
}
