//! A project that a script brings along, so that playing it touches nothing else: for tours and for trying hooks out.
//!
//! ```toml
//! welcome = "Type `hello`."
//! [files]
//! "tenterhook.toml" = '''...'''
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tempfile::TempDir;

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
    /// The ground of a script; none where it brings no files, or the model is no script.
    pub(crate) fn for_model(model: Option<&str>) -> Result<Option<Self>, String> {
        let Some(file) = model.and_then(|model| model.strip_prefix("scripted:")) else {
            return Ok(None);
        };
        let cannot = |what: String| format!("the script `{file}`: {what}");
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("the script `{file}` cannot be read: {error}"))?;
        let brought: Brought = toml::from_str(&text).map_err(|error| cannot(error.to_string()))?;
        if brought.files.is_empty() {
            return Ok(None);
        }
        let directory = tempfile::Builder::new().prefix("tenterhook-tour-").tempdir();
        let directory = directory.map_err(|error| cannot(error.to_string()))?;
        let scratch_project = Self { directory, welcome: brought.welcome };
        for (name, content) in &brought.files {
            let path = scratch_project.project().join(name);
            let inside = !Path::new(name).is_absolute()
                && !name.split('/').any(|component| component == "..");
            if !inside {
                return Err(cannot(format!("`{name}` is not inside its project")));
            }
            let parent = path.parent().unwrap_or(&path);
            let written =
                std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, content));
            written.map_err(|error| cannot(format!("`{name}`: {error}")))?;
        }
        std::fs::create_dir_all(scratch_project.home())
            .map_err(|error| cannot(error.to_string()))?;
        Ok(Some(scratch_project))
    }

    /// Where the agent works.
    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    /// The home of its user: no hooks of the person who plays lie there.
    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }
}
