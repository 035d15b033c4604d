//! Which licences the packages carry: ours, and those of every crate that is compiled into the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::archive::Entry;
use super::targets::Target;
use super::text;
use crate::error::Error;
use crate::tree;

/// What a file with a licence is called.
const NAMES: &[&str] = &["license", "licence", "copying", "notice", "unlicense", "copyright"];

/// What no crate says, and is in the program as well.
const BESIDES: &str = "\
The program also holds the standard library of Rust (MIT OR Apache-2.0, https://github.com/rust-lang/rust), and
where it is linked statically for Linux the C library musl (MIT, https://musl.libc.org).
";

/// The files that say it.
pub(crate) fn licences(target: &Target) -> Result<Vec<Entry>, Error> {
    Ok(vec![
        Entry::data("LICENSE-APACHE", text("LICENSE-APACHE")?),
        Entry::data("LICENSE-MIT", text("LICENSE-MIT")?),
        Entry::data("THIRD-PARTY.txt", third_party(target)?),
    ])
}

fn third_party(target: &Target) -> Result<String, Error> {
    let metadata = metadata(target)?;
    let mut list = String::from("Tenterhook is made with these crates. Their licences follow.\n\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let packages = listed(&metadata, "/packages");
    let shipped = shipped(&metadata);
    for package in packages.iter().filter(|package| shipped.contains(text_of(&package["id"]))) {
        // Ours have no source; their licence is that of the whole.
        if package["source"].is_null() {
            continue;
        }
        let named = format!("{} {}", text_of(&package["name"]), text_of(&package["version"]));
        let _ = writeln!(
            list,
            "{named}: {} ({})",
            text_of(&package["license"]),
            text_of(&package["repository"])
        );
        let folder =
            Path::new(text_of(&package["manifest_path"])).parent().unwrap_or(Path::new("/"));
        for text in found_in(folder)? {
            texts.entry(text).or_default().push(named.clone());
        }
    }
    let _ = write!(list, "\n{BESIDES}");
    for (text, crates) in texts {
        let _ = write!(list, "\n{}\n{}\n\n{text}\n", "=".repeat(80), crates.join(", "));
    }
    Ok(list)
}

/// The crates that the program holds: those that it depends on, without what only runs while it is compiled.
fn shipped(metadata: &Value) -> BTreeSet<&str> {
    let packages = listed(metadata, "/packages");
    let runs_early: BTreeSet<&str> = packages
        .iter()
        .filter(|package| {
            let targets = array(&package["targets"]).iter();
            targets.flat_map(|target| array(&target["kind"])).any(|kind| kind == "proc-macro")
        })
        .map(|package| text_of(&package["id"]))
        .collect();
    let edges: BTreeMap<&str, &Value> = listed(metadata, "/resolve/nodes")
        .iter()
        .map(|value| (text_of(&value["id"]), &value["deps"]))
        .collect();
    let program = packages.iter().filter(|package| package["name"] == "tenterhook-cli");
    let mut open: Vec<&str> = program.map(|program| text_of(&program["id"])).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if runs_early.contains(id) || !seen.insert(id) {
            continue;
        }
        let Some(deps) = edges.get(id) else { continue };
        for dep in array(deps) {
            if array(&dep["dep_kinds"]).iter().any(|array| array["kind"].is_null()) {
                open.push(text_of(&dep["pkg"]));
            }
        }
    }
    seen
}

fn metadata(target: &Target) -> Result<Value, Error> {
    let output = Command::new("cargo")
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target.triple])
        .current_dir(tree::root())
        .output()
        .map_err(Error::spawn("cargo"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| Error::failed("cargo metadata", &output.stderr))
}

/// The licences in a folder, each as one text whatever its line ends are.
fn found_in(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let failed = Error::file(folder);
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(&failed)? {
        let path = entry.map_err(&failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_file() && NAMES.iter().any(|prefix| name.starts_with(prefix)) {
            let bytes = std::fs::read(&path).map_err(&failed)?;
            found.insert(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned());
        }
    }
    Ok(found)
}

fn listed<'a>(metadata: &'a Value, pointer: &str) -> &'a [Value] {
    metadata.pointer(pointer).map(array).unwrap_or_default()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
