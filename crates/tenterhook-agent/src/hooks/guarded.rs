//! Does a file decide over an agent: could hooks or the servers that they call be loaded from it, or does a hook run it? Asks
//! the dialects where they look, so that no list here can be forgotten; looks at no file.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use tenterhook::dialect::DIALECTS;
use tenterhook::dialect::Roots;
use tenterhook::hook::{Command, Invocation, Run};
use tenterhook_shell::{self as shell, Word};

use super::Hooks;

impl Hooks {
    /// How a file, given by a path without a link, decides over this agent, or over one that somebody starts here or in any
    /// directory above the file, whether it is there yet or not (AG-10).
    pub(crate) fn decided_by(&self, file: &Path) -> Option<String> {
        let own = self.roots();
        // Where nobody starts an agent, nobody is harmed; but who knows where somebody does?
        let elsewhere = file.ancestors().skip(1).map(|directory| Roots {
            cwd: directory.to_owned(),
            repository: Some(directory.to_owned()),
            ..own.clone()
        });
        let decides = "decides over the agent itself";
        if std::iter::once(own.clone()).chain(elsewhere).any(|roots| loads(&roots, file)) {
            return Some(decides.to_owned());
        }
        if self.sources().iter().any(|it| fits(it, file)) {
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

    /// The files that are there and that a hook or a server runs, where they lie: no command of the model changes them (AG-55).
    pub(crate) fn files_that_run(&self) -> Vec<PathBuf> {
        let own = self.roots();
        let (rules, servers) = (self.engine.ruleset(), self.means.programs());
        let of_hooks = rules.hooks().iter().filter_map(|it| command_of(&it.run));
        let words: BTreeSet<String> = of_hooks.chain(&servers).flat_map(named_in).collect();
        let from = [own.cwd.as_path(), own.home.as_path()];
        let paths = words.iter().flat_map(|it| from.map(|from| from.join(it)));
        let there = paths.filter(|it| it.is_file()).map(|it| tenterhook_process::resolved(&it));
        there.filter(|it| self.decided_by(it).is_some()).collect()
    }
}

/// Whether an agent that is started there loads the file.
fn loads(roots: &Roots, file: &Path) -> bool {
    let hooks = DIALECTS.iter().flat_map(|it| it.places(roots)).map(|it| it.path);
    let servers = DIALECTS.iter().filter_map(|it| it.servers());
    let servers = servers.flat_map(|it| (it.files)(roots)).map(|(path, _)| path);
    hooks.chain(servers).any(|place| fits(&place, file))
}

/// Whether a file is at a place, in which a `*` stands for a part of a name, whatever the case of its letters: some file
/// systems take it for the same.
fn fits(place: &Path, file: &Path) -> bool {
    let (place, file) = (place.components(), file.components());
    place.clone().count() == file.clone().count() && place.zip(file).all(|(a, b)| part(a, b))
}

fn part(place: Component<'_>, part: Component<'_>) -> bool {
    let small = |it: &OsStr| it.to_string_lossy().to_lowercase();
    let (place, part) = (small(place.as_os_str()), small(part.as_os_str()));
    match place.split_once('*') {
        Some((before, after)) => part.starts_with(before) && part.ends_with(after),
        None => place == part,
    }
}

/// Whether a hook runs the file, named by its path or from one of these directories.
fn runs_file(run: &Run, file: &Path, from: [&Path; 2]) -> bool {
    command_of(run).is_some_and(|it| command_runs(it, file, from))
}

/// What a hook starts.
const fn command_of(run: &Run) -> Option<&Command> {
    match run {
        Run::Command(command) => Some(command),
        Run::Worker(worker) => Some(&worker.command),
        _ => None,
    }
}

/// The words of a command that may name a file, from the directory that a variable at their beginning stands for.
fn named_in(command: &Command) -> Vec<String> {
    let texts: Vec<&str> = match &command.invocation {
        Invocation::Shell { text, .. } => vec![text],
        Invocation::Argv { program, args } => {
            std::iter::once(program).chain(args).map(String::as_str).collect()
        }
    };
    let lines: Vec<_> = texts.iter().flat_map(|it| shell::read(it).commands).collect();
    let words = lines.iter().flat_map(|it| it.words.iter());
    let words = words.map(|it| it.source.replace(['"', '\''], ""));
    let whole = texts.iter().map(|it| (*it).to_owned());
    let behind = |it: String| match it.strip_prefix('$').and_then(|it| it.split_once('/')) {
        Some((_, rest)) => rest.to_owned(),
        None => it,
    };
    whole.chain(words).map(behind).collect()
}

fn command_runs(command: &Command, file: &Path, from: [&Path; 2]) -> bool {
    let from = from.into_iter().filter_map(|it| file.strip_prefix(it).ok()).chain([file]);
    let names: Vec<&str> = from.filter_map(Path::to_str).filter(|it| !it.is_empty()).collect();
    match &command.invocation {
        Invocation::Shell { text, .. } => line_runs(text, &names),
        Invocation::Argv { program, args } => {
            let words: Vec<&str> =
                std::iter::once(program).chain(args).map(String::as_str).collect();
            // `sh -c LINE`
            words_run(&words, &names) || args.iter().any(|it| line_runs(it, &names))
        }
    }
}

fn line_runs(line: &str, names: &[&str]) -> bool {
    shell::read(line).commands.iter().any(|command| {
        // As written, because a variable stands for the project, and without quotes.
        let bare = |it: &Word| it.source.replace(['"', '\''], "");
        let words: Vec<String> = command.words.iter().map(bare).collect();
        words_run(&words.iter().map(String::as_str).collect::<Vec<_>>(), names)
    })
}

/// Whether a program is one of these files, or an interpreter that is given one. What others are given is data.
fn words_run(words: &[&str], names: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let base = program.rsplit('/').next().unwrap_or(program);
    let base = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let reads = INTERPRETERS.contains(&base);
    let is = |word: &str| {
        let word = word.strip_prefix("./").unwrap_or(word);
        // `$CLAUDE_PROJECT_DIR/hooks/stop.sh`
        let behind = |name: &&str| {
            word.strip_suffix(*name).is_some_and(|it| it.starts_with('$') && it.ends_with('/'))
        };
        names.iter().any(|name| word == *name || behind(name))
    };
    is(program) || reads && rest.iter().any(|it| is(it))
}

/// Programs that run the file that they are given, less the digits of their version.
const INTERPRETERS: &[&str] = &[
    ".",
    "source",
    "exec",
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "node",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "python",
    "pypy",
    "uv",
    "ruby",
    "perl",
    "php",
    "lua",
    "pwsh",
    "powershell",
    "Rscript",
    "awk",
    "env",
];

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook::hook::{Inherit, Shell};

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
