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

/// Collects the files that the hooks of `suite` need, and those that the file of cases names in
/// addition.
pub(super) fn collect_files(suite: &Suite, named: &[String]) -> Result<Copies, Problem> {
    let mut copies = Copies::default();
    let root = &*suite.project;
    for source in &suite.sources {
        copies.add_path(root, Path::new(&*source.name))?;
    }
    for hook in suite.ruleset.hooks() {
        for file in scripts_of_hook(hook, suite) {
            match file.parent() {
                Some(directory) if directory != root => copies.add_path(root, directory)?,
                _ => copies.add_path(root, &file)?,
            }
        }
    }
    for name in named {
        let path = root.join(name);
        if !path.exists() {
            let message = format!("`{}` wants a copy of `{name}`, which is not there", suite.shown);
            return Err(
                Problem::new(message).with_help(format!("names start at `{}`", root.display()))
            );
        }
        copies.add_path(root, &path)?;
    }
    Ok(copies)
}

/// Returns the files of the project that a hook's command names.
pub(super) fn scripts_of_hook(hook: &Hook, suite: &Suite) -> Vec<PathBuf> {
    let (Run::Command(command) | Run::Worker(Worker { command })) = &hook.run else {
        return Vec::new();
    };
    let home = &suite.roots.home;
    if let Some(script) = hook.script_file(&suite.project, home) {
        return normalize_within(&suite.project, script.path).into_iter().collect();
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
        is_path.then(|| normalize_within(&suite.project, suite.project.join(word))).flatten()
    };
    words.into_iter().filter_map(path).collect()
}

/// Returns the path without `.` and `..`, if it is a file of the project.
fn normalize_within(project: &Path, path: PathBuf) -> Option<PathBuf> {
    let real = path.canonicalize().ok()?;
    let root = project.canonicalize().ok()?;
    let rest = real.strip_prefix(&root).ok()?;
    real.is_file().then(|| project.join(rest))
}

impl Copies {
    /// Adds a file, or everything in a directory. Files outside of `root` are not copied.
    fn add_path(&mut self, root: &Path, path: &Path) -> Result<(), Problem> {
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
                    self.add_path(root, &entry.path())?;
                }
            }
        } else if about.is_file() {
            let bytes: Arc<[u8]> = fs::read(path).map_err(wrong)?.into();
            let file = File { bytes, is_program: is_executable(&about) };
            self.files.insert(name.to_owned(), file);
            self.check_total_size(path)?;
        }
        Ok(())
    }

    fn check_total_size(&self, last: &Path) -> Result<(), Problem> {
        let bytes: usize = self.files.values().map(|file| file.bytes.len()).sum();
        if bytes <= MOST_BYTES && self.files.len() <= MOST_FILES {
            return Ok(());
        }
        let shown = last.display();
        let message = format!(
            "the hooks lie among too much to copy for each case: `{shown}` is over the bound"
        );
        Err(Problem::new(message).with_help(format!(
            "put the scripts into a separate directory: at most {MOST_FILES} files and {} MiB",
            MOST_BYTES >> 20
        )))
    }
}

#[cfg(unix)]
fn is_executable(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}
