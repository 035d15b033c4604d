//! Do the crates depend on each other as the design draws it, and on nothing that the library must not bring along?

use std::process::Command;

use serde_json::Value;

use super::Findings;
use crate::error::Error;
use crate::tree::{self, File};

/// Which crates of ours each crate of ours may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("tenterhook-process", &[]),
    ("tenterhook-shell", &[]),
    // It does nothing but decide: what could start a process, read a file or wait is not below it.
    ("tenterhook-core", &["tenterhook-shell"]),
    ("tenterhook", &["tenterhook-core", "tenterhook-process", "tenterhook-shell"]),
    // Adopting orphans is a program's affair, which the library must not decide for its host.
    (
        "tenterhook-cli",
        &["tenterhook", "tenterhook-core", "tenterhook-probe", "tenterhook-process"],
    ),
    // The agent's own shell tool runs on the same processes as hooks, and which files they run is read from their lines.
    (
        "tenterhook-agent",
        &[
            "tenterhook",
            "tenterhook-core",
            "tenterhook-process",
            "tenterhook-shell",
            "tenterhook-testkit",
        ],
    ),
    ("embed-minimal", &["tenterhook"]),
    ("workspace-hack", &[]),
    ("tenterhook-testkit", &[]),
    // It knows the table of agents and the wires of models, and nothing of the engine.
    ("tenterhook-probe", &["tenterhook-core", "tenterhook-process"]),
    // What a sandbox costs is also measured as on a machine that has less to make one of.
    (
        "tenterhook-benches",
        &["tenterhook", "tenterhook-core", "tenterhook-process", "tenterhook-testkit"],
    ),
    // A page counts the calls that the probe's hooks denied.
    ("xtask", &["tenterhook", "tenterhook-core", "tenterhook-probe", "tenterhook-testkit"]),
    // Node scripts are run as the engine runs them, and one play fires through the library for as long as it takes.
    (
        "e2e",
        &[
            "tenterhook",
            "tenterhook-core",
            "tenterhook-probe",
            "tenterhook-process",
            "tenterhook-testkit",
        ],
    ),
];

/// What crates must not bring along, and why.
const BANNED: &[(&[&str], &[&str], &str)] = &[
    (
        &["-p", "tenterhook"],
        &[
            "reqwest",
            "hyper",
            "ureq",
            "genai",
            "rusqlite",
            "libsqlite3-sys",
            "crossterm",
            "ratatui",
            "clap",
        ],
        "the library's default features have no HTTP, models, databases or terminals",
    ),
    (
        &["-p", "tenterhook-core", "--all-features"],
        &["tokio", "mio", "hyper", "rustix", "tempfile", "tenterhook-process"],
        "the pure part starts no process, opens no file and waits for nothing",
    ),
];

/// Where each crate of others is accounted for.
const REASONS: &str = "docs/design/dependencies.md";

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let reasons =
        files.iter().find(|file| file.path == REASONS).map_or("", |file| file.text.as_str());
    if let Err(error) = arrows(reasons, findings) {
        return findings.error("Cargo.toml", error);
    }
    if let Err(error) = banned(findings) {
        findings.error("Cargo.toml", error);
    }
}

/// Runs cargo and returns its output.
pub(super) fn cargo(args: &[&str]) -> Result<String, Error> {
    let output = Command::new("cargo").args(args).current_dir(tree::root()).output();
    let output = output.map_err(Error::spawn("cargo"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::failed(format!("cargo {}", args.join(" ")), &output.stderr))
    }
}

fn arrows(reasons: &str, findings: &mut Findings) -> Result<(), Error> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1", "--locked"]);
    let metadata: Value = serde_json::from_str(&metadata?).map_err(Error::other)?;
    for package in list(&metadata, "packages") {
        let name = text(package, "name");
        let Some((_, allowed)) = ARROWS.iter().find(|(key, _)| *key == name) else {
            findings
                .error("Cargo.toml", format!("the crate `{name}` stands in no table of arrows"));
            continue;
        };
        for dependency in list(package, "dependencies") {
            let to = text(dependency, "name");
            let ours = ARROWS.iter().any(|(name, _)| *name == to);
            if !ours && !reasons.contains(&format!("`{to}`")) {
                findings.error(REASONS, format!("does not say why `{name}` uses `{to}`"));
            }
            let ships = dependency.get("kind").is_none_or(Value::is_null);
            if ours && ships && !allowed.contains(&to) {
                findings.error("Cargo.toml", format!("`{name}` must not use `{to}`"));
            }
        }
    }
    Ok(())
}

fn banned(findings: &mut Findings) -> Result<(), Error> {
    for (package, names, why) in BANNED {
        let tree = ["tree", "--locked", "-e", "normal", "--prefix", "none"];
        let tree = cargo(&[&tree[..], package].concat())?;
        for name in tree.lines().filter_map(|line| line.split(' ').next()) {
            if names.contains(&name) {
                let package = package.join(" ");
                findings.error("Cargo.toml", format!("`{package}` brings `{name}` along: {why}"));
            }
        }
    }
    Ok(())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
