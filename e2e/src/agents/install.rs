//! Gets pinned agents from npm or PyPI into a cache outside of the repository, each version in a separate folder. Runs none of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use tenterhook_probe::Agent;

use super::python;

/// The name of an agent and its version, as a folder and in tables.
pub(super) fn name(agent: &Agent) -> String {
    format!("{}-{}", agent.name, agent.version)
}

/// The program of an agent, installed where it is not there yet.
pub(super) fn installed(agent: &Agent, cache: &Path) -> Result<PathBuf, String> {
    if let Some(package) = agent.python_package() {
        return python::installed_program(agent, package, cache);
    }
    let package = agent.package.trim_start_matches('@').replace('/', "-");
    let folder = cache.join(format!("{package}-{}", agent.version));
    if let Some(program) = find_program(agent, &folder) {
        return Ok(program);
    }
    // Under another name until it is whole: an installation that was broken off is no agent.
    let part = cache.join(format!("{package}-{}.{}", agent.version, std::process::id()));
    std::fs::create_dir_all(&part).map_err(|error| format!("{}: {error}", part.display()))?;
    let output = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--fetch-retries=1", "--prefix"])
        .arg(&part)
        .arg(format!("{}@{}", agent.package, agent.version))
        .args(agent.beside)
        .output()
        .map_err(|error| format!("npm cannot be run: {error}"))?;
    if !output.status.success() {
        let _ = std::fs::remove_dir_all(&part);
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(format!("npm does not install it: {line}"));
    }
    // Another run may have been faster.
    if std::fs::rename(&part, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&part);
    }
    find_program(agent, &folder)
        .ok_or_else(|| format!("there is no `{}` in {}", agent.program, folder.display()))
}

/// The program in a folder of npm. A package that brings a binary for one system does not link it.
fn find_program(agent: &Agent, folder: &Path) -> Option<PathBuf> {
    let modules = folder.join("node_modules");
    let programs = [
        modules.join(".bin").join(agent.program),
        modules.join(agent.package).join("bin").join(agent.program),
    ];
    programs.into_iter().find(|program| program.exists())
}
