//! Does each source file say what it is for, and is it small enough to be read?

use super::Findings;
use crate::tree::File;

const WARN_LINES: usize = 400;
const MOST_LINES: usize = 800;
const WARN_FUNCTION: usize = 60;

/// Tests that really wait, because what they test is time itself: children that hang, deadlines that pass.
const MAY_SLEEP: &[(&str, &str)] = &[
    ("crates/tenterhook-process/", "the supervised children are real, and so is their time"),
    ("crates/tenterhook-testkit/fakehook/", "the program that misbehaves, also by being slow"),
    ("benches/", "measures time"),
    ("xtask/src/tidy/", "names the word that it looks for"),
];

pub(super) fn check(files: &[File], findings: &mut Findings) {
    for file in files.iter().filter(|it| it.is_rust()) {
        if !file.text.starts_with("//!") {
            findings.error(&file.path, "does not begin with `//!` and what it is for");
        }
        let lines = file.source().lines().count();
        if lines > MOST_LINES {
            findings
                .error(&file.path, format!("has {lines} lines of source, more than {MOST_LINES}"));
        } else if lines > WARN_LINES {
            findings.warning(
                &file.path,
                format!("has {lines} lines of source, more than {WARN_LINES}"),
            );
        }
        long_functions(file, findings);
        let may_sleep = MAY_SLEEP.iter().any(|(prefix, _)| file.path.starts_with(prefix));
        if !may_sleep && file.tests().contains("thread::sleep(") {
            findings.error(&file.path, "a test sleeps; await a condition instead");
        }
    }
}

/// A function ends at the brace that stands as deep as its `fn`; `rustfmt` sees to that.
fn long_functions(file: &File, findings: &mut Findings) {
    let mut open: Option<(usize, usize, String)> = None;
    for (at, line) in file.source().lines().enumerate() {
        let depth = line.len() - line.trim_start().len();
        let word = line.trim_start();
        let begins =
            ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn ", "async fn ", "pub async fn "];
        match &open {
            None if begins.iter().any(|it| word.starts_with(it)) && !line.ends_with('}') => {
                let name = word.split_once("fn ").map_or("", |(_, rest)| rest);
                let name = name.split(['(', '<']).next().unwrap_or_default();
                open = Some((depth, at, name.to_owned()));
            }
            Some((deep, began, name)) if *deep == depth && word.starts_with('}') => {
                let lines = at - began + 1;
                if lines > WARN_FUNCTION {
                    findings.warning(&file.path, format!("`{name}` has {lines} lines"));
                }
                open = None;
            }
            _ => {}
        }
    }
}
