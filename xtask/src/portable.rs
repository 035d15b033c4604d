//! `cargo xtask portable`: does the backend that macOS has do on Linux what `portable.tsv` says of it, test by test? Runs the tests of
//! `tenterhook-process` alone, built for that backend. Must not change the list.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

use regex::Regex;

use crate::error::Error;
use crate::{Report, tree};

/// The tests that fail on that backend, a line each: the test, a tab, why it fails.
const LIST: &str = "crates/tenterhook-process/tests/portable.tsv";

pub(crate) fn run() -> Report {
    let root = tree::root();
    let list = std::fs::read_to_string(root.join(LIST)).map_err(Error::file(LIST))?;
    // A mask that is stricter than what a test asks for would have its start be refused.
    let played = Command::new("sh")
        .args(["-c", "umask 022 && exec \"$0\" \"$@\"", env!("CARGO")])
        .args(["test", "--locked", "-p", "tenterhook-process", "--tests", "--no-fail-fast"])
        .env("RUSTFLAGS", "--cfg tenterhook_portable")
        // Its flags are other ones than those of all other builds, which would be made anew.
        .env("CARGO_TARGET_DIR", root.join("target/portable"))
        .current_dir(&root)
        .output()
        .map_err(Error::spawn("cargo"))?;
    let printed = String::from_utf8_lossy(&played.stdout);
    let results = results(&printed);
    let mut problems = judge(&list, &results);
    problems.extend(cut_short(&printed));
    if results.is_empty() {
        problems.push(String::from_utf8_lossy(&played.stderr).into_owned());
    }
    let failed = results.values().filter(|passed| !**passed).count();
    let mut text = String::new();
    for problem in &problems {
        let _ = writeln!(text, "{problem}");
    }
    if !problems.is_empty() {
        text.push_str(&printed);
    }
    let _ = writeln!(text, "{} tests pass, {failed} fail", results.len() - failed);
    Ok((text, problems.is_empty()))
}

/// Whether each test passed, by its name. A test of that name in several programs passed where it passed in all.
fn results(printed: &str) -> BTreeMap<&str, bool> {
    let mut results = BTreeMap::new();
    for line in printed.lines() {
        let Some((name, result)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        else {
            continue;
        };
        let passed = match result.trim_end() {
            "ok" => true,
            "FAILED" => false,
            _ => continue,
        };
        let before = results.entry(name).or_insert(true);
        *before &= passed;
    }
    results
}

/// What differs between the list and what the tests did.
fn judge(list: &str, results: &BTreeMap<&str, bool>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut listed = BTreeSet::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, reason) = line.split_once('\t').unwrap_or((line, ""));
        if reason.trim().is_empty() {
            problems.push(format!("{LIST}: `{name}` has no reason: write it behind a tab"));
        }
        if !listed.insert(name) {
            problems.push(format!("{LIST}: `{name}` is there twice: remove one line"));
        }
        match results.get(name) {
            Some(false) => {}
            Some(true) => problems.push(format!("`{name}` passes: take it out of {LIST}")),
            None => problems.push(format!("{LIST}: `{name}` did not run: rename or remove it")),
        }
    }
    let unlisted = results.iter().filter(|(name, passed)| !**passed && !listed.contains(*name));
    problems
        .extend(unlisted.map(|(name, _)| format!("`{name}` fails, and {LIST} does not say so")));
    problems
}

/// Whether a program of tests ended before all its tests.
fn cut_short(printed: &str) -> Option<String> {
    let count =
        |pattern: &str| Regex::new(pattern).map_or(0, |pattern| pattern.find_iter(printed).count());
    let (begun, ended) = (count(r"(?m)^running \d+ tests?$"), count(r"(?m)^test result: "));
    (begun != ended).then(|| format!("{begun} programs of tests began and {ended} ended"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "running 3 tests\ntest a::passes ... ok\ntest a::fails ... FAILED\n\
        test a::skipped ... ignored\n\ntest result: FAILED. 1 passed\n";

    /// HO-22.
    #[test]
    fn list_that_differs_from_the_tests_is_an_error() {
        let results = results(PRINTED);
        for (list, problems) in [
            ("# a comment\n\na::fails\tno such call\n", &[][..]),
            ("", &["`a::fails` fails"]),
            ("a::fails\n", &["`a::fails` has no reason"]),
            ("a::fails\tx\na::passes\tx\n", &["`a::passes` passes"]),
            ("a::fails\tx\na::gone\tx\n", &["`a::gone` did not run"]),
            ("a::fails\tx\na::fails\tx\n", &["`a::fails` is there twice"]),
        ] {
            let found = judge(list, &results);
            assert_eq!(found.len(), problems.len(), "{list:?}: {found:?}");
            for (found, problem) in found.iter().zip(problems) {
                assert!(found.contains(problem), "{list:?}: {found}");
            }
        }
    }

    #[test]
    fn test_that_fails_in_one_of_two_programs_failed() {
        let twice = "test a ... ok\ntest a ... FAILED\ntest b ... ok\n";
        assert_eq!(results(twice), BTreeMap::from([("a", false), ("b", true)]));
        assert_eq!(cut_short(PRINTED), None);
        assert!(cut_short("running 3 tests\ntest a ... ok\n").is_some());
    }
}
