//! Which files does an entry declare beside those that its words name? Paths, folders, and what
//! patterns name (T-8).

use std::path::{Path, PathBuf};

use super::{PinError, Reading, Step};
use crate::trust::named::{self, Mention};
use tenterhook_core::hook::Command;
use tenterhook_core::hook::files::{self, Pattern};

/// Most entries of directories that one pattern is held against.
const MOST_LOOKED_AT: usize = 20_000;
/// How deep a pattern is followed.
const DEEPEST: usize = 32;

/// A pattern on its way through directories.
struct Looking<'a> {
    pattern: &'a Pattern,
    shown: String,
    looked_at: usize,
    found: Vec<PathBuf>,
}

impl Reading<'_> {
    /// Pins the files that the entry declares.
    pub(super) fn pin_declared_files(&mut self, command: &Command) -> Step {
        for said in &command.files {
            let pattern = files::parse_path_pattern(said, self.finding.directory);
            match pattern? {
                Some(pattern) => self.pin_matching_files(said, &pattern)?,
                None if said.is_dir() => self.pin_folder(said, &mut Vec::new())?,
                None => self.pin_file(said, true)?,
            }
        }
        Ok(())
    }

    fn pin_matching_files(&mut self, said: &Path, pattern: &Pattern) -> Step {
        let shown = said.strip_prefix(self.finding.directory).unwrap_or(said);
        let shown = shown.display().to_string();
        let mut looking = Looking { pattern, shown, looked_at: 0, found: Vec::new() };
        looking.search_directory(&pattern.below, 0, &mut Vec::new())?;
        if looking.found.is_empty() {
            // Most likely a slip of the pen, and then something runs that is not pinned.
            self.report_unpinned_once(format!("`{}`, which names no file", looking.shown));
        }
        looking.found.iter().try_for_each(|path| self.pin_file(path, true))
    }

    /// Returns the words of a command that are files which it declares: they are run from the
    /// copies, too.
    pub(super) fn declared_file_words(
        &self,
        command: &Command,
        text: Option<&str>,
        base: &Path,
    ) -> Vec<Mention> {
        if command.files.is_empty() {
            return Vec::new();
        }
        let home = self.finding.ground.home;
        // Also one that lies in a folder which is declared: what runs is the copy, whichever way it
        // was pinned.
        let is_pinned = |mention: &Mention| {
            self.files.get(&mention.path).is_some_and(|pin| pin.digest.is_some())
        };
        named::known_argument_mentions(command, text, base, home)
            .into_iter()
            .filter(is_pinned)
            .collect()
    }
}

impl Looking<'_> {
    /// Searches a directory and those below it, also behind links. `round` are the directories that
    /// contain it.
    fn search_directory(
        &mut self,
        directory: &Path,
        depth: usize,
        round: &mut Vec<PathBuf>,
    ) -> Step {
        if depth > DEEPEST {
            return Err(PinError::Deep { path: directory.to_owned(), deepest: DEEPEST });
        }
        let cannot = |source| PinError::List { path: directory.to_owned(), source };
        let real = match directory.canonicalize() {
            // If the directory appears later, the identity changes.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            real => real.map_err(cannot)?,
        };
        if round.contains(&real) {
            return Ok(());
        }
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(directory).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            self.looked_at += 1;
            if self.looked_at > MOST_LOOKED_AT {
                let shown = self.shown.clone();
                return Err(PinError::WidePattern { shown, most: MOST_LOOKED_AT });
            }
            paths.push(entry.path());
        }
        paths.sort();
        round.push(real);
        for path in paths {
            if path.is_dir() {
                if self.pattern.depth.is_none_or(|most| depth < most) {
                    self.search_directory(&path, depth + 1, round)?;
                }
            } else if path.is_file() && self.matches_pattern(&path) {
                self.found.push(path);
            }
        }
        round.pop();
        Ok(())
    }

    fn matches_pattern(&self, path: &Path) -> bool {
        path.strip_prefix(&self.pattern.below).is_ok_and(|rest| self.pattern.rest.is_match(rest))
    }
}
