//! Finds the objects that stand in text on separate lines (J-7 to J-9), and leaves those that the text merely shows:
//! indented, in a fence, inside a sentence, or announced by a colon.

use super::tree::{self, Parsed, Stop};
use super::{Deviation, MAX_OBJECTS, pairs, relaxed};

pub(super) struct Candidate {
    start: usize,
    pub(super) parsed: Parsed,
}

impl Candidate {
    pub(super) fn end_offset(&self) -> usize {
        self.start + self.parsed.end
    }
}

/// Returns the objects that are meant as output, in order; `Err` if the search costs too much or an
/// object is too large.
pub(super) fn find_candidate_objects(text: &str) -> Result<Vec<Candidate>, Deviation> {
    let mut found = Vec::new();
    let mut walk = Walk { text, at: 0, fenced: false, announced: false };
    // Attempts that fail may read the same text again: together they get a few passes over it, no more.
    let mut work = text.len().saturating_mul(8).saturating_add(4096);
    while let Some(line) = walk.current_line() {
        if walk.fenced || !line.starts_with('{') {
            walk.step_over_line(line);
            continue;
        }
        let start = walk.at;
        match tree::parse_object_with_fallback(
            text.get(start..).unwrap_or_default(),
            relaxed::parse_relaxed,
        ) {
            Ok(parsed) => {
                let candidate = Candidate { start, parsed };
                let end = candidate.end_offset();
                let rest = text.get(end..).unwrap_or_default();
                let tail = rest.lines().next().unwrap_or_default();
                let shown = walk.announced && !rest.trim().is_empty();
                if tail.trim().is_empty() && !shown {
                    found.push(candidate);
                }
                walk.jump_past_line_of(end);
            }
            Err(Stop::Limit(limit)) => return Err(limit),
            Err(Stop::Broken { at, .. }) => {
                work = work.checked_sub(at).ok_or(Deviation::TooBig)?;
                walk.step_over_line(line);
            }
        }
        if found.len() > MAX_OBJECTS {
            return Err(Deviation::TooBig);
        }
    }
    Ok(found)
}

/// Returns the text from the last line that begins an object, if that object is broken or cut off
/// and has at least one complete pair.
pub(super) fn find_torn_tail(text: &str) -> Option<&str> {
    let mut walk = Walk { text, at: 0, fenced: false, announced: false };
    let mut last = None;
    while let Some(line) = walk.current_line() {
        if !walk.fenced && line.starts_with('{') {
            last = Some(walk.at);
        }
        walk.step_over_line(line);
    }
    let tail = text.get(last?..)?;
    let begins = tail.get(1..).is_some_and(|rest| rest.trim_start().starts_with(['"', '\'']));
    match tree::parse_object_with_fallback(tail, relaxed::parse_relaxed) {
        Err(Stop::Broken { torn, .. })
            if begins
                && (torn || tail.ends_with('}'))
                && !pairs::find_key_value_pairs(tail).is_empty() =>
        {
            Some(tail)
        }
        _ => None,
    }
}

/// Returns the content of a text that is one fenced block.
pub(super) fn fenced_content(text: &str) -> Option<&str> {
    let fence = ["```", "~~~"].into_iter().find(|fence| text.starts_with(fence))?;
    let (opening, body) = text.strip_prefix(fence)?.split_once('\n')?;
    let inner = body.strip_suffix(fence)?;
    let ended = inner.lines().any(|line| line.starts_with(fence));
    (!opening.contains(['`', '~']) && !ended).then_some(inner)
}

/// Goes through a text line by line and remembers what a line means for the next one.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    /// In a fenced block.
    fenced: bool,
    /// The last line that was not blank ends with a colon.
    announced: bool,
}

impl<'a> Walk<'a> {
    fn current_line(&self) -> Option<&'a str> {
        self.text.get(self.at..)?.split_inclusive('\n').next()
    }

    fn step_over_line(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.fenced = !self.fenced;
        }
        if !trimmed.is_empty() {
            self.announced = trimmed.ends_with(':');
        }
        self.at += line.len();
    }

    /// Continues with the line after the one that holds the offset `end`.
    fn jump_past_line_of(&mut self, end: usize) {
        let rest = self.text.get(end..).unwrap_or_default();
        self.at = end + rest.find('\n').map_or(rest.len(), |at| at + 1);
        self.announced = false;
    }
}
