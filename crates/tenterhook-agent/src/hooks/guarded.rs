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
use tenterhook_process::internal::way;

use super::Hooks;

impl Hooks {
    /// How a file, given by a path without a link, decides over this agent, or over one that somebody starts here or in any
    /// directory above the file, whether it is there yet or not (AG-10).
    pub(crate) fn decided_by(&self, file: &Path) -> Option<String> {
        let own = self.roots();
        // Where no agent is started the list harms nothing, and whether one is started is unknown.
        let elsewhere = file.ancestors().skip(1).map(|directory| Roots {
            cwd: directory.to_owned(),
            repository: Some(directory.to_owned()),
            ..own.clone()
        });
        let decides = "decides over the agent itself";
        if std::iter::once(own.clone()).chain(elsewhere).any(|roots| loads(&roots, file)) {
            return Some(decides.to_owned());
        }
        if self.sources().iter().any(|source| fits(source, file)) {
            return Some(decides.to_owned());
        }
        let rules = self.engine.ruleset();
        let from = [own.cwd.as_path(), own.home.as_path()];
        if let Some(hook) = rules.hooks().iter().find(|hook| runs_file(&hook.run, file, from)) {
            return Some(format!("is run by the hook `{}`", hook.id));
        }
        let server = self.means.server_that(|command| command_runs(command, file, from))?;
        Some(format!("is run by the server `{server}`"))
    }

    /// The files that are there and that a hook or a server runs, and those from which hooks are loaded, by the names that lead to
    /// them: no command of the model changes them, or a link on the way there (AG-55).
    pub(crate) fn files_that_run(&self) -> Vec<PathBuf> {
        let own = self.roots();
        let (rules, servers) = (self.engine.ruleset(), self.means.programs());
        let of_hooks = rules.hooks().iter().filter_map(|hook| command_of(&hook.run));
        let from = [own.cwd.as_path(), own.home.as_path()];
        let named = of_hooks.chain(&servers).flat_map(|hook| runs::files(hook, &from));
        let all: BTreeSet<PathBuf> = named.chain(self.sources()).collect();
        all.into_iter().filter(|path| path.is_absolute() && path.is_file()).collect()
    }
}

/// Whether an agent that is started there loads the file.
fn loads(roots: &Roots, file: &Path) -> bool {
    let hooks = DIALECTS
        .iter()
        .flat_map(|dialect| dialect.candidates(roots))
        .map(|candidate| candidate.path);
    let servers = DIALECTS.iter().filter_map(|dialect| dialect.servers());
    let servers = servers.flat_map(|server| (server.files)(roots)).map(|(path, _)| path);
    hooks.chain(servers).any(|place| fits(&place, file))
}

/// Whether a file is at a place, in which a `*` stands for a part of a name, whatever the case of its letters: some file
/// systems take it for the same.
fn fits(place: &Path, file: &Path) -> bool {
    let (place, file) = (place.components(), file.components());
    place.clone().count() == file.clone().count() && place.zip(file).all(|(a, b)| part(a, b))
}

fn part(place: Component<'_>, part: Component<'_>) -> bool {
    let small = |value: &OsStr| value.to_string_lossy().to_lowercase();
    let (place, part) = (small(place.as_os_str()), small(part.as_os_str()));
    match place.split_once('*') {
        Some((before, after)) => part.starts_with(before) && part.ends_with(after),
        None => place == part,
    }
}

/// Whether a hook runs the file, named by its path or from one of these directories.
fn runs_file(run: &Run, file: &Path, from: [&Path; 2]) -> bool {
    command_of(run).is_some_and(|command| command_runs(command, file, from))
}

/// What a hook starts.
const fn command_of(run: &Run) -> Option<&Command> {
    match run {
        Run::Command(command) => Some(command),
        Run::Worker(worker) => Some(&worker.command),
        _ => None,
    }
}

/// Whether it runs the file, by whatever name: as it is written, or by a link.
fn command_runs(command: &Command, file: &Path, from: [&Path; 2]) -> bool {
    let mut named = runs::files(command, &from).into_iter();
    named.any(|path| path == file || way(&path).iter().any(|path| path == file))
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
            runs_file(&run, Path::new("/p/hooks/stop.sh"), from)
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
