//! Has every promise of the seed systems its row in `docs/spec/seed-coverage.md`, with a proof for each half that it is about?

use std::collections::BTreeSet;

use super::Findings;
use super::coverage::{PAGE, Proofs};

/// Headings of the tables of promises begin so.
pub(super) const HEADING: &str = "Promises of ";

/// The letter of each system, and how many promises it made.
const SYSTEMS: &[(&str, usize)] = &[("C", 45), ("G", 70), ("I", 36), ("R", 36)];

/// The columns in which a half needs a proof: the engine's, the host's.
const HALVES: &[(&str, [bool; 2])] = &[
    ("engine", [true, false]),
    ("host", [false, true]),
    ("both", [true, true]),
    // A test reads the page; a test of the library does what only an embedding program can do.
    ("documents", [true, false]),
    ("library", [true, false]),
];

/// A cell without a proof.
const NONE: &str = "-";

/// How a cell begins whose promise a ruling decides otherwise.
const SUPERSEDED: &str = "superseded: ruling ";

/// One row: number, promise, half, proof of the engine, proof of the host.
struct Promise<'t> {
    number: &'t str,
    half: &'t str,
    proofs: [&'t str; 2],
}

/// Promises of the host that no session and no play can show, and why; tests prove them.
const UNPLAYED: &[(&str, &str)] = &[
    ("I27", "the scripted service sends no thoughts"),
    ("I28", "the order shows only where one hook is slower than the next answer"),
    ("I29", "it is about what is left when the program is gone"),
];

pub(super) fn check(page: &str, proofs: &Proofs, findings: &mut Findings) {
    let promises: Vec<Promise<'_>> = rows(page).collect();
    for error in numbers(promises.iter().map(|promise| promise.number)) {
        findings.error(PAGE, error);
    }
    let mut later = Vec::new();
    for promise in &promises {
        let known = HALVES.iter().find(|(half, _)| *half == promise.half);
        let Some((_, needed)) = known else {
            findings.error(PAGE, format!("{}: `{}` is not a half", promise.number, promise.half));
            continue;
        };
        for ((cell, is_needed), is_host) in promise.proofs.iter().zip(needed).zip([false, true]) {
            match proof(proofs, cell, *is_needed, is_host) {
                Proof::Later => later.push(promise.number),
                Proof::Present => {}
                Proof::Wrong(why) => findings.error(PAGE, format!("{}: {why}", promise.number)),
            }
        }
    }
    for promise in promises.iter().filter(|promise| !is_played(proofs, promise)) {
        findings.error(PAGE, format!("{}: no session and no play shows it", promise.number));
    }
    if !later.is_empty() {
        let numbers = later.join(", ");
        findings.warning(PAGE, format!("{} proofs are `later:`: {numbers}", later.len()));
    }
}

/// Whether a session or a play shows what the host promises, where one can.
fn is_played(proofs: &Proofs, promise: &Promise<'_>) -> bool {
    let [_, cell] = promise.proofs;
    let is_host = matches!(promise.half, "host" | "both");
    let is_due = is_host && cell.contains('`') && !cell.starts_with(SUPERSEDED);
    let is_excepted = UNPLAYED.iter().any(|(number, _)| *number == promise.number);
    let mut names = cell.split('`').skip(1).step_by(2);
    !is_due || is_excepted || names.any(|name| proofs.is_played(name))
}

/// The rows of the tables of promises.
fn rows(page: &str) -> impl Iterator<Item = Promise<'_>> {
    let mut is_inside = false;
    page.lines().filter_map(move |line| {
        if let Some(heading) = line.strip_prefix("## ") {
            is_inside = heading.starts_with(HEADING);
        }
        let line = line.strip_prefix("| ").filter(|_| is_inside)?.strip_suffix(" |")?;
        let mut cells = line.split(" | ").map(str::trim);
        let (number, _, half) = (cells.next()?, cells.next()?, cells.next()?);
        let proofs = [cells.next()?, cells.next()?];
        (number != "number").then_some(Promise { number, half, proofs })
    })
}

/// Errors about the numbers: each promise has one row.
fn numbers<'t>(numbers: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut missing: BTreeSet<String> = SYSTEMS
        .iter()
        .flat_map(|(letter, count)| (1..=*count).map(move |number| format!("{letter}{number}")))
        .collect();
    let surplus = numbers.filter(|number| !missing.remove(*number));
    let mut errors: Vec<String> =
        surplus.map(|number| format!("{number} is not a promise, or has two rows")).collect();
    errors.extend(missing.iter().map(|number| format!("{number} has no row")));
    errors
}

enum Proof {
    Present,
    Later,
    Wrong(String),
}

/// Judges one cell: names that exist and are about this half, `later: PART`, `superseded: ruling N`, or `-` where none is needed.
fn proof(proofs: &Proofs, cell: &str, is_needed: bool, is_host: bool) -> Proof {
    let superseded = cell.strip_prefix(SUPERSEDED);
    if superseded.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        return Proof::Present;
    }
    if cell.strip_prefix("later: ").is_some_and(|part| !part.is_empty()) {
        return Proof::Later;
    }
    if cell == NONE {
        return if is_needed { Proof::Wrong("lacks a proof".to_owned()) } else { Proof::Present };
    }
    let half = if is_host { "host" } else { "engine" };
    match (proofs.hold(cell), proofs.of_half(half, cell)) {
        (Ok(()), Ok(())) => Proof::Present,
        (Err(error), _) => Proof::Wrong(error.to_string()),
        (Ok(()), Err(_)) => Proof::Wrong(format!("`{cell}` is not about the {half} alone")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::File;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// Findings about a page with these rows, but for rows that are missing.
    fn findings(rows: &str) -> (Vec<String>, Vec<String>) {
        let page = format!(
            "# Seeds\n\n## Promises of Gen\n\n| number | promise | half | engine | host |\n|---|---|---|---|---|\n{rows}\n## Gen\n\n| a | b | engine | `c` |\n"
        );
        let files = [
            file("conformance/gen/G-1-x.toml", ""),
            file("conformance/host/G-1-y.toml", ""),
            file("crates/tenterhook-agent/tests/it/a.rs", "#[test]\nfn it_runs() {}"),
        ];
        let mut findings = Findings::default();
        check(&page, &Proofs::new(&files), &mut findings);
        findings.errors.retain(|error| !error.ends_with(" has no row"));
        (findings.errors, findings.warnings)
    }

    #[test]
    fn row_needs_an_existing_proof_of_each_of_its_halves() {
        for row in [
            "| G1 | it runs | both | `G-1-x` | `host/G-1-y` |",
            "| G1 | it runs | engine | `G-1-*` | - |",
            "| G1 | it runs | host | - | `host/G-1-y` |",
            "| G1 | it runs | library | `G-1-x` | - |",
            "| I27 | it runs | host | - | test `it_runs` |",
            "| G1 | it runs | both | superseded: ruling 25 | superseded: ruling 25 (why) |",
        ] {
            assert_eq!(findings(row), (vec![], vec![]), "{row}");
        }
        for (row, expected) in [
            ("| G1 | it runs | both | `G-1-x` | - |", "G1: lacks a proof"),
            ("| G1 | it runs | engine | - | - |", "G1: lacks a proof"),
            ("| G1 | it runs | engine | `G-2-x` | - |", "`G-2-x` is not a case"),
            ("| G1 | it runs | host | - | `G-1-x` |", "is not about the host alone"),
            ("| G1 | it runs | host | - | test `it_runs` |", "G1: no session and no play shows it"),
            ("| G1 | it runs | engine | `host/G-1-y` | - |", "is not about the engine alone"),
            ("| G1 | it runs | half | `G-1-x` | - |", "`half` is not a half"),
            ("| G1 | it runs | engine | superseded: it is old | - |", "names no case"),
            ("| G71 | it runs | engine | `G-1-x` | - |", "G71 is not a promise"),
        ] {
            let (errors, _) = findings(row);
            assert!(errors.iter().any(|error| error.contains(expected)), "{row}: {errors:?}");
        }
    }

    #[test]
    fn proofs_that_are_to_come_are_counted() {
        let (errors, warnings) = findings("| G2 | it runs | both | `G-1-x` | later: terminal |");
        assert!(errors.is_empty());
        assert!(warnings[0].ends_with("1 proofs are `later:`: G2"), "{warnings:?}");
    }

    #[test]
    fn each_promise_has_one_row() {
        let all: Vec<String> = SYSTEMS
            .iter()
            .flat_map(|(letter, count)| (1..=*count).map(move |number| format!("{letter}{number}")))
            .collect();
        assert_eq!(all.len(), 187);
        assert_eq!(numbers(all.iter().map(String::as_str)), [""; 0]);
        let without = all.iter().map(String::as_str).filter(|number| *number != "R36");
        assert_eq!(
            numbers(without.chain(["C1"])),
            ["C1 is not a promise, or has two rows", "R36 has no row"]
        );
    }
}
