//! What of the file system and of TCP is left to a child: a Landlock ruleset, made in the host and entered by the child.
#![expect(unsafe_code, reason = "Landlock exists only as raw calls")]

use std::collections::BTreeSet;
use std::ffi::{CStr, c_int, c_long, c_void};
use std::fs::{self, File, Metadata};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::namespaces::passes;
use crate::confine::{Confinement, Net};
use crate::resolved::{Links, resolved};

const CREATE_RULESET: c_long = 444;
const ADD_RULE: c_long = 445;
pub(super) const RESTRICT_SELF: c_long = 446;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
/// All rights that version 3 knows; later ones are added where the kernel has them.
const ALL_OF_3: u64 = (1 << 15) - 1;
/// What can be granted on a file that is no directory.
const ON_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const READ: u64 = EXECUTE | READ_FILE | READ_DIR;
const BIND_TCP: u64 = 1;
const CONNECT_TCP: u64 = 1 << 1;
const SCOPES: u64 = 0b11;
/// `RESOLVE_NO_SYMLINKS`: a link in `/proc` leads to the files of a process.
const NO_SYMLINKS: u64 = 4;
const FOR_PATHS: c_int = 1;
const FOR_PORTS: c_int = 2;

/// Where granted directories are taken apart around what is never written, how many of their entries are looked at.
const MOST_ENTRIES: usize = 16_384;

#[repr(C)]
struct Handled {
    files: u64,
    net: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: c_int,
}

#[repr(C)]
struct Port {
    allowed: u64,
    port: u64,
}

/// Which version the kernel has; 0 where it has none, or it is switched off.
pub(super) fn version() -> u32 {
    let none = std::ptr::null::<c_void>();
    // SAFETY: with the flag for the version nothing is read.
    let version = unsafe { libc::syscall(CREATE_RULESET, none, 0usize, 1u32) };
    u32::try_from(version).unwrap_or(0)
}

/// Makes the ruleset of `confinement` for a kernel of `version`.
pub(super) fn ruleset(confinement: &Confinement, version: u32) -> Result<OwnedFd, Errno> {
    let handled = handled(&confinement.net, version);
    let ruleset = create(&handled, version)?;
    for path in &confinement.read {
        grant(&ruleset, &resolved(path), READ, &handled)?;
    }
    // With the links that lead there: who may replace one of them may put anything there.
    let mut links = Links::default();
    let never: BTreeSet<PathBuf> = confinement.never.iter().flat_map(|it| links.way(it)).collect();
    let mut left = MOST_ENTRIES;
    for path in &confinement.write {
        grant_around(&ruleset, &resolved(path), &never, &handled, &mut left)?;
    }
    if let Net::TcpTo(ports) = &confinement.net {
        for port in ports {
            let rule = Port { allowed: CONNECT_TCP, port: u64::from(*port) };
            add(&ruleset, FOR_PORTS, std::ptr::from_ref(&rule).cast())?;
        }
    }
    Ok(ruleset)
}

const fn handled(net: &Net, version: u32) -> Handled {
    let devices = if version >= 5 { IOCTL_DEV } else { 0 };
    let (tcp, scoped) = match net {
        Net::Open => (0, 2),
        Net::Denied | Net::TcpTo(_) => (BIND_TCP | CONNECT_TCP, SCOPES),
    };
    Handled {
        files: ALL_OF_3 | devices,
        net: if version >= 4 { tcp } else { 0 },
        scoped: if version >= 6 { scoped } else { 0 },
    }
}

fn create(handled: &Handled, version: u32) -> Result<OwnedFd, Errno> {
    // A kernel refuses fields that it does not know, unless they are zero and it is told of none of them.
    let size: usize = match version {
        ..=3 => 8,
        4..=5 => 16,
        6.. => 24,
    };
    // SAFETY: reads at most the 24 bytes of `handled`.
    let fd = unsafe { libc::syscall(CREATE_RULESET, std::ptr::from_ref(handled), size, 0u32) };
    let Some(fd) = c_int::try_from(fd).ok().filter(|fd| *fd >= 0) else { return Err(last()) };
    // SAFETY: the kernel made a new descriptor that nobody else knows.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn add(ruleset: &OwnedFd, kind: c_int, rule: *const c_void) -> Result<(), Errno> {
    // SAFETY: `rule` points to the structure of its kind, which the kernel reads only.
    let done = unsafe { libc::syscall(ADD_RULE, ruleset.as_raw_fd(), kind, rule, 0u32) };
    if done == 0 { Ok(()) } else { Err(last()) }
}

/// Grants `rights` on `path`, which has no links, and all below it. What is not there, or cannot be reached, grants nothing: the child could
/// not reach it either.
fn grant(ruleset: &OwnedFd, path: &Path, rights: u64, handled: &Handled) -> Result<(), Errno> {
    match open(path) {
        Ok(file) => grant_open(ruleset, &file, rights, handled),
        // What a program may read and cannot, it would fail for without a word.
        Err(errno) if passes(errno) => Err(errno),
        Err(_) => Ok(()),
    }
}

fn grant_open(ruleset: &OwnedFd, file: &File, rights: u64, handled: &Handled) -> Result<(), Errno> {
    let is_directory = facts(file)?.is_dir();
    let fits = if is_directory { rights } else { rights & ON_FILES };
    let rule = Beneath { allowed: fits & handled.files, parent: file.as_raw_fd() };
    add(ruleset, FOR_PATHS, std::ptr::from_ref(&rule).cast())
}

/// Opens what lies at `path`, or fails where a link was put into the way to it since it was resolved.
fn open(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Where the call itself is refused, at least the last step is held.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, flags, Mode::empty()),
        Err(Errno::INTR) => return open(path),
        opened => opened,
    }
    .map(File::from)
}

/// What the system says of what was opened.
fn facts(file: &File) -> Result<Metadata, Errno> {
    file.metadata().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Grants all of `path` but what of it is never written: where that is below it, entry by entry.
fn grant_around(
    ruleset: &OwnedFd,
    path: &Path,
    never: &BTreeSet<PathBuf>,
    handled: &Handled,
    left: &mut usize,
) -> Result<(), Errno> {
    // A link leads elsewhere, and is resolved where it was granted by name.
    let file = match open(path) {
        Ok(file) => file,
        Err(errno) if passes(errno) => return Err(errno),
        Err(_) => return Ok(()),
    };
    let facts = facts(&file)?;
    let is_covered = path.ancestors().any(|it| never.contains(it));
    if facts.is_symlink() || is_covered {
        return Ok(());
    }
    // Paths are sorted by their parts: what lies below this one follows it.
    if !never.range(path.to_path_buf()..).next().is_some_and(|it| it.starts_with(path)) {
        return grant_open(ruleset, &file, u64::MAX, handled);
    }
    // Rights on a directory reach all below it, so that above what is never written only reading can be granted.
    grant_open(ruleset, &file, READ, handled)?;
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        *left = left.checked_sub(1).ok_or(Errno::TOOBIG)?;
        grant_around(ruleset, &entry.path(), never, handled, left)?;
    }
    Ok(())
}

/// Rights on files, as a rule names them.
pub(super) type Rights = u64;

/// The rights of who may read, or do all that can be done, on a machine whose Landlock is of this `version`.
pub(super) const fn rights(writes: bool, net: &Net, version: u32) -> Rights {
    let wanted = if writes { u64::MAX } else { READ };
    wanted & handled(net, version).files
}

/// Grants `rights` on what lies at `path`. What is not there grants nothing, as in the host. On failure the error is in `errno`.
///
/// SAFETY of the whole: called in the child of a vfork only, with memory that the suspended parent keeps.
pub(super) unsafe fn add_named(ruleset: c_int, path: &CStr, rights: Rights) -> bool {
    let how = [(libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW) as u64, 0, NO_SYMLINKS];
    let (here, size) = (c_long::from(libc::AT_FDCWD), size_of_val(&how));
    // SAFETY: raw calls on numbers, on a prepared string, and on structures that the kernel reads only.
    unsafe {
        let fd = libc::syscall(libc::SYS_openat2, here, path.as_ptr(), how.as_ptr(), size);
        let Some(parent) = c_int::try_from(fd).ok().filter(|it| *it >= 0) else { return true };
        let add = |allowed: u64| {
            let rule = Beneath { allowed, parent };
            libc::syscall(ADD_RULE, ruleset, FOR_PATHS, &raw const rule, 0u32) == 0
        };
        // Only of a directory are there entries to make and to list.
        let added = add(rights) || add(rights & ON_FILES);
        libc::close(parent);
        added
    }
}

fn last() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
