//! Finds objects in a text that look like an answer but that a strict reader rejects: behind a
//! prefix, indented, in a fence, without quotes, unfinished (A-43). Says of each how it stands in
//! the text; what it means is not decided here.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::loose;
use crate::base64;
use crate::strict::{self, Found};

/// More objects than one run prints.
const MAX_SHAPES: usize = 1024;
/// A prefix of more words than this is a sentence.
const MAX_LABEL: usize = 4;

/// An object in a text.
#[derive(Debug)]
pub(super) struct Shape<'a> {
    pub(super) readings: Vec<Map<String, Value>>,
    pub(super) stands: Stands,
    /// It is not JSON.
    pub(super) loose: bool,
    /// It is a list of objects.
    pub(super) listed: bool,
    pub(super) torn: bool,
    /// Nothing but white space stands before it on its line, and it is not indented.
    pub(super) at_margin: bool,
    pub(super) bytes: &'a str,
}

/// The position of an object in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// On separate lines, or behind a prefix that programs put before any line.
    Alone,
    /// Behind a word or two: it may be announced or said.
    Labelled,
    /// In a sentence, a fence with text round it, or announced with more text behind it: a decision
    /// alone is an example.
    Amid,
    /// As an example, in code or in a diff.
    Shown,
}

/// Returns the text without what hides its structure: colours, progress output, typographic quotes.
pub(super) fn remove_decoration(text: &str) -> Cow<'_, str> {
    let hides = |c: char| !c.is_ascii() || (c.is_control() && c != '\n') || c == '&';
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = crate::text::remove_control_sequences(&text);
    let text =
        [("&quot;", "\""), ("&#34;", "\""), ("&#x22;", "\""), ("&#39;", "'"), ("&apos;", "'")]
            .iter()
            .fold(
                text,
                |text, (from, to)| if text.contains(from) { text.replace(from, to) } else { text },
            );
    text.chars()
        .filter(|c| !matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'))
        .map(|c| match c {
            '“' | '”' | '„' | '‟' | '«' | '»' | '＂' | '″' => '"',
            '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' => '\'',
            '｛' => '{',
            '｝' => '}',
            '：' => ':',
            '，' => ',',
            '\u{a0}' | '\u{3000}' | '\u{2028}' => ' ',
            other => other,
        })
        .collect::<String>()
        .into()
}

/// Decodes an object in percent encoding or base64, if it is all that was printed.
pub(super) fn decode_whole_text(text: &str) -> Option<String> {
    let text = text.trim();
    if text.starts_with("%7B") || text.starts_with("%7b") {
        let mut pieces = text.split('%');
        let mut bytes = pieces.next()?.as_bytes().to_vec();
        for piece in pieces {
            bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
            bytes.extend(piece.get(2..)?.bytes());
        }
        return String::from_utf8(bytes).ok();
    }
    if !text.starts_with("ey") && !text.starts_with("ew") {
        return None;
    }
    String::from_utf8(base64::decode(text)?).ok()
}

/// Finds the objects of a plain text, in the order of the text.
pub(super) fn find_shapes(text: &str) -> Vec<Shape<'_>> {
    let (diff, unclosed) = (is_diff(text), loose::Unclosed::default());
    let mut walk = Walk { text, at: 0, fence: None, diff, before: "", found: Vec::new(), unclosed };
    // Attempts that come to nothing may read the same text again: together they get a few passes
    // over it, no more.
    let mut work = text.len().saturating_mul(8).saturating_add(4096);
    while let Some(line) = walk.current_line() {
        match walk.read_shape(line, &mut work) {
            Some(next) => walk.at = next,
            None => walk.skip_line(line),
        }
        if work == 0 || walk.found.len() >= MAX_SHAPES {
            break;
        }
    }
    walk.found
}

/// Returns the text with each strict object on its own lines replaced by what `replacement` gives
/// for it; `None` if it gives nothing for any of them.
pub(super) fn replace_objects(
    text: &str,
    replacement: impl Fn(&Map<String, Value>) -> Option<String>,
) -> Option<String> {
    let (mut replaced, mut rest, mut is_changed) = (String::new(), text, false);
    for shape in find_shapes(text) {
        let Some((before, after)) = rest.split_once(shape.bytes) else { continue };
        replaced.push_str(before);
        rest = after;
        let is_whole = shape.stands == Stands::Alone && shape.at_margin && !shape.loose;
        let value = shape.readings.first().filter(|_| is_whole && !shape.listed);
        let given = value.and_then(&replacement);
        is_changed |= given.is_some();
        replaced.push_str(given.as_deref().unwrap_or(shape.bytes));
    }
    replaced.push_str(rest);
    is_changed.then(|| replaced.trim().to_owned())
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
    /// In a fenced block: whether any text stands before it.
    fence: Option<bool>,
    /// It is a diff, whose lines are others' words.
    diff: bool,
    /// The last line that was not blank.
    before: &'a str,
    found: Vec<Shape<'a>>,
    unclosed: loose::Unclosed,
}

impl<'a> Walk<'a> {
    fn current_line(&self) -> Option<&'a str> {
        self.text.get(self.at..)?.split_inclusive('\n').next()
    }

    /// Moves past a line without an object, and notes fences and the last text.
    fn skip_line(&mut self, line: &'a str) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.fence = match self.fence {
                Some(_) => None,
                None => Some(!self.before.is_empty()),
            };
        } else if !trimmed.is_empty() {
            self.before = trimmed;
        }
        self.at += line.len();
    }

    /// Reads the first object that begins on this line, and returns the offset of the text after
    /// it.
    fn read_shape(&mut self, line: &'a str, work: &mut usize) -> Option<usize> {
        for (column, _) in line.match_indices(['{', '[']) {
            let from = self.text.get(self.at + column..)?;
            let (shape, cost) = read_objects(from, &mut self.unclosed);
            *work = work.saturating_sub(cost.max(1));
            if *work == 0 {
                return None;
            }
            let Some(Objects { readings, loose, torn }) = shape else { continue };
            let end = cost;
            let listed = from.starts_with('[');
            let bytes = from.get(..end).unwrap_or(from);
            let before = line.get(..column).unwrap_or_default();
            let after = from.get(end..).unwrap_or_default();
            let stands = self.position_of_object_between(before, after);
            let at_margin = column == 0;
            self.found.push(Shape { readings, stands, loose, listed, torn, at_margin, bytes });
            let next = self.at + column + end;
            let rest = self.text.get(next..).unwrap_or_default();
            // The rest of the same line is not a separate line.
            let ended = rest.lines().next().unwrap_or_default().trim().is_empty();
            self.before = if ended { "}" } else { self.before };
            return Some(next.max(self.at + 1));
        }
        None
    }

    /// Returns the position of an object by the text before and after it: alone, labelled, amid
    /// text or as an example.
    fn position_of_object_between(&self, before: &str, after: &str) -> Stands {
        let prefix = before.trim();
        if is_code_before_object(prefix)
            || (prefix.is_empty() && is_instruction(self.before))
            || (self.diff && before.starts_with(['+', '-', ' ']))
            || is_diff_line_prefix(before)
        {
            return Stands::Shown;
        }
        let behind = after.trim_start().trim_start_matches(['`', '~', '\n', '\'', '"']);
        if let Some(text_before) = self.fence {
            let around = text_before || !behind.trim_start().is_empty();
            return if around && (is_instruction(self.before) || text_before) {
                Stands::Amid
            } else {
                Stands::Alone
            };
        }
        if prefix.is_empty() {
            let announced = self.before.ends_with(':');
            let indented = !before.is_empty() && !self.before.is_empty();
            let goes_on = !behind.trim_start().is_empty();
            return if (announced || indented) && goes_on { Stands::Amid } else { Stands::Alone };
        }
        position_behind_prefix(prefix, before)
    }
}

/// Returns the position of an object behind a prefix on its line.
fn position_behind_prefix(prefix: &str, before: &str) -> Stands {
    let glued = before.ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '…' || c == '}');
    // `Answer { decision: Deny }`: the name of a type, as languages print it.
    let named = prefix.starts_with(char::is_uppercase) && prefix.chars().all(char::is_alphanumeric);
    if prefix.split_whitespace().all(is_line_prefix) || glued || named {
        return if is_instruction(prefix) { Stands::Shown } else { Stands::Alone };
    }
    if is_instruction(prefix) {
        return Stands::Shown;
    }
    let label = prefix.ends_with([':', '=', '>', '-', '|', '—']);
    if label && prefix.split_whitespace().count() <= MAX_LABEL {
        Stands::Labelled
    } else {
        Stands::Amid
    }
}

/// The objects that stand at one place of a text.
struct Objects {
    readings: Vec<Map<String, Value>>,
    loose: bool,
    torn: bool,
}

/// Reads the object or list at the start of `text`, and returns how many bytes were read.
fn read_objects(text: &str, unclosed: &mut loose::Unclosed) -> (Option<Objects>, usize) {
    let loose = loose::read_loose_json_cached(text, unclosed);
    let whole = text.get(..loose.end).unwrap_or_default();
    if loose.fields.is_empty() {
        return (None, loose.end);
    }
    if whole.starts_with('[') {
        let strict = serde_json::from_str(whole).ok();
        let mut readings = Vec::new();
        let list = strict.clone().or_else(|| loose.fields.values().next().cloned());
        list.iter().for_each(|value| collect_objects(value, &mut readings));
        return (Some(Objects { readings, loose: strict.is_none(), torn: loose.torn }), loose.end);
    }
    if let Found::Object(object) = strict::read_output(whole.as_bytes()).found {
        let readings = object.possible_readings().cloned().collect();
        return (Some(Objects { readings, loose: false, torn: false }), loose.end);
    }
    (Some(Objects { readings: vec![loose.fields], loose: true, torn: loose.torn }), loose.end)
}

/// Collects the objects of a list, however its lists are nested.
fn collect_objects(value: &Value, found: &mut Vec<Map<String, Value>>) {
    match value {
        Value::Object(fields) => found.push(fields.clone()),
        Value::Array(items) => items.iter().for_each(|value| collect_objects(value, found)),
        _ => {}
    }
}

/// Returns `true` for what programs put before a line: times, levels, names in brackets, bullets,
/// the flags of an `echo` that supports none.
fn is_line_prefix(word: &str) -> bool {
    const LEVELS: &[&str] = &[
        "info", "warn", "warning", "error", "debug", "trace", "notice", "fatal", "critical", "log",
        "data", "ok",
    ];
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let bracketed = word.starts_with(['[', '(', '<']) && word.ends_with([']', ')', '>', ':']);
    let time = bare.contains(|c: char| c.is_ascii_digit())
        && bare.chars().all(|c| c.is_ascii_digit() || "TZ:.-+/,".contains(c));
    let level = LEVELS.iter().any(|level| bare.eq_ignore_ascii_case(level));
    // `INFO:guard:`, `SystemExit:`: what a logger and an exception put before their text.
    let label = word.ends_with(':')
        && (bare
            .split(':')
            .next()
            .is_some_and(|part| LEVELS.iter().any(|level| part.eq_ignore_ascii_case(level)))
            || ["Error", "Exit", "Exception"].iter().any(|suffix| bare.ends_with(suffix)));
    let flag = matches!(word, "-e" | "-n" | "-ne" | "-en" | "-E");
    bare.is_empty() || bracketed || time || level || label || flag
}

/// Returns `true` if a text instructs a reader what to write, instead of being the answer.
fn is_instruction(text: &str) -> bool {
    const ANYWHERE: &[&str] = &[
        "print",
        "prints",
        "printing",
        "example",
        "examples",
        "usage",
        "schema",
        "syntax",
        "docs",
        "documentation",
        "e.g",
        "expected",
        "format",
    ];
    const FIRST: &[&str] = &["use", "write", "return", "emit", "respond", "send", "put"];
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = text.split_whitespace().take(32).map(bare).collect();
    words.first().is_some_and(|word| FIRST.contains(&&**word))
        || words.iter().any(|word| ANYWHERE.contains(&&**word))
}

/// Returns `true` if the text before an object is code, or opens a quotation.
fn is_code_before_object(prefix: &str) -> bool {
    let opens = prefix.ends_with(['(', '`', '\'', '"']);
    let assigns = [
        "return", "=>", "const ", "let ", "var ", "def ", "function", "assert", "+ echo",
        "+ printf", "$ ",
    ];
    let says = prefix.contains(char::is_alphanumeric);
    // `b'{..}'`: the letter belongs to the quote, and the object is all that it quotes.
    let bytes = matches!(prefix, "b'" | "b\"" | "u'" | "u\"");
    says && !bytes && (opens || assigns.iter().any(|text| prefix.contains(text)))
}

/// Returns `true` if a text has the head of a diff.
fn is_diff(text: &str) -> bool {
    let head = |line: &str| {
        line.starts_with("@@ ") || line.starts_with("diff --") || line.starts_with("+++ ")
    };
    text.lines().take(64).any(head)
}

/// Returns `true` if `+` or `-` stands directly before the text, as in a line of a diff.
fn is_diff_line_prefix(before: &str) -> bool {
    matches!(before.chars().next(), Some('+' | '-'))
        && before.trim_start_matches(['+', '-']).trim().is_empty()
        && !before.starts_with("- ")
        && !before.starts_with("+ ")
}
