//! Which lines are newer than the commit that last changed the counts? Asks git; where it does not know, no line is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::process::Command;

use super::COUNTS;
use crate::tree;

/// Lines that are newer than the counts.
#[derive(Debug, Default)]
pub(super) struct Newest {
    ranges: BTreeMap<String, Vec<Range<usize>>>,
}

impl Newest {
    pub(super) fn contains(&self, path: &str, line: usize) -> bool {
        self.ranges.get(path).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&line)))
    }

    /// Reads a diff without context.
    fn parse(diff: &str) -> Self {
        let mut newest = Self::default();
        let mut path = "";
        for line in diff.lines() {
            if let Some(name) = line.strip_prefix("+++ b/") {
                path = name;
            }
            let added = line.strip_prefix("@@ ").and_then(|line| line.split(' ').nth(1));
            let Some(added) = added.and_then(|added| added.strip_prefix('+')) else { continue };
            let (start, length) = added.split_once(',').unwrap_or((added, "1"));
            if let (Ok(start), Ok(length)) = (start.parse::<usize>(), length.parse::<usize>()) {
                newest.ranges.entry(path.to_owned()).or_default().push(start..start + length);
            }
        }
        newest
    }
}

/// The new lines of these files.
pub(super) fn lines(paths: BTreeSet<&str>) -> Newest {
    let base = git(&["log", "-1", "--format=%H", "--", COUNTS]);
    let base = Some(base.trim()).filter(|base| !base.is_empty()).unwrap_or("HEAD");
    let mut newest =
        Newest::parse(&git(&["diff", "--no-color", "--no-ext-diff", "--unified=0", base]));
    for path in git(&["ls-files", "--others", "--exclude-standard"]).lines() {
        newest.ranges.entry(path.to_owned()).or_default().push(0..usize::MAX);
    }
    newest.ranges.retain(|path, _| paths.contains(path.as_str()));
    newest
}

fn git(args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "safe.directory=*"]).args(args).current_dir(tree::root());
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_of_a_diff_are_new_and_others_are_not() {
        let diff = "+++ b/a.rs\n@@ -1,2 +3,2 @@ fn\n+x\n+y\n@@ -9 +12 @@\n+z\n+++ b/b.rs\n@@ -4,3 +3,0 @@\n-a\n";
        let newest = Newest::parse(diff);
        let new =
            |path: &str| (0..20).filter(|line| newest.contains(path, *line)).collect::<Vec<_>>();
        assert_eq!(new("a.rs"), [3, 4, 12]);
        assert_eq!(new("b.rs"), [0; 0]);
        assert_eq!(new("c.rs"), [0; 0]);
    }
}
