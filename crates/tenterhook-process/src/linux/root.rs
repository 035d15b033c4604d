//! A root of a child's own, in which it finds what it is granted and nothing else: what a machine confines files with that has namespaces
//! and no Landlock. Prepared in the host, made by the child in its own mounts.
//!
//! Granted paths keep their names in it and are bound from the host's root, read-only unless they
//! may be changed. Links on the way to them are there as well. The rest is an empty directory that
//! no process can change. Knows nothing of processes.
#![expect(unsafe_code, reason = "what the child of a vfork does exists only as raw calls")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_int, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::granted_paths::{self, Access};
use super::without_links;
use crate::confine::Confinement;
use crate::resolved::Links;

/// Where it is made. A child in namespaces mounts this anew, so that it hides no granted path.
const BASE: &CStr = c"/proc";

/// Devices that may be used wherever all around them may be. No other one in a directory that is bound can be opened: a terminal, a disk.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Names of streams that lead to the caller's own.
const STREAMS: &[&str] = &["/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

const OPEN_TREE_CLONE: c_int = 1;
const AT_RECURSIVE: c_int = 0x8000;
const MOVE_MOUNT_F_EMPTY_PATH: c_int = 4;
const RDONLY: u64 = 1;
const NOSUID: u64 = 2;
const NODEV: u64 = 4;
/// What the host mounts meanwhile is not seen: it would be neither read-only nor granted.
const PRIVATE: u64 = libc::MS_PRIVATE;

/// `struct mount_attr` of the kernel.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// The steps that make it, in this order. Paths are below [`BASE`].
#[derive(Debug, PartialEq, Eq)]
enum Make {
    Directory(CString),
    File(CString),
    Link { at: CString, target: CString },
    Bind { from: CString, at: CString, set: u64 },
}

/// What a child needs to make its root.
#[derive(Debug)]
pub(crate) struct Root {
    makes: Vec<Make>,
    /// Whether the root of the host is granted itself: then it is bound, and not an empty directory.
    is_whole: bool,
    /// Where the child's own `/proc` is mounted, where that is granted.
    proc: Option<CString>,
    /// The root of the host, which the child must not find in that place.
    host: (u64, u64),
}

impl Root {
    /// Plans the root for `confinement`. The paths of `beside` exist in it, and are empty unless
    /// they are granted.
    pub(super) fn new(confinement: &Confinement, beside: &[&Path]) -> Result<Self, Errno> {
        let mut granted = BTreeMap::new();
        granted_paths::visit_granted_paths(confinement, |place| {
            // What cannot be narrowed to reading is not granted instead.
            let is_known = DEVICES.iter().any(|path| place.path == Path::new(path));
            if place.is_special && !is_known && place.access == Access::Read {
                return Err(Errno::NODEV);
            }
            let at = granted.entry(place.path.to_path_buf()).or_insert((place.access, false));
            *at = (at.0.max(place.access), place.is_directory);
            Ok(())
        })?;
        let has_proc = is_proc_granted(&granted)?;
        let mut draft = Draft::default();
        for (path, (access, is_directory)) in granted {
            draft.grant_path(&path, access, is_directory);
        }
        for device in DEVICES.iter().map(Path::new) {
            if let Some(access) = draft.covering_access(device)
                && !draft.bound.contains_key(device)
            {
                draft.bind_path(device, access, 0);
            }
        }
        let proc = Path::new("/proc");
        if draft.covering_access(proc).is_none() {
            draft.add_entry_with_parents(proc, Make::Directory);
        }
        let Confinement { read, write, free, names, .. } = confinement;
        let asked = [read, write, free, names].into_iter().flatten().map(PathBuf::as_path);
        draft.copy_links_on_way_to(asked.chain(STREAMS.iter().map(Path::new)));
        draft.add_empty_directories(beside);
        let top =
            fs::metadata("/").map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        Ok(Self {
            is_whole: draft.bound.contains_key(Path::new("/")),
            makes: draft.makes,
            proc: has_proc.then(|| path_in_new_root(proc)).flatten(),
            host: (top.dev(), top.ino()),
        })
    }

    /// Puts it into the place of the host's. On failure the error is in `errno`.
    ///
    /// SAFETY of the whole: called in the child only, in separate mounts, with memory that the suspended parent keeps.
    pub(super) unsafe fn enter(&self) -> bool {
        let (none, tmpfs, proc) = (std::ptr::null::<c_void>(), c"tmpfs".as_ptr(), c"proc".as_ptr());
        let harmless = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        // SAFETY: raw calls on numbers and on prepared strings.
        unsafe {
            let based = self.is_whole
                || libc::mount(tmpfs, BASE.as_ptr(), tmpfs, harmless, c"mode=755".as_ptr().cast())
                    == 0;
            based
                && self.makes.iter().all(|make| make.create())
                && self.proc.as_ref().is_none_or(|at| {
                    libc::mount(proc, at.as_ptr(), proc, harmless | libc::MS_RDONLY, none) == 0
                })
                && (self.is_whole || set_mount_attributes(libc::AT_FDCWD, BASE, RDONLY, 0))
                && libc::chdir(BASE.as_ptr()) == 0
                // The host's root lies upon the new one for a moment, and is taken off it.
                && libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) == 0
                && libc::umount2(c".".as_ptr(), libc::MNT_DETACH) == 0
                && libc::chdir(c"/".as_ptr()) == 0
        }
    }

    /// Returns whether the child is in this root: the directory at `/` is not the host's, and
    /// cannot be changed. SAFETY: as for [`Root::enter`].
    pub(super) unsafe fn verify_root(&self) -> bool {
        if self.is_whole {
            return true;
        }
        // SAFETY: raw calls on constant paths, and on a structure that the kernel fills.
        unsafe {
            let mut top: libc::stat = std::mem::zeroed();
            libc::stat(c"/".as_ptr(), &raw mut top) == 0
                && (top.st_dev, top.st_ino) != self.host
                && libc::access(c"/".as_ptr(), libc::W_OK) != 0
        }
    }
}

/// Returns whether `/proc` is granted. A child's own `/proc` can only be granted as a whole and
/// read-only.
fn is_proc_granted(granted: &BTreeMap<PathBuf, (Access, bool)>) -> Result<bool, Errno> {
    let proc = Path::new("/proc");
    let is_read = |path: &Path| matches!(granted.get(path), Some((Access::Read, _)));
    let is_whole = is_read(proc) || granted.contains_key(Path::new("/"));
    let mut inside = granted.iter().filter(|(path, _)| path.starts_with(proc));
    match inside.all(|(_, (access, _))| is_whole && *access == Access::Read) {
        true => Ok(is_whole),
        false => Err(Errno::OPNOTSUPP),
    }
}

/// A root as far as it is thought out.
#[derive(Default)]
struct Draft {
    makes: Vec<Make>,
    /// A bound path, with all below it.
    bound: BTreeMap<PathBuf, Access>,
    /// What else is there.
    made: BTreeSet<PathBuf>,
    links: Links,
}

impl Draft {
    /// Returns the access that `path` has already through a path above it.
    fn covering_access(&self, path: &Path) -> Option<Access> {
        path.ancestors().filter_map(|ancestor| self.bound.get(ancestor)).max().copied()
    }

    /// Binds a granted path. Paths above it must be granted first.
    fn grant_path(&mut self, path: &Path, access: Access, is_directory: bool) {
        let covering = self.covering_access(path);
        if path.starts_with("/proc") || covering >= Some(access) {
            return;
        }
        if covering.is_none() && path != Path::new("/") {
            self.add_entry_with_parents(
                path,
                if is_directory { Make::Directory } else { Make::File },
            );
        }
        self.bind_path(path, access, if is_directory { NODEV } else { 0 });
    }

    fn bind_path(&mut self, path: &Path, access: Access, set: u64) {
        if let (Some(from), Some(at)) = (path_to_c_string(path), path_in_new_root(path)) {
            let set = set | NOSUID | if access == Access::Read { RDONLY } else { 0 };
            self.makes.push(Make::Bind { from, at, set });
            self.bound.insert(path.to_path_buf(), access);
        }
    }

    /// Creates the links that the host has on the way to granted paths. Their targets are
    /// accessible only if granted.
    fn copy_links_on_way_to<'p>(&mut self, paths: impl Iterator<Item = &'p Path>) {
        for path in paths {
            let way = self.links.links_and_target_of(path);
            let links = way.split_last().map_or(&[][..], |(_, links)| links);
            links.iter().for_each(|link| self.copy_link(link));
        }
    }

    fn copy_link(&mut self, path: &Path) {
        let target = path.read_link().ok().and_then(|link| path_to_c_string(&link));
        if let Some(target) = target.filter(|_| self.is_unoccupied(path)) {
            self.add_entry_with_parents(path, |at| Make::Link { at, target });
        }
    }

    /// Creates directories that are not granted, for the working directory and the home of a
    /// program.
    fn add_empty_directories(&mut self, beside: &[&Path]) {
        let top = fs::read_dir("/").into_iter().flatten().flatten().map(|entry| entry.path());
        let all: BTreeSet<PathBuf> =
            top.chain(beside.iter().map(|path| path.to_path_buf())).collect();
        for path in all.iter().filter(|path| path.is_absolute()) {
            let mut way = self.links.links_and_target_of(path);
            let end = way.pop();
            way.iter().for_each(|path| self.copy_link(path));
            let end = end.filter(|end| end.is_dir() && self.is_unoccupied(end));
            if let Some(end) = end {
                self.add_entry_with_parents(&end, Make::Directory);
            }
        }
    }

    fn is_unoccupied(&self, path: &Path) -> bool {
        let is_there = path.parent().is_none() || path.starts_with("/proc");
        !is_there && !self.made.contains(path) && self.covering_access(path).is_none()
    }

    /// Plans an entry and its parent directories, which are not below anything bound.
    fn add_entry_with_parents(&mut self, path: &Path, what: impl FnOnce(CString) -> Make) {
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        // Without the root itself.
        above.pop();
        for directory in above.into_iter().rev() {
            if self.made.insert(directory.to_path_buf()) {
                self.makes.extend(path_in_new_root(directory).map(Make::Directory));
            }
        }
        if self.made.insert(path.to_path_buf()) {
            self.makes.extend(path_in_new_root(path).map(what));
        }
    }
}

fn path_to_c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

/// Returns where a path of the child is located while its root is being made.
fn path_in_new_root(path: &Path) -> Option<CString> {
    let rest = path.strip_prefix("/").unwrap_or(path);
    let base = BASE.to_bytes();
    let joined = match rest.as_os_str().is_empty() {
        true => base.to_vec(),
        false => [base, b"/", rest.as_os_str().as_bytes()].concat(),
    };
    CString::new(joined).ok()
}

impl Make {
    /// Makes it. On failure the error is in `errno`.
    ///
    /// SAFETY of the whole: as [`Root::enter`].
    unsafe fn create(&self) -> bool {
        // SAFETY: raw calls on prepared strings.
        unsafe {
            match self {
                Self::Directory(at) => libc::mkdir(at.as_ptr(), 0o755) == 0,
                Self::File(at) => libc::mknod(at.as_ptr(), libc::S_IFREG | 0o444, 0) == 0,
                Self::Link { at, target } => libc::symlink(target.as_ptr(), at.as_ptr()) == 0,
                Self::Bind { from, at, set } => bind_mount(from, at, *set),
            }
        }
    }
}

/// Errors of a place that is gone, or was moved, since it was looked at in the host.
const GONE: [c_int; 4] = [libc::ENOENT, libc::ENOTDIR, libc::ELOOP, libc::EACCES];

/// Binds a path of the host's root. A path that is gone meanwhile grants nothing. SAFETY: as for
/// [`Make::create`].
unsafe fn bind_mount(from: &CStr, at: &CStr, set: u64) -> bool {
    let clone = OPEN_TREE_CLONE | AT_RECURSIVE | libc::AT_EMPTY_PATH | libc::O_CLOEXEC;
    // SAFETY: raw calls on numbers, on prepared strings, and on structures that the kernel reads only. Each is made where the one
    // before it worked, so that `errno` is that of the one that failed.
    unsafe {
        let is_gone = || GONE.contains(&*libc::__errno_location());
        let opened = without_links::open_path_descriptor(from);
        if opened < 0 {
            return is_gone();
        }
        let place = Descriptor(opened as c_int);
        let cloned = libc::syscall(libc::SYS_open_tree, place.0, c"".as_ptr(), clone);
        if cloned < 0 {
            return is_gone();
        }
        let tree = Descriptor(cloned as c_int);
        if !set_mount_attributes(tree.0, c"", set, libc::AT_EMPTY_PATH | AT_RECURSIVE) {
            return false;
        }
        let (here, flags) = (libc::AT_FDCWD, MOVE_MOUNT_F_EMPTY_PATH);
        libc::syscall(libc::SYS_move_mount, tree.0, c"".as_ptr(), here, at.as_ptr(), flags) == 0
            || is_gone()
    }
}

/// A descriptor of the child, closed without a trace in `errno`.
struct Descriptor(c_int);

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: raw calls on a number that is ours.
        unsafe {
            let errno = *libc::__errno_location();
            libc::close(self.0);
            *libc::__errno_location() = errno;
        }
    }
}

/// Sets attributes of a mount. SAFETY: as for [`Make::create`].
unsafe fn set_mount_attributes(directory: c_int, path: &CStr, set: u64, flags: c_int) -> bool {
    let attributes = Attributes { set, clear: 0, propagation: PRIVATE, user_namespace: 0 };
    let (pointer, size) = (std::ptr::from_ref(&attributes), size_of_val(&attributes));
    // SAFETY: raw call on numbers, on a prepared string, and on a structure that the kernel reads only.
    unsafe {
        libc::syscall(libc::SYS_mount_setattr, directory, path.as_ptr(), flags, pointer, size) == 0
    }
}
