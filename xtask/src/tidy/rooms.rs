//! Are the pure rooms of the engine pure? Purity is an absence: no clock, no file, no process, no runtime.

use super::Findings;
use crate::tree::File;

/// The rooms that the design calls pure.
const PURE: &[&str] = &[
    "answer",
    "config",
    "diagnostic",
    "dialect",
    "event",
    "hook",
    "matcher",
    "merge",
    "outcome",
    "plan",
    "report",
    "rule",
    "shell",
    "strict",
    "syntax",
    "text",
    "verdict",
];

/// What a pure room does not name.
const IMPURE: &[&str] = &[
    "tokio::",
    "std::fs",
    "std::process",
    "std::env",
    "std::net",
    "std::thread",
    "SystemTime",
    "Instant::now",
];

/// Files in pure rooms that need an impure word, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "crates/tenterhook/src/shell/read.rs",
    "Instant::now",
    "a line that takes too long counts as unparsable, which only restrains",
)];

/// What no room of the engine names: printing, leaving and the environment are the caller's.
const NOWHERE: &[&str] =
    &["println!", "eprintln!", "process::exit", "env::var", "env::current_dir"];

pub(super) fn check(files: &[File], findings: &mut Findings) {
    for file in files {
        let Some(room) = room(&file.path) else { continue };
        let code = without_comments(file.source());
        if PURE.contains(&room) {
            for word in IMPURE.iter().filter(|word| code.contains(**word)) {
                let excepted =
                    EXCEPTIONS.iter().any(|(path, it, _)| *path == file.path && it == word);
                if !excepted {
                    findings.error(
                        &file.path,
                        format!("the room `{room}` is pure, but names `{word}`"),
                    );
                }
            }
        }
        for word in NOWHERE.iter().filter(|word| code.contains(**word)) {
            findings.error(&file.path, format!("the engine does not use `{word}`"));
        }
    }
}

/// The room of the engine that a file belongs to.
fn room(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("crates/tenterhook/src/")?;
    let first = rest.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

fn without_comments(code: &str) -> String {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}
