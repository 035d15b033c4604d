//! Are the pure modules of the engine pure, and does each import only modules of lower layers? A pure module uses no clock,
//! file, process or runtime.

use std::collections::BTreeSet;

use super::Findings;
use crate::tree::File;

/// The modules that the design calls pure.
const PURE: &[&str] = &[
    "agents",
    "answer",
    "base64",
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

/// What a pure module must not use.
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

/// Files in pure modules that may use an impure item, and why.
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

/// The modules from the lowest layer up: each may import only those before it.
const LAYERS: &[&str] = &[
    "base64",
    "shell",
    "text",
    "compat",
    "diagnostic",
    "syntax",
    "event",
    "agents",
    "strict",
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
    "exemptions",
    "executor",
    "plan",
    "record",
    "engine",
    "backtest",
    "fuzzed",
    "internal",
    "prelude",
];

/// What no module of the engine uses: only the caller prints, exits and reads the environment.
const NOWHERE: &[&str] =
    &["println!", "eprintln!", "process::exit", "env::var", "env::current_dir"];

/// The files that ask the environment, behind the feature `env`, for hosts that are programs.
const ENVIRONMENT: &[&str] = &[
    "crates/tenterhook/src/discover/environment.rs",
    "crates/tenterhook/src/executor/environment.rs",
];

pub(super) fn check(files: &[File], findings: &mut Findings) {
    for file in files {
        let Some(module) = module(&file.path) else { continue };
        let code = without_comments(file.source());
        if PURE.contains(&module) {
            for name in IMPURE.iter().filter(|name| code.contains(**name)) {
                let excepted =
                    EXCEPTIONS.iter().any(|(path, text, _)| *path == file.path && text == name);
                if !excepted {
                    findings.error(
                        &file.path,
                        format!("the module `{module}` is pure, but uses `{name}`"),
                    );
                }
            }
        }
        for other in known(&code) {
            let layer = |name: &str| LAYERS.iter().position(|layer| *layer == name);
            if layer(other) > layer(module) {
                findings.error(
                    &file.path,
                    format!("the module `{module}` is in a lower layer than `{other}`, and must not import it"),
                );
            }
        }
        for name in NOWHERE.iter().filter(|name| code.contains(**name)) {
            if ENVIRONMENT.contains(&file.path.as_str()) && name.starts_with("env::") {
                continue;
            }
            findings.error(&file.path, format!("the engine does not use `{name}`"));
        }
    }
}

/// The module of the engine that a file belongs to. `shell` is a separate crate, and as pure as a module.
pub(super) fn module(path: &str) -> Option<&str> {
    if path.starts_with("crates/tenterhook-shell/src/") {
        return Some("shell");
    }
    let crates = ["crates/tenterhook-core/src/", "crates/tenterhook/src/"];
    let rest = crates.iter().find_map(|folder| path.strip_prefix(folder))?;
    // The folder of an agent holds its part of other modules: `agents/NAME/dialect.rs` belongs to `dialect`.
    let stem = |rest: &'_ str| {
        let end = rest.find('/').unwrap_or(rest.len());
        rest.get(..end).map(|first| first.trim_end_matches(".rs").len())
    };
    let in_agent = rest.strip_prefix("agents/").and_then(|rest| rest.split_once('/'));
    let names = [in_agent.map(|(_, rest)| rest), Some(rest)];
    let mut names = names.into_iter().flatten().filter_map(|rest| rest.get(..stem(rest)?));
    let named = names.next()?;
    let name = if LAYERS.contains(&named) { named } else { names.next().unwrap_or(named) };
    Some(name).filter(|name| *name != "lib")
}

/// The modules that some code names: `crate::hook::Hook`, `crate::{plan, session::View}`.
fn known(code: &str) -> impl Iterator<Item = &'static str> {
    let names = named(code);
    LAYERS.iter().copied().filter(move |module| names.contains(*module))
}

/// The items of its crate that some code names, in lower case: the main type of a module has the name of the module.
pub(super) fn named(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        for path in
            group.unwrap_or(rest).split(',').take(if group.is_some() { usize::MAX } else { 1 })
        {
            let name = path.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next();
            names.extend(name.map(str::to_lowercase));
        }
    }
    names
}

pub(super) fn without_comments(code: &str) -> String {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_name_and_by_exported_type() {
        let code =
            "use crate::hook::Hook;\nuse crate::{plan, session::View};\nlet it: crate::Event;";
        assert_eq!(known(code).collect::<Vec<_>>(), ["event", "hook", "session", "plan"]);
    }

    #[test]
    fn import_of_a_higher_module_is_reported() {
        let file = |module: &str, code: &str| File {
            path: format!("crates/tenterhook/src/{module}.rs"),
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
    fn every_module_has_a_layer() {
        let engine = crate::tree::files().unwrap();
        let missing: BTreeSet<_> = engine
            .iter()
            .filter_map(|file| module(&file.path).filter(|module| !LAYERS.contains(module)))
            .collect();
        assert_eq!(missing, BTreeSet::new());
    }
}
