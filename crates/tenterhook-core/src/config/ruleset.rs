//! All hooks, ordered into stages once, so that planning an event touches only that event's hooks. Pure.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::sandbox::ServerSandboxes;
use crate::dialect::{Cap, DialectId, EventRow, Subject};
use crate::event::EventName;
use crate::hook::{Hook, Layer, Phase};
use crate::source::{Server, Source};

pub use crate::hook::row::Mode;

/// Hooks of one event that run together.
#[derive(Clone, Debug)]
pub struct Stage {
    /// When it runs.
    pub phase: Phase,
    /// How its steps relate.
    pub mode: Mode,
    /// What its hooks may do on the event: they are of one dialect.
    pub row: Arc<EventRow>,
    /// Its hooks, as positions in [`Ruleset::hooks`], in configured order.
    pub hooks: Vec<usize>,
    /// Hooks whose matcher is a set of exact words, under each word; the rest stand under `open`.
    by_word: HashMap<String, Vec<usize>>,
    open: Vec<usize>,
}

impl Stage {
    /// Indexes the hooks of one phase of an event by the exact words of their matchers.
    fn new(phase: Phase, row: EventRow, hooks: Members, ruleset: &Ruleset) -> Self {
        let (dialect, hooks) = hooks;
        let mode = dialect.dialect().mode(phase);
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        let mut open = Vec::new();
        for &at in &hooks {
            // Where the event has no subject, every matcher is ignored, so words index nothing (S-2).
            let has_subject = row.subject != Subject::None;
            let words = ruleset
                .hook_at(at)
                .and_then(|hook| hook.matcher.exact_names().filter(|_| has_subject));
            match words {
                Some(words) => {
                    for word in words {
                        by_word.entry(word.clone()).or_default().push(at);
                    }
                }
                None => open.push(at),
            }
        }
        Self { phase, mode, row: Arc::new(row), hooks, by_word, open }
    }

    /// The hooks that can match at all when some dialect's subject is one of `subjects`, in configured order.
    ///
    /// This is what keeps an event that nothing matches independent of how many hooks there are.
    #[must_use]
    pub fn hooks_for_subjects(&self, subjects: &[impl AsRef<str>]) -> Cow<'_, [usize]> {
        let mut found: Vec<usize> = Vec::new();
        for subject in subjects {
            found.extend(self.by_word.get(subject.as_ref()).into_iter().flatten());
        }
        if found.is_empty() {
            return Cow::Borrowed(&self.open);
        }
        found.extend(&self.open);
        found.sort_unstable();
        found.dedup();
        Cow::Owned(found)
    }
}

/// All hooks of a configuration. Immutable: a reload makes a new one, an event in flight keeps its own (C-2).
#[derive(Clone, Debug, Default)]
pub struct Ruleset {
    hooks: Vec<Arc<Hook>>,
    stages: HashMap<EventName, Vec<Stage>>,
    caps: HashMap<EventName, Cap>,
    custom: HashMap<EventName, EventRow>,
    good: Vec<Source>,
    servers: Vec<Server>,
    words: ServerSandboxes,
}

impl Ruleset {
    /// Orders `hooks`, given in configured order, into stages. `custom` are the events that configs declared.
    #[must_use]
    pub fn new(mut hooks: Vec<Hook>, custom: Vec<EventRow>) -> Self {
        let granted =
            hooks.iter().filter_map(|hook| hook.sandbox.grants()).flat_map(|grant| &grant.write);
        let granted: Arc<[std::path::PathBuf]> = granted.cloned().collect();
        hooks.iter_mut().for_each(|hook| hook.granted = Arc::clone(&granted));
        let hooks: Vec<Arc<Hook>> = hooks.into_iter().map(Arc::new).collect();
        let custom = custom.into_iter().map(|row| (EventName::new(&*row.event), row)).collect();
        let mut ruleset = Self { hooks, custom, ..Self::default() };
        for (event, stages) in group_hooks(&ruleset.hooks) {
            let stages = stages.into_iter().map(|((phase, _), members)| {
                let row = ruleset.event_row(members.0, &event).into_owned();
                Stage::new(phase, row, members, &ruleset)
            });
            let stages = stages.collect();
            ruleset.stages.insert(event, stages);
        }
        for hook in &ruleset.hooks {
            if let Some(cap) = ruleset.event_row(hook.dialect, &hook.event).cap {
                let smallest = ruleset.caps.entry(hook.event.clone()).or_insert(cap);
                *smallest = cap.min(*smallest);
            }
        }
        ruleset
    }

    /// Keeps the text of the sources that have content, in case one cannot be read later (C-3). The
    /// text takes a hundredth of the memory of what is read from it.
    pub(super) fn with_last_good_sources(self, good: Vec<Source>) -> Self {
        Self { good, ..self }
    }

    pub(super) fn with_servers(self, servers: Vec<Server>, words: ServerSandboxes) -> Self {
        Self { servers, words, ..self }
    }

    /// Returns the settings of the sources for the sandboxes of servers.
    pub(super) const fn server_sandboxes(&self) -> &ServerSandboxes {
        &self.words
    }

    /// Returns the MCP servers that the sources configure, one of each name.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// Returns the sources that have content, as they were when they could last be read.
    pub fn last_good_sources(&self) -> &[Source] {
        &self.good
    }

    /// Returns the source of that name as it was when it could last be read.
    pub fn last_good_source(&self, source: &str) -> Option<&Source> {
        self.good.iter().find(|other| *other.name == *source)
    }

    /// Returns every hook in configured order, including disarmed ones.
    #[must_use]
    pub fn hooks(&self) -> &[Arc<Hook>] {
        &self.hooks
    }

    /// Returns the hook at a position that a [`Stage`] names.
    #[must_use]
    pub fn hook_at(&self, at: usize) -> Option<&Arc<Hook>> {
        self.hooks.get(at)
    }

    /// Returns the stages of `event` in the order in which they run; empty if no hook is for it.
    #[must_use]
    pub fn stages(&self, event: &EventName) -> &[Stage] {
        self.stages.get(event).map_or(&[], Vec::as_slice)
    }

    /// Returns the dialects of the files with hooks, each once, in the order of their hooks.
    #[must_use]
    pub fn dialects(&self) -> Vec<DialectId> {
        let mut dialects = Vec::new();
        for hook in self.hooks.iter().filter(|hook| hook.layer != Layer::BuiltIn) {
            if !dialects.contains(&hook.dialect) {
                dialects.push(hook.dialect);
            }
        }
        dialects
    }

    /// Returns the row that a config declared for the custom event of that name.
    #[must_use]
    pub fn custom_event_row(&self, event: &EventName) -> Option<&EventRow> {
        self.custom.get(event)
    }

    /// Returns after how many denials in a row `event` gives way: the smallest cap of the dialects
    /// whose hooks are for it.
    #[must_use]
    pub fn denial_cap(&self, event: &EventName) -> Option<Cap> {
        self.caps.get(event).copied()
    }

    /// Returns what a hook of `dialect` may do on `event`: the declared row, else the dialect's,
    /// else the dialect's row for unknown events (E-4).
    #[must_use]
    pub fn event_row(&self, dialect: DialectId, event: &EventName) -> Cow<'_, EventRow> {
        if let Some(row) = self.custom.get(event) {
            return Cow::Borrowed(row);
        }
        let dialect = dialect.dialect();
        dialect
            .event_row(event)
            .map_or_else(|| Cow::Owned(dialect.row_for_unknown_event(event)), Cow::Borrowed)
    }
}

/// The stages of one event: phase and rank of the dialect, which is the order in which they run (P-1), to the dialect and
/// its hooks in configured order.
type Grouped = BTreeMap<(Phase, usize), Members>;

/// Hooks of one dialect, as positions.
type Members = (DialectId, Vec<usize>);

/// Groups hooks by event, phase and dialect. Dialects run in the order in which the host named
/// their sources.
fn group_hooks(hooks: &[Arc<Hook>]) -> HashMap<EventName, Grouped> {
    let mut ranks: Vec<(DialectId, bool)> = Vec::new();
    let mut events: HashMap<EventName, Grouped> = HashMap::new();
    for (at, hook) in hooks.iter().enumerate() {
        // The built-in rules are a separate group, or they would move the place of the dialect that they are written in.
        let whose = (hook.dialect, hook.layer == Layer::BuiltIn);
        let rank = ranks.iter().position(|rank| *rank == whose).unwrap_or_else(|| {
            ranks.push(whose);
            ranks.len() - 1
        });
        let stages = events.entry(hook.event.clone()).or_default();
        let (_, members) = stages.entry((hook.phase, rank)).or_insert((hook.dialect, Vec::new()));
        members.push(at);
    }
    events
}
