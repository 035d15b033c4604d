//! Does every row of `docs/spec/seed-coverage.md` name a case, a test or a play that exists, or a reason of the closed list?

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{Findings, promises};
use crate::error::Error;
use crate::tree::File;

pub(super) const PAGE: &str = "docs/spec/seed-coverage.md";

/// What a row may wait for.
const LATER: &[&str] = &["host", "http", "model", "sandbox"];

/// Why nothing here may prove a row.
const REASONS: &[&str] = &["contradicts a seed", "UI of that product", "platform"];

/// A test: its attribute, further ones, and its name.
const TEST: &str = r"\btest(?:\([^)]*\))?\]\s+(?:#\[[^\]]*\]\s+)*(?:async )?fn ([a-z_0-9]+)\(";

/// How many rows in a hundred may have a reason instead of a proof.
const REASONS_PERCENT: usize = 10;

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return };
    let proofs = Proofs::new(files);
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut system = "";
    for line in page.text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            system = heading;
        }
        if system.is_empty() || system.starts_with(promises::HEADING) {
            continue;
        }
        let Some((name, half, covered)) = row(line) else { continue };
        let (all, reasons) = rows.entry(system).or_default();
        *all += 1;
        *reasons += usize::from(covered.starts_with("reason:"));
        if let Err(why) = proofs.hold(covered).and_then(|()| proofs.of_half(half, covered)) {
            findings.error(PAGE, format!("{system}: {name}: {why}"));
        }
    }
    promises::check(&page.text, &proofs, findings);
    for (system, (all, reasons)) in rows {
        if reasons * 100 > all * REASONS_PERCENT {
            findings.error(
                PAGE,
                format!("{system}: {reasons} of {all} rows have no proof but a reason"),
            );
        }
    }
}

/// The first and the last two columns of a row of data.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    let name = inner.split('|').next()?.trim();
    let mut last = inner.rsplit('|').map(str::trim);
    let (covered, half) = (last.next()?, last.next()?);
    let is_data = !name.starts_with("---") && name != "test or rule";
    is_data.then_some((name, half, covered))
}

/// The names of everything that can prove a row.
pub(super) struct Proofs {
    /// Case files without folder and ending, and folders of tables with both.
    cases: Vec<String>,
    tests: BTreeSet<String>,
    /// Those of them that are about the host.
    of_host: BTreeSet<String>,
    /// The plays of `cargo e2e terminal`.
    plays: BTreeSet<String>,
    /// Files that a suite of `.ci/run` runs, or that are the proof themselves.
    files: BTreeSet<String>,
}

impl Proofs {
    pub(super) fn new(files: &[File]) -> Self {
        let cases = files.iter().filter_map(|file| {
            let case = file.path.strip_prefix("conformance/")?.strip_suffix(".toml")?;
            Some(case.to_owned())
        });
        let named = Regex::new(TEST).ok();
        let test_names = |file: &File| {
            let found = named.iter().flat_map(|named| named.captures_iter(file.tests()));
            found
                .filter_map(|captures| Some(captures.get(1)?.as_str().to_owned()))
                .collect::<Vec<_>>()
        };
        let rust = files.iter().filter(|file| file.is_rust());
        let (host, engine): (Vec<_>, Vec<_>) =
            rust.partition(|file| file.path.starts_with("crates/tenterhook-agent/"));
        let engine: BTreeSet<String> = engine.into_iter().flat_map(test_names).collect();
        let host: BTreeSet<String> = host.into_iter().flat_map(test_names).collect();
        let of_host = host.difference(&engine).cloned().collect();
        let tests = host.into_iter().chain(engine);
        let play = Regex::new(r#"\(\s*"([^"]+)","#).ok();
        let stages = files.iter().filter(|file| file.path.starts_with("e2e/src/terminal/"));
        let tables = stages.filter_map(|file| {
            let (_, rest) = file.text.split_once("PLAYS: &[Play] =")?;
            rest.split_once("];").map(|(table, _)| table)
        });
        let plays = tables.flat_map(|table| {
            let found = play.iter().flat_map(|play| play.captures_iter(table));
            found
                .filter_map(|captures| Some(captures.get(1)?.as_str().to_owned()))
                .collect::<Vec<_>>()
        });
        let paths = files.iter().map(|file| file.path.clone());
        Self {
            cases: cases.collect(),
            tests: tests.collect(),
            of_host,
            plays: plays.collect(),
            files: paths.collect(),
        }
    }

    pub(super) fn hold(&self, covered: &str) -> Result<(), Error> {
        for (word, allowed) in [("later:", LATER), ("reason:", REASONS)] {
            if let Some(rest) = covered.strip_prefix(word) {
                let known = allowed.iter().any(|prefix| rest.trim().starts_with(prefix));
                return if known {
                    Ok(())
                } else {
                    Err(Error::Invalid(format!("`{covered}` is not of the closed list")))
                };
            }
        }
        let names: Vec<&str> = covered.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            return Err(Error::Invalid("names no case, no test and no play".to_owned()));
        }
        match names.iter().find(|name| !self.know(name)) {
            Some(name) => Err(Error::Usage(format!("`{name}` is not a case, a test or a play"))),
            None => Ok(()),
        }
    }

    /// Whether a row proves the half that it says.
    pub(super) fn of_half(&self, half: &str, covered: &str) -> Result<(), Error> {
        let said = match half {
            "host" => (true, false),
            "engine" => (false, true),
            "both" => (true, true),
            other => {
                return Err(Error::Usage(format!(
                    "`{other}` is not a valid half: engine, host or both"
                )));
            }
        };
        if covered.starts_with("later:") || covered.starts_with("reason:") {
            return Ok(());
        }
        let names = || covered.split('`').skip(1).step_by(2);
        let host = names().any(|name| self.is_of_host(name));
        let engine = names().any(|name| !self.is_of_host(name));
        if said == (host, engine) {
            Ok(())
        } else {
            Err(Error::Invalid(format!(
                "it says `{half}`, and what it names is about another half"
            )))
        }
    }

    fn is_of_host(&self, name: &str) -> bool {
        let test = name.rsplit("::").next().unwrap_or(name);
        self.is_played(name) || self.of_host.contains(test)
    }

    /// Whether this is a session of the reference agent, or a play of its terminal.
    pub(super) fn is_played(&self, name: &str) -> bool {
        name.starts_with("host/")
            || name.starts_with("e2e/src/terminal/")
            || self.plays.contains(name)
    }

    fn know(&self, name: &str) -> bool {
        let test = name.rsplit("::").next().unwrap_or(name);
        let file = name.split(' ').next().unwrap_or(name);
        if self.tests.contains(test) || self.plays.contains(name) || self.files.contains(file) {
            return true;
        }
        self.cases.iter().any(|case| {
            let last = case.rsplit('/').next().unwrap_or(case);
            match name.strip_suffix('*') {
                Some(start) => last.starts_with(start) || case.starts_with(start),
                None => last == name || case == name,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_proved_or_says_why_not() {
        let proofs = Proofs {
            cases: vec!["gen/G-1-x".to_owned()],
            tests: ["t".to_owned(), "u".to_owned()].into(),
            of_host: ["u".to_owned()].into(),
            plays: ["a prompt is seen".to_owned()].into(),
            files: BTreeSet::new(),
        };
        for (covered, holds) in [
            ("`G-1-x`", true),
            ("`G-1-*`, test `t`", true),
            ("play `a prompt is seen`", true),
            ("play `a prompt is lost`", false),
            ("`gen/G-1-x`", true),
            ("`G-2-x`", false),
            ("later: host (once)", true),
            ("later: somebody", false),
            ("reason: platform", true),
            ("reason: too hard", false),
            ("G-1-x", false),
        ] {
            assert_eq!(proofs.hold(covered).is_ok(), holds, "{covered}");
        }
    }

    #[test]
    fn a_row_says_whose_half_it_proves() {
        let proofs = Proofs {
            cases: Vec::new(),
            tests: BTreeSet::new(),
            of_host: ["u".to_owned()].into(),
            plays: ["a prompt is seen".to_owned()].into(),
            files: BTreeSet::new(),
        };
        for (half, covered, holds) in [
            ("engine", "`a-case`, test `t`", true),
            ("host", "`a-case`", false),
            ("host", "test `u`, play `a prompt is seen`, `host/a-session`", true),
            ("both", "`a-case`, `host/a-session`", true),
            ("both", "`a-case`", false),
            ("engine", "`a-case`, `host/a-session`", false),
            ("all", "`a-case`", false),
            ("host", "reason: UI of that product", true),
        ] {
            assert_eq!(proofs.of_half(half, covered).is_ok(), holds, "{half}: {covered}");
        }
    }

    #[test]
    fn head_of_a_table_is_not_a_row() {
        assert_eq!(row("| a | b | both | `c` |"), Some(("a", "both", "`c`")));
        assert_eq!(row("|---|---|---|"), None);
        assert_eq!(row("| test or rule | where | half | covered by |"), None);
    }
}
