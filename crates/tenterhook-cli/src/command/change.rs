//! Writes a file so that a reader finds the old text or the new one. Decides nothing of either.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};
use tenterhook::internal::discover;

/// The permissions of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// As the umask of the user says.
    Usual,
    /// Its owner alone.
    Owner,
}

/// A reader finds the old text or the new one, never a half; a link stays one, and so do owner and rights.
pub(in crate::command) fn write_in_place(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let directory = path.parent().unwrap_or(&path);
    let mut new = NamedTempFile::new_in(directory)?;
    new.write_all(text.as_bytes())?;
    let old = fs::metadata(&path)?;
    keep_owner(new.as_file(), &old)?;
    new.as_file().set_permissions(old.permissions())?;
    // Else what a loss of power leaves is the new name of nothing.
    new.as_file().sync_all()?;
    new.persist(&path)?;
    Ok(())
}

/// Root writes for somebody else, who reads the file afterwards.
#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let made = new.metadata()?;
    match made.uid() == old.uid() && made.gid() == old.gid() {
        true => Ok(()),
        // Without root, the user owns what they write, as with any other program.
        false if made.uid() != 0 => fchown(new, None, Some(old.gid())).or(Ok(())),
        false => fchown(new, Some(old.uid()), Some(old.gid())),
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// The same of a file that is not there; one that came meanwhile is left.
pub(in crate::command) fn write_new(path: &Path, text: &str, readers: Readers) -> io::Result<()> {
    beside(path, text, readers)?.persist_noclobber(path)?;
    Ok(())
}

/// The same, whether anything is there or not: of a link the link is replaced, and not what it leads to.
pub(in crate::command) fn write_over(path: &Path, text: &str, readers: Readers) -> io::Result<()> {
    beside(path, text, readers)?.persist(path)?;
    Ok(())
}

/// Creates a file with the text in the folder of another file, under an unguessable name.
fn beside(path: &Path, text: &str, readers: Readers) -> io::Result<NamedTempFile> {
    let directory = path.parent().unwrap_or(path);
    match readers {
        Readers::Owner => discover::make_private(directory)?,
        Readers::Usual => fs::create_dir_all(directory)?,
    }
    let mut new = files(readers).tempfile_in(directory)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    Ok(new)
}

/// What makes a file with such rights; the mask of the process counts.
#[cfg_attr(not(unix), expect(unused_mut, unused_variables, reason = "only Unix has modes to set"))]
fn files(readers: Readers) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    if readers == Readers::Usual {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}
