//! `cargo xtask tidy`: do the files of the repository keep its rules? Only checks that hold; exceptions stand in tables
//! with their reasons.

mod codes;
mod coverage;
mod crates;
mod cycles;
mod dialects;
mod features;
pub(crate) mod gauges;
mod glossary;
mod links;
mod modules;
mod private_text;
mod promises;
pub(crate) mod rules;
mod sources;

use crate::tree::{self, File};
use crate::{Report, generate};

/// Errors and warnings.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    /// A broken rule.
    pub(crate) fn error(&mut self, path: &str, message: impl std::fmt::Display) {
        self.errors.push(format!("error: {path}: {message}"));
    }

    /// Something that a maintainer should look at.
    pub(crate) fn warning(&mut self, path: &str, message: impl std::fmt::Display) {
        self.warnings.push(format!("warning: {path}: {message}"));
    }
}

type Check = fn(&[File], &mut Findings);

const CHECKS: &[Check] = &[
    sources::check,
    modules::check,
    cycles::check,
    dialects::check,
    dialects::documented,
    rules::check,
    codes::check,
    coverage::check,
    crates::check,
    features::check,
    private_text::check,
    links::check,
    glossary::check,
    gauges::check,
    generate::check,
];

pub(crate) fn run() -> Report {
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
