//! Which projects has the session been in whose gates still apply? Kept in the file of the session (BR-19). Loads nothing.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenterhook::Event;
use tenterhook_core::config::{Source, Standing};

use crate::ambient::Here;
use crate::load::{self, Loaded};
use crate::problem::Problem;
use crate::session_store::SessionStore;

/// How many projects of a session keep their gates.
const MOST: usize = 8;

/// The keys under which agents list the folders of a workspace.
const WORKSPACES: &[&str] = &["workspace_roots", "workspacePaths"];

/// How many folders of a workspace are looked at.
const MOST_FOLDERS: usize = 64;

/// Adds the projects around the event's directory and around each folder of its workspace (BR-18).
pub(super) fn with_projects_of_event(here: &Here, event: &Event) -> Result<Here, Problem> {
    let lists = WORKSPACES.iter().filter_map(|key| event.payload.get(*key)?.as_array());
    let folders = lists.flatten().filter_map(Value::as_str).map(Path::new);
    let mut folders = folders.filter(|folder| folder.is_absolute() && folder.is_dir());
    let here = here.with_additional_project_around(&event.within.cwd)?;
    folders
        .by_ref()
        .take(MOST_FOLDERS)
        .try_fold(here, |here, folder| here.with_additional_project_around(folder))
}

/// Adds the gates of the projects that the session was in before and has left.
pub(super) fn with_gates_of_projects_left(
    here: Here,
    kept: Option<&SessionStore>,
) -> Result<Here, Problem> {
    match kept {
        Some(kept) => here.with_gates_of_projects_left(&kept.projects()),
        None => Ok(here),
    }
}

/// Stores the projects whose hooks apply now for the rest of the session. Returns what the user
/// should know about projects that the session has left, or that were too many to store, each once.
pub(super) fn store_projects_and_get_warnings(
    loaded: &Loaded,
    here: &Here,
    kept: Option<&SessionStore>,
) -> Vec<String> {
    let Some(kept) = kept else { return Vec::new() };
    let known = kept.projects();
    let has_hooks = |project: &Path, standing: Standing| {
        let is_of = |source: &&Source| {
            source.found_from_directory() == project && source.standing == standing
        };
        loaded.sources.iter().filter(is_of).any(load::is_project_source)
    };
    let now = [&here.roots].into_iter().chain(&here.beside).map(|roots| &roots.cwd);
    let is_new =
        |project: &&PathBuf| !known.contains(project) && has_hooks(project, Standing::Usual);
    let mut news: Vec<(String, String)> = Vec::new();
    for project in now.filter(is_new) {
        if !kept.add_project(project, MOST) {
            let text = format!(
                "this session was in {MOST} projects with hooks: when it leaves `{}`, the gates of that project do not apply any longer",
                project.display()
            );
            news.push((format!("ninth:{}", project.display()), text));
        }
    }
    let left = here.left.iter().map(|roots| &roots.cwd);
    for project in left.filter(|project| has_hooks(project, Standing::Left)) {
        let text = format!(
            "the session left the project `{}`: its gates still apply, and nothing else of its hooks",
            project.display()
        );
        news.push((format!("left:{}", project.display()), text));
    }
    news.into_iter().filter(|(key, _)| kept.claim_message_once(key)).map(|(_, text)| text).collect()
}
