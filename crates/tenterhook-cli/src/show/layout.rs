//! Text made fit for a screen: cleaned, wrapped, cut. Other people's words never reach a terminal unseen.

use std::time::Duration;

use tenterhook_core::text;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many characters of one text a screen gets.
const CAP: usize = 4000;

/// Converts a text to one line without terminal control sequences; white space becomes a blank.
pub(crate) fn to_safe_line(text: &str) -> String {
    let clean = text::clean(text.trim(), CAP).text;
    clean.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect()
}

/// Returns how many columns `text` takes.
pub(crate) fn display_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Truncates `text` to at most `columns`, with `…` in place of what is missing.
pub(crate) fn truncate_to_width(text: &str, columns: usize) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// Wraps `text` into lines of at most `columns`, between words if possible.
pub(crate) fn wrap_text(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut now = String::new();
        for word in to_safe_line(paragraph).split(' ').filter(|word| !word.is_empty()) {
            let mut word = word.to_owned();
            if !now.is_empty() && display_width(&now) + 1 + display_width(&word) > columns {
                lines.push(std::mem::take(&mut now));
            }
            while display_width(&word) > columns {
                let (head, rest) = split_at_width(&word, columns);
                lines.push(head);
                word = rest;
            }
            if !now.is_empty() {
                now.push(' ');
            }
            now.push_str(&word);
        }
        lines.push(now);
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// Wraps a text of ours, which may have colours, into lines of at most `columns`; lines after the
/// first are indented.
pub(crate) fn wrap_indented(text: &str, columns: usize) -> String {
    const INSET: &str = "  ";
    let mut out = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let wide = display_width(&anstream::adapter::strip_str(word).to_string());
        if used > 0 && used + 1 + wide > columns {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(INSET);
            used = INSET.len();
        } else if !out.is_empty() {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
    }
    out
}

/// Where a long word may be broken and still be readable: behind a separator between its parts.
const JOINTS: &[char] = &['/', '_', '-', '|', ',', ':', '=', '@', '&', '?'];

fn split_at_width(word: &str, columns: usize) -> (String, String) {
    let mut used = 0;
    let (mut end, mut joint) = (word.len(), None);
    for (at, c) in word.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            end = at;
            break;
        }
        if used > columns / 2 && JOINTS.contains(&c) {
            joint = Some(at + c.len_utf8());
        }
    }
    let at = joint.unwrap_or(end);
    word.split_at_checked(at)
        .map_or_else(|| (word.to_owned(), String::new()), |(a, b)| (a.to_owned(), b.to_owned()))
}

/// Returns a number with its noun: `3 hooks`, `1 hook`.
pub(crate) fn format_count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns a number of entries: `3 entries`, `1 entry`.
pub(crate) fn format_entry_count(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

/// Formats a duration for people: `0.4 ms`, `12 ms`, `1.5 s`, `10 min`.
pub(crate) fn format_duration(duration: Duration) -> String {
    let ms = duration.as_secs_f64() * 1e3;
    if ms < 9.95 {
        format!("{ms:.1} ms")
    } else if ms < 999.5 {
        format!("{ms:.0} ms")
    } else if duration.subsec_millis() != 0 && ms < 59_950.0 {
        format!("{:.1} s", ms / 1e3)
    } else {
        format!("{} s", duration.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_passes() {
        assert_eq!(to_safe_line("a\u{1b}[2Jb\u{202e}c\td\n"), "abc d");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap_text("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap_text("abcdefghijkl", 8), ["abcdefgh", "ijkl"]);
        assert_eq!(wrap_text("hooks/pre_tool_use.py", 12), ["hooks/pre_", "tool_use.py"]);
        assert_eq!(wrap_text("a\n\nb", 8), ["a", "", "b"]);
        assert_eq!(wrap_text("", 8), [""]);
    }

    #[test]
    fn coloured_text_flows() {
        assert_eq!(wrap_indented("a  bc", 9), "a  bc");
        assert_eq!(
            wrap_indented("\u{1b}[1mone\u{1b}[0m two three", 8),
            "\u{1b}[1mone\u{1b}[0m two\n  three"
        );
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(truncate_to_width("abcdef", 6), "abcdef");
        assert_eq!(truncate_to_width("abcdef", 4), "abc…");
        assert_eq!(truncate_to_width("日本語", 4), "日…");
    }

    #[test]
    fn times_are_short() {
        let of = |us| format_duration(Duration::from_micros(us));
        assert_eq!(of(412), "0.4 ms");
        assert_eq!(of(12_400), "12 ms");
        assert_eq!(of(1_500_000), "1.5 s");
        assert_eq!(of(600_000_000), "600 s");
    }
}
