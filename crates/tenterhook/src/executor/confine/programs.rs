//! Where do the programs that a host finds by name lie, and what else are they made of? Names directories; opens none.

use std::path::{Path, PathBuf};

use super::places::within;

/// What stands beside the programs of an installation and belongs to them.
const BESIDE: &[&str] = &["lib", "lib64", "libexec"];

/// The end of a directory of programs that only hand on, and where those lie to which they do: the way from its parent, or below
/// the home.
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

/// What is read to run a program that the host finds by its name. A `PATH` that an entry sets opens nothing: it could name whatever it
/// wants to read.
pub(super) fn of(env: &[(String, String)], home: &Path) -> Vec<PathBuf> {
    let path = env.iter().find(|(name, _)| name == "PATH");
    let directories = path.map(|(_, value)| std::env::split_paths(value).collect::<Vec<_>>());
    directories.into_iter().flatten().flat_map(|directory| made_of(directory, home)).collect()
}

fn made_of(directory: PathBuf, home: &Path) -> Vec<PathBuf> {
    let parent = directory.parent().unwrap_or(&directory).to_path_buf();
    let is_installed = directory.ends_with("bin") || directory.ends_with("sbin");
    // What belongs to an installation lies in it.
    let beside = BESIDE.iter().filter(|_| is_installed).map(|text| parent.join(text));
    let beside = beside.filter(|path| within(&parent, path).is_some());
    let elsewhere = ELSEWHERE.iter().filter(|(end, _)| directory.ends_with(end));
    let elsewhere = elsewhere.map(|(_, to)| match to {
        To::Parent => parent.clone(),
        To::Home(below) => home.join(below),
    });
    let mut all: Vec<PathBuf> = beside.chain(elsewhere).collect();
    all.push(directory);
    all
}
