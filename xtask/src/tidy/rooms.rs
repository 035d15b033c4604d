//! Are the pure rooms of the engine pure, and does each know only what stands below it? Purity is an absence: no clock, no
//! file, no process, no runtime.

use std::collections::BTreeSet;

use super::Findings;
use crate::tree::File;

/// The rooms that the design calls pure.
const PURE: &[&str] = &[
    "agents",
    "answer",
    "call",
    "compat",
    "config",
    "diagnostic",
    "dialect",
    "entry",
    "event",
    "hook",
    "install",
    "matcher",
    "merge",
    "outcome",
    "plan",
    "protect",
    "report",
    "request",
    "rule",
    "settle",
    "shell",
    "source",
    "strict",
    "syntax",
    "text",
    "transcript",
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
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "crates/tenterhook-core/src/call/hosts.rs",
        "std::net",
        "an address is a number that is written in several ways; nothing is reached",
    ),
    (
        "crates/tenterhook-core/src/request/address.rs",
        "std::net",
        "judges addresses as values; nothing is resolved or reached",
    ),
];

/// The rooms from the ground up: each may know those before it, and none behind it.
const FLOORS: &[&str] = &[
    "shell",
    "text",
    "compat",
    "diagnostic",
    "event",
    "agents",
    "strict",
    "syntax",
    "request",
    "answer",
    "report",
    "protect",
    "call",
    "rule",
    "matcher",
    "hook",
    "outcome",
    "source",
    "dialect",
    "transcript",
    "config",
    "entry",
    "install",
    "discover",
    "trust",
    "verdict",
    "merge",
    "settle",
    "session",
    "leave",
    "executor",
    "plan",
    "record",
    "engine",
    "backtest",
    "fuzzed",
    "prelude",
];

/// What no room of the engine names: printing, leaving and the environment are the caller's.
const NOWHERE: &[&str] =
    &["println!", "eprintln!", "process::exit", "env::var", "env::current_dir"];

/// The files that ask the environment, behind the feature `env`, for hosts that are programs.
const ENVIRONMENT: &[&str] = &[
    "crates/tenterhook/src/discover/environment.rs",
    "crates/tenterhook/src/executor/environment.rs",
];

pub(super) fn check(files: &[File], findings: &mut Findings) {
    for file in files {
        let Some(room) = room(&file.path) else { continue };
        let code = without_comments(file.source());
        if PURE.contains(&room) {
            for word in IMPURE.iter().filter(|word| code.contains(**word)) {
                let excepted =
                    EXCEPTIONS.iter().any(|(path, text, _)| *path == file.path && text == word);
                if !excepted {
                    findings.error(
                        &file.path,
                        format!("the room `{room}` is pure, but names `{word}`"),
                    );
                }
            }
        }
        for other in known(&code) {
            let floor = |name: &str| FLOORS.iter().position(|floor| *floor == name);
            if floor(other) > floor(room) {
                findings.error(
                    &file.path,
                    format!("the room `{room}` stands below `{other}`, and must not know it"),
                );
            }
        }
        for word in NOWHERE.iter().filter(|word| code.contains(**word)) {
            if ENVIRONMENT.contains(&file.path.as_str()) && word.starts_with("env::") {
                continue;
            }
            findings.error(&file.path, format!("the engine does not use `{word}`"));
        }
    }
}

/// The room of the engine or of its pure part that a file belongs to; `shell` is a separate crate, as pure as a room.
pub(super) fn room(path: &str) -> Option<&str> {
    if path.starts_with("crates/tenterhook-shell/src/") {
        return Some("shell");
    }
    let crates = ["crates/tenterhook-core/src/", "crates/tenterhook/src/"];
    let rest = crates.iter().find_map(|folder| path.strip_prefix(folder))?;
    // The folder of an agent holds its part of other modules: `agents/NAME/dialect.rs` belongs to `dialect`.
    let in_agent = rest.strip_prefix("agents/").and_then(|rest| rest.split_once('/'));
    let rest = in_agent.map_or(rest, |(_, rest)| rest);
    let first = rest.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first)).filter(|stem| *stem != "lib")
}

/// The rooms that some code names: `crate::hook::Hook`, `crate::{plan, session::View}`.
fn known(code: &str) -> impl Iterator<Item = &'static str> {
    let words = named(code);
    FLOORS.iter().copied().filter(move |room| words.contains(*room))
}

/// What some code names of its own crate, in small letters: a room shows its chief value under its own name.
pub(super) fn named(code: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        for path in
            group.unwrap_or(rest).split(',').take(if group.is_some() { usize::MAX } else { 1 })
        {
            let word = path.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next();
            words.extend(word.map(str::to_lowercase));
        }
    }
    words
}

pub(super) fn without_comments(code: &str) -> String {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_are_known_by_their_names_and_by_what_the_crate_shows_of_them() {
        let code =
            "use crate::hook::Hook;\nuse crate::{plan, session::View};\nlet it: crate::Event;";
        assert_eq!(known(code).collect::<Vec<_>>(), ["event", "hook", "session", "plan"]);
    }

    #[test]
    fn a_room_that_knows_one_above_it_is_told() {
        let file = |room: &str, code: &str| File {
            path: format!("crates/tenterhook/src/{room}.rs"),
            text: format!("//! X\n{code}\n"),
        };
        let mut findings = Findings::default();
        check(&[file("event", "use crate::hook::Hook;")], &mut findings);
        assert_eq!(findings.errors.len(), 1, "{findings:?}");
        let mut findings = Findings::default();
        check(&[file("hook", "use crate::event::Event;")], &mut findings);
        assert!(findings.errors.is_empty(), "{findings:?}");
    }

    #[test]
    fn every_room_has_its_floor() {
        let engine = crate::tree::files().unwrap();
        let homeless: BTreeSet<_> = engine
            .iter()
            .filter_map(|file| room(&file.path).filter(|room| !FLOORS.contains(room)))
            .collect();
        assert_eq!(homeless, BTreeSet::new());
    }
}
