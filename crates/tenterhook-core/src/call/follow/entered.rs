//! In which directory does a command run: where the line goes (`cd DIR`), or where a wrapper leads (`env -C DIR`)? Reads words;
//! looks at no disk.

use tenterhook_shell::{SimpleCommand, Via};

use super::Sofar;
use crate::call::fill::Variables;
use crate::call::path::Moves;
use crate::call::view::View;

/// Longest directory that is followed: no system has a longer one.
const LONGEST_CWD: usize = 4 * 1024;

/// Variables of directories in the home, and their defaults.
const XDG: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
];

/// Sets the variables of directories in the home directory to their default values.
pub(super) fn set_xdg_directories(variables: &mut Variables<'_>, home: &str) {
    for (name, below) in XDG.iter().filter(|_| !home.is_empty()) {
        variables.set_values(name, vec![format!("{home}/{below}")]);
    }
}

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
    /// Sets the directory in which the line continues after a `cd`.
    pub(super) fn follow_cd(&mut self, view: &View<'_>) {
        let from = match self.paths.moves {
            Moves::Followed => self.cwd(),
            Moves::FromStart => &self.paths.cwd,
            Moves::Ignored => return,
        };
        let to = match view.operands(&[]).first() {
            Some(&"-") => self.left.clone(),
            Some(to) => Some(self.paths.to_absolute(to, from)),
            None if view.name == "cd" => Some(self.paths.home.clone()),
            None => None,
        };
        let Some(to) = to else { return };
        if to.len() > LONGEST_CWD {
            self.too_much = true;
            return;
        }
        let left = self.cwd().to_owned();
        self.variables.set_values("OLDPWD", vec![left.clone()]);
        self.variables.set_values("PWD", vec![to.clone()]);
        self.left = Some(left);
        self.variables.set_current_directory(to);
    }

    /// Returns the directory in which a command runs: that of a wrapper before it (`env -C DIR`),
    /// else the current one of the line.
    pub(super) fn command_directory(&self, command: &SimpleCommand) -> String {
        let wrapped = match (command.via.last(), &self.entered) {
            (Some(Via::Wrapper(name)), Some((wrapper, cwd))) if name == wrapper => Some(cwd),
            _ => None,
        };
        wrapped.cloned().unwrap_or_else(|| self.cwd().to_owned())
    }

    /// Keeps the directory that a wrapper names for the command after it.
    pub(super) fn note_wrapper_directory(&mut self, view: &View<'_>) {
        let Some((wrapper, options)) = ENTERING.iter().find(|(name, _)| *name == view.name) else {
            return;
        };
        // `systemd-run -p WorkingDirectory=DIR`
        let property = view.args.iter().filter_map(|arg| arg.strip_prefix("WorkingDirectory="));
        let named = view
            .option_values(options)
            .into_iter()
            .chain(property)
            .last()
            .map(|path| self.paths.to_absolute(path, &view.cwd));
        self.entered = named.map(|cwd| (*wrapper, cwd));
    }
}
