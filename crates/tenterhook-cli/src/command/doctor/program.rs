//! Are the programs there, and are they the ones that were measured: ours in the entries, and the agent itself? Asks each for its
//! version and nothing else.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Scope};

use super::entries::{File, fix_by_installing};
use super::finding::{Finding, Kind, Mend};
use crate::ambient::Here;
use crate::command::install::files::find_on_path;
use crate::command::presence::Presence;
use crate::command::probe;
use crate::command::status::why_program_is_missing;
use crate::executable::is_executable;

/// The agent, as far as it can be asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Installed {
    pub(super) program: Option<PathBuf>,
    /// Its version as numbers, where it says one.
    pub(super) version: Option<String>,
    /// The version with which it was measured what this agent does with its hooks.
    pub(super) measured: Option<&'static str>,
    /// The version that was probed on this machine.
    pub(super) probed: Option<String>,
}

/// Returns the path of a program. A bare name is looked up in the `PATH` of this process; the
/// `PATH` of the agent is unknown.
pub(super) fn find_program(program: &str, here: &Here) -> Option<PathBuf> {
    if !program.contains('/') {
        return find_on_path(program, here).next();
    }
    let path = PathBuf::from(program);
    let is = path.metadata().is_ok_and(|metadata| metadata.is_file() && is_executable(&metadata));
    is.then_some(path)
}

/// Returns the findings about the programs that entries start.
pub(super) fn program_findings(agent: &Agent, files: &[&File], here: &Here) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in files {
        let mut seen: Vec<&str> = Vec::new();
        for entry in &file.entries {
            if seen.contains(&entry.program.as_str()) {
                continue;
            }
            seen.push(&entry.program);
            let finding = match find_program(&entry.program, here) {
                None => Some(missing_program_finding(agent, file.scope, &entry.program)),
                Some(path) => exposed_program_finding(file, &path, here)
                    .or_else(|| foreign_program_finding(&path, here)),
            };
            found
                .extend(finding.map(|finding| finding.with_location(&file.path, entry.line, here)));
        }
    }
    found
}

fn missing_program_finding(agent: &Agent, scope: Scope, program: &str) -> Finding {
    let why = why_program_is_missing(program);
    let what = format!("`{program}` {why}; {}", agent.installation.gone);
    Finding::new(Kind::ProgramMissing, what, fix_by_installing(agent, scope))
}

/// Reports a program of managed entries that users can change (BR-162).
fn exposed_program_finding(file: &File, path: &Path, here: &Here) -> Option<Finding> {
    let program = Some(path).filter(|_| file.scope == Scope::Managed)?;
    let (why, remedy) = discover::writer_of_shared_program(program, &here.roots)?;
    let what = format!("{why}: users can change the program of these entries");
    Some(Finding::new(Kind::ProgramForeign, what, Mend::from_advice(remedy)))
}

/// Reports a program called `tenterhook` that is not this one: the silence of a foreign program
/// would be treated as consent, and an older version may not know options that this version writes.
fn foreign_program_finding(path: &Path, here: &Here) -> Option<Finding> {
    let own = env!("CARGO_PKG_VERSION");
    let text = version_output(path, here).unwrap_or_default();
    let Some(version) = find_version(&text).filter(|_| text.starts_with("tenterhook ")) else {
        let what = format!("`{}` does not say that it is Tenterhook", path.display());
        let mend = Mend::from_advice("put this program in its place, or take that off `PATH`");
        return Some(Finding::new(Kind::ProgramForeign, what, mend));
    };
    if parse_version(&version) >= parse_version(own) {
        return None;
    }
    let what = format!("`{}` is version {version}, older than this one ({own})", path.display());
    let mend =
        Mend::from_advice("install this version there, too, or take the older one off `PATH`");
    Some(Finding::new(Kind::ProgramOlder, what, mend))
}

/// Returns what a program prints for `--version`.
fn version_output(program: &Path, here: &Here) -> Option<String> {
    let path = here
        .env
        .iter()
        .find(|variable| variable.0 == "PATH")
        .map_or("", |variable| variable.1.as_str());
    // Whatever it writes at home is gone with this.
    let scratch = tempfile::tempdir().ok()?;
    Some(probe::program_version(program, path, scratch.path()))
}

/// Returns the first word that is a version: numbers separated by dots.
fn find_version(text: &str) -> Option<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c)));
    let words = words.map(|word| word.trim_start_matches('v'));
    words
        .into_iter()
        .find(|word| word.contains('.') && parse_version(word).is_some())
        .map(str::to_owned)
}

fn parse_version(version: &str) -> Option<Vec<u64>> {
    let plain = version.split(['-', '+']).next()?;
    plain.split('.').map(|part| part.parse().ok()).collect()
}

/// Asks the agent for its version, and reads the versions that were measured and probed.
pub(super) fn find_agent_versions(agent: &Agent, here: &Here) -> Installed {
    let program = find_on_path(agent.program_name(), here).next();
    let version =
        program.as_deref().and_then(|program| find_version(&version_output(program, here)?));
    let measured =
        tenterhook_probe::find_agent(agent.name).map(|tenterhook_probe| tenterhook_probe.version);
    let probed = stored_probe_result(agent, here)
        .and_then(|value| find_version(value.get("version")?.as_str()?));
    Installed { program, version, measured, probed }
}

/// Returns the stored result of `probe` for this agent.
fn stored_probe_result(agent: &Agent, here: &Here) -> Option<Value> {
    let text = discover::read_config_file(&probe::stored_result_path(agent.name, here)).ok()?;
    serde_json::from_str(&text).ok()
}

/// Reports several versions of an agent on `PATH`, of which one was measured or probed at most.
pub(super) fn several_versions_finding(agent: &Agent, here: &Here) -> Option<Finding> {
    let what = Presence::find(agent, here).several_versions_note(here)?;
    let mend = Mend::from_advice("remove those that you do not start, or probe each");
    Some(Finding::new(Kind::SeveralVersions, what, mend))
}

/// The findings about the agent's version.
pub(super) fn version_findings(agent: &Agent, installed: &Installed, here: &Here) -> Vec<Finding> {
    let Some(version) = &installed.version else { return Vec::new() };
    let mend = Mend::from_command(format!("tenterhook probe {}", agent.name));
    if installed.probed.as_ref() == Some(version) {
        let is_open = stored_probe_result(agent, here)
            .is_some_and(|value| value.get("denials_block") == Some(&false.into()));
        let what = format!("the probe saw that a denial does not block in version {version}");
        let mend =
            Mend::from_advice(format!("use another version of {}, and probe that", agent.title));
        let path = probe::stored_result_path(agent.name, here);
        let open = is_open
            .then(|| Finding::new(Kind::DenialOpen, what, mend).with_location(&path, None, here));
        return open.into_iter().collect();
    }
    if let Some(probed) = &installed.probed {
        let what = format!("{} is version {version} now; probed was {probed}", agent.title);
        let path = probe::stored_result_path(agent.name, here);
        return vec![
            Finding::new(Kind::VersionNotProbed, what, mend).with_location(&path, None, here),
        ];
    }
    match installed.measured {
        Some(measured) if measured != version => {
            let what = format!(
                "{} is version {version}; what it does with hooks was measured with {measured}",
                agent.title
            );
            vec![Finding::new(Kind::VersionNotMeasured, what, mend)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_agents_say() {
        for (text, version) in [
            ("2.1.330 (Claude Code)", Some("2.1.330")),
            ("codex-cli 0.169.0", Some("0.169.0")),
            ("v1.0.102", Some("1.0.102")),
            (" 1.52.0\n", Some("1.52.0")),
            ("tenterhook 0.1.0-rc.1", Some("0.1.0-rc.1")),
            ("no version. at all", None),
            ("", None),
        ] {
            assert_eq!(find_version(text).as_deref(), version, "{text}");
        }
        assert!(parse_version("0.9.12") < parse_version("0.10.0"));
    }
}
