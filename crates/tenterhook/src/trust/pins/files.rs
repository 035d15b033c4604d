//! Which files are pinned so far? Values only; reads nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::Pin;

/// Files that programs and editors leave beside a hook and that no hook runs: neither pinned nor kept (T-6).
const LEFT_OUT: &[&str] = &[
    "__pycache__",
    ".DS_Store",
    "Thumbs.db",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    // Vim tries by a file of this name whether it may write.
    "4913",
];
const LEFT_OUT_ENDINGS: &[&str] = &[".log", ".pyc", ".swp", ".swo", "~"];
/// How copies begin that Emacs keeps of what is being edited.
const LEFT_OUT_STARTS: &[&str] = &["#", ".#"];

/// Returns whether a file of this name is one that programs and editors leave beside their own
/// files.
pub(super) fn is_ignored_name(name: &str) -> bool {
    LEFT_OUT.contains(&name)
        || LEFT_OUT_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || LEFT_OUT_STARTS.iter().any(|start| name.starts_with(start))
}

/// Files by their paths, told apart by their bytes: to compare paths part by part takes longer than to read a small file.
#[derive(Debug, Default)]
pub(super) struct Files(pub(super) BTreeMap<OsString, Pin>);

impl Files {
    pub(super) fn get(&self, path: &Path) -> Option<&Pin> {
        self.0.get(path.as_os_str())
    }

    pub(super) fn insert(&mut self, pin: Pin) {
        self.0.insert(pin.path.clone().into_os_string(), pin);
    }

    /// Returns the pins in the order of their paths, which the digest requires.
    pub(super) fn into_sorted(self) -> Vec<Pin> {
        let mut all: Vec<Pin> = self.0.into_values().collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }
}
