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
    pub(super) fn pin_candidates(&mut self, candidates: &[Candidate]) -> Step {
        for candidate in candidates {
            if !self.is_in_project(&candidate.path) {
                continue;
            }
            let Ok(found) = candidate.path.metadata() else {
                // Nothing lies there: the word is no file of the project.
                let endings = candidate.modules.map(|modules| modules.endings).unwrap_or_default();
                let found = endings.iter().map(|ending| append_extension(&candidate.path, ending));
                found
                    .filter(|path| path.is_file())
                    .try_for_each(|path| self.pin_file(&path, true))?;
                continue;
            };
            if found.is_file() {
                self.pin_candidate_file(candidate, found.len())?;
            } else if found.is_dir() {
                self.pin_candidate_directory(candidate)?;
            }
        }
        Ok(())
    }

    fn is_in_project(&self, path: &Path) -> bool {
        let project = self.finding.ground.project;
        project.parent().is_some() && path.starts_with(project)
    }

    fn pin_candidate_file(&mut self, candidate: &Candidate, bytes: u64) -> Step {
        if candidate.known == Known::Pattern {
            return Ok(());
        }
        if candidate.known == Known::End {
            self.report_unpinned_once(format!("`{}` is known only when it runs", candidate.word));
        }
        if self.files.get(&candidate.path).is_none() && bytes > MOST_BYTES {
            self.report_unpinned_once(format!("`{}`, which is larger than 8 MiB", candidate.word));
            return Ok(());
        }
        self.pin_file(&candidate.path, true)?;
        self.add_variable_of_candidate(candidate);
        Ok(())
    }

    fn pin_candidate_directory(&mut self, candidate: &Candidate) -> Step {
        let Candidate { path, word, known, directory, .. } = candidate;
        if self.is_pinned_whole(path) {
            self.add_variable_of_candidate(candidate);
            return Ok(());
        }
        match (directory, known) {
            (Directory::Unread, _) => {}
            (Directory::Data, Known::Pattern) | (Directory::Searched, _) => {
                if let Some(small) = self.pin_directory_if_small(path, word)?
                    && !small.has_links
                {
                    self.add_variable_of_candidate(candidate);
                }
            }
            // Any program may read what lies in the project itself.
            (Directory::Data, _) if !self.is_pinnable_directory(path) => {}
            (Directory::Data, _) => {
                self.report_unpinned_once(format!("what the directory `{word}` holds"));
            }
        }
        Ok(())
    }

    fn add_variable_of_candidate(&mut self, candidate: &Candidate) {
        if let Some((at, place)) = candidate.variable.clone() {
            self.variables.push(Variable { at, place, path: candidate.path.clone() });
        }
    }

    /// Returns whether all of a directory is pinned, alone or as part of another.
    fn is_pinned_whole(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.handed.contains(above))
    }

    /// Returns whether a directory is neither the project nor that of the file that configures the
    /// hook.
    pub(super) fn is_pinnable_directory(&self, path: &Path) -> bool {
        path != self.finding.ground.project && path != self.finding.directory
    }

    /// Pins a whole directory if it is small; otherwise reports that it is not pinned.
    fn pin_directory_if_small(
        &mut self,
        path: &Path,
        word: &str,
    ) -> Result<Option<Small>, PinError> {
        let mut small = Small::default();
        if self.is_pinnable_directory(path) && small.stays_within_limits(path, 0) {
            self.pin_folder(path, &mut Vec::new())?;
            self.handed.insert(path.to_owned());
            return Ok(Some(small));
        }
        self.report_unpinned_once(format!("what `{word}` finds in its directory"));
        Ok(None)
    }

    /// Pins a directory that an interpreter runs.
    pub(super) fn pin_directory_run_as_program(&mut self, mention: &Mention) -> Step {
        let (path, Some(modules)) = (&mention.path, mention.modules) else { return Ok(()) };
        if !self.is_in_project(path) || self.pin_directory_if_small(path, &mention.word)?.is_some()
        {
            return Ok(());
        }
        for start in modules.starts {
            let start = path.join(start);
            if start.is_file() {
                self.pin_file_and_folder(&start)?;
                self.pin_package_main(&start, modules.endings)?;
            }
        }
        Ok(())
    }

    /// Pins the file that a `package.json` names as its main file.
    fn pin_package_main(&mut self, package: &Path, endings: &[&str]) -> Step {
        let pin = self.files.get(package).filter(|_| package.ends_with("package.json"));
        let Some(parsed) = pin.and_then(|pin| serde_json::from_slice(&pin.bytes).ok()) else {
            return Ok(());
        };
        let parsed: serde_json::Value = parsed;
        let main = ["main", "module"].iter().find_map(|key| parsed.get(key)?.as_str());
        let Some(main) = main.zip(package.parent()) else { return Ok(()) };
        let main = main.1.join(main.0);
        let tried = std::iter::once(main.clone())
            .chain(endings.iter().map(|ending| append_extension(&main, ending)))
            .chain(endings.iter().map(|ending| main.join(format!("index{ending}"))));
        for path in tried.filter(|path| path.is_file()) {
            self.pin_file_and_folder(&path)?;
        }
        Ok(())
    }

    /// Pins the file that an interpreter finds by a word without its extension: `guard.js` for
    /// `guard`.
    pub(super) fn pin_module_file(&mut self, mention: &Mention) -> Step {
        let endings = mention.modules.map(|modules| modules.endings).unwrap_or_default();
        for ending in endings {
            let path = append_extension(&mention.path, ending);
            if self.is_in_project(&path) && path.is_file() {
                self.pin_file_and_folder(&path)?;
                self.handed.insert(mention.path.clone());
            }
        }
        Ok(())
    }
}

fn append_extension(path: &Path, ending: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(ending);
    PathBuf::from(text)
}

impl Small {
    /// Returns whether a directory and all below it stay within the limits. A directory that cannot
    /// be read does not.
    fn stays_within_limits(&mut self, directory: &Path, depth: usize) -> bool {
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
                    return self.stays_within_limits(&path, depth + 1);
                }
                self.files += 1;
                self.bytes += found.len();
                self.files <= MOST_FILES && self.bytes <= MOST_BYTES
            })
    }
}
