//! What does a replacement change, line by line? Pure.

use super::shown;
use crate::conversation::Call;
use crate::tool;

/// The arguments that it tells of, in place of their names.
pub(super) const PARTS: &[&str] = &["old_string", "new_string"];
/// How many lines that stay are shown round those that change.
const ROUND: usize = 2;

/// Returns the diff of an edit call: removed lines with `-`, added ones with `+`, and some
/// unchanged lines. `None` if the call replaces nothing.
pub(super) fn call_diff(call: &Call) -> Option<String> {
    let [old, new] = ["old_string", "new_string"].map(|part| tool::text_argument(call, part));
    Some(line_diff(
        &shown::escape_invisible(old?, shown::ASKED),
        &shown::escape_invisible(new?, shown::ASKED),
    ))
}

pub(super) fn line_diff(old: &str, new: &str) -> String {
    let [old, new]: [Vec<&str>; 2] = [old, new].map(|text| text.split('\n').collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let before = old.iter().zip(&new).take_while(same).count();
    let left = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(left).take_while(same).count();
    let changed = |all: &[&str], mark: char| {
        let lines = all.iter().take(all.len() - after).skip(before);
        lines.map(|line| format!("{mark} {line}")).collect::<Vec<_>>()
    };
    let stays = |text: &&str| format!("  {text}");
    let mut lines: Vec<String> = Vec::new();
    lines.extend(old.iter().take(before).skip(before.saturating_sub(ROUND)).map(stays));
    lines.extend(changed(&old, '-'));
    lines.extend(changed(&new, '+'));
    lines.extend(old.iter().skip(old.len() - after).take(ROUND).map(stays));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-4.
    #[test]
    fn lines_that_go_and_come_stand_among_those_that_stay() {
        assert_eq!(line_diff("a\nb\nc\nd\ne", "a\nb\nX\nd\ne"), "  a\n  b\n- c\n+ X\n  d\n  e");
        assert_eq!(line_diff("one", "two"), "- one\n+ two");
        assert_eq!(line_diff("a\nb", "a\nb\nb"), "  a\n  b\n+ b");
        assert_eq!(line_diff("a\na\na", "a"), "  a\n- a\n- a");
        assert_eq!(line_diff("x", "x"), "  x");
        assert_eq!(line_diff("x", ""), "- x\n+ ");
    }
}
