//! Breaks text into lines that fit. Pure.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The lines of `text`, none wider than `width` columns; words stay whole where they fit.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        fold(&line.replace('\t', "    "), width, &mut lines);
    }
    lines
}

fn fold(line: &str, width: usize, lines: &mut Vec<String>) {
    let (mut current, mut used) = (String::new(), 0);
    for word in line.split_inclusive(' ') {
        let wide = word.trim_end().width();
        if used > 0 && used + wide > width {
            lines.push(std::mem::take(&mut current).trim_end().to_owned());
            used = 0;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if used + wide > width {
                // A space at the edge needs no line of its own.
                if c == ' ' {
                    continue;
                }
                lines.push(std::mem::take(&mut current));
                used = 0;
            }
            current.push(c);
            used += wide;
        }
    }
    lines.push(current.trim_end().to_owned());
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
}
