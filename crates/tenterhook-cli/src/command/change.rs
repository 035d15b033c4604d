//! Writes a file so that a reader finds the old text or the new one. Decides nothing of either.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// A reader finds the old text or the new one, never a half; a link stays one, and so do the rights.
pub(in crate::command) fn write_in_place(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let directory = path.parent().unwrap_or(&path);
    let mut new = tempfile::NamedTempFile::new_in(directory)?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
    // Else what a loss of power leaves is the new name of nothing.
    new.as_file().sync_all()?;
    new.persist(&path)?;
    Ok(())
}

/// The same of a file that is not there; one that came meanwhile is left.
pub(in crate::command) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory)?;
    let mut new = tempfile::NamedTempFile::new_in(directory)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    new.persist_noclobber(path)?;
    Ok(())
}
