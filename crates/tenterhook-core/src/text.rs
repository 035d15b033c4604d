//! Makes hook text safe to show and to inject. Pure: reads and writes nothing.
//!
//! Whatever a hook prints is untrusted: it may drive a terminal, reorder a line, hide instructions in characters that
//! people do not see, or pretend to be the system. [`clean`] is the one function that it passes before a person or a model
//! gets it; [`label`] says to the model whose words it reads. Raw bytes stay in the record. Rules H-1 to H-12 of
//! `docs/spec/text.md`.

mod invisible;
mod sequence;

use std::fmt::Write as _;

use unicode_segmentation::GraphemeCursor;

use invisible::Kind;

/// How many characters of context reach a model whole: the limit of the agent that most hooks are written for (H-9).
pub const CONTEXT_CAP: usize = 10_000;
/// How many characters of longer context are shown beside the path to the rest (H-10).
pub const PREVIEW_CAP: usize = 2_000;

/// Text that is safe to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clean {
    /// The text: of the characters below U+0020 it has only line feeds and tabs.
    pub text: String,
    /// What was taken out.
    pub removed: Removed,
    /// How many characters the cap cut off; 0 when the text is whole.
    pub cut: usize,
}

/// How many of each kind were taken out of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Control characters on their own (H-2).
    pub controls: usize,
    /// Escape sequences: colours, titles, links, clipboard writes (H-3).
    pub sequences: usize,
    /// Characters that reorder a line (H-4).
    pub bidi: usize,
    /// Invisible characters, variation selectors and tags among them (H-5 to H-7).
    pub invisible: usize,
}

impl Removed {
    /// Returns true if nothing was removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if something was removed that has no honest use in a message, so that a person
    /// must learn of it (H-8).
    #[must_use]
    pub const fn is_suspicious(&self) -> bool {
        self.bidi > 0 || self.invisible > 0
    }
}

/// The start of a longer text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The start, cut between two characters as people see them.
    pub shown: String,
    /// How many characters (code points) follow; 0 when `shown` is the whole text.
    pub dropped_chars: usize,
}

/// Makes `text` safe to show: removes what is not text, and cuts it to `cap` characters including
/// the truncation mark.
#[must_use]
pub fn clean(text: &str, cap: usize) -> Clean {
    let (text, removed) = remove_unsafe_characters(text);
    let total = text.chars().count();
    if total <= cap {
        return Clean { text, removed, cut: 0 };
    }
    // The mark names a number whose digits depend on the cut: room for the largest one is kept.
    let room = truncation_mark(total).chars().count();
    let start = truncate_for_preview(&text, cap.saturating_sub(room));
    let mut cut = start.shown;
    // A joiner with nothing to join is removed above; the cut must not make one.
    cut.truncate(cut.trim_end_matches(['\u{200c}', '\u{200d}']).len());
    let dropped = total - cut.chars().count();
    if room <= cap {
        cut.push_str(&truncation_mark(dropped));
    }
    Clean { text: cut, removed, cut: dropped }
}

fn truncation_mark(dropped: usize) -> String {
    format!("… [{dropped} characters cut]")
}

/// Removes only control characters and escape sequences, for a reader of data that a program
/// coloured (J-18).
#[must_use]
pub fn remove_control_sequences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some((c, rest)) = char_and_rest_at(text, at) {
        at = text.len() - rest.len();
        match sequence::escape_sequence_length(c, rest) {
            Some(length) => at += length,
            None if c == '\r' || !invisible::is_control_char(c) => out.push(c),
            None => {}
        }
    }
    out
}

/// Returns the first `cap_chars` characters of `text`, cut between two visible characters.
#[must_use]
pub fn truncate_for_preview(text: &str, cap_chars: usize) -> Preview {
    let Some((limit, _)) = text.char_indices().nth(cap_chars) else {
        return Preview { shown: text.to_owned(), dropped_chars: 0 };
    };
    let mut cursor = GraphemeCursor::new(limit, text.len(), true);
    let end = match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(limit),
        _ => limit,
    };
    // One "character" may be a base with thousands of marks: then the cap wins over its looks.
    let end = if limit - end > 128 { limit } else { end };
    let shown = text.get(..end).unwrap_or_default().to_owned();
    let dropped_chars = text.get(end..).unwrap_or_default().chars().count();
    Preview { shown, dropped_chars }
}

impl Preview {
    /// Returns the start of the text and, if it is cut, the path of the file with the whole text,
    /// in words for a model (H-10).
    #[must_use]
    pub fn preview_text_with_file_path(&self, path: &str) -> String {
        let Self { shown, dropped_chars } = self;
        if *dropped_chars == 0 {
            return shown.clone();
        }
        let path = clean_to_one_line(path);
        format!("{shown}\n… [{dropped_chars} more characters; the whole text is in {path}]")
    }
}

/// The tag of a labelled block (H-11).
const TAG: &str = "hook-output";

/// Other tags that a model may take for the voice of its host (H-12).
const TAGS: &[&str] = &[
    "hook_output",
    "hook_prompt",
    "hook_context",
    "untrusted_context",
    "persisted-output",
    "system-reminder",
    "system",
    "developer",
    "assistant",
    "user",
    "human",
    "tool_result",
    "function_results",
];

/// Wraps cleaned text for a model in a block that names its source. The text cannot end the block
/// (H-11, H-12).
#[must_use]
pub fn label(source: &str, text: &str) -> String {
    let source =
        clean_to_one_line(source).replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let mut block = format!("<{TAG} source=\"{source}\">\n");
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        let (_, after) = tag.split_at(1);
        block.push_str(before);
        block.push_str(if begins_with_reserved_tag(after) { "&lt;" } else { "<" });
        rest = after;
    }
    block.push_str(rest);
    let _ = write!(block, "\n</{TAG}>");
    block
}

/// Returns true if the text after a `<` is an opening or closing tag of [`TAGS`], or begins with
/// the name of our own tag.
fn begins_with_reserved_tag(after: &str) -> bool {
    let start = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '|'));
    let name: String = start
        .chars()
        .take(32)
        .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        .collect();
    let ours = name.get(..TAG.len()).is_some_and(|start| start.eq_ignore_ascii_case(TAG));
    ours || TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

fn clean_to_one_line(text: &str) -> String {
    clean(text, 512).text.replace(['\n', '\t'], " ")
}

fn char_and_rest_at(text: &str, at: usize) -> Option<(char, &str)> {
    let mut chars = text.get(at..)?.chars();
    chars.next().map(|c| (c, chars.as_str()))
}

/// Removes what is not text. Removing again changes nothing, because each decision depends on the
/// output so far.
fn remove_unsafe_characters(text: &str) -> (String, Removed) {
    // Most texts are plain ASCII, in which nothing can be taken out: to look is far cheaper than to wash.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return (text.to_owned(), Removed::default());
    }
    let mut out = String::with_capacity(text.len());
    let mut removed = Removed::default();
    let mut at = 0;
    while let Some((c, rest)) = char_and_rest_at(text, at) {
        at = text.len() - rest.len();
        if let Some(length) = sequence::escape_sequence_length(c, rest) {
            removed.sequences += 1;
            at += length;
            continue;
        }
        match invisible::classify_char(c, out.chars().next_back(), rest.chars().next()) {
            Kind::Text => out.push(c),
            // CR LF is one line break, and so is CR alone: on a screen it would overwrite the line (H-1).
            Kind::LineBreak if c == '\r' && rest.starts_with('\n') => {}
            Kind::LineBreak => out.push('\n'),
            Kind::Control => removed.controls += 1,
            Kind::Bidi => removed.bidi += 1,
            Kind::Invisible => removed.invisible += 1,
        }
    }
    (out, removed)
}

#[cfg(test)]
mod tests;
