//! What `reconcile` prints: how many calls hooks saw, and of those that none saw, which and why. Decides nothing.

use serde_json::{Value, json};

use super::{Basis, Sum};
use crate::ambient::Here;
use crate::load::shorten_path;
use crate::show::layout::{format_count, to_safe_line, wrap_indented};
use crate::show::paint::{BOLD, DIM, GOOD, WARNING, paint};

pub(super) fn to_json(sum: &Sum) -> Value {
    let ungated = sum.ungated.iter();
    let ungated: Vec<Value> = ungated
        .map(|(session, events)| json!({ "session": session, "on_record": events }))
        .collect();
    let gaps: Vec<Value> = sum
        .gaps
        .iter()
        .map(|(key, places)| {
            let (agent, cause, tool, mode, is_sub) = key;
            let (word, why, help) = cause.name_reason_and_advice();
            json!({
                "agent": agent.name(),
                "tool": tool,
                "mode": mode,
                "subagent": is_sub,
                "cause": word,
                "because": why,
                "help": help,
                "calls": sum.counts.get(key),
                "places": places,
            })
        })
        .collect();
    json!({
        "by": if sum.basis == Basis::Record { "record" } else { "configuration" },
        "sessions_without_gates": ungated,
        "calls": sum.calls,
        "seen": sum.seen,
        "joined_by": sum.by_join,
        "refused_before_hooks": sum.refused,
        "unseen": sum.counts.values().sum::<u64>(),
        "gaps": gaps,
    })
}

/// How many sessions are named.
const SESSIONS: usize = 3;

/// Explains what the calls are compared with if that is not the record, and which sessions only
/// have records of other events.
fn basis_note(sum: &Sum, width: usize) -> String {
    let what = match sum.basis {
        Basis::Record => None,
        Basis::NoGateOnRecord => Some("no `PreToolUse` is on record"),
        Basis::NothingOnRecord => Some("nothing is on record"),
    };
    let mut paragraphs: Vec<String> = Vec::new();
    paragraphs.extend(what.map(|what| {
        format!("{what}: these are the calls that the hooks configured here would not have been asked about")
    }));
    paragraphs.extend(sum.ungated.iter().take(SESSIONS).map(|(session, events)| {
        let counts =
            events.iter().map(|(event, number)| format!("{} ({number})", to_safe_line(event)));
        let counts = counts.collect::<Vec<_>>().join(", ");
        format!("session `{}`: on record are {counts}, and no `PreToolUse`", to_safe_line(session))
    }));
    match sum.ungated.len().saturating_sub(SESSIONS) {
        0 => {}
        more => {
            paragraphs.push(format!("the same is so for {} more", format_count(more, "session")))
        }
    }
    paragraphs
        .iter()
        .map(|text| format!("{}\n\n", paint(WARNING, wrap_indented(text, width))))
        .collect()
}

pub(super) fn to_text(sum: &Sum, here: &Here, width: usize) -> String {
    let calls = |number: u64| format_count(usize::try_from(number).unwrap_or(usize::MAX), "call");
    let mut out = basis_note(sum, width);
    for (key, places) in &sum.gaps {
        let (agent, cause, tool, mode, is_sub) = key;
        let (_, why, help) = cause.name_reason_and_advice();
        let sub = if *is_sub { ", in a subagent" } else { "" };
        let mode =
            if mode.is_empty() { String::new() } else { format!(", mode {}", to_safe_line(mode)) };
        let number = sum.counts.get(key).copied().unwrap_or_default();
        let head = format!("{} {}", agent.name(), to_safe_line(tool));
        out.push_str(&format!(
            "{}  {}{mode}{sub}\n",
            paint(BOLD, head),
            paint(WARNING, calls(number))
        ));
        out.push_str(&format!("    {why}; {help}\n"));
        for place in places.iter().take(3) {
            let text = |key: &str| {
                place
                    .get(key)
                    .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            };
            let file = shorten_path(&text("file").unwrap_or_default(), &here.roots);
            let place = format!("{file}:{}", text("line").unwrap_or_default());
            out.push_str(&format!("    {}\n", paint(DIM, to_safe_line(&place))));
        }
        out.push('\n');
    }
    let unseen = sum.counts.values().sum::<u64>();
    let style = if unseen == 0 { GOOD } else { WARNING };
    let (seen, gap) = match sum.basis != Basis::Record {
        true => ("that a hook would be asked about", "of which none would hear"),
        false => ("seen", "seen by no hook"),
    };
    let said = format!(
        "{}: {} {seen}, {unseen} {gap}, {} refused by the agent before any hook",
        calls(sum.calls),
        sum.seen,
        sum.refused
    );
    out.push_str(&format!("{}\n", paint(style, wrap_indented(&said, width))));
    if let Some(number) = sum.by_join.get("session_tool_order") {
        let text = format!(
            "{} joined by session, tool and order, for their agents hand hooks no id that they record",
            calls(*number)
        );
        out.push_str(&format!("{}\n", paint(DIM, wrap_indented(&text, width))));
    }
    out
}
