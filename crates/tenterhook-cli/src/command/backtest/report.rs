//! What `backtest` prints: counts, kinds of calls with examples, and what it cannot say. Decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tenterhook::backtest::Backtest;
use tenterhook_core::hook::Hook;

use super::scripts::is_script_hook;
use super::tally::{Group, Key, Location, Tally};
use crate::ambient::Here;
use crate::args::{Backtest as Args, BacktestFormat};
use crate::command::print_json;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::show::layout::{format_count, wrap_indented};
use crate::show::paint::{BOLD, DIM, ERROR, HELP, PLAIN, WARNING, paint};
use crate::show::sarif::{self, Finding, Level};
use crate::term::Term;

/// How many hooks that were silent each time have a line each.
const HANDFUL: usize = 5;

pub(super) fn print_report(
    tally: &Tally,
    hooks: &Backtest,
    args: &Args,
    is_cut: bool,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    match args.format {
        BacktestFormat::Text => {
            term.print_data(&to_text(tally, hooks, args, is_cut, here, term.width()))?;
            if let Some(hint) = hint_to_run_scripts(tally, hooks, args) {
                term.print_labelled_note(HELP, "hint:", &hint);
            }
            Ok(())
        }
        BacktestFormat::Json => print_json(&to_json(tally, hooks, args, is_cut), term),
        BacktestFormat::Sarif => print_json(&to_sarif(tally), term),
    }
}

fn format_time_of_location(place: &Location) -> Option<String> {
    Timestamp::from_millisecond(place.time?).ok().map(|time| time.to_string())
}

/// Returns the groups, the most frequent first.
fn sorted_groups(tally: &Tally) -> Vec<(&Key, &Group)> {
    let mut groups: Vec<_> = tally.groups.iter().collect();
    groups.sort_by(|(a, of_a), (b, of_b)| (of_b.count, a).cmp(&(of_a.count, b)));
    groups
}

fn to_json(tally: &Tally, hooks: &Backtest, args: &Args, is_cut: bool) -> Value {
    let example = |location: &Location| json!({ "text": location.text, "file": location.file, "line": location.line, "time": format_time_of_location(location), "session": location.session.1 });
    let groups: Vec<Value> = sorted_groups(tally)
        .iter()
        .map(|(key, group)| {
            json!({
                "before": key.before,
                "verdict": key.verdict,
                "hook": key.hook,
                "shape": key.shape,
                "calls": group.count,
                "sessions": group.sessions.len(),
                "reason": group.reason,
                "examples": group.examples.iter().map(example).collect::<Vec<_>>(),
            })
        })
        .collect();
    let said: Vec<Value> = tally
        .hooks
        .iter()
        .map(|(hook, counts)| json!({ "hook": hook.as_str(), "said": counts }))
        .collect();
    let is_unasked = |hook: &&Arc<Hook>| {
        !tally.hooks.contains_key(&hook.id) || tally.not_replayed.contains_key(&hook.id)
    };
    let not_replayed: Vec<Value> = hooks
        .hooks()
        .1
        .iter()
        .filter(is_unasked)
        .map(|hook| {
            let events = tally.not_replayed.get(&hook.id).copied().unwrap_or_default();
            json!({ "hook": hook.id.as_str(), "executor": hook.run.executor_name(), "events": events })
        })
        .collect();
    json!({
        "compared": !args.against.is_empty(),
        "cut_short": is_cut,
        "files": tally.files,
        "days": tally.days.len(),
        "sessions": tally.sessions.len(),
        "sessions_touched": tally.touched.len(),
        "events": tally.events,
        "calls": tally.calls,
        "copied": tally.copied,
        "unknown_records": tally.unknown,
        "sure": tally.sure,
        "hooks": said,
        "groups": groups,
        "not_replayed": not_replayed,
        "not_judged": tally.not_judged,
    })
}

fn to_text(
    tally: &Tally,
    hooks: &Backtest,
    args: &Args,
    is_cut: bool,
    here: &Here,
    width: usize,
) -> String {
    let mut out = String::new();
    for (key, group) in sorted_groups(tally) {
        out.push_str(&call_group_text(key, group, hooks, here));
        out.push('\n');
    }
    out.push_str(&wrap_indented(&summary(tally, args, is_cut), width));
    out.push('\n');
    let is_silent = |verdicts: &BTreeMap<&str, u64>| verdicts.keys().all(|word| *word == "silent");
    let silent = tally.hooks.values().filter(|verdicts| is_silent(verdicts)).count();
    for (hook, verdicts) in &tally.hooks {
        if silent > HANDFUL && is_silent(verdicts) {
            continue;
        }
        let counts: Vec<String> =
            verdicts.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
        let name = hook_name_or_location(hook.as_str(), hooks, here);
        out.push_str(&format!("  {name}: {}\n", counts.join(", ")));
    }
    if silent > HANDFUL {
        out.push_str(&format!("  {} silent each time\n", format_count(silent, "hook")));
    }
    for hook in hooks.hooks().1 {
        let events = tally.not_replayed.get(&hook.id).copied().unwrap_or_default();
        if events > 0 {
            let name = hook_name_or_location(hook.id.as_str(), hooks, here);
            let why = match hook.run.runs_in_process() {
                true => "the tokens of the session at that time are not known",
                false => "it would act again",
            };
            let line = format!("{name}: not asked, {why} ({events} of its events)");
            out.push_str(&format!("  {}\n", paint(WARNING, line)));
        }
    }
    for (why, number) in &tally.not_judged {
        let line = format!("not fully judged, {}: {why}", format_call_count(*number));
        out.push_str(&format!("  {}\n", paint(WARNING, line)));
    }
    if tally.unknown > 0 {
        let line = format!(
            "{} of unknown kinds were passed over",
            format_count(usize::try_from(tally.unknown).unwrap_or_default(), "record")
        );
        out.push_str(&format!("  {}\n", paint(WARNING, line)));
    }
    out
}

/// Renders one group of calls, with examples.
fn call_group_text(key: &Key, group: &Group, hooks: &Backtest, here: &Here) -> String {
    let style = match key.verdict {
        "deny" | "stop" => ERROR,
        "ask" | "defer" | "rewrite" => WARNING,
        _ => PLAIN,
    };
    let what = match key.before {
        Some(before) => format!("{before} -> {}", key.verdict),
        None => key.verdict.to_owned(),
    };
    let sessions = format_count(group.sessions.len(), "session");
    let by = match find_hook(&key.hook, hooks) {
        Some(hook) => format!("  {}", hook.short_name()),
        None if key.hook.is_empty() => String::new(),
        None => format!("  {}", key.hook),
    };
    let head = format!("{}  {}", paint(style, what), paint(BOLD, &key.shape));
    let number = paint(DIM, format!("{} in {sessions}", format_call_count(group.count)));
    let mut out = format!("{head}  {number}{by}\n");
    if !group.reason.is_empty() {
        out.push_str(&format!("    {}\n", paint(DIM, &group.reason)));
    }
    for example in &group.examples {
        let place = format!("{}:{}", shorten_path(&example.file, &here.roots), example.line);
        // The end of a turn has no text.
        if !example.text.is_empty() {
            out.push_str(&format!("    {}\n", example.text));
        }
        out.push_str(&format!("      {}\n", paint(DIM, place)));
    }
    out
}

fn find_hook(id: &str, hooks: &Backtest) -> Option<Arc<Hook>> {
    let (inside, outside) = hooks.hooks();
    inside.into_iter().chain(outside).find(|hook| hook.id.as_str() == id)
}

/// Returns the name of a hook, with its file and line if its entry has no name.
fn hook_name_or_location(id: &str, hooks: &Backtest, here: &Here) -> String {
    let Some(hook) = find_hook(id, hooks) else { return id.to_owned() };
    let place = hook.place.as_ref().filter(|_| hook.configured_name().is_none());
    let from = place.map(|at| format!(" ({}:{})", shorten_path(&at.file, &here.roots), at.line));
    format!("{}{}", hook.short_name(), from.unwrap_or_default())
}

/// Summarizes how many events were read, how many hooks ran, and how many events they would have
/// affected.
fn summary(tally: &Tally, args: &Args, is_cut: bool) -> String {
    let read = format!(
        "{} in {} of {}, {} of use",
        format_call_count(tally.calls),
        format_count(tally.sessions.len(), "session"),
        format_count(usize::try_from(tally.files).unwrap_or_default(), "file"),
        format_count(tally.days.len(), "day"),
    );
    let whole = if is_cut { "; cut short: this is what was read until then" } else { "" };
    let unasked = tally.not_replayed.keys().filter(|id| !tally.hooks.contains_key(*id)).count();
    let asked = tally.hooks.len();
    let result = match (asked, unasked) {
        (0, 0) => "no hook is for any of these events".to_owned(),
        (0, 1) => "the 1 hook for them was not asked, so the result is unknown".to_owned(),
        (0, _) => {
            format!("none of the {unasked} hooks for them was asked, so the result is unknown")
        }
        _ => {
            let share = match tally.sessions.len() {
                0 => 0,
                all => tally.touched.len() * 100 / all,
            };
            let differ = if args.against.is_empty() { "would have been touched" } else { "differ" };
            let of_all = match unasked {
                0 => String::new(),
                _ => format!(" ({asked} of {} hooks were asked)", asked + unasked),
            };
            let touched = format_count(tally.touched.len(), "session");
            format!("{touched} of them ({share} %) {differ}{of_all}")
        }
    };
    format!("{read}; {result}{whole}")
}

/// Explains how to run scripts, if scripts were not run.
fn hint_to_run_scripts(tally: &Tally, hooks: &Backtest, args: &Args) -> Option<String> {
    let is_left =
        |hook: &&Arc<Hook>| is_script_hook(hook) && tally.not_replayed.contains_key(&hook.id);
    let scripts = format_count(hooks.hooks().1.iter().filter(is_left).count(), "script");
    match args.run_scripts {
        _ if scripts.starts_with("0 ") || !args.against.is_empty() => None,
        None => Some(format!("`--run-scripts` also runs {scripts}, in a sandbox that only reads")),
        Some(most) => Some(format!(
            "the limit of {} was reached; `--run-scripts={}` allows more",
            format_count(most, "run"),
            most.saturating_mul(10).max(1)
        )),
    }
}

fn format_call_count(number: u64) -> String {
    format_count(usize::try_from(number).unwrap_or(usize::MAX), "call")
}

fn to_sarif(tally: &Tally) -> Value {
    let findings: Vec<Finding> = sorted_groups(tally)
        .iter()
        .flat_map(|(key, group)| findings_of_group(key, group))
        .collect();
    sarif::sarif_log("tenterhook backtest", &[], &findings)
}

fn findings_of_group<'a>(key: &'a Key, group: &'a Group) -> impl Iterator<Item = Finding> + 'a {
    group.examples.iter().map(move |example| Finding {
        rule: if key.hook.is_empty() { key.verdict.to_owned() } else { key.hook.clone() },
        level: if matches!(key.verdict, "deny" | "stop") { Level::Error } else { Level::Warning },
        message: format!(
            "{}: {} ({} alike): {}",
            key.verdict, key.shape, group.count, example.text
        ),
        file: example.file.clone(),
        line: usize::try_from(example.line).unwrap_or(usize::MAX),
    })
}
