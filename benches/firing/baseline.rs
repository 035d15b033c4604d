//! The raw ways to the same work: what a figure is held against. None of them knows the engine.

pub(crate) mod grammar;
pub(crate) mod http;
pub(crate) mod library;
pub(crate) mod line;
pub(crate) mod process;
pub(crate) mod settled;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter itself, behind whatever shims stand before it in `PATH`; `None` without one.
///
/// A shim that picks a version costs more than the interpreter's start, and would be measured in its place.
pub(crate) fn interpreter(name: &str, which: &[&str]) -> Option<PathBuf> {
    let output = Command::new(name).args(which).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    let path = Path::new(path.trim());
    path.is_absolute().then(|| path.to_path_buf())
}
