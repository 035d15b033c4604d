//! Pins what the scripts of a hook load, and what those load, under bounds. Says why a hook must run from the project where a copy
//! would find something else there (T-75 to T-79).

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::seen::Kind;
use super::{PinError, Reading};
use crate::trust::loads::{Disk, Language, Load, Loads, Note, Role, Scene};
use tenterhook_core::hook::Command;

/// Most scripts whose text is read for one hook.
const MOST_SCRIPTS: usize = 200;
/// Longest text of a script that is read; people write no longer ones.
const LONGEST: usize = 256 * 1024;
/// Most reasons of one kind that a review names.
const MOST_NOTES: usize = 6;
/// Most files that scripts read and a review names.
const MOST_READ: usize = 10;

/// The files that scripts read as data, and those that they write.
#[derive(Default)]
struct Data {
    read: Vec<Load>,
    written: Vec<PathBuf>,
}

/// Whether modules of Python are loaded by where the project lies, and by where the script lies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoadedModules {
    pub(super) of_project: bool,
    pub(super) of_script: bool,
}

/// A script whose text is still to be read.
struct Waiting {
    path: PathBuf,
    language: Option<Language>,
    is_module: bool,
}

/// The disk as readers of scripts see it: the project alone.
struct Project<'a> {
    root: &'a Path,
    real: Option<PathBuf>,
}

impl Disk for Project<'_> {
    fn is_file(&self, path: &Path) -> bool {
        path.starts_with(self.root) && path.is_file()
    }

    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with(self.root) && path.is_dir()
    }

    fn read_text(&self, path: &Path) -> Option<String> {
        let is_ours = path.starts_with(self.root);
        let bytes = is_ours
            .then(|| crate::discover::read_regular_file(path, LONGEST as u64).ok())
            .flatten()?;
        String::from_utf8(bytes.to_vec()).ok()
    }

    fn real_path(&self, path: &Path) -> PathBuf {
        let below = self.real.as_ref().and_then(|root| {
            let real = path.canonicalize().ok()?;
            real.strip_prefix(root).ok().map(|rest| self.root.join(rest)).or(Some(real))
        });
        below.unwrap_or_else(|| path.to_owned())
    }
}

impl Reading<'_> {
    /// Pins what the scripts that the entry names load.
    pub(super) fn pin_script_loads(
        &mut self,
        command: &Command,
        base: &Path,
    ) -> Result<(), PinError> {
        let root = self.finding.ground.project;
        let disk = Project { root, real: root.canonicalize().ok() };
        let named = self.files.0.values().filter(|pin| pin.named && pin.digest.is_some());
        let mut waiting: VecDeque<Waiting> = named
            .map(|pin| Waiting { path: pin.path.clone(), language: None, is_module: false })
            .collect();
        let mut read: HashSet<PathBuf> = HashSet::new();
        let mut found: HashMap<(PathBuf, Option<String>), Role> = HashMap::new();
        let mut search: Vec<(PathBuf, bool)> = Vec::new();
        let mut data = Data::default();
        while let Some(script) = waiting.pop_front() {
            if !script.path.starts_with(root) || !read.insert(script.path.clone()) {
                continue;
            }
            if read.len() > MOST_SCRIPTS {
                self.report_unpinned_once(format!("what more than {MOST_SCRIPTS} scripts load"));
                break;
            }
            let scene = Scene {
                script: Some(&script.path),
                base,
                project: root,
                home: self.finding.ground.home,
                search: &search,
                is_module: script.is_module,
                env: &command.env,
                within: None,
                disk: &disk,
            };
            let Some(all) = self.find_script_loads(&script, scene) else { continue };
            search = all.search.clone();
            self.report_notes(&all);
            let written = all.paths_that_script_writes();
            data.written.extend(written.iter().cloned());
            for load in &all.found {
                // Its own state changes with each run, and is not approved.
                if load.role != Role::Writes
                    && written.iter().any(|path| load.path.starts_with(path))
                {
                    continue;
                }
                if load.role == Role::Reads && !load.is_own {
                    data.read.push(load.clone());
                    continue;
                }
                let key = (load.path.clone(), load.pattern.clone());
                if found.insert(key, load.role) == Some(load.role) {
                    continue;
                }
                waiting.extend(self.pin_load(load, all.writes)?);
            }
        }
        self.report_unpinned_data(&data);
        Ok(())
    }

    /// Reports the files that scripts read from the project, unless they are pinned. These files
    /// may change at any time, so their existence is no part of what is approved.
    fn report_unpinned_data(&mut self, data: &Data) {
        let is_written = |path: &Path| data.written.iter().any(|written| path.starts_with(written));
        let mut known: Vec<&Path> = Vec::new();
        for load in &data.read {
            let path = &*load.path;
            let is_ours = path.starts_with(self.finding.ground.project);
            let is_there = path.is_file() || path.is_dir() && self.is_pinnable_directory(path);
            if !is_ours || !is_there || is_written(path) || known.contains(&path) {
                continue;
            }
            if self.is_directory_all_pinned(Some(path))
                || self.files.get(path).is_some_and(|pin| pin.digest.is_some())
            {
                continue;
            }
            known.push(path);
            if known.len() > MOST_READ {
                continue;
            }
            let shown = path.strip_prefix(self.finding.ground.project).unwrap_or(path);
            let at = &load.at;
            let file = at.file.strip_prefix(self.finding.ground.project).unwrap_or(&at.file);
            let shown =
                format!("`{}`, which {}:{} reads", shown.display(), file.display(), at.line);
            self.reads.push(shown);
        }
        if let Some(more) = known.len().checked_sub(MOST_READ).filter(|more| *more > 0) {
            self.reads.push(format!("{more} more files that its scripts read"));
        }
    }

    fn find_script_loads(&mut self, script: &Waiting, scene: Scene<'_>) -> Option<Loads> {
        let bytes = self.files.get(&script.path).map(|pin| pin.bytes.clone())?;
        let language = Language::of_file(&script.path, &bytes).or(script.language);
        let is_bare = script.path.extension().is_none() && !bytes.starts_with(b"#!");
        // Shells start a text without a first line themselves.
        let language = language.or(is_bare.then_some(Language::Shell))?;
        let text = std::str::from_utf8(&bytes)
            .ok()
            .filter(|text| text.len() <= LONGEST && !text.contains('\0'))?;
        Some(self.finding.seen.memory.find_loads(language, text, scene))
    }

    /// Pins one path that a script names, and returns the scripts that must be read because of it.
    fn pin_load(&mut self, load: &Load, writes: bool) -> Result<Vec<Waiting>, PinError> {
        let path = &load.path;
        if !path.starts_with(self.finding.ground.project) {
            return Ok(Vec::new());
        }
        let is_directory = path.is_dir();
        let directory = if is_directory { Some(path.as_path()) } else { path.parent() };
        match load.role {
            Role::Around | Role::Writes => self.avoid_copy_unless_all_pinned(directory, load),
            // Everything of a package in the pinned folder is in the copy.
            Role::Package if self.is_directory_all_pinned(directory) => {}
            Role::Package => {
                let shown = self.note_text(&load.at);
                self.report_unpinned_once(shown.clone());
                self.make_run_from_project(shown);
            }
            Role::Matches => return self.pin_matching_names(load),
            Role::Compiled => self.pin_compiled_files(load)?,
            Role::Directory => self.pin_code_directory(load)?,
            Role::Reads if is_directory => self.avoid_copy_unless_all_pinned(directory, load),
            // Its own state changes with each run, and is not approved.
            Role::Reads
                if writes && is_data_file(path) && !self.is_directory_all_pinned(directory) =>
            {
                self.avoid_copy_unless_all_pinned(directory, load);
            }
            Role::Probes if !path.exists() && !self.is_directory_all_pinned(directory) => {
                self.pin_expected_file(path)
            }
            Role::Probes => {}
            Role::Runs(_) | Role::Includes | Role::Reads if is_directory => {}
            Role::Includes => self.pin_file(path, true)?,
            Role::Reads | Role::Runs(_) => {
                self.pin_file(path, true)?;
                let language = if let Role::Runs(language) = load.role { language } else { None };
                let is_module = language == Some(Language::Python);
                self.modules.of_script |= is_module && load.is_own;
                self.modules.of_project |= is_module && !load.is_own;
                return Ok(vec![Waiting { path: path.clone(), language, is_module }]);
            }
        }
        Ok(Vec::new())
    }

    /// Pins the files of a directory whose names match a pattern. A file that appears later changes
    /// the identity.
    fn pin_matching_names(&mut self, load: &Load) -> Result<Vec<Waiting>, PinError> {
        let pattern = load.pattern.as_deref().unwrap_or_default();
        let Some(listing) = self.finding.seen.list_folder(&load.path)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for (name, kind) in &listing.entries {
            if *kind == Kind::File && may_match_pattern(&name.to_string_lossy(), pattern) {
                let path = load.path.join(name);
                self.pin_file(&path, true)?;
                found.push(Waiting { path, language: None, is_module: false });
            }
        }
        Ok(found)
    }

    /// Pins compiled files that replace a module, those that exist and those that may appear.
    fn pin_compiled_files(&mut self, load: &Load) -> Result<(), PinError> {
        let Some(pattern) = &load.pattern else {
            if load.path.is_file() {
                return self.pin_file(&load.path, true);
            }
            self.pin_expected_file(&load.path);
            return Ok(());
        };
        // A directory that cannot be listed is named where its scripts are pinned.
        let Ok(Some(listing)) = self.finding.seen.list_folder(&load.path) else { return Ok(()) };
        for (name, kind) in &listing.entries {
            if *kind == Kind::File && may_match_pattern(&name.to_string_lossy(), pattern) {
                self.pin_file(&load.path.join(name), true)?;
            }
        }
        Ok(())
    }

    /// Pins all files of a directory from which code is loaded by names that are unknown.
    fn pin_code_directory(&mut self, load: &Load) -> Result<(), PinError> {
        let directory = &load.path;
        if self.is_pinnable_directory(directory) && directory.is_dir() {
            return self.pin_folder(directory, &mut Vec::new());
        }
        if directory.is_dir() {
            self.report_unpinned_once(self.note_text(&load.at));
        }
        Ok(())
    }

    /// Makes the hook run from the project if a copy lacks the directory: a copy has a whole
    /// directory only if all of it is pinned.
    fn avoid_copy_unless_all_pinned(&mut self, directory: Option<&Path>, load: &Load) {
        if load.is_own && !self.is_directory_all_pinned(directory) {
            let why = self.note_text(&load.at);
            self.make_run_from_project(why);
        }
    }

    /// Returns whether everything in a directory of the project is pinned.
    fn is_directory_all_pinned(&self, directory: Option<&Path>) -> bool {
        directory
            .is_some_and(|directory| self.whole.iter().any(|whole| directory.starts_with(whole)))
    }

    fn report_notes(&mut self, all: &Loads) {
        for note in all.unresolved.iter().take(MOST_NOTES) {
            let shown = self.note_text(note);
            self.report_unpinned_once(shown.clone());
            self.make_run_from_project(shown);
        }
        for note in all.unnamed.iter().take(MOST_NOTES) {
            let shown = self.note_text(note);
            self.report_unpinned_once(shown);
        }
        for note in all.bound.iter().take(1) {
            let shown = self.note_text(note);
            self.make_run_from_project(shown);
        }
    }

    /// Pins the absence of a file that a script would load if it existed: its appearance is a
    /// change.
    fn pin_expected_file(&mut self, path: &Path) {
        if self.files.get(path).is_none() && self.files.0.len() < super::MOST_FILES {
            self.pin_absent_file(path);
            if let Some(pin) = self.files.0.get_mut(path.as_os_str()) {
                pin.named = false;
            }
        }
    }

    /// Makes the hook run from the project; the first reason is kept.
    fn make_run_from_project(&mut self, why: String) {
        self.from_place.get_or_insert(why);
    }

    fn note_text(&self, note: &Note) -> String {
        let file = note.file.strip_prefix(self.finding.ground.project).unwrap_or(&note.file);
        format!("{} ({}:{})", note.text, file.display(), note.line)
    }
}

/// Returns whether a file is data, and not a script.
fn is_data_file(path: &Path) -> bool {
    Language::of_file(path, b"").is_none()
}

/// Returns whether a name may match a shell pattern. Compares only the text before the first and
/// behind the last wildcard.
fn may_match_pattern(name: &str, pattern: &str) -> bool {
    let is_wild = |c: char| "*?[]{}".contains(c);
    let before = pattern.split(is_wild).next().unwrap_or_default();
    let behind = pattern.rsplit(is_wild).next().unwrap_or_default();
    name.starts_with(before)
        && name.ends_with(behind)
        && !(name.starts_with('.') && before.is_empty())
}
