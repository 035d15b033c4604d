//! Prints what firing costs, each figure as a ratio against a raw baseline measured in the same run. Asserts nothing.
//!
//! `cargo run --release -p tenterhook-benches` runs all; a word selects benches by name.

#![expect(clippy::print_stdout, reason = "the figures are this program's data")]
#![expect(
    clippy::disallowed_methods,
    reason = "the raw baseline starts its program itself, and reads its own arguments"
)]

mod baseline;
mod sample;
mod scenes;

use sample::Table;

/// A bench: its name and what it adds to the table.
type Bench = (&'static str, fn(&mut Table));

/// Every bench. One row here is all that a new one needs.
const BENCHES: &[Bench] = &[
    ("no-match", scenes::no_match),
    ("function", scenes::function),
    ("command", scenes::command),
    ("parallel", scenes::parallel),
    ("big-host", scenes::big_host),
];

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut table = Table::default();
    for (name, bench) in BENCHES {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            bench(&mut table);
        }
    }
    print!("{table}");
}
