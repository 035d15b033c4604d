//! What of the file system and of TCP is left to a child: a Landlock ruleset, made in the host and entered by the child.
#![expect(unsafe_code, reason = "Landlock exists only as raw calls")]

use std::ffi::{CStr, c_int, c_long, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use rustix::io::Errno;

use super::granted_paths::{self, Access, GrantedPath};
use super::without_links;
use crate::confine::{Confinement, Net};

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
const FOR_PATHS: c_int = 1;
const FOR_PORTS: c_int = 2;

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

/// Returns the Landlock version of the kernel, or 0 if it has none or it is disabled.
pub(super) fn landlock_version() -> u32 {
    let none = std::ptr::null::<c_void>();
    // SAFETY: with the flag for the version nothing is read.
    let version = unsafe { libc::syscall(CREATE_RULESET, none, 0usize, 1u32) };
    u32::try_from(version).unwrap_or(0)
}

/// Creates the ruleset of `confinement` for a kernel of `version`. Also returns whether it grants
/// the root.
pub(super) fn create_ruleset(
    confinement: &Confinement,
    version: u32,
) -> Result<(OwnedFd, bool), Errno> {
    let handled = handled_rights(&confinement.net, version);
    let ruleset = create_empty_ruleset(&handled, version)?;
    let mut grants_root = false;
    granted_paths::visit_granted_paths(confinement, |place| {
        grants_root |= place.path.parent().is_none();
        add_granted_path(&ruleset, place, &handled)
    })?;
    if let Net::TcpTo(ports) = &confinement.net {
        for port in ports {
            let rule = Port { allowed: CONNECT_TCP, port: u64::from(*port) };
            add_rule(&ruleset, FOR_PORTS, std::ptr::from_ref(&rule).cast())?;
        }
    }
    Ok((ruleset, grants_root))
}

fn add_granted_path(
    ruleset: &OwnedFd,
    place: &GrantedPath<'_>,
    handled: &Handled,
) -> Result<(), Errno> {
    let rights = all_rights_of_access(place.access);
    let fits = if place.is_directory { rights } else { rights & ON_FILES };
    let rule = Beneath { allowed: fits & handled.files, parent: place.file.as_raw_fd() };
    add_rule(ruleset, FOR_PATHS, std::ptr::from_ref(&rule).cast())
}

/// Returns every right of an access, of any version.
const fn all_rights_of_access(access: Access) -> u64 {
    match access {
        Access::Read => READ,
        Access::Change => u64::MAX,
    }
}

const fn handled_rights(net: &Net, version: u32) -> Handled {
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

fn create_empty_ruleset(handled: &Handled, version: u32) -> Result<OwnedFd, Errno> {
    // A kernel refuses fields that it does not know, unless they are zero and the size excludes them.
    let size: usize = match version {
        ..=3 => 8,
        4..=5 => 16,
        6.. => 24,
    };
    // SAFETY: reads at most the 24 bytes of `handled`.
    let fd = unsafe { libc::syscall(CREATE_RULESET, std::ptr::from_ref(handled), size, 0u32) };
    let Some(fd) = c_int::try_from(fd).ok().filter(|fd| *fd >= 0) else { return Err(last_errno()) };
    // SAFETY: the kernel made a new descriptor that no other code uses.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn add_rule(ruleset: &OwnedFd, kind: c_int, rule: *const c_void) -> Result<(), Errno> {
    // SAFETY: `rule` points to the structure of its kind, which the kernel reads only.
    let done = unsafe { libc::syscall(ADD_RULE, ruleset.as_raw_fd(), kind, rule, 0u32) };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Rights on files, as a rule names them.
pub(super) type Rights = u64;

/// Returns the rights of an access that Landlock of this `version` supports.
pub(super) const fn supported_rights_of_access(access: Access, net: &Net, version: u32) -> Rights {
    all_rights_of_access(access) & handled_rights(net, version).files
}

/// Grants `rights` on the path `path`. A missing path grants nothing, as in the host. On failure
/// the error is in `errno`.
///
/// SAFETY of the whole: called in the child of a vfork only, with memory that the suspended parent keeps.
pub(super) unsafe fn add_path_rule(ruleset: c_int, path: &CStr, rights: Rights) -> bool {
    // SAFETY: raw calls on numbers, on a prepared string, and on structures that the kernel reads only.
    unsafe {
        let fd = without_links::open_path_descriptor(path);
        let Some(parent) = c_int::try_from(fd).ok().filter(|int| *int >= 0) else { return true };
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

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
