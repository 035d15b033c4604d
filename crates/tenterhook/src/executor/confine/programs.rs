//! Lists the directories that hold the programs a host finds by name, and the files of their
//! installations. Opens none.

use std::path::{Path, PathBuf};

use super::paths::resolve_if_inside;

/// Directories beside an installation's programs that belong to it.
const BESIDE: &[&str] = &["lib", "lib64", "libexec"];

/// Suffixes of directories whose programs only call others, and where those are: relative to the
/// parent, or below the home.
const ELSEWHERE: &[(&str, To)] = &[
    // pyenv, rbenv, asdf, mise.
    ("shims", To::Parent),
    (".volta/bin", To::Parent),
    (".cargo/bin", To::Home(".rustup")),
    (".local/bin", To::Home(".local/share/uv")),
    (".local/bin", To::Home(".local/share/pipx")),
];

#[derive(Clone, Copy)]
enum To {
    Parent,
    Home(&'static str),
}

/// Returns the directories that a program found by name needs to read. The `PATH` of an entry opens
/// nothing, because it could name any directory.
pub(super) fn readable_program_directories(env: &[(String, String)], home: &Path) -> Vec<PathBuf> {
    let path = env.iter().find(|(name, _)| name == "PATH");
    let directories = path.map(|(_, value)| std::env::split_paths(value).collect::<Vec<_>>());
    directories
        .into_iter()
        .flatten()
        .flat_map(|directory| readable_dirs_for_program_dir(directory, home))
        .collect()
}

/// Returns a directory of programs with the directories that its programs need to read.
fn readable_dirs_for_program_dir(directory: PathBuf, home: &Path) -> Vec<PathBuf> {
    let parent = directory.parent().unwrap_or(&directory).to_path_buf();
    let is_installed = directory.ends_with("bin") || directory.ends_with("sbin");
    // The files of an installation lie inside it.
    let beside = BESIDE.iter().filter(|_| is_installed).map(|text| parent.join(text));
    let beside = beside.filter(|path| resolve_if_inside(&parent, path).is_some());
    let elsewhere = ELSEWHERE.iter().filter(|(end, _)| directory.ends_with(end));
    let elsewhere = elsewhere.map(|(_, to)| match to {
        To::Parent => parent.clone(),
        To::Home(below) => home.join(below),
    });
    let mut all: Vec<PathBuf> = beside.chain(elsewhere).collect();
    all.push(directory);
    all
}
