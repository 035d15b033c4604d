//! Which parts of an agent are on this machine: its programs on `PATH`, each with its version, and its directory. Starts no
//! program.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook::internal::discover;
use tenterhook_core::agents::Agent;

use super::install::files::{agent_directory, agent_user_directory, find_on_path};
use crate::ambient::Here;
use crate::load::shorten_path;

/// An agent as far as it is installed.
pub(crate) struct Presence {
    /// Its programs on `PATH`, the one that starts first; two names of one file are one program.
    programs: Vec<Program>,
    directory: Option<PathBuf>,
}

struct Program {
    path: PathBuf,
    version: Option<String>,
}

impl Presence {
    pub(crate) fn find(agent: &Agent, here: &Here) -> Self {
        let mut programs: Vec<Program> = Vec::new();
        let mut files: Vec<PathBuf> = Vec::new();
        for path in find_on_path(agent.program_name(), here) {
            let Ok(file) = path.canonicalize() else { continue };
            if !files.contains(&file) {
                programs.push(Program { path, version: version_of_program(&file) });
                files.push(file);
            }
        }
        Self { programs, directory: agent_directory(agent, here) }
    }

    /// Returns the version of the program that starts, if it can be read.
    pub(crate) fn version(&self) -> Option<&str> {
        self.programs.first()?.version.as_deref()
    }

    /// Returns the oldest version on `PATH`: what it lacks is open as long as it can be started.
    pub(crate) fn oldest_version(&self) -> Option<&str> {
        let versions = self.programs.iter().filter_map(|program| program.version.as_deref());
        versions.min_by_key(|version| parse_version(version))
    }

    /// Describes what is there if only a part of the agent is (BR-180).
    pub(crate) fn missing_part_note(&self, agent: &Agent, here: &Here) -> Option<String> {
        let program = agent.program_name();
        let shown = |path: &Path| shorten_path(&path.to_string_lossy(), &here.roots);
        match (self.programs.is_empty(), &self.directory) {
            (true, Some(directory)) => {
                Some(format!("`{program}` is not on `PATH`; only `{}` is here", shown(directory)))
            }
            (false, None) => {
                let name = agent.installation.seen.first().copied();
                let directory = name.map(|name| here.roots.home.join(name));
                let directory = directory.unwrap_or_else(|| agent_user_directory(agent, here));
                let directory = shown(&directory);
                Some(format!("`{program}` is on `PATH`, and was not started yet: no `{directory}`"))
            }
            (true, None) => Some(format!(
                "{} is not here: no `{program}` on `PATH`, and no directory of it",
                agent.title
            )),
            (false, Some(_)) => None,
        }
    }

    /// Describes several versions on `PATH` (BR-181).
    pub(crate) fn several_versions_note(&self, here: &Here) -> Option<String> {
        let (first, others) = self.programs.split_first()?;
        let mut others = others.iter().filter(|other| other.version != first.version).peekable();
        others.peek()?;
        let shown = |program: &Program| {
            let path = shorten_path(&program.path.to_string_lossy(), &here.roots);
            let version = program.version.as_deref().unwrap_or("an unknown version");
            format!("{version} (`{path}`)")
        };
        let others: Vec<String> = others.map(shown).collect();
        Some(format!("`PATH` starts {}; also there: {}", shown(first), others.join(", ")))
    }

    /// Describes what is missing or there twice.
    pub(crate) fn notes(&self, agent: &Agent, here: &Here) -> Vec<String> {
        let notes = [self.missing_part_note(agent, here), self.several_versions_note(here)];
        notes.into_iter().flatten().collect()
    }

    pub(crate) fn to_json(&self) -> Value {
        let programs = self.programs.iter();
        let programs: Vec<Value> = programs
            .map(|program| json!({ "path": program.path, "version": program.version }))
            .collect();
        json!({ "programs": programs, "directory": self.directory })
    }
}

/// Returns the version of a program: the file name of a symlink's target, or the version of the
/// package around it.
fn version_of_program(file: &Path) -> Option<String> {
    let name = file.file_name().and_then(|name| name.to_str());
    let named = name.filter(|name| parse_version(name).is_some()).map(str::to_owned);
    named.or_else(|| file.ancestors().skip(1).take(4).find_map(version_in_package_json))
}

fn version_in_package_json(directory: &Path) -> Option<String> {
    let text = discover::read_config_file(&directory.join("package.json")).ok()?;
    let package: Value = serde_json::from_str(&text).ok()?;
    let version = package.get("version")?.as_str()?;
    parse_version(version).map(|_| version.to_owned())
}

/// Parses a version into its numbers.
pub(crate) fn parse_version(version: &str) -> Option<Vec<u64>> {
    let plain = version.split(['-', '+']).next()?;
    let numbers: Option<Vec<u64>> = plain.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1)
}
