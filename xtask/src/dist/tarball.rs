//! The tarball of one target: the program, its licences, what it says of itself, completions for shells, and manual pages.

use std::process::Command;

use super::archive::{self, Entry};
use super::{About, Artefact, Program, text};
use crate::error::Error;
use crate::tree;

/// Which shells get completions, and under which name they look for them.
const COMPLETIONS: &[(&str, &str)] =
    &[("bash", "tenterhook.bash"), ("zsh", "_tenterhook"), ("fish", "tenterhook.fish")];

pub(crate) fn make(about: &About, program: &Program) -> Result<Artefact, Error> {
    let name = format!("tenterhook-{}-{}", about.version, program.target.triple);
    let mut entries = vec![
        Entry::program("tenterhook", program.bytes.clone()),
        Entry::data("README.md", text("crates/tenterhook-cli/README.md")?),
        Entry::data("CHANGELOG.md", text("CHANGELOG.md")?),
    ];
    entries.extend_from_slice(&program.licences);
    for (shell, file) in COMPLETIONS {
        entries.push(Entry::data(format!("completions/{file}"), completions(shell)?));
    }
    entries.extend(manual_pages()?);
    let entries: Vec<Entry> = entries.iter().map(|entry| entry.under(&name)).collect();
    Ok((format!("{name}.tar.gz"), archive::tar_gz(&entries, program.target.effort())?))
}

/// Returns the completion script of a shell, from the program as it is built for this machine: it is the same for all.
fn completions(shell: &str) -> Result<Vec<u8>, Error> {
    let script = run_program(&["completions", shell])?;
    match script.is_empty() {
        false => Ok(script),
        true => Err(Error::Invalid(format!("there are no completions for {shell}"))),
    }
}

/// Returns the manual pages, as the program that is built for this machine writes them.
fn manual_pages() -> Result<Vec<Entry>, Error> {
    let directory = tree::root().join("target/man");
    // A page of a command that is gone must not stay.
    if directory.exists() {
        std::fs::remove_dir_all(&directory).map_err(Error::file(&directory))?;
    }
    run_program(&["man", &directory.to_string_lossy()])?;
    let listed = std::fs::read_dir(&directory).map_err(Error::file(&directory))?;
    let mut pages = Vec::new();
    for page in listed {
        let path = page.map_err(Error::file(&directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).map_err(Error::file(&path))?;
        pages.push((name, bytes));
    }
    pages.sort_unstable();
    Ok(pages.into_iter().map(|(name, bytes)| Entry::data(format!("man/{name}"), bytes)).collect())
}

/// Runs the program that is built for this machine, and returns what it prints.
fn run_program(args: &[&str]) -> Result<Vec<u8>, Error> {
    let output = Command::new(tree::root().join("target/debug/tenterhook"))
        .args(args)
        .output()
        .map_err(Error::spawn("tenterhook"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(Error::Invalid(format!("`tenterhook {}` failed", args.join(" ")))),
    }
}
