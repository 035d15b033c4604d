//! An event in one line, an outcome on a page.

use std::sync::Arc;

use anstyle::Style;
use tenterhook::{Event, Outcome};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::EventLabel;
use tenterhook_core::hook::{Hook, HookId};
use tenterhook_core::outcome::{Ended, Step};

use super::layout::{
    display_width, format_count, format_duration, to_safe_line, truncate_to_width, wrap_text,
};
use super::paint::{BOLD, DIM, ERROR, GOOD, HELP, PLAIN, WARNING, paint};
use super::table::{Cell, Column, Give, Table};
use crate::load::Texts;

/// Returns the event under this name and what it is about, in one line.
pub(crate) fn event_headline(event: &Event, name: &str, columns: usize) -> String {
    let name = to_safe_line(name);
    let about = to_safe_line(&event_subject(event));
    let room = columns.saturating_sub(display_width(&name) + 2).max(8);
    format!("{}  {}", paint(BOLD, &name), truncate_to_width(&about, room)).trim_end().to_owned()
}

/// Describes what an event is about, as short as possible.
pub(crate) fn event_subject(event: &Event) -> String {
    if let Some(call) = event.tool() {
        const TELLING: &[&str] =
            &["command", "file_path", "notebook_path", "url", "pattern", "query", "description"];
        let telling = TELLING.iter().find_map(|key| call.input.get(key)?.as_str());
        return match telling {
            Some(text) => format!("{}  {}", call.name, relative_path(event, text)),
            None if call.input.is_null() => call.name.to_owned(),
            None => format!("{}  {}", call.name, call.input),
        };
    }
    if let Some(prompt) = event.text("prompt") {
        return format!("\"{prompt}\"");
    }
    const TELLING: &[&str] =
        &["source", "trigger", "reason", "message", "error", "file_path", "agent_type", "name"];
    TELLING.iter().find_map(|key| event.text(key)).unwrap_or_default().to_owned()
}

/// Returns a path relative to the agent's working directory.
fn relative_path<'a>(event: &Event, path: &'a str) -> &'a str {
    let cwd = event.within.cwd.to_string_lossy();
    path.strip_prefix(&*cwd).map_or(path, |rest| rest.trim_start_matches('/'))
}

/// Returns the verdict in one or two words, and its style.
pub(crate) fn verdict_label(outcome: &Outcome) -> (&'static str, Style) {
    if outcome.effects.stop.is_some() && !outcome.blocked() {
        return ("STOP", ERROR);
    }
    match outcome.restraint {
        Restraint::Deny => ("BLOCKED", ERROR),
        Restraint::Defer => ("DEFERRED", WARNING),
        Restraint::Ask => ("ASK FIRST", WARNING),
        Restraint::Allow => ("ALLOWED", GOOD),
        Restraint::Silent => ("proceed", GOOD),
    }
}

/// Returns the verdict of one step as a word, and its style.
pub(crate) fn step_verdict_label(restraint: Restraint) -> (&'static str, Style) {
    match restraint {
        Restraint::Silent => ("-", DIM),
        Restraint::Allow => ("allow", GOOD),
        Restraint::Ask => ("ask", WARNING),
        Restraint::Defer => ("defer", WARNING),
        Restraint::Deny => ("deny", ERROR),
    }
}

/// Returns the verdict that a step in shadow would have had, and its style.
fn shadow_verdict_label(step: &Step, shadow: &Outcome) -> (&'static str, Style) {
    let effects = &shadow.effects;
    match shadow.restraint {
        _ if step.ended == Ended::Detached => ("shadow", DIM),
        _ if effects.stop.is_some() => ("would stop", WARNING),
        Restraint::Deny => ("would deny", WARNING),
        Restraint::Defer => ("would defer", WARNING),
        Restraint::Ask => ("would ask", WARNING),
        _ if effects.rewrite() => ("would rewrite", WARNING),
        Restraint::Allow => ("would allow", DIM),
        Restraint::Silent => ("- (shadow)", DIM),
    }
}

/// Returns the display name of the hook with that id.
pub(crate) fn hook_display_name(id: &HookId, ruleset: &Ruleset) -> String {
    let hook = ruleset.hooks().iter().find(|hook| hook.id == *id);
    hook.map_or_else(|| id.to_string(), |hook| hook.short_name())
}

/// Returns all texts of an outcome with a label each, the most important first.
pub(crate) fn outcome_effects(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let effects = &outcome.effects;
    let mut said: Vec<(&'static str, String)> = Vec::new();
    let mut add = |label, text: Option<String>| said.extend(text.map(|text| (label, text)));
    add("reason", outcome.reason());
    let stop = effects.stop.as_ref();
    add(
        "stop",
        stop.map(|stop| stop.reason.clone().unwrap_or_else(|| "no reason given".to_owned())),
    );
    add("new input", effects.updated_input.as_ref().map(ToString::to_string));
    add("new prompt", effects.updated_prompt.clone());
    add("new output", effects.updated_output.as_ref().map(ToString::to_string));
    for text in &effects.context {
        add("context", Some(text.clone()));
    }
    for text in &effects.messages {
        add("message", Some(text.clone()));
    }
    for update in &effects.updated_permissions {
        add("permission", Some(update.to_string()));
    }
    add("watch", effects.watch_paths.as_ref().map(|paths| paths.join(", ")));
    add("first msg", effects.initial_user_message.clone());
    add("retry", effects.retry.map(|retry| if retry { "yes" } else { "no" }.to_owned()));
    for (name, value) in &effects.env {
        add("env", Some(format!("{name}={}", value.as_str().unwrap_or(&value.to_string()))));
    }
    for (name, value) in &effects.extra {
        add("extra", Some(format!("{name}: {value}")));
    }
    said
}

/// Renders the outcome of one event, for people.
pub(crate) fn outcome_page(
    (event, label): (&Event, &EventLabel),
    outcome: &Outcome,
    ruleset: &Ruleset,
    texts: &Texts,
    columns: usize,
) -> String {
    let mut out = format!("{}\n\n", event_headline(event, &label.to_string(), columns));
    let (word, style) = verdict_label(outcome);
    out.push_str(&format!("  {}\n", paint(style, word)));
    for (label, text) in outcome_effects(outcome) {
        push_labelled(label, &text, columns, &mut out);
    }
    for step in outcome.steps.iter().filter(|step| restrains_in_background(step)) {
        let name = hook_display_name(&step.hook, ruleset);
        let text = format!(
            "in the agent, {name} runs in the background, because its first line of output asks for that: it would not stop this; leave \
             the line out to stop it there, too"
        );
        push_labelled("note", &text, columns, &mut out);
    }
    let unapproved = |hook: &&Arc<Hook>| hook.event == event.name && hook.is_unapproved();
    let off = ruleset.hooks().iter().filter(unapproved).count();
    if off > 0 {
        let text = format!("{} not approved: see `tenterhook trust`", format_count(off, "hook"));
        push_labelled("skipped", &text, columns, &mut out);
    }
    if !outcome.steps.is_empty() {
        out.push('\n');
        out.push_str(&steps_table(outcome, ruleset, texts, columns));
    }
    if !outcome.faults.is_empty() {
        out.push('\n');
        for fault in &outcome.faults {
            let whose =
                fault.hook.as_ref().map(|hook| format!(" {}", hook_display_name(hook, ruleset)));
            let head = format!("fault {}{}", fault.code, whose.unwrap_or_default());
            for (at, text) in wrap_text(&head, columns.saturating_sub(4)).iter().enumerate() {
                let inset = if at == 0 { "  " } else { "    " };
                out.push_str(&format!("{inset}{}\n", paint(WARNING, text)));
            }
            for text in wrap_text(&fault.message, columns.saturating_sub(4)) {
                out.push_str(&format!("    {text}\n"));
            }
        }
    }
    out
}

/// Returns whether a background step restrains. The caller here waits for it; an agent would have
/// continued.
fn restrains_in_background(step: &Step) -> bool {
    step.ended.is_in_background() && step.verdict > Restraint::Allow
}

fn push_labelled(label: &str, text: &str, columns: usize, out: &mut String) {
    const LABEL: usize = 11;
    for (at, text) in wrap_text(text, columns.saturating_sub(LABEL + 2)).iter().enumerate() {
        let label = if at == 0 { label } else { "" };
        let line = format!("  {}{text}", paint(HELP, format!("{label:LABEL$}")));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn steps_table(outcome: &Outcome, ruleset: &Ruleset, texts: &Texts, columns: usize) -> String {
    let (folded, shown): (Vec<&Step>, Vec<&Step>) =
        outcome.steps.iter().partition(|step| is_unmatched_rule(step, outcome));
    let from = |step: &Step| match step.line {
        0 => step.executor.to_owned(),
        line => format!("{}:{line}", texts.display_name(&step.source)),
    };
    let mut table = Table::new(&[
        Column::wrapping_at_words(
            "HOOK",
            shown.iter().map(|step| hook_display_name(&step.hook, ruleset)),
        ),
        Column::wrapping_at_words("FROM", shown.iter().map(|step| from(step))).moving_below(),
        Column::new("ENDED", Give::Wrap),
        Column::duration_column("TOOK"),
        Column::new("VERDICT", Give::Keep),
    ]);
    for step in shown {
        let (word, style) = match &step.shadow {
            Some(shadow) => shadow_verdict_label(step, shadow),
            None => step_verdict_label(step.verdict),
        };
        let name = hook_display_name(&step.hook, ruleset);
        table.push_row([
            Cell::new(PLAIN, name),
            Cell::new(DIM, from(step)),
            Cell::new(PLAIN, step.ended.to_string()),
            Cell::new(DIM, format_duration(step.took)),
            Cell::new(style, word),
        ]);
    }
    let all = match folded.len() {
        0 => return table.render(columns),
        1 => "1 rule does".to_owned(),
        many => format!("{many} rules do"),
    };
    let took = format_duration(folded.iter().map(|step| step.took).sum());
    let rest = paint(DIM, format!("{all} not hold ({took})"));
    let table =
        if folded.len() == outcome.steps.len() { String::new() } else { table.render(columns) };
    format!("{table}  {rest}\n")
}

/// Returns whether a shadow hook would have had an effect.
fn has_shadow_effect(shadow: &Outcome) -> bool {
    shadow.restraint != Restraint::Silent
        || !outcome_effects(shadow).is_empty()
        || !shadow.faults.is_empty()
}

/// Returns whether a step is a rule that ran and did not match: most rules of a pack do not.
fn is_unmatched_rule(step: &Step, outcome: &Outcome) -> bool {
    step.executor == "rule"
        && step.ended == Ended::Answered
        && step.verdict == Restraint::Silent
        && step.context.is_empty()
        && step.shadow.as_ref().is_none_or(|shadow| !has_shadow_effect(shadow))
        && !outcome.faults.iter().any(|fault| fault.hook.as_ref() == Some(&step.hook))
}
