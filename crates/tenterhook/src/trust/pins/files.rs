//! Which files are pinned so far? Values only; reads nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::Pin;

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

    /// In the order of their paths, in which they are digested.
    pub(super) fn sorted(self) -> Vec<Pin> {
        let mut all: Vec<Pin> = self.0.into_values().collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }
}
