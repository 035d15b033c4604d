//! What does a config file say? Reads regular files of a bounded size, and waits for nothing.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity};

/// How large a config may be, in bytes. The largest public one has 60 KiB.
pub const MAX_BYTES: u64 = 1 << 20;

/// Reads a config: a regular file of at most [`MAX_BYTES`], in UTF-8 (C-7).
///
/// # Errors
///
/// When it is something else. A FIFO or a device is refused without being waited for.
pub fn read(path: &Path) -> io::Result<Arc<str>> {
    read_at_most(path, MAX_BYTES)
}

pub(super) fn read_at_most(path: &Path, most: u64) -> io::Result<Arc<str>> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(refused(format!("it is {}, not a file", kind(&metadata))));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused(format!("it is larger than {} MiB", most >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refused(format!("it is not UTF-8 (byte {at})"))
    })?;
    Ok(text.into())
}

/// Opens without waiting for a writer: a plain open of a FIFO hangs.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    File::options().read(true).custom_flags(nonblock).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn kind(metadata: &std::fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let it = metadata.file_type();
    let kinds = [
        (it.is_dir(), "a directory"),
        (it.is_fifo(), "a FIFO"),
        (it.is_socket(), "a socket"),
        (it.is_block_device() || it.is_char_device(), "a device"),
    ];
    kinds.iter().find(|(is, _)| *is).map_or("something else", |(_, name)| name)
}

#[cfg(not(unix))]
fn kind(metadata: &std::fs::Metadata) -> &'static str {
    if metadata.is_dir() { "a directory" } else { "something else" }
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

pub(super) fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display();
    let (message, help) = if absent(error) {
        (format!("there is no file `{path}`"), "name a file that exists")
    } else if error.kind() == io::ErrorKind::InvalidInput {
        let help = "a config is a regular UTF-8 file of at most 1 MiB";
        (format!("`{path}` cannot be read: {error}"), help)
    } else {
        let help = "make it readable for the user who runs the agent";
        (format!("`{path}` cannot be read: {error}"), help)
    };
    Diagnostic::new("unreadable-file", Severity::Error, message, None).help(help)
}
