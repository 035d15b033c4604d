//! Would a program be found by its name? Looks along the search path; starts nothing.

use tenterhook_core::hook::{Hook, Program, Run};

use crate::executable::is_executable;

/// What shells run themselves, without looking for a file.
const BUILT_IN: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "continue",
    "declare",
    "dirs",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// The directories in which a hook's programs are looked for.
pub(super) struct Path {
    /// `None` if they are unknown: then every program is taken as found.
    directories: Option<Vec<std::path::PathBuf>>,
}

impl Path {
    /// Returns the search path that `hook` is started with: its own, otherwise the one of the
    /// environment.
    pub(super) fn for_hook(hook: &Hook, env: &[(String, String)]) -> Self {
        let own: &[(String, String)] = match &hook.run {
            Run::Command(command) => &command.env,
            Run::Worker(worker) => &worker.command.env,
            _ => &[],
        };
        let value = own.iter().chain(env).find(|(name, _)| name == "PATH").map(|(_, value)| value);
        // A path that the shell puts together is not known before it runs.
        let known = value.filter(|text| !text.contains('$'));
        Self { directories: known.map(|text| std::env::split_paths(text).collect()) }
    }

    /// Returns the search path of the environment.
    pub(super) fn from_env(env: &[(String, String)]) -> Self {
        let value = env.iter().find(|(name, _)| name == "PATH");
        let absolute =
            |text: &String| std::env::split_paths(text).filter(|path| path.is_absolute()).collect();
        Self { directories: value.map(|(_, text)| absolute(text)) }
    }

    /// Returns whether `program` exists on this path, or is not a file at all.
    pub(super) fn has_program(&self, program: &Program) -> bool {
        if program.by_shell && BUILT_IN.contains(&&*program.name) {
            return true;
        }
        self.directories.is_none() || self.find_file(&program.name).is_some()
    }

    /// Returns whether a shell finds the command `name`, which may be its own.
    pub(super) fn has_program_of_shell(&self, name: &str) -> bool {
        self.has_program(&Program { name: name.to_owned(), by_shell: true, is_alone: false })
    }

    /// Returns the file of the program `name`.
    pub(super) fn find_file(&self, name: &str) -> Option<std::path::PathBuf> {
        let candidates = self.directories.iter().flatten().map(|directory| directory.join(name));
        let is_program = |path: &std::path::PathBuf| {
            path.metadata().is_ok_and(|metadata| metadata.is_file() && is_executable(&metadata))
        };
        candidates.into_iter().find(is_program)
    }
}
