//! The problems of a file, with locations and fixes. Values only: nothing here prints or renders.

mod code;

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

pub use code::Code;

/// A stretch of a source text, in bytes: `start` is inside, `end` is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span from `start` up to, but not including, `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the span moved by `by` bytes, for a text that begins that much later.
    #[must_use]
    pub const fn shifted_by(self, by: usize) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }
}

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Works as written; a person may want to know.
    Advice,
    /// Runs, but probably not as meant.
    Warning,
    /// The entry, or the file, does not do what it says.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Advice => "advice",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A place in a named text, for people: 1-based line and column beside the byte span.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The name of the text, as the caller gave it (usually a path).
    pub file: Arc<str>,
    /// The bytes that the diagnostic is about.
    pub span: Span,
    /// 1-based line of `span.start`.
    pub line: usize,
    /// 1-based column of `span.start`, in characters.
    pub column: usize,
}

impl Location {
    /// Returns the file, line and column of `span` in `text`. A span past the end is moved to the
    /// end.
    #[must_use]
    pub fn find(file: &Arc<str>, text: &str, span: Span) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            file: Arc::clone(file),
            span,
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

/// Finds places in one text, whose lines are counted once: for readers that find thousands.
#[derive(Debug)]
pub struct Lines<'a> {
    file: Arc<str>,
    text: &'a str,
    /// Offsets at which lines begin.
    starts: Vec<usize>,
    /// The last place that was asked for, as offset and column, so that a text in one line is not counted again and
    /// again.
    last: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    /// Counts the lines of `text`.
    #[must_use]
    pub fn new(file: &Arc<str>, text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { file: Arc::clone(file), text, starts, last: Cell::new((0, 1)) }
    }

    /// Returns the location of `span`, equal to that of [`Location::find`].
    #[must_use]
    pub fn location(&self, span: Span) -> Location {
        let at = if self.text.is_char_boundary(span.start) { span.start } else { self.text.len() };
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let (from, column) = match self.last.get() {
            (last, column) if start <= last && last <= at => (last, column),
            _ => (start, 1),
        };
        let column = column + self.text.get(from..at).unwrap_or_default().chars().count();
        self.last.set((at, column));
        Location { file: Arc::clone(&self.file), span, line, column }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One finding about a text that a person wrote.
///
/// `message` is lower case, without a full stop, with backticks round the user's own text; `help` says what to write
/// instead. Every [code](Code) has an entry in the specification and a case in `conformance/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// How much it weighs.
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// A few words to stand under the caret; empty when the message says it all.
    pub label: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Where; `None` when no text is to blame (a file that does not exist, say).
    pub place: Option<Location>,
}

impl Diagnostic {
    /// Creates a diagnostic without label and help, with the usual severity of its code.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, place: impl Into<Option<Location>>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            label: String::new(),
            help: None,
            place: place.into(),
        }
    }

    /// Returns the diagnostic with another severity.
    #[must_use]
    pub const fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Adds the words under the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// `file:line:column: severity: message`, in one line; `{:#}` adds what to write instead in a second one.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        match &self.help {
            Some(help) if f.alternate() => write!(f, "\n  help: {help}"),
            _ => Ok(()),
        }
    }
}

/// The entry of `known` that is nearest to `word`, if one is near enough to be a slip of the pen.
///
/// Case, `-`, `_` and `.` make no difference; beyond that at most a third of the letters may differ.
#[must_use]
pub fn nearest_word<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded: Vec<char> = lowercase_letters_and_digits(word).collect();
    let limit = folded.len() / 3;
    let letters = letter_set(folded.iter().copied());
    let mut room = Vec::new();
    known
        .into_iter()
        .filter_map(|candidate| {
            room.clear();
            room.extend(lowercase_letters_and_digits(candidate));
            // A distance costs the product of both lengths, and is at least these.
            let is_far = room.len().abs_diff(folded.len()) > limit
                || count_differing_letters(letters, letter_set(room.iter().copied())) > limit;
            (!is_far).then(|| (edit_distance(&folded, &room), candidate))
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn lowercase_letters_and_digits(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Returns the set of letters as bits, one for each letter; those beyond 64 share one.
fn letter_set(word: impl Iterator<Item = char>) -> u64 {
    word.fold(0, |seen, c| seen | 1 << (u32::from(c) % 64))
}

/// Returns at most how many letters one set has that the other lacks: each takes a separate change.
fn count_differing_letters(left: u64, right: u64) -> usize {
    let (only_left, only_right) = (left & !right, right & !left);
    only_left.count_ones().max(only_right.count_ones()) as usize
}

/// Returns the optimal string alignment distance: insertions, deletions, replacements and swaps of
/// two neighbours.
pub(crate) fn edit_distance(left: &[char], right: &[char]) -> usize {
    let mut rows: [Vec<usize>; 3] =
        [Vec::new(), (0..=right.len()).collect(), vec![0; right.len() + 1]];
    for (i, l) in left.iter().enumerate() {
        let mut row = Vec::with_capacity(right.len() + 1);
        row.push(i + 1);
        for (j, r) in right.iter().enumerate() {
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&rows[1], j) + usize::from(l != r))
                .min(at(&rows[1], j + 1) + 1)
                .min(at(&row, j) + 1);
            let swapped =
                i > 0 && j > 0 && left.get(i - 1) == Some(r) && right.get(j - 1) == Some(l);
            if swapped {
                best = best.min(at(&rows[0], j - 1) + 1);
            }
            row.push(best);
        }
        let [_, last, _] = rows;
        rows = [last, row, Vec::new()];
    }
    let [_, last, _] = rows;
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_forgives_case_and_a_slip() {
        let events = ["PreToolUse", "PostToolUse", "SessionStart"];
        assert_eq!(nearest_word("preToolUse", events), Some("PreToolUse"));
        assert_eq!(nearest_word("session-start", events), Some("SessionStart"));
        assert_eq!(nearest_word("PerToolUse", events), Some("PreToolUse"));
        assert_eq!(nearest_word("onDirectoryChange", events), None);
        assert_eq!(nearest_word("", events), None);
    }

    #[test]
    fn a_diagnostic_says_where_in_one_line() {
        let place = Location::find(&"hooks.toml".into(), "a\nbc", Span::new(3, 4));
        let found = Diagnostic::new(Code::UnknownKey, "`c` is unknown", place).help("write `b`");
        assert_eq!(found.to_string(), "hooks.toml:2:2: error: `c` is unknown");
        assert_eq!(
            format!("{found:#}"),
            "hooks.toml:2:2: error: `c` is unknown\n  help: write `b`"
        );
        let nowhere = Diagnostic::new(Code::UnknownKey, "nothing is configured", None)
            .with_severity(Severity::Advice);
        assert_eq!(nowhere.to_string(), "advice: nothing is configured");
    }

    #[test]
    fn place_counts_characters_from_one() {
        let file = "x".into();
        let place = Location::find(&file, "a\nbü{", Span::new(5, 6));
        assert_eq!((place.line, place.column), (2, 3));
    }

    #[test]
    fn lines_find_what_place_finds_in_any_order() {
        let file = "x".into();
        let text = "a\nbü{\n\nc";
        let lines = Lines::new(&file, text);
        let spans = (0..=text.len() + 1).map(|at| Span::new(at, at));
        for span in spans.clone().chain(spans.rev()) {
            assert_eq!(lines.location(span), Location::find(&file, text, span), "{span:?}");
        }
    }
}
