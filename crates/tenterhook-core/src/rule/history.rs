//! What happened in a session, as far as rules can ask: labels, counters, calls and written files (SS-10 to SS-14). Built from
//! the lines that a store keeps, and written as such lines. Opens no file.

mod line;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use self::line::{CALL_LINES, Line, WRITE_LINES, WrittenCall, begins_with_any};
use crate::answer::Mark;
use crate::event::Event;

/// How many calls are remembered.
const MOST_CALLS: usize = 200;
/// How many written files are remembered, and how many bytes their paths may have together.
const MOST_WRITES: usize = 1_000;
const MOST_WRITE_BYTES: usize = 128 << 10;
/// How many labels and counters a session may have. Their names come from the hooks' files.
const MOST_NAMES: usize = 1_000;
/// How many programs of one call are remembered.
const MOST_PROGRAMS: usize = 32;
/// Longest name of a tool or a program that is remembered.
const LONGEST_NAME: usize = 128;

/// The first line of a history; other first lines are of another program or version.
const HEAD: &str = "{\"tenterhook-session\":1}\n";

/// How many calls are read at first for a rule that asks for a few.
const RECENT_CALLS: usize = 32;
/// With how many of the last names a name is compared to share its text.
const MOST_COMPARED_NAMES: usize = 16;

/// The history of one session.
#[derive(Clone, Debug, Default)]
pub struct SessionHistory {
    labels: BTreeSet<String>,
    counts: BTreeMap<String, u64>,
    /// Its lines; those about calls and files are read when a rule asks for them.
    text: String,
    past_calls: OnceLock<Result<PastCalls, UnusableHistory>>,
    recent_calls: OnceLock<Result<PastCalls, UnusableHistory>>,
    past_writes: OnceLock<Result<PastWrites, UnusableHistory>>,
}

/// The last calls of a session, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct PastCalls(Vec<PastCall>);

/// The files that the calls of a session wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct PastWrites {
    pub(super) paths: Vec<Arc<str>>,
    known: HashSet<Arc<str>>,
    bytes: usize,
    /// Whether files were written that `paths` does not hold.
    pub(super) lacks_some: bool,
}

/// An earlier call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastCall {
    /// The hash of the call's id, which its result has, too.
    pub id: u64,
    /// The neutral name of the tool.
    pub tool: Arc<str>,
    /// What kind of tool it is.
    pub kind: Arc<str>,
    /// The programs of its shell line.
    pub programs: Vec<Arc<str>>,
    /// How it ended, as far as known.
    pub ended: CallEnd,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallEnd {
    /// Gates let it through.
    Passed,
    /// It ran.
    Ran,
    /// It ran, and failed.
    Failed,
    /// A gate denied it.
    Denied,
}

impl CallEnd {
    /// Every way in which a call ends.
    const ALL: [Self; 4] = [Self::Passed, Self::Ran, Self::Failed, Self::Denied];

    /// Returns the word for rules.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Ran => "ran",
            Self::Failed => "failed",
            Self::Denied => "denied",
        }
    }
}

/// Why a history cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableHistory(pub String);

impl fmt::Display for UnusableHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Lines to add to a history.
#[derive(Clone, Debug, Default)]
pub struct HistoryLines(String);

impl HistoryLines {
    /// Returns the lines as text; empty if nothing was added.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Adds a rule's change.
    pub fn push_mark(&mut self, mark: &Mark) {
        self.push(&match mark {
            Mark::Clear(name) => Line::Clear((&**name).into()),
            Mark::Label(name) => Line::Label((&**name).into()),
            Mark::Count(name) => Line::Count((&**name).into(), 1),
        });
    }

    /// Adds a call, and the files that it would write, if they are known. Names and lists are
    /// shortened.
    pub fn push_call(&mut self, call: &PastCall, writes: Option<Vec<String>>) {
        self.push(&Line::from_call(call));
        let lacks = writes.as_ref().is_none_or(|writes| writes.len() > MOST_WRITES);
        let writes = writes.into_iter().flatten().take(MOST_WRITES);
        let writes: Vec<_> = writes.map(std::borrow::Cow::Owned).collect();
        if !writes.is_empty() {
            self.push(&Line::Writes(writes));
        }
        if lacks {
            self.push(&Line::Lacking(true));
        }
    }

    /// Adds the result of a call.
    pub fn push_end(&mut self, id: u64, ended: CallEnd) {
        self.push(&Line::End(id, ended));
    }

    fn push(&mut self, line: &Line<'_>) {
        line.push_to(&mut self.0);
    }
}

impl<'a> Line<'a> {
    /// Returns the line of a call, with names and lists shortened.
    fn from_call(call: &'a PastCall) -> Self {
        let shorten =
            |name: &'a str| name.get(..name.floor_char_boundary(LONGEST_NAME)).unwrap_or(name);
        let programs = call.programs.iter().take(MOST_PROGRAMS);
        Self::Call(WrittenCall {
            id: call.id,
            tool: shorten(&call.tool).into(),
            kind: (&*call.kind).into(),
            programs: programs.map(|name| shorten(name).into()).collect(),
            ended: call.ended,
        })
    }
}

impl SessionHistory {
    /// Returns the text of an empty history, to which lines are added.
    #[must_use]
    pub const fn head() -> &'static str {
        HEAD
    }

    /// Reads the text of a history. An empty text is an empty history.
    ///
    /// # Errors
    ///
    /// Fails if a line is torn or unknown: labels may be lost then (SS-21).
    pub fn read(text: impl Into<String>) -> Result<Self, UnusableHistory> {
        let mut history = Self::default();
        let text: String = text.into();
        if text.is_empty() {
            return Ok(history);
        }
        let Some(lines) = text.strip_prefix(HEAD) else {
            return Err(UnusableHistory(
                "it was written by another version or another program".to_owned(),
            ));
        };
        if !text.ends_with('\n') {
            return Err(UnusableHistory("its last line is torn".to_owned()));
        }
        for line in lines.lines() {
            if !begins_with_any(line, CALL_LINES) && !begins_with_any(line, WRITE_LINES) {
                history.apply(Line::parse(line)?)?;
            }
        }
        history.text = text;
        Ok(history)
    }

    /// Returns the last calls, read at the first question for them.
    ///
    /// # Errors
    ///
    /// Fails if one of their lines is damaged.
    pub(super) fn past_calls(&self) -> Result<&PastCalls, &UnusableHistory> {
        self.past_calls.get_or_init(|| PastCalls::read(&self.text, MOST_CALLS)).as_ref()
    }

    /// Returns the last `number` calls before the one with that id. Does not read all calls for a
    /// few.
    ///
    /// # Errors
    ///
    /// Fails if a line that is read is damaged.
    pub(super) fn last_calls(
        &self,
        number: usize,
        own: Option<u64>,
    ) -> Result<&[PastCall], &UnusableHistory> {
        let recent = self.recent_calls.get_or_init(|| PastCalls::read(&self.text, RECENT_CALLS));
        let recent = recent.as_ref()?;
        let is_own_older = || {
            let own = own.filter(|id| recent.0.iter().all(|call| call.id != *id));
            let is_there =
                |id| memchr::memmem::find(self.text.as_bytes(), Line::call_prefix(id).as_bytes());
            own.and_then(is_there).is_some()
        };
        let mut before = recent.calls_before(own);
        let is_start = recent.0.len() < RECENT_CALLS;
        if !is_start && (before.len() < number || is_own_older()) {
            before = self.past_calls()?.calls_before(own);
        }
        Ok(before.get(before.len().saturating_sub(number)..).unwrap_or_default())
    }

    /// Returns the written files, read at the first question for them.
    ///
    /// # Errors
    ///
    /// Fails if one of their lines is damaged.
    pub(super) fn past_writes(&self) -> Result<&PastWrites, &UnusableHistory> {
        self.past_writes.get_or_init(|| PastWrites::read(&self.text)).as_ref()
    }

    fn apply(&mut self, line: Line<'_>) -> Result<(), UnusableHistory> {
        match line {
            Line::Clear(name) => {
                self.labels.remove(&*name);
                self.counts.remove(&*name);
            }
            Line::Label(name) => {
                self.labels.insert(name.into_owned());
            }
            Line::Count(name, more) => match self.counts.get_mut(&*name) {
                Some(count) => *count = count.saturating_add(more),
                None => drop(self.counts.insert(name.into_owned(), more)),
            },
            Line::Call(_) | Line::End(..) | Line::Writes(_) | Line::Lacking(_) => {}
        }
        match self.labels.len() + self.counts.len() > MOST_NAMES {
            true => Err(UnusableHistory(format!("it has more than {MOST_NAMES} names"))),
            false => Ok(()),
        }
    }

    /// Returns the history as the shortest text.
    ///
    /// # Errors
    ///
    /// Fails if a line is damaged.
    pub fn to_text(&self) -> Result<String, UnusableHistory> {
        let mut lines = HistoryLines(HEAD.to_owned());
        self.labels.iter().for_each(|name| lines.push(&Line::Label(name.into())));
        for (name, count) in &self.counts {
            lines.push(&Line::Count(name.into(), *count));
        }
        let calls = self.past_calls().map_err(Clone::clone)?;
        calls.0.iter().for_each(|call| lines.push(&Line::from_call(call)));
        let writes = self.past_writes().map_err(Clone::clone)?;
        lines.push(&Line::Writes(writes.paths.iter().map(|path| (&**path).into()).collect()));
        if writes.lacks_some {
            lines.push(&Line::Lacking(true));
        }
        Ok(lines.0)
    }

    pub(super) fn has_label(&self, name: &str) -> bool {
        self.labels.contains(name)
    }

    pub(super) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }
}

/// The names of tools and programs, of which most calls have the same.
#[derive(Debug, Default)]
struct SharedNames(Vec<Arc<str>>);

impl SharedNames {
    /// Returns the name, in the text of an earlier one if that is the same.
    fn share(&mut self, name: &str) -> Arc<str> {
        let mut last = self.0.iter().rev().take(MOST_COMPARED_NAMES);
        if let Some(same) = last.find(|known| ***known == *name) {
            return Arc::clone(same);
        }
        let name: Arc<str> = name.into();
        self.0.push(Arc::clone(&name));
        name
    }
}

impl PastCalls {
    /// Reads the lines of the last `most` calls, from the end on.
    fn read(lines: &str, most: usize) -> Result<Self, UnusableHistory> {
        let (mut calls, mut ends, mut names) = (Vec::new(), Vec::new(), SharedNames::default());
        for line in lines.lines().rev().filter(|line| begins_with_any(line, CALL_LINES)) {
            match Line::parse(line)? {
                // A result belongs to the last call before it, and the last result counts.
                Line::End(id, ended) if !ends.iter().any(|(of, _)| *of == id) => {
                    ends.push((id, ended));
                }
                Line::Call(call) => {
                    let end = ends.iter().rposition(|(of, _)| *of == call.id);
                    let ended = end.map_or(call.ended, |at| ends.swap_remove(at).1);
                    calls.push(PastCall {
                        id: call.id,
                        tool: names.share(&call.tool),
                        kind: names.share(&call.kind),
                        programs: call.programs.iter().map(|name| names.share(name)).collect(),
                        ended,
                    });
                    if calls.len() == most {
                        break;
                    }
                }
                _ => {}
            }
        }
        calls.reverse();
        Ok(Self(calls))
    }

    /// Returns the calls before the one with that id.
    pub(super) fn calls_before(&self, id: Option<u64>) -> &[PastCall] {
        let own = self.0.iter().rposition(|call| Some(call.id) == id);
        self.0.get(..own.unwrap_or(self.0.len())).unwrap_or_default()
    }
}

impl PastWrites {
    fn read(lines: &str) -> Result<Self, UnusableHistory> {
        let mut writes = Self::default();
        for line in lines.lines().filter(|line| begins_with_any(line, WRITE_LINES)) {
            match Line::parse(line)? {
                Line::Writes(paths) => paths.iter().for_each(|path| writes.add(path)),
                Line::Lacking(lacks) => writes.lacks_some |= lacks,
                _ => {}
            }
        }
        Ok(writes)
    }

    fn add(&mut self, path: &str) {
        if self.known.contains(path) {
            return;
        }
        let bytes = self.bytes + path.len();
        if self.paths.len() >= MOST_WRITES || bytes > MOST_WRITE_BYTES {
            self.lacks_some = true;
            return;
        }
        self.bytes = bytes;
        let path: Arc<str> = path.into();
        self.known.insert(Arc::clone(&path));
        self.paths.push(path);
    }

    /// Returns true if a call wrote the file, or unknown files into a directory around it.
    pub(super) fn contains(&self, path: &str) -> bool {
        let mut above = path;
        while let Some((directory, _)) = above.rsplit_once('/') {
            if self.known.contains(&*format!("{directory}/*")) {
                return true;
            }
            above = directory;
        }
        self.known.contains(path)
    }
}

/// Returns the hash by which the events of one call are known: of its id, else of what it does.
#[must_use]
pub fn call_id(event: &Event) -> Option<u64> {
    let call = event.tool()?;
    let id = match event.text("tool_use_id").filter(|id| !id.is_empty()) {
        Some(id) => id.to_owned(),
        None => format!("{} {}", call.name, call.input),
    };
    // FNV-1a: the same in every process and with every toolchain.
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    Some(id.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
}

/// Reads the history of the session of an event.
pub trait HistoryReader: Send + Sync + fmt::Debug {
    /// Reads the history.
    ///
    /// # Errors
    ///
    /// Fails if the host keeps no history, or it cannot be read.
    fn read_history(&self) -> Result<SessionHistory, UnusableHistory>;
}

/// A history that is read when a rule first asks, once for all rules of an event (SS-3).
#[derive(Debug)]
pub struct LazyHistory {
    reader: Arc<dyn HistoryReader>,
    read: OnceLock<Result<SessionHistory, UnusableHistory>>,
}

impl LazyHistory {
    /// Creates a history that `reader` reads.
    #[must_use]
    pub fn new(reader: Arc<dyn HistoryReader>) -> Self {
        Self { reader, read: OnceLock::new() }
    }

    pub(super) fn get(&self) -> &Result<SessionHistory, UnusableHistory> {
        self.read.get_or_init(|| self.reader.read_history())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: u64) -> PastCall {
        let (tool, kind) = ("Bash".into(), "shell".into());
        PastCall { id, tool, kind, programs: vec!["git".into()], ended: CallEnd::Passed }
    }

    fn read(lines: &HistoryLines) -> SessionHistory {
        SessionHistory::read(format!("{HEAD}{}", lines.as_str())).unwrap()
    }

    /// SS-1, SS-10 to SS-12.
    #[test]
    fn changes_apply_in_order_and_survive_a_rewrite() {
        let mut lines = HistoryLines::default();
        for mark in [
            Mark::Label("secret read".into()),
            Mark::Count("pushes".into()),
            Mark::Count("pushes".into()),
            Mark::Label("tested".into()),
            Mark::Clear("tested".into()),
        ] {
            lines.push_mark(&mark);
        }
        lines.push_call(&call(1), Some(vec!["/p/a\n\"b\"".to_owned()]));
        lines.push_call(&call(2), Some(Vec::new()));
        lines.push_end(1, CallEnd::Failed);
        let history = read(&lines);
        for history in [SessionHistory::read(history.to_text().unwrap()).unwrap(), history] {
            assert!(history.has_label("secret read") && !history.has_label("tested"));
            assert_eq!((history.count("pushes"), history.count("other")), (2, 0));
            let past = history.past_calls().unwrap();
            let ends: Vec<&str> = past.0.iter().map(|call| call.ended.label()).collect();
            assert_eq!(ends, ["failed", "passed"]);
            assert_eq!(history.past_writes().unwrap().paths, ["/p/a\n\"b\"".into()]);
            assert_eq!(past.calls_before(Some(2)).len(), 1);
            assert_eq!(past.calls_before(None).len(), 2);
        }
    }

    /// SS-11: a few calls are the same as the end of all, wherever the own one is.
    #[test]
    fn last_calls_are_the_end_of_all_calls() {
        for total in [0, 1, 31, 32, 33, 100, 300] {
            let mut lines = HistoryLines::default();
            (0..total).for_each(|id| lines.push_call(&call(id), Some(Vec::new())));
            (0..total).step_by(3).for_each(|id| lines.push_end(id, CallEnd::Ran));
            for own in [None, Some(0), Some(total / 2), Some(total.saturating_sub(5)), Some(999)] {
                for number in [0, 1, 3, 30, 32, 33, 150, 500] {
                    let all = read(&lines);
                    let all = all.past_calls().unwrap().calls_before(own);
                    let expected = &all[all.len().saturating_sub(number)..];
                    let found = read(&lines);
                    let found = found.last_calls(number, own).unwrap();
                    assert_eq!(found, expected, "{total} {own:?} {number}");
                }
            }
        }
    }

    /// SS-11, SS-13: what is remembered is bounded, and lost names of files are known to be lost.
    #[test]
    fn history_is_bounded() {
        let mut lines = HistoryLines::default();
        for id in 0..3_000 {
            lines.push_call(&call(id), Some(vec![format!("/p/{id}"), "/p/same".to_owned()]));
        }
        let history = read(&lines);
        let (calls, writes) = (history.past_calls().unwrap(), history.past_writes().unwrap());
        assert_eq!(calls.0.len(), MOST_CALLS);
        assert_eq!(calls.0.last().map(|call| call.id), Some(2_999));
        assert!(writes.paths.len() == MOST_WRITES && writes.lacks_some);
        assert!(history.to_text().unwrap().len() < 256 << 10);
        let long = |id: u32| format!("/{}{id}", "x".repeat(4_000));
        let mut lines = HistoryLines::default();
        (0..100).for_each(|id| lines.push_call(&call(1), Some(vec![long(id)])));
        let history = read(&lines);
        let is_cut = history.past_writes().unwrap().lacks_some;
        assert!(is_cut && history.to_text().unwrap().len() < 256 << 10);
    }

    /// SS-21: a torn, damaged or foreign history is no empty one.
    #[test]
    fn damage_is_found() {
        let mut lines = HistoryLines::default();
        lines.push_mark(&Mark::Label("a".into()));
        lines.push_call(&call(1), Some(vec!["/p/a".to_owned()]));
        let whole = format!("{HEAD}{}", lines.as_str());
        assert!(SessionHistory::read(whole.clone()).is_ok() && SessionHistory::read("").is_ok());
        // Cut at the end of a line, a text is the history of an earlier time.
        for cut in 1..whole.len() {
            let torn = whole.get(..cut).unwrap_or_default();
            let is_whole_lines = torn.ends_with('\n');
            assert_eq!(SessionHistory::read(torn).is_ok(), is_whole_lines, "{torn}");
        }
        for text in ["x", "{\"tenterhook-session\":2}\n", "\n", "{}\n"] {
            assert!(SessionHistory::read(text).is_err(), "{text}");
        }
        for line in ["{\"label\":\"b\"", "\0\0\0\0", "{\"other\":1}", "", "{\"label\":1}"] {
            assert!(SessionHistory::read(format!("{whole}{line}\n")).is_err(), "{line}");
        }
        // A damaged line about a call is found when a rule asks for calls.
        let history = SessionHistory::read(format!("{whole}{{\"call\":x}}\n")).unwrap();
        assert!(history.has_label("a") && history.past_calls().is_err());
        assert!(history.to_text().is_err());
    }
}
