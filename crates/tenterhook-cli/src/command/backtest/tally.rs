//! Counts the outcomes of all events as they arrive. Memory is bounded: examples are few, and rare kinds share one count.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tenterhook::{Event, Outcome};
use tenterhook_core::answer::Restraint;
use tenterhook_core::hook::HookId;
use tenterhook_core::transcript::{Facts, TranscriptAgent, TranscriptRecord};

use super::page::Row;
use super::shape::{event_kind, redact_and_truncate_to_line, redacted_event_line};
use crate::problem::Problem;
use crate::sessions::Session as File;

/// How many examples a kind of call has.
const EXAMPLES: usize = 3;
/// How many kinds are told apart.
const KINDS: usize = 2_000;

/// Whose session, and its name: agents name theirs without asking each other.
pub(super) type Session = (TranscriptAgent, String);

/// Returns the session of a transcript record.
fn session_of_record(agent: TranscriptAgent, record: &TranscriptRecord<'_>) -> Session {
    (agent, record.session.as_deref().unwrap_or_default().to_owned())
}

/// Where something happened. The order is that of files and lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Location {
    pub(super) number: usize,
    pub(super) line: u64,
    pub(super) file: String,
    pub(super) time: Option<i64>,
    pub(super) session: Session,
    pub(super) text: String,
}

impl Location {
    pub(super) fn new(number: usize, file: &File, record: &TranscriptRecord<'_>) -> Self {
        Self {
            number,
            line: record.line,
            file: file.path.to_string_lossy().into_owned(),
            time: record.time,
            session: session_of_record(file.agent, record),
            text: String::new(),
        }
    }

    const fn sort_key(&self) -> (usize, u64) {
        (self.number, self.line)
    }
}

/// What all calls of one kind have in common: what was decided, by whom, and their shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// The earlier verdict, if two sets of hooks are compared.
    pub(super) before: Option<&'static str>,
    pub(super) verdict: &'static str,
    pub(super) hook: String,
    pub(super) shape: String,
}

/// The calls of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) count: u64,
    pub(super) sessions: BTreeSet<Session>,
    /// That of the first.
    pub(super) reason: String,
    pub(super) examples: BTreeSet<Location>,
}

impl Group {
    fn first_example_position(&self) -> Option<(usize, u64)> {
        self.examples.first().map(Location::sort_key)
    }
}

/// Everything that was counted.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) events: u64,
    pub(super) calls: u64,
    pub(super) copied: u64,
    pub(super) files: u64,
    pub(super) unknown: u64,
    pub(super) days: BTreeSet<i64>,
    pub(super) sessions: HashSet<Session>,
    pub(super) touched: HashSet<Session>,
    /// The number of each verdict, for each hook.
    pub(super) hooks: BTreeMap<HookId, BTreeMap<&'static str, u64>>,
    pub(super) groups: BTreeMap<Key, Group>,
    pub(super) not_replayed: BTreeMap<HookId, u64>,
    pub(super) not_judged: BTreeMap<&'static str, u64>,
    /// How sure the records are from which events came.
    pub(super) sure: BTreeMap<&'static str, u64>,
    pub(super) problems: Vec<String>,
    /// What a page shows.
    pub(super) rows: Vec<Row>,
}

/// Returns the name of an outcome's verdict.
pub(super) fn verdict_name(outcome: &Outcome) -> &'static str {
    match &outcome.effects.stop {
        Some(_) => "stop",
        None if outcome.restraint > Restraint::Allow => {
            outcome.restraint.name().unwrap_or("silent")
        }
        None if outcome.effects.updated_input.is_some() => "rewrite",
        None => outcome.restraint.name().unwrap_or("silent"),
    }
}

/// Returns whether an event is reported: it would be denied, held or rewritten, or its verdict
/// differs from before.
pub(super) fn should_report_event(now: &str, before: Option<&str>) -> bool {
    match before {
        Some(before) => before != now,
        None => !matches!(now, "silent" | "allow"),
    }
}

impl Tally {
    /// Adds the day and the session of a record to those that were seen.
    pub(super) fn add_day_and_session(
        &mut self,
        agent: TranscriptAgent,
        record: &TranscriptRecord<'_>,
    ) {
        if let Some(time) = record.time {
            self.days.insert(time.div_euclid(86_400_000));
        }
        if record.session.is_some() {
            self.sessions.insert(session_of_record(agent, record));
        }
    }

    pub(super) fn count_unjudged_event(&mut self, why: &'static str) {
        *self.not_judged.entry(why).or_default() += 1;
    }

    /// Adds the facts about a file, or why it cannot be read.
    pub(super) fn add_facts_or_problem(&mut self, file: &File, facts: Result<Facts, Problem>) {
        match facts {
            Ok(facts) => self.add_file_facts(file, &facts),
            Err(problem) => self.problems.push(problem.message),
        }
    }

    fn add_file_facts(&mut self, file: &File, facts: &Facts) {
        self.files += 1;
        self.unknown += facts.count_unusable_records();
        *self.sure.entry(file.agent.fidelity().label()).or_default() += 1;
    }

    pub(super) fn add_judged_event(
        &mut self,
        event: &Event,
        outcome: &Outcome,
        old: Option<&Outcome>,
        not_replayed: &[HookId],
        place: Location,
    ) {
        self.events += 1;
        for hook in not_replayed {
            *self.not_replayed.entry(hook.clone()).or_default() += 1;
        }
        for step in outcome.steps.iter().filter(|step| step.ended.was_attempted()) {
            let said = step.verdict.name().unwrap_or("silent");
            if !self.hooks.contains_key(&step.hook) {
                self.hooks.insert(step.hook.clone(), BTreeMap::new());
            }
            if let Some(counts) = self.hooks.get_mut(&step.hook) {
                *counts.entry(said).or_default() += 1;
            }
        }
        let (now, before) = (verdict_name(outcome), old.map(verdict_name));
        if should_report_event(now, before) {
            self.add_to_group(event, outcome, old, place);
        }
    }

    fn add_to_group(
        &mut self,
        event: &Event,
        outcome: &Outcome,
        old: Option<&Outcome>,
        mut place: Location,
    ) {
        self.touched.insert(place.session.clone());
        // If no hook restrains any more, report the hooks that did before.
        let whose =
            if outcome.restraint > Restraint::Allow { outcome } else { old.unwrap_or(outcome) };
        let hook = whose.steps.iter().find(|step| step.verdict > Restraint::Allow);
        let key = Key {
            before: old.map(verdict_name),
            verdict: verdict_name(outcome),
            hook: hook.map(|hook| hook.hook.to_string()).unwrap_or_default(),
            shape: event_kind(event),
        };
        let key = match self.groups.contains_key(&key) || self.groups.len() < KINDS {
            true => key,
            false => Key { shape: "(further kinds)".to_owned(), ..key },
        };
        let group = self.groups.entry(key).or_default();
        group.count += 1;
        group.sessions.insert(place.session.clone());
        if group.first_example_position().is_none_or(|group| place.sort_key() < group) {
            group.reason = redact_and_truncate_to_line(&whose.reason().unwrap_or_default(), 200);
        }
        let is_full = group.examples.len() >= EXAMPLES;
        if !is_full || group.examples.last().is_some_and(|last| place < *last) {
            place.text = redacted_event_line(event);
            group.examples.insert(place);
            if is_full {
                group.examples.pop_last();
            }
        }
    }

    /// Adds the counts of another thread.
    pub(super) fn merge(&mut self, other: Self) {
        self.events += other.events;
        self.calls += other.calls;
        self.copied += other.copied;
        self.files += other.files;
        self.unknown += other.unknown;
        self.days.extend(other.days);
        self.sessions.extend(other.sessions);
        self.touched.extend(other.touched);
        self.problems.extend(other.problems);
        self.rows.extend(other.rows);
        for (hook, counts) in other.hooks {
            add_counts(self.hooks.entry(hook).or_default(), counts);
        }
        add_counts(&mut self.not_replayed, other.not_replayed);
        add_counts(&mut self.not_judged, other.not_judged);
        add_counts(&mut self.sure, other.sure);
        for (key, group) in other.groups {
            let mine = self.groups.entry(key).or_default();
            let is_first = mine
                .first_example_position()
                .is_none_or(|pair| group.first_example_position().is_some_and(|at| at < pair));
            mine.count += group.count;
            mine.sessions.extend(group.sessions);
            if is_first {
                mine.reason = group.reason;
            }
            mine.examples.extend(group.examples);
            while mine.examples.len() > EXAMPLES {
                mine.examples.pop_last();
            }
        }
    }
}

fn add_counts<K: Ord>(mine: &mut BTreeMap<K, u64>, others: BTreeMap<K, u64>) {
    for (key, count) in others {
        *mine.entry(key).or_default() += count;
    }
}
