//! Breaks text into lines that fit. Pure.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The lines of `text`, none wider than `width` columns. Words stay whole where they fit, and what is indented stays so.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| fold(line, width)).collect()
}

/// The same lines from the last to the first, broken no sooner than they are asked for.
pub(super) fn upward(text: &str, width: usize) -> impl Iterator<Item = String> {
    text.rsplit('\n').flat_map(move |line| fold(line, width).into_iter().rev())
}

/// Breaks at the edge, wherever that is, and drops nothing: for a text in which a cursor stands.
pub(super) fn chop(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in spaced(text).split('\n') {
        let mut open = Open::new(width, 0);
        for sign in line.graphemes(true) {
            if open.used + sign.width() > open.width {
                lines.push(open.next());
            }
            open.push(sign);
        }
        lines.push(open.text);
    }
    lines
}

/// The text as far as it fits.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut start = chop(text, width.saturating_sub(1)).into_iter().next().unwrap_or_default();
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

    fn push(&mut self, sign: &str) {
        self.text.push_str(sign);
        self.used += sign.width();
    }

    /// Begins the next line; the full one.
    fn next(&mut self) -> String {
        self.used = self.indent;
        std::mem::replace(&mut self.text, " ".repeat(self.indent))
    }
}

fn spaced(text: &str) -> Cow<'_, str> {
    if text.contains('\t') { text.replace('\t', "    ").into() } else { text.into() }
}

fn fold(line: &str, width: usize) -> Vec<String> {
    let line = spaced(line);
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut open = Open::new(width, if indent <= width / 2 { indent } else { 0 });
    let mut lines = Vec::new();
    for (at, word) in line.split_inclusive(' ').enumerate() {
        let wide = word.trim_end_matches(' ').width();
        if at > 0 && open.used + wide > open.width && !open.text.trim_start().is_empty() {
            lines.push(open.next().trim_end().to_owned());
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
                lines.push(open.next());
            }
            open.push(sign);
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
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("", 4), [""]);
        assert!(wrap("x y", 0).iter().all(|line| line.width() <= 1));
    }

    #[test]
    fn what_is_indented_stays_so() {
        assert_eq!(wrap("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(wrap("      deep down", 8), ["      de", "ep down"]);
    }

    #[test]
    fn signs_of_several_characters_stay_whole() {
        assert_eq!(wrap("👨‍👩‍👧👨‍👩‍👧", 3), ["👨‍👩‍👧", "👨‍👩‍👧"]);
        assert_eq!(wrap("e\u{301}e\u{301}", 1), ["e\u{301}", "e\u{301}"]);
    }

    #[test]
    fn upward_is_the_same_from_the_end() {
        for text in ["one two three\nfour", "", "a\n\n日本語 x", "  in\n out"] {
            let mut lines: Vec<_> = upward(text, 6).collect();
            lines.reverse();
            assert_eq!(lines, wrap(text, 6));
        }
    }

    #[test]
    fn nothing_is_dropped_where_a_cursor_stands() {
        assert_eq!(chop("ab  cd ", 3), ["ab ", " cd", " "]);
        assert_eq!(chop("a\n", 3), ["a", ""]);
        assert_eq!(chop("", 3), [""]);
    }
}
