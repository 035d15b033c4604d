//! Judges one run in which a system call failed. Runs nothing.

use std::path::Path;

use serde_json::Value;

use super::calls::Error;
use super::fixture::{Ended, Files};
use super::subjects::Must;

/// Exit code with which an agent's hook blocks.
const BLOCKS: i32 = 2;
/// In a separate process namespace, numbers are small.
const FEW: u32 = 50;
/// What a subject may leave that was not there: what the program itself keeps, and the mark of a hook that ran.
const OWN: &[&str] = &["home/.local/state/", "project/ran"];
/// Files that are written beside their place.
const BESIDE: &[&str] = &[".new", ".tmp"];

/// A run, and what it is held against.
pub(super) struct Run<'a> {
    pub(super) must: Must,
    pub(super) ended: &'a Ended,
    /// What lay there before, lies there when nothing fails, and lies there now.
    pub(super) before: &'a Files,
    pub(super) should: &'a Files,
    pub(super) now: &'a Files,
    /// How it ends when nothing fails.
    pub(super) usual: &'a Ended,
}

/// What the caller received.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) restrains: bool,
    pub(super) why: String,
}

/// Reads it as Claude Code does, or as a caller of `fire`.
pub(super) fn reply(ended: &Ended, is_agent: bool) -> Reply {
    let value: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let text = |path: &str| value.pointer(path).and_then(Value::as_str).map(str::to_owned);
    if !is_agent {
        let why = text("/reasons/0/text").or_else(|| first_line_behind(&ended.stdout, "BLOCKED"));
        return Reply { restrains: ended.code != Some(0), why: why.unwrap_or_default() };
    }
    let decision = text("/hookSpecificOutput/permissionDecision").unwrap_or_default();
    let why = text("/hookSpecificOutput/permissionDecisionReason").unwrap_or_default();
    // Any other code is a mistake of the hook to Claude Code, and the call is made.
    let restrains = match ended.code {
        Some(BLOCKS) => true,
        Some(0) => ["deny", "ask"].contains(&decision.as_str()),
        _ => false,
    };
    Reply { restrains, why }
}

fn first_line_behind(text: &str, word: &str) -> Option<String> {
    let (_, behind) = text.split_once(word)?;
    behind.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

impl Run<'_> {
    /// Everything that is wrong with it, in words.
    pub(super) fn wrong(&self, error: &Error, is_agent: bool) -> Vec<String> {
        let mut all = Vec::new();
        self.alive(&mut all);
        self.cause_is_reported(error, is_agent, &mut all);
        self.files_are_whole(&mut all);
        match self.must {
            Must::Deny => self.denied(is_agent, &mut all),
            Must::Hear | Must::HearOnRecord => self.hook_ran(is_agent, &mut all),
            Must::Hold => {
                self.denied(is_agent, &mut all);
                if self.has("project/ran") {
                    all.push("a hook ran that was not approved".to_owned());
                }
            }
            Must::Tell { approved: false } if self.ended.code == Some(0) => {
                all.push("it says that all is approved, and it is not".to_owned());
            }
            Must::Write => self.written(&mut all),
            Must::Approve | Must::Forget | Must::Tell { .. } => {}
        }
        all
    }

    fn has(&self, path: &str) -> bool {
        self.now.contains_key(Path::new(path))
    }

    fn alive(&self, all: &mut Vec<String>) {
        if self.ended.hung {
            all.push("it hangs".to_owned());
        }
        if self.ended.survivors > 0 {
            all.push(format!("{} processes outlive it", self.ended.survivors));
        }
        // In time: a hook's own timeout must not be needed to end a wait that lost its wake-up.
        if self.ended.took.as_secs() >= 4 && self.usual.took.as_secs() < 2 {
            all.push("it waits for a timeout".to_owned());
        }
        for words in ["panicked at", "tenterhook itself failed"] {
            if self.ended.stderr.contains(words) && !is_the_libraries_own(&self.ended.stderr) {
                all.push(format!("a panic: {}", line_with(&self.ended.stderr, words)));
            }
        }
        let is_cut_off = self.ended.code.is_none() && !self.ended.hung;
        if is_cut_off && !is_the_libraries_own(&self.ended.stderr) {
            all.push("a signal ended it".to_owned());
        }
    }

    /// If the result differs, the cause must be reported.
    fn cause_is_reported(&self, error: &Error, is_agent: bool, all: &mut Vec<String>) {
        let is_other = reply(self.ended, is_agent) != reply(self.usual, is_agent)
            || self.ended.code != self.usual.code;
        let words = format!("{}{}", self.ended.stdout, self.ended.stderr);
        let flat = words.split_whitespace().collect::<Vec<_>>().join(" ");
        // The library's way to make directories takes a path that it cannot look at for a file in its way.
        let has_cause = error.words.iter().chain(&["File exists"]).any(|word| flat.contains(word));
        if is_other && !has_cause && !speechless(self.ended) {
            let what = reply(self.ended, is_agent).why;
            all.push(format!("the cause is not said (exit {:?}; {what})", self.ended.code));
        }
    }

    /// No file of the person's is lost or half written.
    fn files_are_whole(&self, all: &mut Vec<String>) {
        for (path, bytes) in self.before {
            let should = self.should.get(path);
            match self.now.get(path) {
                Some(now) if now == bytes || Some(now) == should || is_own(path) => {}
                None if should.is_none() || is_own(path) => {}
                None => all.push(format!("`{}` is lost", path.display())),
                Some(_) => all.push(format!("`{}` is neither old nor new", path.display())),
            }
        }
        for path in self.now.keys().filter(|key| !self.before.contains_key(*key)) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // A file with a random name is recognized by its content. A process that is killed for lack of memory removes
            // nothing, as after a SIGKILL.
            let is_cut_off = is_own(path) && is_the_libraries_own(&self.ended.stderr);
            let is_beside = BESIDE.iter().any(|text| name.contains(text)) && !is_cut_off;
            if is_beside || (!is_own(path) && !self.should.contains_key(path)) {
                all.push(format!("`{}` is left behind", plain(path)));
            }
        }
    }

    fn denied(&self, is_agent: bool, all: &mut Vec<String>) {
        if !reply(self.ended, is_agent).restrains {
            all.push(format!("THE CALL PASSES (exit {:?})", self.ended.code));
        } else if self.ended.code == Some(BLOCKS) && silent(self.ended) {
            all.push("it blocks silently".to_owned());
        }
        if self.has("home/escaped") {
            all.push("THE HOOK RAN OUTSIDE OF ITS WALLS".to_owned());
        }
        let number = self.ended.stdout.split_once("as process ").map(|pair| pair.1);
        let number = number
            .and_then(|number| number.split('.').next())
            .and_then(|part| part.parse::<u32>().ok());
        if number.is_some_and(|number| number > FEW) {
            all.push("THE HOOK RAN IN NO NAMESPACES".to_owned());
        }
    }

    fn hook_ran(&self, is_agent: bool, all: &mut Vec<String>) {
        if reply(self.ended, is_agent).restrains {
            return;
        }
        if self.ended.code != Some(0) {
            all.push(format!("THE CALL PASSES (exit {:?})", self.ended.code));
        }
        if !self.has("project/ran") {
            all.push("THE CALL PASSES, and the answer of its hook was lost".to_owned());
        }
        let records = self
            .now
            .iter()
            .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "jsonl"));
        let ends = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("\"kind\":\"begin\"");
        let is_recorded = records.into_iter().any(|(_, bytes)| ends(bytes));
        if self.must == Must::HearOnRecord && !is_recorded {
            all.push("THE CALL PASSES, and is not on record".to_owned());
        }
    }

    fn written(&self, all: &mut Vec<String>) {
        let settled = self.now.iter().filter(|(path, _)| !is_own(path));
        let has_mine = settled
            .into_iter()
            .any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("mine.sh"));
        if !has_mine {
            all.push("THE PERSON'S OWN HOOK IS LOST".to_owned());
        }
        let is_done = self
            .should
            .iter()
            .filter(|(path, _)| !is_own(path))
            .all(|(path, bytes)| self.now.get(path) == Some(bytes));
        if self.ended.code == Some(0) && !is_done {
            all.push("it says that it was done, and it was not".to_owned());
        }
    }
}

/// Threads of the standard library have a second stack, and panic without one (before `main` that is an abort, and so is the
/// lack of memory, with these messages). A reply about it denies, and without a reply the agent's entry denies.
fn is_the_libraries_own(words: &str) -> bool {
    words.contains("stack_overflow.rs") || words.contains("memory allocation of")
}

/// Ended by a signal, or before it could say anything: what its entry says counts.
fn speechless(ended: &Ended) -> bool {
    ended.code.is_none() || ended.stderr.contains("Tenterhook did not answer")
}

fn silent(ended: &Ended) -> bool {
    ended.stdout.trim().is_empty() && ended.stderr.trim().is_empty()
}

/// Whether a file is one that people or agents read.
pub(super) fn is_settled(path: &Path) -> bool {
    !is_own(path)
}

fn is_own(path: &Path) -> bool {
    let path = path.to_string_lossy();
    OWN.iter().any(|prefix| path.starts_with(prefix))
}

/// A path without the numbers that differ from run to run.
fn plain(path: &Path) -> String {
    let text = path.display().to_string();
    text.split('/')
        .map(|component| {
            if component.len() > 20 {
                component.chars().filter(char::is_ascii_alphabetic).take(14).collect()
            } else {
                component.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join("/")
}

fn line_with(text: &str, words: &str) -> String {
    text.lines().find(|line| line.contains(words)).unwrap_or_default().trim().to_owned()
}
