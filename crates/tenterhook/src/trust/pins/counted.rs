//! Which words of an entry are files of the project, and what do the directories hold that it hands to programs? A small directory
//! is pinned whole; the rest is reported as *unpinned*.

use std::path::{Path, PathBuf};

use super::{PinError, Reading, Step, Variable};
use crate::trust::named::{Candidate, Directory, Known, Mention};

/// Most files, and most bytes, of a directory that is pinned whole for a word that hands it to a program.
const MOST_FILES: usize = 500;
const MOST_BYTES: u64 = 8 << 20;
/// Most folders of one within another.
const DEEPEST: usize = 16;

/// The contents of a directory, as far as it is small.
#[derive(Debug, Default)]
struct Small {
    files: usize,
    bytes: u64,
    /// Whether something in it is a link, and so may load what lies beside where that leads.
    has_links: bool,
}

impl Reading<'_> {
    /// Pins the words that are files of the project.
    pub(super) fn counted(&mut self, candidates: &[Candidate]) -> Step {
        for candidate in candidates {
            if !self.is_inside(&candidate.path) {
                continue;
            }
            let Ok(found) = candidate.path.metadata() else {
                // Nothing lies there: the word is no file of the project.
                let endings = candidate.modules.map(|modules| modules.endings).unwrap_or_default();
                let found = endings.iter().map(|ending| with_ending(&candidate.path, ending));
                found.filter(|path| path.is_file()).try_for_each(|path| self.file(&path, true))?;
                continue;
            };
            if found.is_file() {
                self.counted_file(candidate, found.len())?;
            } else if found.is_dir() {
                self.counted_directory(candidate)?;
            }
        }
        Ok(())
    }

    fn is_inside(&self, path: &Path) -> bool {
        let project = self.finding.ground.project;
        project.parent().is_some() && path.starts_with(project)
    }

    fn counted_file(&mut self, candidate: &Candidate, bytes: u64) -> Step {
        if candidate.known == Known::Pattern {
            return Ok(());
        }
        if candidate.known == Known::End {
            self.unpinned(format!("`{}` is known only when it runs", candidate.word));
        }
        if self.files.get(&candidate.path).is_none() && bytes > MOST_BYTES {
            self.unpinned(format!("`{}`, which is larger than 8 MiB", candidate.word));
            return Ok(());
        }
        self.file(&candidate.path, true)?;
        self.variable(candidate);
        Ok(())
    }

    fn counted_directory(&mut self, candidate: &Candidate) -> Step {
        let Candidate { path, word, known, directory, .. } = candidate;
        if self.is_whole(path) {
            self.variable(candidate);
            return Ok(());
        }
        match (directory, known) {
            (Directory::Unread, _) => {}
            (Directory::Data, Known::Pattern) | (Directory::Searched, _) => {
                if let Some(small) = self.directory(path, word)?
                    && !small.has_links
                {
                    self.variable(candidate);
                }
            }
            // Any program may read what lies in the project itself.
            (Directory::Data, _) if !self.is_folder(path) => {}
            (Directory::Data, _) => {
                self.unpinned(format!("what the directory `{word}` holds"));
            }
        }
        Ok(())
    }

    fn variable(&mut self, candidate: &Candidate) {
        if let Some((at, place)) = candidate.variable.clone() {
            self.variables.push(Variable { at, place, path: candidate.path.clone() });
        }
    }

    /// Whether all of a directory is pinned, alone or with one that it lies in.
    fn is_whole(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.handed.contains(above))
    }

    /// Whether a directory is one of the project's, and neither the project nor that of the file that configures the hook.
    fn is_folder(&self, path: &Path) -> bool {
        path != self.finding.ground.project && path != self.finding.directory
    }

    /// Pins a directory whole where it is small; else says that it is not.
    fn directory(&mut self, path: &Path, word: &str) -> Result<Option<Small>, PinError> {
        let mut small = Small::default();
        if self.is_folder(path) && small.holds(path, 0) {
            self.folder(path, &mut Vec::new())?;
            self.handed.insert(path.to_owned());
            return Ok(Some(small));
        }
        self.unpinned(format!("what `{word}` finds in its directory"));
        Ok(None)
    }

    /// A directory that an interpreter runs.
    pub(super) fn run_directory(&mut self, mention: &Mention) -> Step {
        let (path, Some(modules)) = (&mention.path, mention.modules) else { return Ok(()) };
        if !self.is_inside(path) || self.directory(path, &mention.word)?.is_some() {
            return Ok(());
        }
        for start in modules.starts {
            let start = path.join(start);
            if start.is_file() {
                self.file_and_folder(&start)?;
                self.main_of(&start, modules.endings)?;
            }
        }
        Ok(())
    }

    /// The file that a `package.json` names as what runs.
    fn main_of(&mut self, package: &Path, endings: &[&str]) -> Step {
        let pin = self.files.get(package).filter(|_| package.ends_with("package.json"));
        let Some(parsed) = pin.and_then(|pin| serde_json::from_slice(&pin.bytes).ok()) else {
            return Ok(());
        };
        let parsed: serde_json::Value = parsed;
        let main = ["main", "module"].iter().find_map(|key| parsed.get(key)?.as_str());
        let Some(main) = main.zip(package.parent()) else { return Ok(()) };
        let main = main.1.join(main.0);
        let tried = std::iter::once(main.clone())
            .chain(endings.iter().map(|ending| with_ending(&main, ending)))
            .chain(endings.iter().map(|ending| main.join(format!("index{ending}"))));
        for path in tried.filter(|path| path.is_file()) {
            self.file_and_folder(&path)?;
        }
        Ok(())
    }

    /// Pins the file that an interpreter finds by a word without its ending: `guard.js` for `guard`.
    pub(super) fn module(&mut self, mention: &Mention) -> Step {
        let endings = mention.modules.map(|modules| modules.endings).unwrap_or_default();
        for ending in endings {
            let path = with_ending(&mention.path, ending);
            if self.is_inside(&path) && path.is_file() {
                self.file_and_folder(&path)?;
                self.handed.insert(mention.path.clone());
            }
        }
        Ok(())
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(ending);
    PathBuf::from(text)
}

impl Small {
    /// Whether what lies in a directory and below it stays within the bounds; what cannot be looked at does not.
    fn holds(&mut self, directory: &Path, depth: usize) -> bool {
        let Ok(entries) = std::fs::read_dir(directory) else { return false };
        depth < DEEPEST
            && entries.into_iter().all(|entry| {
                let Ok(entry) = entry else { return false };
                let (path, Ok(own)) = (entry.path(), entry.file_type()) else { return false };
                self.has_links |= own.is_symlink();
                let Ok(found) = path.metadata() else {
                    // A link that leads nowhere is no file.
                    return own.is_symlink();
                };
                if found.is_dir() {
                    return self.holds(&path, depth + 1);
                }
                self.files += 1;
                self.bytes += found.len();
                self.files <= MOST_FILES && self.bytes <= MOST_BYTES
            })
    }
}
