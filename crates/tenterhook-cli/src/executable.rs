//! May a file be started, and how does one that was just written come to be? Starts none.

use std::fs::Metadata;
use std::io;
use std::path::Path;

/// Returns whether somebody has permission to execute the file.
#[cfg(unix)]
pub(crate) fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_found: &Metadata) -> bool {
    true
}

/// Makes the file executable for everybody.
#[cfg(unix)]
pub(crate) fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
pub(crate) fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}
