//! Makes what comes from outside fit to be shown: bounded, and without anything that drives a terminal or reorders a line.
//! Pure. Every text on the screen that this program did not write itself has passed here.

use crate::hooks;

/// How many characters of one text are shown.
pub(super) const TEXT: usize = 100_000;
/// How many characters of a tool's output, or of a reason, are shown.
pub(super) const OUTPUT: usize = 4_000;
/// How many are shown where it is opened.
pub(super) const OPENED: usize = 20_000;
/// How many characters of an argument that is asked about are shown: more than anybody reads, and what is longer is not agreed to.
pub(super) const ASKED: usize = 200_000;
/// How many characters of something that stands on one line are shown.
const LINE: usize = 500;
/// How many characters of a name are shown.
pub(super) const NAME: usize = LINE;
/// Says that something is missing.
const CUT: &str = "… [cut]";

/// Returns the text, safe to show, with at most `cap` characters and a mark if it was cut.
pub(super) fn safe_text(raw: &str, cap: usize) -> String {
    // The invisible part is not even read: a text of many megabytes costs as much as a long one.
    let start = raw.get(..raw.floor_char_boundary(cap.saturating_mul(4))).unwrap_or_default();
    let mut clean = hooks::strip_control_text(start);
    let end = clean.char_indices().nth(cap).map(|(at, _)| at);
    if let Some(end) = end {
        clean.truncate(end);
    }
    if end.is_some() || start.len() < raw.len() {
        clean.push_str(CUT);
    }
    clean
}

/// Returns the text with every invisible or terminal-controlling character escaped, so that the
/// user reads all that they agree to.
pub(super) fn escape_invisible(raw: &str, cap: usize) -> String {
    let start = raw.char_indices().nth(cap).map_or(raw, |(at, _)| raw.split_at(at).0);
    let mut spelled = String::with_capacity(start.len());
    for c in start.chars() {
        let plain = (' '..='~').contains(&c) || matches!(c, '\n' | '\t');
        if plain || hooks::strip_control_text(c.encode_utf8(&mut [0; 4])).starts_with(c) {
            spelled.push(c);
        } else {
            spelled.extend(c.escape_default());
        }
    }
    if start.len() < raw.len() {
        spelled.push_str(CUT);
    }
    spelled
}

/// A text on one line, safe to show.
pub(super) fn single_line(raw: &str) -> String {
    safe_text(raw, LINE).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the beginning of a text that is shown while its block is collapsed.
pub(super) fn collapsed_text(text: &str) -> &str {
    text.get(..text.floor_char_boundary(OUTPUT)).unwrap_or_default()
}

/// A text that comes in pieces. An escape sequence may lie across two of them; it is held back until it is whole.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    held: String,
}

/// How long a sequence may be that is waited for.
const HELD: usize = 4096;

impl Pieces {
    /// Adds a piece, and returns the text that can be shown now.
    pub(super) fn push_piece(&mut self, piece: &str) -> String {
        let mut all = std::mem::take(&mut self.held);
        all.push_str(piece);
        let begins = |c: char| c == '\u{1b}' || ('\u{80}'..='\u{9f}').contains(&c);
        if let Some(at) = all.rfind(begins) {
            let tail = all.get(at..).unwrap_or_default();
            // What follows a whole sequence is text; what follows an open one would belong to it.
            let whole = hooks::strip_control_text(&format!("{tail}x")).ends_with('x');
            if !whole && tail.len() < HELD {
                self.held = all.split_off(at);
            }
        }
        safe_text(&all, TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_drives_a_terminal_is_left() {
        let hostile = "a\u{1b}[31mb\u{1b}]0;title\u{7}c\u{9b}2Jd\u{202e}e\u{200b}f\u{8}g";
        assert_eq!(safe_text(hostile, 100), "abcdefg");
        assert_eq!(single_line("one\n two\t\u{1b}[2Jthree"), "one two three");
    }

    #[test]
    fn what_is_too_long_is_cut_and_marked() {
        assert_eq!(safe_text("abcdef", 3), format!("abc{CUT}"));
        assert_eq!(safe_text("abc", 3), "abc");
        assert_eq!(safe_text(&"日".repeat(10), 2), format!("日日{CUT}"));
        let hidden = format!("{}b", "\u{1b}[31m".repeat(10));
        assert_eq!(safe_text(&hidden, 2), CUT, "a cut is marked even where nothing is left");
        let huge = "x".repeat(50_000_000);
        assert_eq!(safe_text(&huge, 10).chars().count(), 10 + CUT.chars().count());
    }

    #[test]
    fn what_is_not_seen_is_spelled_out() {
        assert_eq!(escape_invisible("a\tb\nc é 日本", 100), "a\tb\nc é 日本");
        assert_eq!(escape_invisible("ls\u{1b}]0;rm x\u{7}\r", 100), "ls\\u{1b}]0;rm x\\u{7}\\r");
        assert_eq!(escape_invisible("a\u{202e}b\u{200b}", 100), "a\\u{202e}b\\u{200b}");
        assert_eq!(escape_invisible("abc", 2), format!("ab{CUT}"));
    }

    #[test]
    fn a_sequence_across_pieces_is_taken_out_whole() {
        let shown = |pieces: &[&str]| {
            let mut filter = Pieces::default();
            pieces.iter().map(|piece| filter.push_piece(piece)).collect::<String>()
        };
        assert_eq!(shown(&["a\u{1b}", "[3", "1mb"]), "ab");
        assert_eq!(shown(&["a\u{1b}]0;ti", "tle\u{7}b"]), "ab");
        assert_eq!(shown(&["a\u{1b}]8;;x\u{1b}", "\\b"]), "ab");
        assert_eq!(shown(&["plain ", "words"]), "plain words");
        let open = format!("\u{1b}]0;{}", "x".repeat(2 * HELD));
        assert_eq!(shown(&[&open, "\nend"]), "\nend", "nothing waits for ever");
    }
}
