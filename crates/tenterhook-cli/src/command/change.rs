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

/// Replaces the text of a file atomically: a reader finds the old text or the new one. Symlinks,
/// owner and permissions are preserved.
pub(in crate::command) fn replace_text_atomically(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let directory = path.parent().unwrap_or(&path);
    let mut new = NamedTempFile::new_in(directory)?;
    new.write_all(text.as_bytes())?;
    let old = fs::metadata(&path)?;
    copy_owner_to_new_file(new.as_file(), &old)?;
    new.as_file().set_permissions(old.permissions())?;
    // Else what a loss of power leaves is the new name of nothing.
    new.as_file().sync_all()?;
    new.persist(&path)?;
    Ok(())
}

/// Gives the new file the owner of the old one: root may write a file that another user reads.
#[cfg(unix)]
fn copy_owner_to_new_file(new: &File, old: &Metadata) -> io::Result<()> {
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
fn copy_owner_to_new_file(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Writes a file that does not exist yet, atomically. A file that appears in the meantime is not
/// replaced.
pub(in crate::command) fn write_new_file_atomically(
    path: &Path,
    text: &str,
    readers: Readers,
) -> io::Result<()> {
    create_temp_beside(path, text, readers)?.persist_noclobber(path)?;
    Ok(())
}

/// Writes a file atomically, whether it exists or not. A symlink itself is replaced, not its
/// target.
pub(in crate::command) fn write_file_atomically(
    path: &Path,
    text: &str,
    readers: Readers,
) -> io::Result<()> {
    create_temp_beside(path, text, readers)?.persist(path)?;
    Ok(())
}

/// Creates a temporary file with the text in the folder of another file, under an unguessable name.
fn create_temp_beside(path: &Path, text: &str, readers: Readers) -> io::Result<NamedTempFile> {
    let directory = path.parent().unwrap_or(path);
    match readers {
        Readers::Owner => discover::create_private_dir(directory)?,
        Readers::Usual => fs::create_dir_all(directory)?,
    }
    let mut new = temp_file_builder(readers).tempfile_in(directory)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    Ok(new)
}

/// Returns a builder of files with these permissions, limited by the umask.
#[cfg_attr(not(unix), expect(unused_mut, unused_variables, reason = "only Unix has modes to set"))]
fn temp_file_builder(readers: Readers) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    if readers == Readers::Usual {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}
