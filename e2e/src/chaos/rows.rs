//! The zoo: every row, by theme. Gathers tables; plays nothing.

mod answers;
mod endings;
mod files;
mod hosts;
mod processes;
mod secrets;
mod servers;
mod streams;

use super::row::Row;

const THEMES: &[&[Row]] = &[
    streams::ROWS,
    endings::ROWS,
    processes::ROWS,
    answers::ROWS,
    files::ROWS,
    secrets::ROWS,
    servers::ROWS,
    hosts::ROWS,
];

/// All rows. The first one is a hook that does everything right.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    THEMES.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::chaos::row::Cell;

    #[test]
    fn every_row_of_the_zoo_is_there() {
        let numbers: BTreeSet<u8> = all().map(|row| row.number).collect();
        assert_eq!(numbers, (0..=64).collect(), "0 stands for places");
    }

    #[test]
    fn every_row_has_a_name_of_its_own_in_each_cell() {
        let mut seen = BTreeSet::new();
        for row in all() {
            assert!(!row.cells.is_empty(), "{}", row.name);
            for cell in row.cells {
                assert!(seen.insert((row.name, cell.name())), "{} in {}", row.name, cell.name());
            }
        }
    }

    #[test]
    fn what_forks_without_end_runs_into_a_limit() {
        let bombs: Vec<_> = all().filter(|row| row.name.contains("fork_bomb")).collect();
        assert!(!bombs.is_empty() && bombs.iter().all(|bomb| bomb.limits.processes.is_some()));
        assert!(
            all().any(|row| row.cells.contains(&Cell::Namespaces) && row.cells.contains(&Cell::Both))
        );
    }
}
