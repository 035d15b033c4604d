//! Starts a child in separate namespaces: what is prepared in the host, what the child does, and
//! whether this machine allows it.
#![expect(unsafe_code, reason = "what the child of a vfork does exists only as raw calls")]

use std::ffi::{CStr, CString, c_int};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, getegid, geteuid, waitid};

use super::clone::{self, Failure, Isolation, Plan, Stack, Strings};
use super::granted_paths::Access;
use super::root::Root;
use super::{init, landlock, launch};
use crate::confine::{Confinement, Net, Tier};
use crate::report::Step;
use crate::resolved::resolve_path;

/// In these it has its own processes, mounts and queues, and powers over nothing else.
const ALWAYS: c_int =
    libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;

/// Where the kernel tells of processes: of all of the host, until the child puts its own in that place.
const PROC: &CStr = c"/proc";

/// What a child needs to make its namespaces.
pub(crate) struct Namespaces {
    pub(super) flags: c_int,
    /// Its own user and group, and no other.
    users: Vec<u8>,
    groups: Vec<u8>,
    /// What limits its files in there.
    files: Files,
}

/// What limits the files of a child in namespaces.
enum Files {
    /// Landlock, whose ruleset knows nothing of the new `/proc`: what of it is granted.
    Landlock(Vec<(CString, landlock::Rights)>),
    /// A separate root.
    Root(Root),
}

impl Namespaces {
    /// Returns the namespaces of a child whose files a Landlock ruleset of this `version` limits.
    pub(super) fn with_landlock(confinement: &Confinement, version: u32) -> Self {
        Self::new(&confinement.net, Files::Landlock(granted_proc_paths(confinement, version)))
    }

    /// Returns the namespaces of a child with a separate root, which contains only what is granted.
    pub(super) fn with_root(confinement: &Confinement, root: Root) -> Self {
        Self::new(&confinement.net, Files::Root(root))
    }

    fn new(net: &Net, files: Files) -> Self {
        let net = if *net == Net::Denied { libc::CLONE_NEWNET } else { 0 };
        let only = |id: u32| format!("{id} {id} 1").into_bytes();
        let (users, groups) = (only(geteuid().as_raw()), only(getegid().as_raw()));
        Self { flags: ALWAYS | net, users, groups, files }
    }

    /// Makes the child the only one of its users, and what it sees of processes its own. On failure the error is in `errno`.
    ///
    /// SAFETY of the whole: called in the child only, with memory that the suspended parent keeps.
    pub(super) unsafe fn enter(&self) -> bool {
        let (none, all, kind) = (std::ptr::null(), c"/".as_ptr(), c"proc".as_ptr());
        let is_slave = libc::MS_REC | libc::MS_SLAVE;
        let harmless = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        // SAFETY: raw calls on numbers and on prepared strings.
        unsafe {
            // A process that could leave a group could reach what is closed to that group.
            write_file(c"/proc/self/setgroups", b"deny")
                && write_file(c"/proc/self/uid_map", &self.users)
                && write_file(c"/proc/self/gid_map", &self.groups)
                && libc::mount(none, all, none, is_slave, none.cast()) == 0
                && match &self.files {
                    Files::Root(root) => root.enter(),
                    Files::Landlock(_) => {
                        libc::mount(kind, PROC.as_ptr(), kind, harmless, none.cast()) == 0
                    }
                }
        }
    }

    /// Grants in `ruleset` what of the new `/proc` was granted. As [`Namespaces::enter`], in the child.
    pub(super) unsafe fn grant_proc_paths(&self, ruleset: c_int) -> bool {
        let granted = match &self.files {
            Files::Landlock(granted) => granted.as_slice(),
            Files::Root(_) => &[],
        };
        // SAFETY: raw calls on prepared strings, in the child.
        granted
            .iter()
            .all(|(path, rights)| unsafe { landlock::add_path_rule(ruleset, path, *rights) })
    }

    /// Returns whether the limits on files are in effect, as far as namespaces provide them.
    /// SAFETY: as for [`Namespaces::enter`].
    pub(super) unsafe fn verify_file_limits(&self) -> bool {
        match &self.files {
            Files::Landlock(_) => true,
            // SAFETY: raw calls on constant paths, in the child.
            Files::Root(root) => unsafe { root.verify_root() },
        }
    }
}

unsafe fn write_file(path: &CStr, bytes: &[u8]) -> bool {
    // SAFETY: raw calls on a constant path and on prepared bytes.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return false;
        }
        let written = libc::write(fd, bytes.as_ptr().cast(), bytes.len());
        let errno = *libc::__errno_location();
        libc::close(fd);
        *libc::__errno_location() = errno;
        usize::try_from(written) == Ok(bytes.len())
    }
}

/// Returns the granted paths in `/proc`, which the child has to resolve again: a number there
/// belongs to a process that the child does not see.
fn granted_proc_paths(confinement: &Confinement, version: u32) -> Vec<(CString, landlock::Rights)> {
    let of = |paths: &[PathBuf], access: Access| {
        let paths: Vec<PathBuf> = paths.iter().map(|path| resolve_path(path)).collect();
        let kept = |path: &Path| confinement.never.iter().any(|p| p.starts_with(path));
        let inside = paths.into_iter().filter(|path| path.starts_with("/proc"));
        inside
            .filter_map(|path| {
                let access = if kept(&path) { Access::Read } else { access };
                let rights =
                    landlock::supported_rights_of_access(access, &confinement.net, version);
                Some((CString::new(path.as_os_str().as_bytes()).ok()?, rights))
            })
            .collect::<Vec<_>>()
    };
    let Confinement { read, write, free, .. } = confinement;
    [of(read, Access::Read), of(write, Access::Change), of(free, Access::Change)].concat()
}

/// What was found by trying.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Whether namespaces can be made, and the program that is process 1 runs in them.
    pub(super) makes: bool,
    /// Whether the number of processes in them is bounded by a limit.
    pub(super) counts: bool,
    /// Whether a root can be made in them.
    pub(super) roots: bool,
}

/// Returns what namespaces this machine can make, probed once by making them. Containers and
/// settings may refuse any step. A lack of resources is not cached: the next caller tries again.
pub(super) fn probe_namespaces() -> Result<Found, Errno> {
    static FOUND: OnceLock<Found> = OnceLock::new();
    if let Some(known) = FOUND.get() {
        return Ok(*known);
    }
    // On a separate thread: the caller's thread may receive signals.
    let tried = std::thread::Builder::new().stack_size(256 << 10).spawn(|| {
        clone::block_signals();
        try_namespaces()
    });
    let tried = tried.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))?;
    match tried.join().unwrap_or(Ok(Found::default())) {
        // Others may have taken all that there may be of them, or none is allowed: that costs little to ask again.
        Err(Errno::NOSPC) => Ok(Found::default()),
        found => found.map(|found| *FOUND.get_or_init(|| found)),
    }
}

/// Returns whether an error means a temporary lack of resources, and not a missing feature.
pub(super) const fn is_resource_shortage(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE | Errno::IO | Errno::INTR
    )
}

/// Returns whether the next attempt may have another result.
fn may_succeed_on_retry(errno: Errno) -> bool {
    is_resource_shortage(errno) || errno == Errno::NOSPC
}

/// Tries namespaces with a separate root, and without one if that fails.
fn try_namespaces() -> Result<Found, Errno> {
    let of_system = {
        let mut confinement = Confinement::new(Tier::T2);
        confinement.read.extend(["/usr", "/proc"].map(PathBuf::from));
        confinement
    };
    let root = Root::new(&of_system, &[])?;
    let alone = Files::Landlock(Vec::new());
    for (files, roots) in [(Files::Root(root), true), (alone, false)] {
        match try_namespaces_with(files) {
            Ok(counts) => return Ok(Found { makes: true, counts, roots }),
            Err(error) if error.step == Step::Prepare || may_succeed_on_retry(error.errno) => {
                return Err(error.errno);
            }
            Err(_) => {}
        }
    }
    Ok(Found::default())
}

/// Tries to make namespaces. Returns whether processes are counted in them.
fn try_namespaces_with(files: Files) -> Result<bool, Failure> {
    let prepare = |errno| Failure { step: Step::Prepare, errno };
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
    let null = null.and_then(launch::move_above_child_fds).map_err(prepare)?;
    let namespaces = Namespaces::new(&Net::Denied, files);
    let (status, theirs) = launch::create_pipe().map_err(prepare)?;
    let none = Strings::new(Vec::new());
    let plan = Plan {
        path: PROC,
        argv: &none,
        env: &none,
        cwd: c"/",
        streams: [null.as_raw_fd(); 3],
        announce: None,
        umask: None,
        resources: &[],
        oom_score_adj: None,
        no_new_privileges: true,
        confinement: None,
        isolation: Some(Isolation {
            namespaces: &namespaces,
            status: theirs.as_raw_fd(),
            program: init::init_program_fd().map_err(prepare)?,
            argv: &init::arguments_for_probe(clone::STATUS),
        }),
    };
    let (_, pidfd, _) = clone::spawn_process(&plan, &mut Stack::new().map_err(prepare)?)?;
    drop(theirs);
    let started = init::await_program_start(&status);
    kill_init(&pidfd);
    started
}

/// Kills a process 1, and with it all processes in its namespaces.
pub(super) fn kill_init(pidfd: &OwnedFd) {
    use std::os::fd::AsFd;
    // Both fail only where it is gone already.
    let _ = rustix::process::pidfd_send_signal(pidfd, rustix::process::Signal::KILL);
    let _ = waitid(WaitId::PidFd(pidfd.as_fd()), WaitIdOptions::EXITED);
}

/// Returns the descriptor number on which process 1 reports its status, which depends on whether
/// the child has `announce`.
pub(super) const fn status_fd_number(announces: bool) -> RawFd {
    if announces { clone::STATUS + 1 } else { clone::STATUS }
}
