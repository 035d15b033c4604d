//! Does a file decide over an agent: could hooks or the servers that they call be loaded from it, or does a hook run it? Asks
//! the dialects where they look, so that no list here can be forgotten; opens no file that is run.

mod runners;
mod runs;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use tenterhook_core::dialect::DIALECTS;
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::{Command, Run};
use tenterhook_process::internal::resolve_path_and_links;

use super::Hooks;

impl Hooks {
    /// Returns why a file configures this agent, or an agent that is started here or in any
    /// directory above the file. The path must contain no link; the file need not exist (AG-10).
    pub(crate) fn why_guarded(&self, file: &Path) -> Option<String> {
        let own = self.discovery_roots();
        // Where no agent is started the list harms nothing, and whether one is started is unknown.
        let elsewhere = file.ancestors().skip(1).map(|directory| Roots {
            cwd: directory.to_owned(),
            repository: Some(directory.to_owned()),
            ..own.clone()
        });
        let decides = "decides over the agent itself";
        if std::iter::once(own.clone()).chain(elsewhere).any(|roots| agent_loads_file(&roots, file))
        {
            return Some(decides.to_owned());
        }
        if self.loaded_files().iter().any(|source| path_matches(source, file)) {
            return Some(decides.to_owned());
        }
        let rules = self.engine.ruleset();
        let from = [own.cwd.as_path(), own.home.as_path()];
        if let Some(hook) = rules.hooks().iter().find(|hook| hook_runs_file(&hook.run, file, from))
        {
            return Some(format!("is run by the hook `{}`", hook.id));
        }
        let server =
            self.means.find_server_by_command(|command| command_runs_file(command, file, from))?;
        Some(format!("is run by the server `{server}`"))
    }

    /// Returns the existing files that a hook or a server runs, and those from which hooks are
    /// loaded, by the names that lead to them. No command of the model may change them, or a link
    /// on the way to them (AG-55).
    pub(crate) fn files_run_by_hooks(&self) -> Vec<PathBuf> {
        let own = self.discovery_roots();
        let (rules, servers) = (self.engine.ruleset(), self.means.server_commands());
        let of_hooks = rules.hooks().iter().filter_map(|hook| command_of_run(&hook.run));
        let from = [own.cwd.as_path(), own.home.as_path()];
        let named =
            of_hooks.chain(&servers).flat_map(|hook| runs::files_run_by_command(hook, &from));
        let all: BTreeSet<PathBuf> = named.chain(self.loaded_files()).collect();
        all.into_iter().filter(|path| path.is_absolute() && path.is_file()).collect()
    }
}

/// Returns whether an agent that is started with these roots loads the file.
fn agent_loads_file(roots: &Roots, file: &Path) -> bool {
    let hooks = DIALECTS
        .iter()
        .flat_map(|dialect| dialect.candidate_files(roots))
        .map(|candidate| candidate.path);
    let servers = DIALECTS.iter().filter_map(|dialect| dialect.mcp_server_files());
    let servers = servers.flat_map(|server| (server.files)(roots)).map(|(path, _)| path);
    hooks.chain(servers).any(|place| path_matches(&place, file))
}

/// Returns whether a path matches a pattern in which `*` stands for a part of a name. Case is
/// ignored, as in some file systems.
fn path_matches(place: &Path, file: &Path) -> bool {
    let (place, file) = (place.components(), file.components());
    place.clone().count() == file.clone().count()
        && place.zip(file).all(|(a, b)| component_matches(a, b))
}

fn component_matches(place: Component<'_>, part: Component<'_>) -> bool {
    let small = |value: &OsStr| value.to_string_lossy().to_lowercase();
    let (place, part) = (small(place.as_os_str()), small(part.as_os_str()));
    match place.split_once('*') {
        Some((before, after)) => part.starts_with(before) && part.ends_with(after),
        None => place == part,
    }
}

/// Returns whether a hook runs the file, named by its path or relative to one of these directories.
fn hook_runs_file(run: &Run, file: &Path, from: [&Path; 2]) -> bool {
    command_of_run(run).is_some_and(|command| command_runs_file(command, file, from))
}

/// Returns the command that a hook starts, if it starts one.
const fn command_of_run(run: &Run) -> Option<&Command> {
    match run {
        Run::Command(command) => Some(command),
        Run::Worker(worker) => Some(&worker.command),
        _ => None,
    }
}

/// Returns whether the command runs the file, by its written name or by a link.
fn command_runs_file(command: &Command, file: &Path, from: [&Path; 2]) -> bool {
    let mut named = runs::files_run_by_command(command, &from).into_iter();
    named.any(|path| path == file || resolve_path_and_links(&path).iter().any(|path| path == file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::hook::{Inherit, Invocation, Shell};

    #[test]
    fn a_hooks_line_names_the_files_that_it_runs() {
        let from = [Path::new("/p"), Path::new("/home/u")];
        let run = |line: &str| {
            let shell = Invocation::Shell { text: line.to_owned(), shell: Shell::default() };
            let run = Run::Command(Command::new(shell, Inherit::default()));
            hook_runs_file(&run, Path::new("/p/hooks/stop.sh"), from)
        };
        for line in [
            "sh hooks/stop.sh",
            "./hooks/stop.sh --fast",
            "\"$CLAUDE_PROJECT_DIR\"/hooks/stop.sh",
            "cd x && /p/hooks/stop.sh",
            "exec python3.12 -u hooks/stop.sh",
        ] {
            assert!(run(line), "{line}");
        }
        for line in [
            "sh hooks/stop.sh.bak",
            "sh myhooks/stop.sh",
            "stop.sh",
            "",
            "cat hooks/stop.sh",
            "echo '{\"file_path\": \"hooks/stop.sh\"}'",
            "cat >>hooks/stop.sh",
        ] {
            assert!(!run(line), "{line}");
        }
    }
}
