//! The expected result of each agent in each case: a table that is read, compared, rewritten, and checked on its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use tenterhook_probe::must_block_call_named;

use super::Found;
use super::cases::{Column, is_moved};
use crate::tree;

/// How the fate of a case begins that this machine cannot play: neither right nor wrong, and nothing to expect.
pub(super) const NOT_PLAYED: &str = "not played: ";

const HEAD: &str = "# What became of each call, alone and with Tenterhook in front: `cargo e2e agents --bless` writes it.\n\
# A denial that does not stop its call with us needs a reason in the last column.\n\
# agent\tcase\twithout us\twith us\twhy\n";

/// A row: what became of a case without and with us, and why it may be so.
#[derive(Debug, Default, Clone)]
struct Row {
    without: String,
    with: String,
    why: String,
}

/// The table, by agent and case.
#[derive(Debug)]
pub(super) struct Table {
    rows: BTreeMap<(String, String), Row>,
}

fn path() -> PathBuf {
    tree::root().join("e2e/src/agents/expected.tsv")
}

impl Row {
    fn cell(&self, column: Column) -> &str {
        match column {
            Column::Without => &self.without,
            Column::With => &self.with,
        }
    }
}

impl Table {
    pub(super) fn read() -> Result<Self, String> {
        let text = std::fs::read_to_string(path()).map_err(|error| error.to_string())?;
        let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let mut cells = line.split('\t').map(str::to_owned);
            let key = (cells.next()?, cells.next()?);
            let mut next = || cells.next().unwrap_or_default();
            Some((key, Row { without: next(), with: next(), why: next() }))
        });
        Ok(Self { rows: rows.collect() })
    }

    pub(super) fn write(&self) -> Result<(), String> {
        let mut text = HEAD.to_owned();
        for ((agent, case), row) in &self.rows {
            let line = format!("{agent}\t{case}\t{}\t{}\t{}", row.without, row.with, row.why);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        std::fs::write(path(), text).map_err(|error| error.to_string())
    }

    /// Takes what was found as what is expected.
    pub(super) fn take(&mut self, agent: &str, column: Column, found: &Found) {
        for (case, fate) in found.iter().filter(|pair| !pair.1.starts_with(NOT_PLAYED)) {
            let row = self.rows.entry((agent.to_owned(), case.clone())).or_default();
            match column {
                Column::Without => row.without.clone_from(fate),
                Column::With => {
                    row.with.clone_from(fate);
                    if !fate.starts_with("ran") {
                        row.why.clear();
                    }
                }
            }
        }
    }

    /// Compares; `whole` says that no case of the table may be missing.
    pub(super) fn compare(
        &self,
        agent: &str,
        column: Column,
        found: &Found,
        whole: bool,
    ) -> (String, bool) {
        let (mut text, mut good) = (format!("{agent}, {}\n", column.name()), true);
        for (case, fate) in found {
            let row = self.rows.get(&(agent.to_owned(), case.clone()));
            let expected = row.map_or("", |row| row.cell(column));
            let fits = expected == fate || fate.starts_with(NOT_PLAYED);
            good &= fits;
            let mark = if fits { String::new() } else { format!("  <- expected: {expected}") };
            let _ = writeln!(text, "  {case:20} {fate}{mark}");
        }
        // Some cases are of one column alone.
        let known =
            self.rows.iter().filter(|row| row.0.0 == agent && !row.1.cell(column).is_empty());
        let missing = |case: &str| whole && !found.iter().any(|found| found.0 == case);
        for ((_, case), _) in known.filter(|pair| missing(&pair.0.1)) {
            good = false;
            let _ = writeln!(text, "  {case:20} (was not played)");
        }
        (text, good)
    }

    /// Whether the table itself says that every denial stops its call with us, or why not; the numbers of both columns.
    pub(super) fn judge(&self, said: &mut String) -> bool {
        let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
        let mut good = true;
        for ((agent, case), row) in &self.rows {
            let passed = row.with.starts_with("ran");
            if passed && row.why.is_empty() && (must_block_call_named(case) || is_moved(case)) {
                good = false;
                let _ = writeln!(said, "{agent}: `{case}` runs with us, and nothing says why");
            }
            if must_block_call_named(case) {
                let [alone, without, played, with] = counts.entry(agent).or_default();
                *alone += usize::from(!row.without.is_empty());
                *without += usize::from(row.without.starts_with("ran"));
                *played += usize::from(!row.with.is_empty());
                *with += usize::from(passed);
            }
        }
        for (agent, [alone, without, played, with]) in counts {
            let _ = writeln!(
                said,
                "{agent}: without us the tool ran in {without} of {alone} ways to say no, with us in {with} of {played}"
            );
        }
        good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_denial_stops_its_call_with_us_or_says_why_not() {
        let mut text = String::new();
        let table = Table::read().expect("it is there");
        assert!(table.judge(&mut text), "{text}");
    }

    #[test]
    fn a_denial_that_runs_with_us_is_a_fault_where_nothing_says_why() {
        let mut table = Table { rows: BTreeMap::new() };
        table.take("x", Column::With, &vec![("deny".to_owned(), "ran".to_owned())]);
        assert!(!table.judge(&mut String::new()));
        let (text, good) = table.compare(
            "x",
            Column::With,
            &vec![("deny".to_owned(), "stopped".to_owned())],
            true,
        );
        assert!(!good && text.contains("expected: ran"), "{text}");
        assert!(!table.compare("x", Column::With, &Vec::new(), true).1, "a case was not played");
        assert!(table.compare("x", Column::Without, &Vec::new(), true).1, "it has none alone");
    }
}
