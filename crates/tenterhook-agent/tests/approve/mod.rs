//! The person of a test approves the hooks of its project, as they stand or as they will stand in one file of it, and may give them their
//! own rights.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook::trust::{Origin, Trust};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::Layer;
use tenterhook_testkit::Sandbox;

/// Approves all that came with the project, or this text in this file of it alone.
pub(crate) fn approve(sandbox: &Sandbox, other: Option<(&Path, &str)>) {
    let (project, home) = (sandbox.project(), sandbox.home());
    let trust = Trust::at(home.join(".local/state/tenterhook")).within(&sandbox.env());
    let roots = Roots { cwd: project.clone(), home: home.clone(), ..Roots::default() };
    let mut sources = match other {
        None => {
            let mut found = trust.find(&roots).sources;
            found.extend(trust.server_files(&roots, &found));
            found
        }
        Some(_) => Vec::new(),
    };
    if let Some((path, text)) = other.filter(|(path, _)| path.starts_with(&project)) {
        // A file at that path is read in the dialect of the path.
        let read = discover::searched_paths(&roots).into_iter().filter(|(_, place)| place == path);
        sources.extend(read.map(|(dialect, _)| {
            let name = path.to_str().unwrap();
            let source = Source::from_text(name, dialect, text, path.parent().unwrap());
            let (project, home) = (project.clone(), home.clone());
            // The names of Claude's hooks begin with their layer, and a name is a part of what is approved.
            let layer = if name.contains(".local.") { Layer::Local } else { Layer::Project };
            Source { layer, project, home, ..source }
        }));
    }
    for source in sources.iter().filter(|source| Trust::origin(source) == Origin::Repository) {
        trust.approve(&trust.review(source)).unwrap();
    }
}

/// Gives the hooks that the project has the rights of their person: they write down there what they hear.
pub(crate) fn unconfine(sandbox: &Sandbox) {
    let (project, home) = (sandbox.project(), sandbox.home());
    let trust = Trust::at(home.join(".local/state/tenterhook")).within(&sandbox.env());
    let roots = Roots { cwd: project.clone(), home, ..Roots::default() };
    let found = trust.find(&roots).sources.into_iter().map(|source| PathBuf::from(&*source.name));
    let files: Vec<PathBuf> = found.filter(|path| path.starts_with(&project)).collect();
    let name = "~/.config/tenterhook/tenterhook.toml";
    let own = sandbox.home().join(".config/tenterhook/tenterhook.toml");
    let mut text = std::fs::read_to_string(own).unwrap_or_default();
    for file in files {
        let head = format!("[source.{file:?}]");
        if !text.contains(&head) {
            let _ = write!(text, "\n{head}\nsandbox = \"off\"\n");
        }
    }
    sandbox.write(name, &text).unwrap();
}
