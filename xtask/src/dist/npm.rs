//! npm packages: one that people install, which starts the program of the one for their machine. No script runs when they
//! are installed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::archive::{self, Effort, Entry};
use super::targets::{TARGETS, Target};
use super::{About, Artefact, Program, text};
use crate::error::Error;

const TEMPLATES: &str = "integrations/npm";

/// What npm unpacks: everything lies in this folder.
const FOLDER: &str = "package";

/// The package that people install.
pub(crate) fn launcher(about: &About) -> Result<Artefact, Error> {
    let mut versions = Map::new();
    let mut machines = BTreeMap::new();
    for target in TARGETS.iter().filter(|target| target.is_released()) {
        versions.insert(target.package(), Value::from(about.version));
        machines.insert(target.node.0.to_owned() + "-" + target.node.1, target.package());
    }
    let manifest = filled(about, "package.json")?.replace("@PLATFORMS@", &json(&versions)?);
    let script = filled(about, "tenterhook.js")?.replace("@PACKAGES@", &json(&machines)?);
    let entries = [
        Entry::data("package.json", valid(manifest)?),
        Entry::program("bin/tenterhook.js", script),
        // The types of `fire --stream`, for hosts in TypeScript.
        Entry::data("tenterhook.d.ts", text("examples/stream/tenterhook.d.ts")?),
        Entry::data("README.md", filled(about, "README.md")?),
        Entry::data("LICENSE-APACHE", text("LICENSE-APACHE")?),
        Entry::data("LICENSE-MIT", text("LICENSE-MIT")?),
    ];
    Ok((format!("tenterhook-{}.tgz", about.version), pack(&entries, Effort::Most)?))
}

/// The package that holds the program for one kind of machine.
pub(crate) fn platform(about: &About, program: &Program) -> Result<Artefact, Error> {
    let Target { triple, node: (os, cpu), .. } = program.target;
    let manifest = filled(about, "platform.json")?
        .replace("@PACKAGE@", &program.target.package())
        .replace("@TARGET@", triple)
        .replace("@OS@", os)
        .replace("@CPU@", cpu);
    let mut entries = vec![
        Entry::data("package.json", valid(manifest)?),
        Entry::program("tenterhook", program.bytes.clone()),
    ];
    entries.extend_from_slice(&program.licences);
    // As `npm pack` names a package with a scope.
    Ok((
        format!("tenterhook-{os}-{cpu}-{}.tgz", about.version),
        pack(&entries, program.target.effort())?,
    ))
}

fn pack(entries: &[Entry], effort: Effort) -> Result<Vec<u8>, Error> {
    let entries: Vec<Entry> = entries.iter().map(|entry| entry.under(FOLDER)).collect();
    archive::tar_gz(&entries, effort)
}

fn filled(about: &About, template: &str) -> Result<String, Error> {
    Ok(about.fill(&text(&format!("{TEMPLATES}/{template}"))?))
}

fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(value).map_err(Error::other)
}

/// The manifest, or an error if it is not JSON.
fn valid(manifest: String) -> Result<String, Error> {
    let read: Result<Value, _> = serde_json::from_str(&manifest);
    read.map(|_| manifest).map_err(Error::about(format!("a template in {TEMPLATES} is not JSON")))
}
