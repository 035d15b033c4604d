//! `transcripts`: which recorded sessions are there, and how much is in each. Judges nothing, changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tenterhook_core::transcript::{Action, Copies, Facts, Kind};

use super::print_json;
use crate::ambient::Here;
use crate::args::{Format, Transcripts};
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::sessions::{self, Found, Session};
use crate::show::layout;
use crate::show::paint::{DIM, PLAIN, WARNING};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::Term;

pub(crate) fn run(args: &Transcripts, here: &Here, term: Term) -> Result<Exit, Problem> {
    let mut found = sessions::find_sessions(&args.sessions.paths(), args.agent, here)?;
    let mut all = Vec::new();
    let mut copies = Copies::default();
    let progress = Progress::begin("reading sessions", found.sessions.len(), term.width());
    let mut sum = Sum::default();
    for session in std::mem::take(&mut found.sessions) {
        match Counted::count_session(&session, &mut copies, &mut sum) {
            Ok(counted) => all.push((session, counted)),
            Err(problem) => found.strange.push((session.path, problem.message)),
        }
        progress.step_counter().count_step();
    }
    drop(progress);
    all.sort_by(|(a, _), (b, _)| (a.agent, &a.path).cmp(&(b.agent, &b.path)));
    for (path, why) in &found.strange {
        let path = shorten_path(&path.to_string_lossy(), &here.roots);
        term.print_labelled_note(
            WARNING,
            "warning:",
            &layout::to_safe_line(&format!("{path} is left out: {why}")),
        );
    }
    match args.output.format {
        Format::Json => print_json(&to_json(&all, &found, &sum), term)?,
        Format::Text => term.print_data(&to_text(&all, &sum, here, term.width()))?,
    }
    Ok(Exit::Good)
}

/// Counts of one file.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    calls: u64,
    nested: u64,
    denied: u64,
    by: BTreeMap<&'static str, u64>,
    subagent: u64,
    copied: u64,
    prompts: u64,
    first: Option<i64>,
    last: Option<i64>,
    facts: Facts,
}

/// Counts of all files.
#[derive(Debug, Default)]
struct Sum {
    /// Each once.
    calls: u64,
    copied: u64,
    days: BTreeSet<i64>,
    sessions: BTreeSet<Arc<str>>,
}

const DAY: i64 = 86_400_000;

impl Counted {
    fn count_session(
        session: &Session,
        copies: &mut Copies,
        sum: &mut Sum,
    ) -> Result<Self, Problem> {
        let mut counts = Self::default();
        let facts = session.read_records(&mut |record| {
            if let Some(time) = record.time {
                counts.first = Some(counts.first.map_or(time, |first| first.min(time)));
                counts.last = Some(counts.last.map_or(time, |last| last.max(time)));
                sum.days.insert(time.div_euclid(DAY));
            }
            if let Some(session) =
                record.session.as_ref().filter(|session| !sum.sessions.contains(*session))
            {
                sum.sessions.insert(Arc::clone(session));
            }
            match &record.action {
                Action::Prompt(_) => counts.prompts += 1,
                Action::Call(call) if call.kind == Kind::Nested => counts.nested += 1,
                Action::Call(call) => {
                    counts.calls += 1;
                    counts.subagent += u64::from(record.subagent.is_some());
                    let is_copy = copies.is_known_call_else_remember(session.agent, record, call);
                    counts.copied += u64::from(is_copy);
                    sum.calls += u64::from(!is_copy);
                    sum.copied += u64::from(is_copy);
                }
                Action::Denial { by, .. } => {
                    counts.denied += 1;
                    *counts.by.entry(by.label()).or_default() += 1;
                }
                _ => {}
            }
            true
        })?;
        counts.facts = facts;
        Ok(counts)
    }
}

fn format_time(time: Option<i64>) -> Option<String> {
    Timestamp::from_millisecond(time?).ok().map(|time| time.to_string())
}

fn to_json(all: &[(Session, Counted)], found: &Found, sum: &Sum) -> Value {
    let files: Vec<Value> = all
        .iter()
        .map(|(session, counts)| {
            json!({
                "file": session.path.to_string_lossy(),
                "agent": session.agent.name(),
                "version": counts.facts.version.as_deref(),
                "session": counts.facts.session.as_deref(),
                "sure": session.agent.fidelity().label(),
                "calls": counts.calls,
                "nested_calls": counts.nested,
                "denied": counts.denied,
                "denied_by": counts.by,
                "subagent_calls": counts.subagent,
                "copied": counts.copied,
                "prompts": counts.prompts,
                "unknown_records": counts.facts.count_unusable_records(),
                "unknown": counts.facts.unknown,
                "unread": counts.facts.unread,
                "first": format_time(counts.first),
                "last": format_time(counts.last),
                "bytes": session.bytes,
            })
        })
        .collect();
    let left_out: Vec<Value> = found
        .strange
        .iter()
        .map(|(path, why)| json!({ "file": path.to_string_lossy(), "because": why }))
        .collect();
    json!({
        "files": files,
        "sum": {
            "files": all.len(),
            "sessions": sum.sessions.len(),
            "days": sum.days.len(),
            "calls": sum.calls,
            "copied": sum.copied,
        },
        "left_out": left_out,
    })
}

fn to_text(all: &[(Session, Counted)], sum: &Sum, here: &Here, width: usize) -> String {
    if all.is_empty() {
        return "no recorded session was found\n".to_owned();
    }
    let mut table = Table::new(&[
        Column::new("FILE", Give::Fold).shrinking_last(),
        Column::new("AGENT", Give::Keep),
        Column::new("LAST", Give::Keep),
        Column::right_aligned("CALLS"),
        Column::right_aligned("DENIED"),
        Column::right_aligned("SUBAGENT"),
        Column::right_aligned("UNKNOWN"),
    ]);
    for (session, counts) in all {
        let version = counts.facts.version.as_deref().unwrap_or_default();
        let day = format_time(counts.last).map(|text| text.chars().take(10).collect::<String>());
        let unknown = counts.facts.count_unusable_records();
        table.push_row([
            Cell::new(
                PLAIN,
                layout::to_safe_line(&shorten_path(&session.path.to_string_lossy(), &here.roots)),
            ),
            Cell::new(PLAIN, layout::to_safe_line(&format!("{} {version}", session.agent.name()))),
            Cell::new(DIM, day.unwrap_or_else(|| "-".to_owned())),
            Cell::new(PLAIN, counts.calls.to_string()),
            Cell::new(PLAIN, counts.denied.to_string()),
            Cell::new(PLAIN, counts.subagent.to_string()),
            Cell::new(if unknown > 0 { WARNING } else { DIM }, unknown.to_string()),
        ]);
        if counts.copied > 0 {
            let note = format!("{} copied from another session: each counts once", counts.copied);
            table.add_note(0, Cell::new(DIM, note));
        }
        let named: Vec<String> =
            counts.facts.unknown.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        let unread = counts.facts.unread.iter().map(|(why, count)| format!("{why} ({count})"));
        let named: Vec<String> = named.into_iter().chain(unread).collect();
        if !named.is_empty() {
            table.add_note(0, Cell::new(WARNING, format!("not known: {}", named.join(", "))));
        }
    }
    let copied = match sum.copied {
        0 => String::new(),
        copied => format!(" ({} more are copies)", copied),
    };
    format!(
        "{}\n{}, {} of use, {}{copied}\n{}\n",
        table.render(width),
        layout::format_count(all.len(), "file"),
        layout::format_count(sum.days.len(), "day"),
        layout::format_count(usize::try_from(sum.calls).unwrap_or(usize::MAX), "call"),
        layout::wrap_indented("Agents remove what is old: Claude Code after 30 days.", width),
    )
}
