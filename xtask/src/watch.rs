//! `cargo xtask watch-agents`: what did the newest version of an agent change about hooks? Reads packages, and compares the facts
//! in them with those of the last look (`xtask/watched`). Changes no table: it names the row.

mod facts;
mod package;
mod report;
mod schemas;
mod tables;
#[cfg(test)]
mod tests;
mod types;
mod watched;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Report;
use crate::error::Error;
use facts::Facts;
use package::Package;
use report::Record;
use tables::Tables;
use watched::{WATCHED, Watched};

const USAGE: &str = "\
usage: cargo xtask watch-agents [AGENT...] [--package PATH] [--again] [--bless] [--probe]
  --package PATH  read this package (a folder, a tarball or a wheel) in place of the newest one; needs one AGENT and no network
  --again         read a package even if its version is the one of the last look
  --bless         write what was found as the last look
  --probe         also play each agent that has a new version: `tenterhook probe`";

/// What was asked.
#[derive(Debug, Default)]
struct Options {
    agents: Vec<String>,
    package: Option<PathBuf>,
    again: bool,
    bless: bool,
    probe: bool,
}

impl Options {
    fn read(args: &[&str]) -> Result<Self, Error> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match *arg {
                "--package" => options.package = args.next().map(PathBuf::from),
                "--again" => options.again = true,
                "--bless" => options.bless = true,
                "--probe" => options.probe = true,
                name if WATCHED.iter().any(|watched| watched.agent == name) => {
                    options.agents.push(name.to_owned());
                }
                _ => return Err(Error::Usage(format!("{USAGE}\n\nagents: {}", agent_names()))),
            }
        }
        if options.package.is_some() && options.agents.len() != 1 {
            return Err(Error::Usage(format!("`--package` needs one agent\n{USAGE}")));
        }
        Ok(options)
    }
}

fn agent_names() -> String {
    WATCHED.iter().map(|watched| watched.agent).collect::<Vec<_>>().join(", ")
}

/// Looks at the agents that were named, or at all.
pub(crate) fn run(args: &[&str]) -> Report {
    let options = Options::read(args)?;
    let is_asked = |watched: &&Watched| {
        options.agents.is_empty() || options.agents.iter().any(|name| name == watched.agent)
    };
    let (mut text, mut is_unchanged) = (String::new(), true);
    for watched in WATCHED.iter().filter(is_asked) {
        match look_at(watched, &options) {
            Ok((found, same)) => {
                text.push_str(&found);
                is_unchanged &= same;
            }
            Err(error) => {
                text.push_str(&format!("{}: cannot be looked at: {error}\n", watched.agent));
                is_unchanged = false;
            }
        }
    }
    Ok((text, is_unchanged))
}

/// Compares one agent's package with the last look.
fn look_at(watched: &Watched, options: &Options) -> Report {
    let folder = crate::tree::root().join("xtask/watched");
    let record_path = folder.join(format!("{}.txt", watched.agent));
    let record = Record::read(&record_path)?;
    let mut package = match &options.package {
        Some(path) => Package::open(path)?,
        None => {
            let version = watched.newest_version()?;
            if record.version == version && !options.again {
                return Ok((format!("{}: {version}, as at the last look\n", watched.agent), true));
            }
            watched.download(&version, &crate::tree::root().join("target/watched"))?
        }
    };
    if let Some(version) = package.version.strip_suffix(watched.suffix) {
        package.version = version.to_owned();
    }
    let tables = Tables::of_agents(watched.tables)?;
    let facts = find_facts(watched, &package, &tables)?;
    if options.bless {
        report::write_record(&record_path, &package.version, &facts)?;
        return Ok((
            format!("{}: {} facts of {}\n", watched.agent, facts.len(), package.version),
            true,
        ));
    }
    let mut report = report::compare(watched, &package.version, &record, &facts, &tables);
    if options.probe && record.version != package.version {
        report.1 &= probe(watched, &package.version)?;
    }
    Ok(report)
}

/// Reads all facts of a package, and which names of our tables it lacks.
fn find_facts(
    watched: &Watched,
    package: &Package,
    tables: &Tables,
) -> Result<BTreeSet<String>, Error> {
    let mut facts = Facts::new(watched, tables.names(watched.agent))?;
    package.visit_files(&mut |path, bytes| {
        facts.read_file(path, bytes);
        if watched.is_utf16 {
            facts.read_file(path, &facts::utf16_texts(bytes));
        }
    })?;
    Ok(facts.finish())
}

/// Installs a version of an agent and plays it.
fn probe(watched: &Watched, version: &str) -> Result<bool, Error> {
    let Some(agent) = tenterhook_probe::find_agent(watched.agent) else { return Ok(true) };
    let folder = crate::tree::root().join(format!("target/watched/{}-{version}", watched.agent));
    let status = std::process::Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--prefix"])
        .arg(&folder)
        .arg(format!("{}@{version}", agent.package))
        .args(agent.beside)
        .status()
        .map_err(Error::spawn("npm"))?;
    if !status.success() {
        return Err(Error::failed("npm install", &[]));
    }
    let modules = folder.join("node_modules");
    let programs = [
        modules.join(".bin").join(agent.program),
        modules.join(agent.package).join("bin").join(agent.program),
    ];
    let program = programs.iter().find(|program| program.exists()).ok_or_else(|| {
        Error::Invalid(format!("no `{}` in {}", agent.program, modules.display()))
    })?;
    run_probe(watched.agent, program)
}

/// Runs `tenterhook probe`, which prints what it saw; whether each denial held.
fn run_probe(agent: &str, program: &Path) -> Result<bool, Error> {
    let status = std::process::Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "tenterhook-cli", "--", "probe", agent, "--program"])
        .arg(program)
        .current_dir(crate::tree::root())
        .status()
        .map_err(Error::spawn("cargo"))?;
    Ok(status.success())
}
