//! In which directory does a wrapper run the command behind it (`env -C DIR`)? Reads words; looks at no disk.

use tenterhook_shell::{SimpleCommand, Via};

use super::Sofar;
use crate::call::view::View;

/// Wrappers that run a command in another directory, and the options that name it.
const ENTERING: &[(&str, &[&str])] = &[
    ("env", &["-C", "--chdir"]),
    ("sudo", &["-D", "--chdir"]),
    ("run0", &["-D", "--chdir"]),
    ("systemd-run", &["--working-directory"]),
    ("parallel", &["--wd", "--workdir"]),
    ("uv", &["--directory", "--project"]),
    ("pnpm", &["-C", "--dir"]),
    ("npm", &["--prefix"]),
    ("mise", &["-C", "--cd"]),
];

impl Sofar<'_> {
    /// Where a command runs: where a wrapper before it leads (`env -C DIR`), else where the line stands.
    pub(super) fn directory_of(&self, command: &SimpleCommand) -> String {
        let wrapped = match (command.via.last(), &self.entered) {
            (Some(Via::Wrapper(name)), Some((wrapper, cwd))) if name == wrapper => Some(cwd),
            _ => None,
        };
        wrapped.cloned().unwrap_or_else(|| self.cwd().to_owned())
    }

    /// Notes the directory that a wrapper names for the command behind it.
    pub(super) fn enter(&mut self, view: &View<'_>) {
        let Some((wrapper, options)) = ENTERING.iter().find(|(name, _)| *name == view.name) else {
            return;
        };
        let named = view.values(options).last().map(|path| self.paths.absolute(path, &view.cwd));
        self.entered = named.map(|cwd| (*wrapper, cwd));
    }
}
