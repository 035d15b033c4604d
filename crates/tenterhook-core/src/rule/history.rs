//! What happened in a session, as far as rules can ask: labels, counters, calls and written files (SS-10 to SS-14). Built from
//! the lines that a store keeps, and written as such lines. Opens no file.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

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

/// How the lines about calls and files begin. They are most of a history, and few rules ask for them.
const CALL_LINES: &[&str] = &["{\"call\":", "{\"end\":", "{\"writes\":", "{\"lacking\":"];

/// The history of one session.
#[derive(Clone, Debug, Default)]
pub struct SessionHistory {
    labels: BTreeSet<String>,
    counts: BTreeMap<String, u64>,
    /// The lines about calls and files, which are read when a rule asks for them.
    call_lines: String,
    past_calls: OnceLock<Result<PastCalls, UnusableHistory>>,
}

/// The calls of a session, and the files that they wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct PastCalls {
    calls: Vec<PastCall>,
    pub(super) writes: Vec<String>,
    known_writes: HashSet<String>,
    write_bytes: usize,
    /// Whether files were written that `writes` does not hold.
    pub(super) lacks_writes: bool,
}

/// An earlier call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastCall {
    /// The hash of the call's id, which its result has, too.
    pub id: u64,
    /// The neutral name of the tool.
    pub tool: String,
    /// What kind of tool it is.
    pub kind: String,
    /// The programs of its shell line.
    pub programs: Vec<String>,
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

/// One line of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Clear(String),
    Label(String),
    /// A counter, and how much is added.
    Count(String, u64),
    Call(PastCall),
    /// The result of a call, by the hash of its id.
    End(u64, CallEnd),
    Writes(Vec<String>),
    /// Files were written that are not remembered.
    Lacking(bool),
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
            Mark::Clear(name) => Line::Clear(name.to_string()),
            Mark::Label(name) => Line::Label(name.to_string()),
            Mark::Count(name) => Line::Count(name.to_string(), 1),
        });
    }

    /// Adds a call, and the files that it would write, if they are known. Names and lists are
    /// shortened.
    pub fn push_call(&mut self, call: PastCall, writes: Option<Vec<String>>) {
        let shorten = |mut name: String| {
            name.truncate(name.floor_char_boundary(LONGEST_NAME));
            name
        };
        let PastCall { tool, mut programs, .. } = call;
        programs.truncate(MOST_PROGRAMS);
        let programs = programs.into_iter().map(shorten).collect();
        self.push(&Line::Call(PastCall { tool: shorten(tool), programs, ..call }));
        let lacks = writes.as_ref().is_none_or(|writes| writes.len() > MOST_WRITES);
        let writes: Vec<String> = writes.into_iter().flatten().take(MOST_WRITES).collect();
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

    fn push(&mut self, line: &Line) {
        // A line of texts and numbers can always be written.
        if let Ok(text) = serde_json::to_string(line) {
            self.0.push_str(&text);
            self.0.push('\n');
        }
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
    pub fn read(text: &str) -> Result<Self, UnusableHistory> {
        let mut history = Self::default();
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
            if CALL_LINES.iter().any(|prefix| line.starts_with(prefix)) {
                history.call_lines.push_str(line);
                history.call_lines.push('\n');
            } else {
                history.apply(parse_line(line)?)?;
            }
        }
        Ok(history)
    }

    /// Returns the calls, read at the first question for them.
    ///
    /// # Errors
    ///
    /// Fails if one of their lines is damaged.
    pub(super) fn past_calls(&self) -> Result<&PastCalls, &UnusableHistory> {
        self.past_calls.get_or_init(|| PastCalls::read(&self.call_lines)).as_ref()
    }

    fn apply(&mut self, line: Line) -> Result<(), UnusableHistory> {
        match line {
            Line::Clear(name) => {
                self.labels.remove(&name);
                self.counts.remove(&name);
            }
            Line::Label(name) => {
                self.labels.insert(name);
            }
            Line::Count(name, more) => {
                let count = self.counts.entry(name).or_default();
                *count = count.saturating_add(more);
            }
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
        self.labels.iter().for_each(|name| lines.push(&Line::Label(name.clone())));
        for (name, count) in &self.counts {
            lines.push(&Line::Count(name.clone(), *count));
        }
        let past = self.past_calls().map_err(Clone::clone)?;
        past.calls.iter().for_each(|call| lines.push(&Line::Call(call.clone())));
        lines.push(&Line::Writes(past.writes.clone()));
        if past.lacks_writes {
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

fn parse_line(line: &str) -> Result<Line, UnusableHistory> {
    let shown: String = line.chars().take(40).collect();
    serde_json::from_str(line)
        .map_err(|_| UnusableHistory(format!("its line `{}` is damaged", shown.escape_debug())))
}

impl PastCalls {
    fn read(lines: &str) -> Result<Self, UnusableHistory> {
        let mut past = Self::default();
        for line in lines.lines() {
            match parse_line(line)? {
                Line::Call(call) => past.calls.push(call),
                Line::End(id, ended) => {
                    if let Some(call) = past.calls.iter_mut().rev().find(|call| call.id == id) {
                        call.ended = ended;
                    }
                }
                Line::Writes(paths) => past.add_writes(paths),
                Line::Lacking(lacks) => past.lacks_writes |= lacks,
                Line::Clear(_) | Line::Label(_) | Line::Count(..) => {}
            }
        }
        past.calls.drain(..past.calls.len().saturating_sub(MOST_CALLS));
        Ok(past)
    }

    fn add_writes(&mut self, paths: Vec<String>) {
        for path in paths {
            if self.known_writes.contains(&path) {
                continue;
            }
            let bytes = self.write_bytes + path.len();
            if self.writes.len() >= MOST_WRITES || bytes > MOST_WRITE_BYTES {
                self.lacks_writes = true;
                return;
            }
            self.write_bytes = bytes;
            self.known_writes.insert(path.clone());
            self.writes.push(path);
        }
    }

    /// Returns true if a call wrote the file, or unknown files into a directory around it.
    pub(super) fn has_written(&self, path: &str) -> bool {
        let mut above = path;
        while let Some((directory, _)) = above.rsplit_once('/') {
            if self.known_writes.contains(&format!("{directory}/*")) {
                return true;
            }
            above = directory;
        }
        self.known_writes.contains(path)
    }

    /// Returns the calls before the one with that id.
    pub(super) fn calls_before(&self, id: Option<u64>) -> &[PastCall] {
        let own = self.calls.iter().rposition(|call| Some(call.id) == id);
        self.calls.get(..own.unwrap_or(self.calls.len())).unwrap_or_default()
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
        let (tool, kind) = ("Bash".to_owned(), "shell".to_owned());
        PastCall { id, tool, kind, programs: vec!["git".to_owned()], ended: CallEnd::Passed }
    }

    fn read(lines: &HistoryLines) -> SessionHistory {
        SessionHistory::read(&format!("{HEAD}{}", lines.as_str())).unwrap()
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
        lines.push_call(call(1), Some(vec!["/p/a\n\"b\"".to_owned()]));
        lines.push_call(call(2), Some(Vec::new()));
        lines.push_end(1, CallEnd::Failed);
        let history = read(&lines);
        for history in [SessionHistory::read(&history.to_text().unwrap()).unwrap(), history] {
            assert!(history.has_label("secret read") && !history.has_label("tested"));
            assert_eq!((history.count("pushes"), history.count("other")), (2, 0));
            let past = history.past_calls().unwrap();
            let ends: Vec<&str> = past.calls.iter().map(|call| call.ended.label()).collect();
            assert_eq!(ends, ["failed", "passed"]);
            assert_eq!(past.writes, ["/p/a\n\"b\""]);
            assert_eq!(past.calls_before(Some(2)).len(), 1);
            assert_eq!(past.calls_before(None).len(), 2);
        }
    }

    /// SS-11, SS-13: what is remembered is bounded, and lost names of files are known to be lost.
    #[test]
    fn history_is_bounded() {
        let mut lines = HistoryLines::default();
        for id in 0..3_000 {
            lines.push_call(call(id), Some(vec![format!("/p/{id}"), "/p/same".to_owned()]));
        }
        let history = read(&lines);
        let past = history.past_calls().unwrap();
        assert_eq!(past.calls.len(), MOST_CALLS);
        assert_eq!(past.calls.last().map(|call| call.id), Some(2_999));
        assert!(past.writes.len() == MOST_WRITES && past.lacks_writes);
        assert!(history.to_text().unwrap().len() < 256 << 10);
        let long = |id: u32| format!("/{}{id}", "x".repeat(4_000));
        let mut lines = HistoryLines::default();
        (0..100).for_each(|id| lines.push_call(call(1), Some(vec![long(id)])));
        let history = read(&lines);
        let is_cut = history.past_calls().unwrap().lacks_writes;
        assert!(is_cut && history.to_text().unwrap().len() < 256 << 10);
    }

    /// SS-21: a torn, damaged or foreign history is no empty one.
    #[test]
    fn damage_is_found() {
        let mut lines = HistoryLines::default();
        lines.push_mark(&Mark::Label("a".into()));
        lines.push_call(call(1), Some(vec!["/p/a".to_owned()]));
        let whole = format!("{HEAD}{}", lines.as_str());
        assert!(SessionHistory::read(&whole).is_ok() && SessionHistory::read("").is_ok());
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
            assert!(SessionHistory::read(&format!("{whole}{line}\n")).is_err(), "{line}");
        }
        // A damaged line about a call is found when a rule asks for calls.
        let history = SessionHistory::read(&format!("{whole}{{\"call\":x}}\n")).unwrap();
        assert!(history.has_label("a") && history.past_calls().is_err());
        assert!(history.to_text().is_err());
    }
}
