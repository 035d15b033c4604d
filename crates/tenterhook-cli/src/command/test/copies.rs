//! What of a project a case has a copy of: hook files, and the directories in which their scripts lie (TE-11). Reads files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook_core::hook::{Hook, Invocation, Run, Worker};

use super::suite::Suite;
use crate::problem::Problem;

/// Files by their names from the project.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    pub(super) files: BTreeMap<PathBuf, File>,
}

/// One file.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) bytes: Arc<[u8]>,
    pub(super) is_program: bool,
}

/// How much a case may take with it: hooks are small, and every case pays for it.
const MOST_BYTES: usize = 32 << 20;
const MOST_FILES: usize = 2_000;

/// Directories that a user does not mean by naming their parent.
const LEFT_OUT: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__"];

/// What the hooks of `suite` need, and what the file of cases names beside it.
pub(super) fn collect(suite: &Suite, named: &[String]) -> Result<Copies, Problem> {
    let mut copies = Copies::default();
    let root = &*suite.project;
    for source in &suite.sources {
        copies.take(root, Path::new(&*source.name))?;
    }
    for hook in suite.ruleset.hooks() {
        for file in scripts(hook, suite) {
            match file.parent() {
                Some(directory) if directory != root => copies.take(root, directory)?,
                _ => copies.take(root, &file)?,
            }
        }
    }
    for name in named {
        let path = root.join(name);
        if !path.exists() {
            let message = format!("`{}` wants a copy of `{name}`, which is not there", suite.shown);
            return Err(Problem::new(message).help(format!("names start at `{}`", root.display())));
        }
        copies.take(root, &path)?;
    }
    Ok(copies)
}

/// The files of the project that a hook's command names.
pub(super) fn scripts(hook: &Hook, suite: &Suite) -> Vec<PathBuf> {
    let (Run::Command(command) | Run::Worker(Worker { command })) = &hook.run else {
        return Vec::new();
    };
    let home = &suite.roots.home;
    if let Some(script) = hook.script(&suite.project, home) {
        return within(&suite.project, script.path).into_iter().collect();
    }
    let words: Vec<&str> = match &command.invocation {
        Invocation::Argv { program, args } => {
            std::iter::once(program).chain(args).map(String::as_str).collect()
        }
        Invocation::Shell { text, .. } => {
            text.split([' ', '\t', '\n', ';', '|', '&', '(', ')']).collect()
        }
    };
    let path = |word: &str| {
        let word: String = word.chars().filter(|c| !matches!(c, '"' | '\'' | '{' | '}')).collect();
        let word = word.strip_prefix("$CLAUDE_PROJECT_DIR/").unwrap_or(&word).to_owned();
        let is_path = word.contains('/') || word.contains('.');
        is_path.then(|| within(&suite.project, suite.project.join(word))).flatten()
    };
    words.into_iter().filter_map(path).collect()
}

/// The path without `.` and `..`, if it is a file of the project.
fn within(project: &Path, path: PathBuf) -> Option<PathBuf> {
    let real = path.canonicalize().ok()?;
    let root = project.canonicalize().ok()?;
    let rest = real.strip_prefix(&root).ok()?;
    real.is_file().then(|| project.join(rest))
}

impl Copies {
    /// Takes a file, or everything in a directory. What lies outside of `root` is used where it is.
    fn take(&mut self, root: &Path, path: &Path) -> Result<(), Problem> {
        let Ok(name) = path.strip_prefix(root) else { return Ok(()) };
        if self.files.contains_key(name) {
            return Ok(());
        }
        let wrong = |error: io::Error| {
            Problem::new(format!("`{}` cannot be copied: {error}", path.display()))
        };
        let about = fs::metadata(path).map_err(wrong)?;
        if about.is_dir() {
            for entry in fs::read_dir(path).map_err(wrong)? {
                let entry = entry.map_err(wrong)?;
                let is_left_out = LEFT_OUT.iter().any(|text| entry.file_name() == *text);
                if !is_left_out {
                    self.take(root, &entry.path())?;
                }
            }
        } else if about.is_file() {
            let bytes: Arc<[u8]> = fs::read(path).map_err(wrong)?.into();
            let file = File { bytes, is_program: is_program(&about) };
            self.files.insert(name.to_owned(), file);
            self.bound(path)?;
        }
        Ok(())
    }

    fn bound(&self, last: &Path) -> Result<(), Problem> {
        let bytes: usize = self.files.values().map(|file| file.bytes.len()).sum();
        if bytes <= MOST_BYTES && self.files.len() <= MOST_FILES {
            return Ok(());
        }
        let shown = last.display();
        let message = format!(
            "the hooks lie among too much to copy for each case: `{shown}` is over the bound"
        );
        Err(Problem::new(message).help(format!(
            "put the scripts into a separate directory: at most {MOST_FILES} files and {} MiB",
            MOST_BYTES >> 20
        )))
    }
}

#[cfg(unix)]
fn is_program(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(_: &fs::Metadata) -> bool {
    true
}
