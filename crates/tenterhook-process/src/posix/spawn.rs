//! Makes the process of a run by `posix_spawn`, which copies nothing of the host: three streams and no other descriptor, a directory, a new
//! session, no signal that is blocked or ignored, a mask for files. Looks up no program; supervises nothing.
#![expect(unsafe_code, reason = "`posix_spawn` exists only as raw calls")]

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use libc::{c_char, c_int, posix_spawn_file_actions_t as Actions, posix_spawnattr_t as Attributes};
use rustix::fs::{Mode, RawMode};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit, umask};

/// Everything that a start is made of.
pub(super) struct Plan<'p> {
    pub(super) path: &'p CStr,
    pub(super) argv: &'p [CString],
    pub(super) env: &'p [CString],
    pub(super) cwd: &'p CStr,
    /// Its ends of its three streams, none of which is one of the first three descriptors.
    pub(super) streams: [&'p OwnedFd; 3],
    pub(super) umask: Option<u32>,
}

/// Has the child make a session. Apple's header names the flag since macOS 10.15, `libc` does not.
#[cfg(target_os = "macos")]
const SESSION: c_int = 0x0400;
#[cfg(not(target_os = "macos"))]
const SESSION: c_int = libc::POSIX_SPAWN_SETSID as c_int;

/// Has all descriptors be closed but those that the actions name.
#[cfg(target_os = "macos")]
const CLOSES: c_int = libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
#[cfg(not(target_os = "macos"))]
const CLOSES: c_int = 0;

/// Signals that no process can handle, and whose handling cannot be set.
const FIXED: [c_int; 2] = [libc::SIGKILL, libc::SIGSTOP];

/// Spawns the process.
pub(super) fn spawn_process(plan: &Plan<'_>) -> Result<Pid, Errno> {
    let actions = FileActions::new(plan)?;
    let attributes = SpawnAttributes::new()?;
    let (argv, env) = (null_terminated_pointers(plan.argv), null_terminated_pointers(plan.env));
    let mut pid = 0;
    let made = run_with_umask_without_core(plan.umask, || {
        // SAFETY: the path and both tables end with a null and outlive the call, and the actions and attributes were made by the system.
        errno_result(unsafe {
            libc::posix_spawn(
                &raw mut pid,
                plan.path.as_ptr(),
                &raw const actions.0,
                &raw const attributes.0,
                argv.as_ptr(),
                env.as_ptr(),
            )
        })
    })?;
    made.and_then(|()| Pid::from_raw(pid).ok_or(Errno::IO))
}

/// Runs a start while this process has the child's umask and a core size limit of 0, which the
/// child inherits. Starts run one at a time. A start that needs a laxer umask than the host's is
/// refused.
fn run_with_umask_without_core<T>(
    wanted: Option<u32>,
    start: impl FnOnce() -> T,
) -> Result<T, Errno> {
    static STARTS: Mutex<()> = Mutex::new(());
    const PRIVATE: Mode = Mode::RWXG.union(Mode::RWXO);
    // A start that keeps the host's mask must not see the mask of a different start.
    let _alone = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let _no_core = Core::disable_core_dumps();
    let Some(wanted) = wanted else { return Ok(start()) };
    let wanted = Mode::from_raw_mode((wanted & 0o777) as RawMode);
    let own = Restored(umask(PRIVATE | wanted));
    if !wanted.contains(own.0) {
        return Err(Errno::NOTSUP);
    }
    umask(wanted);
    Ok(start())
}

/// The mask of the host, which it gets back.
struct Restored(Mode);

impl Drop for Restored {
    fn drop(&mut self) {
        umask(self.0);
    }
}

/// How large a core the host may write, which it gets back. The hard limit stays, because only root could raise it again.
struct Core(Rlimit);

impl Core {
    fn disable_core_dumps() -> Option<Self> {
        let own = getrlimit(Resource::Core);
        let none = Rlimit { current: Some(0), ..own };
        (own.current != Some(0) && setrlimit(Resource::Core, none).is_ok()).then_some(Self(own))
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // It was the limit a moment ago.
        let _ = setrlimit(Resource::Core, self.0);
    }
}

/// What the child does with descriptors and directory before its program begins.
struct FileActions(Actions);

impl FileActions {
    fn new(plan: &Plan<'_>) -> Result<Self, Errno> {
        let mut actions = MaybeUninit::<Actions>::uninit();
        // SAFETY: it makes what it is pointed to.
        errno_result(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: it was made.
        let mut own = Self(unsafe { actions.assume_init() });
        let at = &raw mut own.0;
        for (number, stream) in (0..).zip(plan.streams) {
            // SAFETY: the actions were made; they take numbers.
            errno_result(unsafe {
                libc::posix_spawn_file_actions_adddup2(at, stream.as_raw_fd(), number)
            })?;
        }
        #[cfg(not(target_os = "macos"))]
        // SAFETY: the same.
        errno_result(unsafe { libc::posix_spawn_file_actions_addclosefrom_np(at, 3) })?;
        // SAFETY: the path ends with a null, and is copied.
        errno_result(unsafe { libc::posix_spawn_file_actions_addchdir_np(at, plan.cwd.as_ptr()) })?;
        Ok(own)
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: they were made, and nothing uses them any more.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

/// The session and the signals of a child.
struct SpawnAttributes(Attributes);

impl SpawnAttributes {
    fn new() -> Result<Self, Errno> {
        let flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF | SESSION | CLOSES;
        let flags = flags.try_into().map_err(|_| Errno::INVAL)?;
        let mut attributes = MaybeUninit::<Attributes>::uninit();
        // SAFETY: it makes what it is pointed to.
        errno_result(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: it was made.
        let mut own = Self(unsafe { attributes.assume_init() });
        let at = &raw mut own.0;
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the attributes were made, and each set of signals is made before it is read.
        unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            errno_result(libc::posix_spawnattr_setsigmask(at, signals.as_ptr()))?;
            libc::sigfillset(signals.as_mut_ptr());
            for signal in FIXED {
                libc::sigdelset(signals.as_mut_ptr(), signal);
            }
            errno_result(libc::posix_spawnattr_setsigdefault(at, signals.as_ptr()))?;
            errno_result(libc::posix_spawnattr_setflags(at, flags))?;
        }
        Ok(own)
    }
}

impl Drop for SpawnAttributes {
    fn drop(&mut self) {
        // SAFETY: they were made, and nothing uses them any more.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}

/// Converts the result of a call that returns its error instead of setting `errno`.
fn errno_result(returned: c_int) -> Result<(), Errno> {
    if returned == 0 { Ok(()) } else { Err(Errno::from_raw_os_error(returned)) }
}

/// Returns pointers to the strings, with a null pointer at the end.
fn null_terminated_pointers(strings: &[CString]) -> Vec<*mut c_char> {
    let pointers = strings.iter().map(|string| string.as_ptr().cast_mut());
    pointers.chain([std::ptr::null_mut()]).collect()
}
