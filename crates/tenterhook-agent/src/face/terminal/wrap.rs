//! Breaks text into lines that fit. Pure.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Wraps `text` into lines of at most `width` columns. Words stay whole where they fit, and
/// indentation is kept.
pub(super) fn wrap_text(text: &str, width: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| wrap_line(line, width)).collect()
}

/// Wraps `text` and returns the lines from the last to the first, each wrapped only when it is
/// requested.
pub(super) fn wrap_reversed(text: &str, width: usize) -> impl Iterator<Item = String> {
    text.rsplit('\n').flat_map(move |line| wrap_line(line, width).into_iter().rev())
}

/// Breaks the text exactly at the width and drops nothing: for a text with a cursor in it.
pub(super) fn wrap_anywhere(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in expand_tabs(text).split('\n') {
        let mut open = Open::new(width, 0);
        for sign in line.graphemes(true) {
            if open.used + sign.width() > open.width {
                lines.push(open.start_next_line());
            }
            open.push_char(sign);
        }
        lines.push(open.text);
    }
    lines
}

/// Returns the part of the text that fits the width.
pub(super) fn truncate_to_width(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut start =
        wrap_anywhere(text, width.saturating_sub(1)).into_iter().next().unwrap_or_default();
    if width > 0 {
        start.push('…');
    }
    start
}

/// A line that is being filled.
struct Open {
    text: String,
    used: usize,
    width: usize,
    indent: usize,
}

impl Open {
    fn new(width: usize, indent: usize) -> Self {
        Self { text: String::new(), used: 0, width: width.max(1), indent }
    }

    fn push_char(&mut self, sign: &str) {
        self.text.push_str(sign);
        self.used += sign.width();
    }

    /// Begins the next line and returns the full one.
    fn start_next_line(&mut self) -> String {
        self.used = self.indent;
        std::mem::replace(&mut self.text, " ".repeat(self.indent))
    }
}

fn expand_tabs(text: &str) -> Cow<'_, str> {
    if text.contains('\t') { text.replace('\t', "    ").into() } else { text.into() }
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let line = expand_tabs(line);
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut open = Open::new(width, if indent <= width / 2 { indent } else { 0 });
    let mut lines = Vec::new();
    for (at, word) in line.split_inclusive(' ').enumerate() {
        let wide = word.trim_end_matches(' ').width();
        if at > 0 && open.used + wide > open.width && !open.text.trim_start().is_empty() {
            lines.push(open.start_next_line().trim_end().to_owned());
        }
        // Most words fit whole, and are not taken apart.
        let all = word.width();
        if open.used + all <= open.width {
            open.text.push_str(word);
            open.used += all;
            continue;
        }
        for sign in word.graphemes(true) {
            if open.used + sign.width() > open.width {
                // A space at the edge needs no separate line.
                if sign == " " {
                    continue;
                }
                lines.push(open.start_next_line());
            }
            open.push_char(sign);
        }
    }
    lines.push(open.text.trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrap_text("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap_text("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap_text("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(wrap_text("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap_text("", 4), [""]);
        assert!(wrap_text("x y", 0).iter().all(|line| line.width() <= 1));
    }

    #[test]
    fn what_is_indented_stays_so() {
        assert_eq!(wrap_text("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(wrap_text("      deep down", 8), ["      de", "ep down"]);
    }

    #[test]
    fn signs_of_several_characters_stay_whole() {
        assert_eq!(wrap_text("👨‍👩‍👧👨‍👩‍👧", 3), ["👨‍👩‍👧", "👨‍👩‍👧"]);
        assert_eq!(wrap_text("e\u{301}e\u{301}", 1), ["e\u{301}", "e\u{301}"]);
    }

    #[test]
    fn upward_is_the_same_from_the_end() {
        for text in ["one two three\nfour", "", "a\n\n日本語 x", "  in\n out"] {
            let mut lines: Vec<_> = wrap_reversed(text, 6).collect();
            lines.reverse();
            assert_eq!(lines, wrap_text(text, 6));
        }
    }

    #[test]
    fn nothing_is_dropped_where_a_cursor_stands() {
        assert_eq!(wrap_anywhere("ab  cd ", 3), ["ab ", " cd", " "]);
        assert_eq!(wrap_anywhere("a\n", 3), ["a", ""]);
        assert_eq!(wrap_anywhere("", 3), [""]);
    }
}
