//! The results of `cargo e2e agents` (`e2e/src/agents/expected.tsv`) as rows and counts. Draws no page.

use std::fmt;

use tenterhook_core::agents::agents_with_hook_installation;
use tenterhook_probe::must_block_call_named;

use crate::tree;

/// The results of one case behind one version of an agent, alone and with Tenterhook.
pub(super) struct Row {
    pub(super) version: String,
    pub(super) case: String,
    pub(super) without: String,
    pub(super) with: String,
    pub(super) why: String,
}

/// The rows of the table.
pub(super) struct Measured(Vec<Row>);

/// Whose results are counted.
#[derive(Clone, Copy)]
pub(super) enum Column {
    /// The agent alone.
    Without,
    /// The agent behind Tenterhook.
    With,
}

/// The number of calls that ran, of those that were tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) ran: usize,
    pub(super) tried: usize,
}

impl Row {
    /// Returns the result in a column; empty if the case was not tried.
    fn result(&self, column: Column) -> &str {
        match column {
            Column::Without => &self.without,
            Column::With => &self.with,
        }
    }
}

impl Measured {
    /// Reads the table. Without the file there are no rows, so that the pages differ and `tidy` reports it.
    pub(super) fn read() -> Self {
        let path = tree::root().join("e2e/src/agents/expected.tsv");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let row = |line: &str| {
            let mut cells = line.split('\t').map(str::to_owned);
            let (version, case) = (cells.next()?, cells.next()?);
            let mut next = || cells.next().unwrap_or_default();
            Some(Row { version, case, without: next(), with: next(), why: next() })
        };
        Self(text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect())
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.0
    }

    /// Returns the versions with calls that had to be blocked, in the order of the table.
    pub(super) fn versions(&self) -> Vec<&str> {
        let mut versions: Vec<&str> = self.0.iter().map(|row| row.version.as_str()).collect();
        versions.dedup();
        versions.retain(|version| {
            let tried = |column| self.tally(version, column).tried;
            tried(Column::Without) + tried(Column::With) > 0
        });
        versions
    }

    /// Returns the last of these versions of each agent.
    pub(super) fn newest_versions(&self) -> Vec<&str> {
        let mut newest: Vec<&str> = Vec::new();
        for version in self.versions() {
            newest.retain(|older| split(older).0 != split(version).0);
            newest.push(version);
        }
        newest
    }

    /// Returns the result of a case; empty if the case was not tried.
    pub(super) fn result(&self, version: &str, case: &str, column: Column) -> &str {
        let row = self.0.iter().find(|row| row.version == version && row.case == case);
        row.map_or("", |row| row.result(column))
    }

    /// Counts all calls that had to be blocked.
    pub(super) fn tally(&self, version: &str, column: Column) -> Tally {
        let rows =
            self.0.iter().filter(|row| row.version == version && must_block_call_named(&row.case));
        rows.map(|row| Tally::from_result(row.result(column))).sum()
    }
}

impl Tally {
    /// Counts one result.
    pub(super) fn from_result(result: &str) -> Self {
        Self { ran: usize::from(result.starts_with("ran")), tried: usize::from(!result.is_empty()) }
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, one| Self {
            ran: sum.ran + one.ran,
            tried: sum.tried + one.tried,
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.ran, self.tried)
    }
}

/// Returns the result of one call as a cell of a table.
pub(super) fn cell(result: &str) -> &'static str {
    match result {
        "" => "-",
        result if result.starts_with("ran") => "**ran**",
        _ => "stopped",
    }
}

/// Returns a version as people write it: `claude-2.1.330` is Claude Code 2.1.330.
pub(super) fn version_title(version: &str) -> String {
    let (name, number) = split(version);
    let agent = agents_with_hook_installation().find(|agent| agent.name == name);
    format!("{} {number}", agent.map_or(name, |agent| agent.title))
}

/// Splits a version into the agent and its number.
fn split(version: &str) -> (&str, &str) {
    version.rsplit_once('-').unwrap_or((version, ""))
}
