//! The directory in which one case happens: a copy of what its hooks need, gone when the case is over (TE-11).

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};
use tempfile::TempDir;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::Roots;

use super::copies::Copies;
use super::suite::Suite;
use crate::executable::make_executable;

/// The directory of a case.
#[derive(Debug)]
pub(super) struct Fixture {
    root: TempDir,
    /// The project as its hooks see it.
    pub(super) project: PathBuf,
}

impl Fixture {
    /// Makes one with these files in it.
    ///
    /// Make all directories before any program starts: a process that is being started holds every file that is open for
    /// writing, and such a file cannot be started (`ETXTBSY`).
    pub(super) fn create(copies: &Copies, more: &[(String, String)]) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("tenterhook-test-").tempdir()?;
        let project = root.path().join("project");
        for directory in [&project, &root.path().join("tmp"), &root.path().join("scratch")] {
            fs::create_dir(directory)?;
        }
        let place = Self { root, project };
        for (name, file) in &copies.files {
            place.write_file(name, &file.bytes, file.is_program)?;
        }
        for (name, text) in more {
            place.write_file(Path::new(name), text.as_bytes(), false)?;
        }
        Ok(place)
    }

    fn write_file(&self, name: &Path, bytes: &[u8], is_program: bool) -> io::Result<()> {
        if !name
            .components()
            .all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
        {
            let message = format!("`{}` is not the name of a file of the project", name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let path = self.project.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes)?;
        if is_program { make_executable(&path) } else { Ok(()) }
    }

    /// Returns the directory for hook output that is too long for an outcome.
    pub(super) fn scratch_dir(&self) -> PathBuf {
        self.root.path().join("scratch")
    }

    /// Returns the environment of the hooks: the caller's, with a separate directory for temporary
    /// files.
    pub(super) fn hook_env(&self, env: &[(String, String)]) -> Vec<(String, String)> {
        let own =
            ("TMPDIR".to_owned(), self.root.path().join("tmp").to_string_lossy().into_owned());
        env.iter().filter(|(name, _)| name != "TMPDIR").cloned().chain([own]).collect()
    }

    /// Returns the files with hooks, with their directories inside this fixture.
    pub(super) fn sources_moved_into_fixture(&self, suite: &Suite) -> Vec<Source> {
        suite.sources.iter().map(|source| self.source_moved_into_fixture(source, suite)).collect()
    }

    fn source_moved_into_fixture(&self, source: &Source, suite: &Suite) -> Source {
        let moved = |path: &Path| match path.strip_prefix(&suite.project) {
            Ok(rest) => self.project.join(rest),
            Err(_) => path.to_owned(),
        };
        let mut source = source.clone();
        source.directory = moved(&source.directory);
        source.project = moved(&source.project);
        if let Some(plugin) = &mut source.plugin {
            plugin.root = moved(&plugin.root);
            plugin.data = moved(&plugin.data);
        }
        source
    }

    /// Returns the roots from which files are found in this fixture.
    pub(super) fn roots(&self, suite: &Suite) -> Roots {
        Roots { cwd: self.project.clone(), ..suite.roots.clone() }
    }
}

/// Replaces `{project}` and `{home}` in all texts of a value by the directories of `roots`.
pub(super) fn fill_placeholders(value: &Value, roots: &Roots) -> Value {
    match value {
        Value::String(text) => fill_placeholders_in_text(text, roots).into(),
        Value::Array(items) => items.iter().map(|value| fill_placeholders(value, roots)).collect(),
        Value::Object(map) => {
            let filled: Map<String, Value> = map
                .iter()
                .map(|(key, value)| (key.clone(), fill_placeholders(value, roots)))
                .collect();
            filled.into()
        }
        other => other.clone(),
    }
}

/// Replaces `{project}` and `{home}` in one text by the directories of `roots`.
pub(super) fn fill_placeholders_in_text(text: &str, roots: &Roots) -> String {
    let project = roots.cwd.to_string_lossy();
    text.replace("{project}", &project).replace("{home}", &roots.home.to_string_lossy())
}

/// Replaces the directories of a fixture in a text by their placeholders: the inverse of
/// [`fill_placeholders_in_text`].
pub(super) fn replace_paths_by_placeholders(text: &str, roots: &Roots) -> String {
    text.replace(&*roots.cwd.to_string_lossy(), "{project}")
}
