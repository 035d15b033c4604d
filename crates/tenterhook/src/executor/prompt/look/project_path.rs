//! Resolves the paths that a model names, and checks that they are inside the project. Opens files
//! and writes none.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::refusal::Refusal;

/// How much of a file is read. A larger file was hardly written by a person.
pub(super) const CAP: u64 = 4 << 20;

/// Returns the real path of the project.
pub(super) fn project_root(project: &Path) -> Result<PathBuf, Refusal> {
    if !project.is_absolute() {
        return Err(Refusal::NoProject);
    }
    let root = project.canonicalize().map_err(Refusal::Unreachable)?;
    if root.parent().is_none() { Err(Refusal::WholeFileSystem) } else { Ok(root) }
}

/// Returns the real path of `path`, if that is inside the project (MO-7).
pub(super) fn resolve_if_in_project(root: &Path, path: &str) -> Result<PathBuf, Refusal> {
    let outside = || Refusal::Outside(path.to_owned());
    let named = Path::new(path);
    let named = match named.strip_prefix(root) {
        Ok(rest) => rest,
        Err(_) if named.is_absolute() => return Err(outside()),
        Err(_) => named,
    };
    // A path that leaves the project by its name alone is refused before the disk is read.
    let mut depth = 0_i64;
    for part in named.components() {
        depth += match part {
            Component::Normal(_) => 1,
            Component::ParentDir => -1,
            Component::CurDir => 0,
            Component::RootDir | Component::Prefix(_) => return Err(outside()),
        };
        if depth < 0 {
            return Err(outside());
        }
    }
    let real = root.join(named).canonicalize();
    let real = real.map_err(|source| Refusal::Unopened { path: path.to_owned(), source })?;
    if real.starts_with(root) { Ok(real) } else { Err(outside()) }
}

/// Reads the text of a file that [`resolve_if_in_project`] found.
pub(super) fn read_text(file: &Path, named: &str) -> Result<String, Refusal> {
    let path = || named.to_owned();
    let wrong = |source| Refusal::Unread { path: path(), source };
    // Opening a named pipe would wait for a writer and delay the hook.
    let opened = open_without_following(file).map_err(wrong)?;
    let about = opened.metadata().map_err(wrong)?;
    if !about.is_file() {
        return Err(Refusal::NoFile(path()));
    }
    if about.len() > CAP {
        return Err(Refusal::TooLarge { path: path(), mebibytes: CAP >> 20 });
    }
    let mut bytes = Vec::new();
    opened.take(CAP).read_to_end(&mut bytes).map_err(wrong)?;
    String::from_utf8(bytes).map_err(|_| Refusal::NoText(path()))
}

/// Opens a file without blocking, and does not follow a link that replaced it meanwhile.
fn open_without_following(file: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(file)
}
