//! A project that a script brings along, so that playing it touches nothing else: for tours and for trying hooks out.
//!
//! ```toml
//! welcome = "Type `hello`."
//! [files]
//! "tenterhook.toml" = '''...'''
//! ```

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tempfile::TempDir;

/// Why the project of a script cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScratchError {
    #[error("the script `{file}` cannot be read: {source}")]
    Read { file: String, source: io::Error },
    #[error("the script `{file}`: {source}")]
    Parse { file: String, source: toml::de::Error },
    #[error("the script `{file}`: {source}")]
    Directory { file: String, source: io::Error },
    #[error("the script `{file}`: `{name}` is not inside its project")]
    Outside { file: String, name: String },
    #[error("the script `{file}`: `{name}`: {source}")]
    Write { file: String, name: String, source: io::Error },
}

/// A scratch project and home, removed when dropped.
#[derive(Debug)]
pub(crate) struct ScratchProject {
    directory: TempDir,
    /// The text that the person sees first.
    pub(crate) welcome: String,
}

#[derive(Deserialize)]
struct Brought {
    #[serde(default)]
    welcome: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl ScratchProject {
    /// Creates the scratch project of a scripted model. Returns `None` if the script contains no
    /// files, or the model is not a script.
    pub(crate) fn for_model(model: Option<&str>) -> Result<Option<Self>, ScratchError> {
        let Some(file) = model.and_then(|model| model.strip_prefix("scripted:")) else {
            return Ok(None);
        };
        let script = || file.to_owned();
        let no_directory = |source| ScratchError::Directory { file: script(), source };
        let text = std::fs::read_to_string(file)
            .map_err(|source| ScratchError::Read { file: script(), source })?;
        let brought: Brought = toml::from_str(&text)
            .map_err(|source| ScratchError::Parse { file: script(), source })?;
        if brought.files.is_empty() {
            return Ok(None);
        }
        let directory = tempfile::Builder::new().prefix("tenterhook-tour-").tempdir();
        let directory = directory.map_err(no_directory)?;
        let scratch_project = Self { directory, welcome: brought.welcome };
        for (name, content) in &brought.files {
            let path = scratch_project.project().join(name);
            let inside = !Path::new(name).is_absolute()
                && !name.split('/').any(|component| component == "..");
            if !inside {
                return Err(ScratchError::Outside { file: script(), name: name.clone() });
            }
            let parent = path.parent().unwrap_or(&path);
            let written =
                std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, content));
            written.map_err(|source| ScratchError::Write {
                file: script(),
                name: name.clone(),
                source,
            })?;
        }
        std::fs::create_dir_all(scratch_project.home_path()).map_err(no_directory)?;
        Ok(Some(scratch_project))
    }

    /// Returns the directory in which the agent works.
    pub(crate) fn project(&self) -> PathBuf {
        self.home_path().join("project")
    }

    /// Returns the home directory of the scratch project's user, which holds none of the real
    /// user's hooks.
    pub(crate) fn home_path(&self) -> PathBuf {
        self.directory.path().join("home")
    }
}
