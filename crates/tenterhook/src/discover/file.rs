//! Reads config files: regular files of a bounded size. Never blocks and parses nothing.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::decode::decode_text;
use super::saved;
use super::view::View;
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::{Disk, Roots};
use tenterhook_core::source::{Completeness, Flaw};

/// How large a config may be, in bytes: far more than any that people write, and little enough to
/// be read at each event.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// Reads a config: a regular file of at most 16 MiB, in UTF-8 (C-7).
///
/// # Errors
///
/// When it is something else. A FIFO or a device is refused without being waited for.
pub fn read_config_file(path: &Path) -> io::Result<Arc<str>> {
    read_utf8_file(path, MAX_BYTES)
}

/// Reads a UTF-8 file of at most `most` bytes.
pub(super) fn read_utf8_file(path: &Path, most: u64) -> io::Result<Arc<str>> {
    let text = String::from_utf8(read_regular_file(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        invalid_input_error(format!("it is not UTF-8 (byte {at})"))
    })?;
    Ok(text.into())
}

/// Reads a file that an agent would load: its text, and a flaw if the text is incomplete. `None` if
/// the file does not exist.
pub(super) fn read_config_if_exists(path: &Path) -> Option<(Arc<str>, Option<Flaw>)> {
    let mut read = saved::wait_for_saving_then_read(path);
    // An editor that saves by rename can leave a moment without the file: try again.
    for _ in 0..2 {
        if !matches!(&read, Err(error) if is_not_found(error) && !path.is_symlink()) {
            break;
        }
        why_not_absent(path)?;
        read = saved::wait_for_saving_then_read(path);
    }
    match read {
        Ok((bytes, is_saving)) => {
            let (text, flaw) = decode_text(bytes);
            let is_lost = flaw.as_ref().is_some_and(|flaw| flaw.kept == Completeness::Part);
            let flaw = if is_saving && !is_lost { Some(saved::being_saved_flaw()) } else { flaw };
            Some((text.into(), flaw))
        }
        Err(error) if is_not_found(&error) => why_not_absent(path)
            .map(|why| ("".into(), Some(unread_file_flaw(why, "mend or remove the link")))),
        Err(error) => Some((
            "".into(),
            Some(unread_file_flaw(error.to_string(), unreadable_file_remedy(&error))),
        )),
    }
}

/// Returns the flaw of every file below a home directory that this user may not search.
pub(super) fn unsearchable_home_flaw(home: &Path) -> Option<Flaw> {
    let error = std::fs::symlink_metadata(home.join(".config")).err()?;
    (error.kind() == io::ErrorKind::PermissionDenied).then(|| {
        let why =
            format!("{error}, and no other file in the home `{}` can be read", home.display());
        unread_file_flaw(why, "make the home readable for the user who runs the agent")
    })
}

/// The files of this machine, as far as directories are named from which they are found.
pub(super) struct Files<'v> {
    refuses_relative: bool,
    view: &'v View,
}

impl<'v> Files<'v> {
    /// Read access to this machine's files. It refuses relative paths if the working directory or
    /// the home is empty.
    pub(super) fn new(roots: &Roots, view: &'v View) -> Self {
        let is_empty = |directory: &Path| directory.as_os_str().is_empty();
        Self { refuses_relative: is_empty(&roots.cwd) || is_empty(&roots.home), view }
    }

    /// Whether the path is relative and relative paths are refused.
    fn refuses_path(&self, path: &Path) -> bool {
        self.refuses_relative && path.is_relative()
    }
}

impl Disk for Files<'_> {
    fn read_file(&self, path: &Path) -> Option<(Arc<str>, Option<Flaw>)> {
        if self.refuses_path(path) { None } else { self.view.read_config_if_exists(path) }
    }

    fn list_directories(&self, path: &Path) -> Vec<PathBuf> {
        if self.refuses_path(path) { Vec::new() } else { self.view.list_directories(path) }
    }
}

/// A flaw because of which nothing of the file is read.
fn unread_file_flaw(why: impl Into<String>, help: &str) -> Flaw {
    Flaw { why: why.into(), help: help.to_owned(), kept: Completeness::Nothing, untrusted: None }
}

/// Returns why a file that cannot be found is not treated as absent: it or a parent is a
/// broken link, or it appeared or vanished during the read. `None` if it is absent.
fn why_not_absent(path: &Path) -> Option<String> {
    let deepest = path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok())?;
    match deepest.metadata() {
        Err(_) if deepest == path => Some("it is a link to nothing".to_owned()),
        Err(_) => Some(format!("`{}` is a link to nothing", deepest.display())),
        Ok(_) if deepest == path => Some("it came or went while it was read".to_owned()),
        Ok(_) => None,
    }
}

/// The bytes of a regular file. Type and size are those of what was opened, whatever its name
/// stands for meanwhile.
///
/// # Errors
///
/// When it is something else, or larger than that.
pub fn read_regular_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_regular_file_with_metadata(path, most).map(|(bytes, _)| bytes)
}

/// Opens a regular file for reading, safely in directories that others can write (C-86).
///
/// # Errors
///
/// Fails if it is not a regular file. Refuses a FIFO or a device without blocking.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = set_nonblocking_open(OpenOptions::new().read(true)).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(invalid_input_error(format!(
            "it is {}, not a file",
            file_kind_name(&metadata)
        )));
    }
    Ok((file, metadata))
}

/// Reads a regular file of at most `most` bytes, and returns its bytes with the metadata of the
/// opened file.
pub(crate) fn read_regular_file_with_metadata(
    path: &Path,
    most: u64,
) -> io::Result<(Vec<u8>, Metadata)> {
    let (file, metadata) = open(path)?;
    let too_large = || invalid_input_error(format!("it is larger than {} MiB", most >> 20));
    if metadata.len() > most {
        return Err(too_large());
    }
    // Room for what is expected, so that most files take one call; others grow, or are cut, as they
    // are read.
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(metadata.len()).unwrap_or(0))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok((bytes, metadata)) }
}

/// Makes opening a FIFO return at once instead of waiting for a process at the other end. Replaces
/// other custom flags.
#[cfg(unix)]
pub fn set_nonblocking_open(options: &mut OpenOptions) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or(0);
    options.custom_flags(flags)
}

/// Does nothing: opening a file never waits on this system.
#[cfg(not(unix))]
pub fn set_nonblocking_open(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Makes opening a FIFO return at once, as [`set_nonblocking_open`] does, and opening a symlink fail.
#[cfg(unix)]
pub fn set_linkless_open(options: &mut OpenOptions) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0))
}

/// Does nothing: the rights of the directory decide on this system.
#[cfg(not(unix))]
pub fn set_linkless_open(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Names the kind of something that is no regular file, for a message.
#[cfg(unix)]
fn file_kind_name(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let file_type = metadata.file_type();
    let kinds = [
        (file_type.is_dir(), "a directory"),
        (file_type.is_fifo(), "a FIFO"),
        (file_type.is_socket(), "a socket"),
        (file_type.is_block_device() || file_type.is_char_device(), "a device"),
    ];
    kinds.iter().find(|(is, _)| *is).map_or("something else", |(_, name)| name)
}

/// Names the kind of something that is no regular file, for a message.
#[cfg(not(unix))]
fn file_kind_name(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a directory" } else { "something else" }
}

fn invalid_input_error(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

pub(super) fn is_not_found(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The diagnostic for a file that does not exist or cannot be read.
pub(super) fn unreadable_file_diagnostic(path: &Path, error: &io::Error) -> Diagnostic {
    let shown = path.display();
    let (message, help) = if is_not_found(error) && why_not_absent(path).is_none() {
        (format!("there is no file `{shown}`"), "name a file that exists")
    } else {
        (format!("`{shown}` cannot be read: {error}"), unreadable_file_remedy(error))
    };
    Diagnostic::new(Code::UnreadableFile, message, None).help(help)
}

/// What the user can do about a file that cannot be read.
fn unreadable_file_remedy(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::InvalidInput {
        "a config is a regular UTF-8 file of at most 16 MiB"
    } else {
        "make it readable for the user who runs the agent"
    }
}
