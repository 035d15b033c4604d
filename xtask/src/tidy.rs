//! `cargo xtask tidy`: do the files of the repository keep its rules? Only checks that hold; exceptions stand in tables
//! with their reasons.

mod circles;
mod codes;
mod coverage;
mod crates;
mod dialects;
mod features;
pub(crate) mod gauges;
mod links;
mod promises;
mod rooms;
pub(crate) mod rules;
mod sources;
mod words;

use crate::tree::{self, File};
use crate::{Said, generate};

/// What is wrong, or may be.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    /// Something that must not be.
    pub(crate) fn error(&mut self, place: &str, what: impl std::fmt::Display) {
        self.errors.push(format!("error: {place}: {what}"));
    }

    /// Something that somebody should look at.
    pub(crate) fn warning(&mut self, place: &str, what: impl std::fmt::Display) {
        self.warnings.push(format!("warning: {place}: {what}"));
    }
}

type Check = fn(&[File], &mut Findings);

const CHECKS: &[Check] = &[
    sources::check,
    rooms::check,
    circles::check,
    dialects::check,
    dialects::documented,
    rules::check,
    codes::check,
    coverage::check,
    crates::check,
    features::check,
    words::check,
    links::check,
    gauges::check,
    generate::check,
];

pub(crate) fn run() -> Said {
    let files = tree::files()?;
    let mut findings = Findings::default();
    for check in CHECKS {
        check(&files, &mut findings);
    }
    let mut text = String::new();
    for line in findings.warnings.iter().chain(&findings.errors) {
        text.push_str(line);
        text.push('\n');
    }
    let (errors, warnings) = (findings.errors.len(), findings.warnings.len());
    text.push_str(&format!("{} files, {errors} errors, {warnings} warnings\n", files.len()));
    Ok((text, errors == 0))
}

#[cfg(test)]
mod tests {
    /// The repository is tidy: the same check that CI runs.
    #[test]
    fn the_repository_is_tidy() {
        let (text, tidy) = super::run().unwrap();
        assert!(tidy, "{text}");
    }
}
