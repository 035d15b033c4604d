//! Does each source file say what it is for, and is it small enough to be read?

use super::Findings;
use crate::tree::File;

const WARN_LINES: usize = 600;
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
    for file in files.iter().filter(|file| file.is_rust()) {
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

/// A function ends at the brace that stands as deep as its `fn`; `rustfmt` sees to that. One without a body is not looked at.
fn long_functions(file: &File, findings: &mut Findings) {
    let mut open: Option<(usize, usize, &str)> = None;
    for (at, line) in file.source().lines().enumerate() {
        let word = line.trim_start();
        let depth = line.len() - word.len();
        match open {
            None if !line.ends_with(['}', ';']) => open = name(word).map(|name| (depth, at, name)),
            Some((deep, began, name)) if deep == depth && word.starts_with('}') => {
                let lines = at - began + 1;
                if lines > WARN_FUNCTION {
                    findings.warning(&file.path, format!("`{name}` has {lines} lines"));
                }
                open = None;
            }
            // A signature over several lines that a trait declares.
            Some((deep, ..)) if deep == depth && word.ends_with(';') => open = None,
            _ => {}
        }
    }
}

/// The name of the function that begins on this line.
fn name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        matches!(word, "async" | "const" | "unsafe")
            || word.starts_with("pub")
            || word.ends_with(')')
    };
    before.split_whitespace().all(is_qualifier).then(|| rest.split(['(', '<']).next())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_names() {
        assert_eq!(name("pub(super) async fn ask(&self) -> Reply {"), Some("ask"));
        assert_eq!(name("pub(in crate::executor) const fn of<'a>("), Some("of"));
        assert_eq!(name("/// Calls fn first"), None);
        assert_eq!(name("let change: impl fn "), None);
    }

    #[test]
    fn a_function_that_a_trait_declares_has_no_length() {
        let body = "        x();\n".repeat(WARN_FUNCTION);
        let text = |declared: &str| {
            format!(
                "trait A {{\n    {declared}\n}}\n\nimpl A {{\n    fn long() {{\n{body}    }}\n}}\n"
            )
        };
        for declared in ["fn ask(&self);", "fn ask(\n        &self,\n    ) -> Asking;"] {
            let file = File { path: "a.rs".to_owned(), text: text(declared) };
            let mut findings = Findings::default();
            long_functions(&file, &mut findings);
            assert_eq!(findings.warnings, ["warning: a.rs: `long` has 62 lines"], "{declared}");
        }
    }
}
