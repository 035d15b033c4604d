//! Prints what firing costs, each figure as a ratio against a raw baseline measured in the same run. Asserts nothing.
//!
//! `cargo bench` runs all; `cargo bench -- WORD` the scenes whose names have the word.

#![expect(clippy::print_stdout, reason = "the figures are this program's data")]
#![expect(
    clippy::disallowed_methods,
    reason = "a raw baseline starts its program itself, and this program reads its own arguments and `PATH`"
)]

mod baseline;
mod sample;
mod scenes;

use sample::Table;

/// A scene: its name and what it adds to the table.
type Scene = (&'static str, fn(&mut Table));

/// Every scene, in the order of the table. One row here is all that a new one needs.
const SCENES: &[Scene] = &[
    ("no-match", scenes::inside::no_match),
    ("function", scenes::inside::functions),
    ("rule", scenes::inside::rule),
    ("self-protection", scenes::inside::self_protection),
    ("lines", scenes::lines::lines),
    ("worker", scenes::worker::worker),
    ("http", scenes::http::http),
    ("command", scenes::command::command),
    ("shell", scenes::interpreter::shell),
    ("python", scenes::interpreter::python),
    ("node", scenes::interpreter::node),
    ("sandbox", scenes::sandbox::sandbox),
    ("big-host", scenes::command::big_host),
    ("parallel", scenes::command::parallel),
    ("sessions", scenes::sessions::sessions),
    ("history", scenes::history::history),
    ("record", scenes::record::record),
    ("trust", scenes::trust::trust),
    ("approvals", scenes::trust::approvals),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == baseline::line::ANSWER_LINES) {
        return baseline::line::answer_lines();
    }
    let wanted: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let mut table = Table::default();
    for (name, scene) in SCENES {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            scene(&mut table);
        }
    }
    print!("{table}");
}
