//! Which files does the text of a script load? Reads the text alone, without running it: paths that it builds from its own
//! location, from the project or from the working directory. Pins nothing; `pins/loads` does.
//!
//! A path that cannot be resolved is reported as unresolved and never guessed: the hook then runs from the project (T-77).

mod code;
mod expand;
mod imports;
mod language;
mod modules;
mod package;
mod shell;
mod split;
mod string;
mod value;
mod vocabulary;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tenterhook_core::hook::script::PROJECT_VARIABLES;

use super::named::normalize_path;
pub(super) use language::Language;
use value::Value;

/// Deepest chain of scripts that source each other.
const DEEPEST: usize = 16;

/// What a reader may ask about the disk.
pub(super) trait Disk {
    /// Returns whether the path leads to a file, following links.
    fn is_file(&self, path: &Path) -> bool;
    /// Returns whether the path leads to a directory, following links.
    fn is_directory(&self, path: &Path) -> bool;
    /// Returns the content of a file of the project if it is text.
    fn read_text(&self, path: &Path) -> Option<String>;
    /// Resolves all links in a path. The result begins with the project's root as the hook names
    /// it.
    fn real_path(&self, path: &Path) -> PathBuf;
}

/// Where a script is read: its own path, and what its words are relative to.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// The script; `None` for code that is handed over as text.
    pub(super) script: Option<&'a Path>,
    /// The directory in which it is started.
    pub(super) base: &'a Path,
    pub(super) project: &'a Path,
    pub(super) home: &'a Path,
    /// Where modules are looked up because of the scripts that load this one, and whether that depends on where those lie.
    pub(super) search: &'a [(PathBuf, bool)],
    /// Whether another script loads it, so that modules are not looked up beside it.
    pub(super) is_module: bool,
    /// Variables that the entry sets.
    pub(super) env: &'a [(String, String)],
    /// The call that hands this text over, where it is no file: what is found in it is shown as that call.
    pub(super) within: Option<&'a Note>,
    pub(super) disk: &'a dyn Disk,
}

impl Scene<'_> {
    /// Returns the value of an environment variable if it is known.
    fn env_value(&self, name: &str) -> Option<Value> {
        let set = self.env.iter().rev().find(|(key, _)| key == name);
        if let Some((_, value)) = set {
            return Some(Value::from_text(value.clone()));
        }
        let path = match name {
            "HOME" => self.home,
            "PWD" => self.base,
            _ if PROJECT_VARIABLES.contains(&name) => self.project,
            _ => return None,
        };
        Some(Value::from_path(path))
    }

    /// The script's own path as a value.
    fn script_path(&self) -> Option<Value> {
        self.script.map(Value::from_script_path)
    }

    fn is_in_project(&self, path: &Path) -> bool {
        path.starts_with(self.project)
    }
}

/// What the text of one script loads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Loads {
    pub(super) found: Vec<Load>,
    /// What it loads that cannot be resolved.
    pub(super) unresolved: Vec<Note>,
    /// What it runs that cannot be named, and that a copy runs, too.
    pub(super) unnamed: Vec<Note>,
    /// Why its copy would behave differently, whatever is pinned.
    pub(super) bound: Vec<Note>,
    /// Where it has modules looked up, and whether that depends on where it lies.
    pub(super) search: Vec<(PathBuf, bool)>,
    /// Whether it writes files, so that what it reads may be its own state.
    pub(super) writes: bool,
}

/// One path that a script names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Load {
    pub(super) path: PathBuf,
    pub(super) role: Role,
    /// The pattern of the names that it means in the directory.
    pub(super) pattern: Option<String>,
    /// Whether the path depends on where the script lies, so that a copy finds another file.
    pub(super) is_own: bool,
    pub(super) at: Note,
}

/// What a script does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Role {
    /// Runs it, as a script of this language where the text says which.
    Runs(Option<Language>),
    /// Includes it, and the reader has read it already.
    Includes,
    /// Reads it, or hands it to a program.
    Reads,
    /// Would load it if it were there.
    Probes,
    /// Loads a compiled file of this name, or of one that fits the pattern, in place of a module.
    Compiled,
    /// Loads or reads the files of this directory whose names fit the pattern.
    Matches,
    /// Loads files of this directory.
    Directory,
    /// Loads the package in this directory.
    Package,
    /// Uses this directory, or something in it that cannot be resolved.
    Around,
    /// Writes it.
    Writes,
}

/// Where in a script something stands, and its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) file: PathBuf,
    pub(super) line: usize,
    pub(super) text: String,
}

impl Loads {
    /// Returns the paths that the script writes.
    pub(super) fn paths_that_script_writes(&self) -> Vec<PathBuf> {
        let writes = self.found.iter().filter(|load| load.role == Role::Writes);
        writes.map(|load| load.path.clone()).collect()
    }

    fn add_load(&mut self, value: &Value, base: &Value, role: Role, at: Note) {
        let Some(path) = value.resolve_from(base) else { return };
        let pattern = value.file_name_pattern().map(str::to_owned);
        let role = match role {
            Role::Directory | Role::Around if pattern.is_some() => Role::Matches,
            other => other,
        };
        let load = Load { path, role, pattern, is_own: value.depends_on_script_location(base), at };
        if !self.found.contains(&load) {
            self.found.push(load);
        }
    }

    fn add_unresolved_note(&mut self, note: Note) {
        if !self.unresolved.contains(&note) {
            self.unresolved.push(note);
        }
    }

    fn add_unnamed_note(&mut self, note: Note) {
        if !self.unnamed.contains(&note) {
            self.unnamed.push(note);
        }
    }

    fn add_copy_difference_note(&mut self, note: Note) {
        if !self.bound.contains(&note) {
            self.bound.push(note);
        }
    }
}

/// Returns what a script in this language loads.
pub(super) fn find_loads(language: Language, text: &str, scene: Scene<'_>) -> Loads {
    let mut loads = Loads::default();
    add_loads_of_script(language, text, scene, &mut loads);
    loads
}

fn add_loads_of_script(language: Language, text: &str, scene: Scene<'_>, loads: &mut Loads) {
    match language {
        Language::Shell => shell::add_shell_loads(text, scene, loads),
        Language::Package => package::add_package_json_loads(text, scene, loads),
        Language::Python | Language::Node | Language::Ruby | Language::Perl => {
            code::add_code_loads(language, text, scene, loads);
        }
    }
}
