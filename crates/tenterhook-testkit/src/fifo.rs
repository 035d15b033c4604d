//! Makes a FIFO on every Unix: the call for it has other names on each. Opens none.

use std::io;
use std::path::Path;
use std::process::Command;

/// Makes a FIFO that its owner reads and writes.
///
/// # Errors
///
/// When it cannot be made, or `mkfifo` is not there.
pub fn make_fifo(path: &Path) -> io::Result<()> {
    let made = Command::new("mkfifo").args(["-m", "600"]).arg(path).status()?;
    if made.success() { Ok(()) } else { Err(io::Error::other("`mkfifo` failed")) }
}
