//! What lies in the files that a call names, for rules, which see the event alone? Reads; changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::discover;
use crate::rule::Files;

/// Longest patch that is read.
const LONGEST: u64 = 1024 * 1024;

/// The files of this machine, for rules that ask what a call would change.
#[must_use]
pub fn disk() -> Arc<dyn Files> {
    static DISK: LazyLock<Arc<Disk>> = LazyLock::new(|| Arc::new(Disk));
    Arc::clone(&*DISK) as Arc<dyn Files>
}

#[derive(Debug)]
struct Disk;

impl Files for Disk {
    fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(discover::bytes(Path::new(path), LONGEST).ok()?).ok()
    }

    fn behind_links(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let real = real(path)?;
        (real != path).then(|| real.to_string_lossy().into_owned())
    }
}

/// Where a path leads, as far as it exists: a file that is not there yet stands in a directory that may be a link.
fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Some(real);
    }
    // A link to what is not there is a place where it would be put.
    let (parent, name) = (path.parent()?, path.file_name()?);
    match fs::read_link(path) {
        Ok(target) => Some(fs::canonicalize(parent).ok()?.join(target)),
        Err(_) => Some(real(parent)?.join(name)),
    }
}
