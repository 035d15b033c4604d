//! What would change in a file, as a unified diff for people? Makes text; reads and writes no file.

use std::fmt::Write;
use std::ops::Range;

use anstyle::Style;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

use super::layout::to_safe_line;
use super::paint::{BOLD, DIM, ERROR, GOOD, paint};

/// Lines around a change.
const AROUND: u32 = 2;

/// Returns the unified diff of two texts of the file `name`, without terminal control sequences.
pub(crate) fn unified_diff(name: &str, before: &str, after: &str) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut page = Page { input: &input, out: String::new() };
    page.push_line(BOLD, "--- ", name);
    page.push_line(BOLD, "+++ ", name);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    for near in hunks.chunk_by(|one, next| next.before.start - one.before.end <= 2 * AROUND) {
        page.push_hunk_group(near);
    }
    page.out
}

/// Returns how many lines the second text adds to the first one, and how many it removes.
pub(crate) fn count_changed_lines(before: &str, after: &str) -> (usize, usize) {
    let input = InternedInput::new(before, after);
    let diff = Diff::compute(Algorithm::Histogram, &input);
    (diff.count_additions() as usize, diff.count_removals() as usize)
}

struct Page<'a> {
    input: &'a InternedInput<&'a str>,
    out: String,
}

impl Page<'_> {
    /// Appends changes that are so close to each other that they share their context lines.
    fn push_hunk_group(&mut self, near: &[Hunk]) {
        let (Some(first), Some(last)) = (near.first(), near.last()) else { return };
        let old =
            self.range_with_context(&(first.before.start..last.before.end), &self.input.before);
        let new = self.range_with_context(&(first.after.start..last.after.end), &self.input.after);
        self.push_line(DIM, "@@ ", &format!("-{} +{} @@", range_text(&old), range_text(&new)));
        let mut shown = old.start;
        for hunk in near {
            self.push_lines(DIM, " ", &self.input.before, shown..hunk.before.start);
            self.push_lines(ERROR, "-", &self.input.before, hunk.before.clone());
            self.push_lines(GOOD, "+", &self.input.after, hunk.after.clone());
            shown = hunk.before.end;
        }
        self.push_lines(DIM, " ", &self.input.before, shown..old.end);
    }

    fn range_with_context(&self, changed: &Range<u32>, side: &[Token]) -> Range<u32> {
        let lines = u32::try_from(side.len()).unwrap_or(u32::MAX);
        changed.start.saturating_sub(AROUND)..changed.end.saturating_add(AROUND).min(lines)
    }

    fn push_lines(&mut self, style: Style, sign: &str, side: &[Token], range: Range<u32>) {
        for token in side.get(range.start as usize..range.end as usize).unwrap_or_default() {
            self.push_line(style, sign, self.input.interner[*token]);
        }
    }

    /// Appends a line with its indentation, without terminal control sequences.
    fn push_line(&mut self, style: Style, marker: &str, text: &str) {
        let text = text.trim_end_matches(['\r', '\n']);
        let (indent, rest) = text.split_at(text.len() - text.trim_start_matches([' ', '\t']).len());
        let shown = format!("{marker}{indent}{}", to_safe_line(rest));
        // A text takes all that is written to it.
        let _ = writeln!(self.out, "{}", paint(style, shown));
    }
}

/// Returns the position and number of lines. An empty range is positioned at the line before it.
fn range_text(range: &Range<u32>) -> String {
    let first = if range.is_empty() { range.start } else { range.start + 1 };
    format!("{first},{}", range.len())
}

#[cfg(test)]
mod tests {
    use super::unified_diff;

    fn plain(before: &str, after: &str) -> String {
        anstream::adapter::strip_str(&unified_diff("a", before, after)).to_string()
    }

    #[test]
    fn hunk_near_the_top_starts_at_the_first_line() {
        let shown = plain("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n5\n6\n");
        assert_eq!(shown, "--- a\n+++ a\n@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+x\n 5\n 6\n");
    }

    #[test]
    fn distant_changes_get_separate_hunks() {
        let before: String = (1..=20).map(|i| format!("{i}\n")).collect();
        let after = before.replace("3\n", "x\n").replace("1x\n", "13\n").replace("17\n", "");
        let shown = plain(&before, &after);
        assert_eq!(shown.matches("@@ -").count(), 2, "{shown}");
        assert!(shown.contains("@@ -15,5 +15,4 @@\n 15\n 16\n-17\n 18\n 19\n"), "{shown}");
    }

    #[test]
    fn a_new_file_has_no_line_before() {
        assert_eq!(plain("", "a\r\nb"), "--- a\n+++ a\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    }

    #[test]
    fn nothing_in_it_obeys_a_terminal() {
        assert!(!plain("", "  \u{1b}[2Jx\n").contains('\u{1b}'));
        assert!(unified_diff("a", "", "  \u{1b}]0;x\u{7}\n").contains("+  "));
    }
}
