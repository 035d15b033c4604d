//! The one place where a process is made: a vfork-style clone whose child makes raw calls only.
//!
//! `CLONE_VM | CLONE_VFORK` copies no page table, so a start costs the same from a large host. The
//! price is that the child runs in the host's memory, on a stack of its own, while the calling
//! thread is suspended: it must not allocate, lock, unwind, or run a signal handler. All that it
//! needs is prepared in a [`Plan`] before. What else is unsafe in this crate makes one raw call each: `pidfd`, `sigpipe`, `inherited`, `memory`, `landlock`, `confine`, `namespaces`.
#![expect(unsafe_code, reason = "clone, and what its child may do, exist only as raw calls")]

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::confine::Prepared;
use super::landlock::RESTRICT_SELF;
use super::namespaces::Namespaces;
use super::seccomp::Filter;
use crate::confine::Tier;
use crate::report::Step;

/// All that the child needs, prepared before it exists.
pub(crate) struct Plan<'a> {
    pub(crate) path: &'a CStr,
    pub(crate) argv: &'a Strings,
    pub(crate) env: &'a Strings,
    pub(crate) cwd: &'a CStr,
    /// The child's ends of its three streams. Like every descriptor here, [`HIGHER`] than those that the child makes of them.
    pub(crate) streams: [RawFd; 3],
    /// What becomes its descriptor 3.
    pub(crate) announce: Option<RawFd>,
    pub(crate) umask: Option<u32>,
    pub(crate) resources: &'a [(i64, u64)],
    pub(crate) oom_score_adj: Option<&'a [u8]>,
    pub(crate) no_new_privileges: bool,
    pub(crate) confinement: Option<&'a Prepared>,
    /// What it is started in, where it is in namespaces of its own.
    pub(crate) isolation: Option<Isolation<'a>>,
}

/// Namespaces, and the program that is process 1 in them.
#[derive(Clone, Copy)]
pub(crate) struct Isolation<'a> {
    pub(crate) namespaces: &'a Namespaces,
    /// Where process 1 tells what becomes of the program.
    pub(crate) status: RawFd,
    pub(crate) program: RawFd,
    /// Its arguments, which name the program's path and arguments.
    pub(crate) argv: &'a Strings,
}

/// The number of the descriptor on which process 1 tells, where descriptor 3 announces nothing; otherwise the next.
pub(crate) const STATUS: RawFd = 3;

/// Above every number that a child moves a descriptor to: its streams, what it announces on, what process 1 tells on, the
/// ruleset, the program of process 1, and where it hands over its calls. To move one to itself would leave it close-on-exec.
pub(crate) const HIGHER: RawFd = 8;

/// C strings with their null-terminated table of pointers.
pub(crate) struct Strings {
    _owned: Vec<std::ffi::CString>,
    table: Vec<*const c_char>,
}

impl Strings {
    pub(crate) fn new(owned: Vec<std::ffi::CString>) -> Self {
        let mut table: Vec<_> = owned.iter().map(|it| it.as_ptr()).collect();
        table.push(ptr::null());
        Self { _owned: owned, table }
    }
}

/// A failure of the child before it became the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub(crate) step: Step,
    pub(crate) errno: Errno,
}

/// The stack on which children run until they execute their program. One per thread that clones.
pub(crate) struct Stack {
    base: *mut c_void,
}

/// Far more than the child's few frames need, also without optimisation; only touched pages count.
const STACK: usize = 128 << 10;
/// A page that nobody may touch, below the stack. 64 KiB is the largest page Linux uses.
const GUARD: usize = 64 << 10;

impl Stack {
    pub(crate) fn new() -> Result<Self, Errno> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing.
        let base = unsafe { libc::mmap(ptr::null_mut(), STACK + GUARD, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(last_error());
        }
        let stack = Self { base };
        // SAFETY: the range is the lower part of the mapping made above.
        if unsafe { libc::mprotect(base, GUARD, libc::PROT_NONE) } != 0 {
            return Err(last_error());
        }
        Ok(stack)
    }

    /// One past the highest byte. Page aligned, hence aligned for every ABI.
    fn top(&self) -> *mut c_void {
        self.base.wrapping_byte_add(STACK + GUARD)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no child runs on it: `spawn` borrows the stack until
        // the child has left it.
        unsafe { libc::munmap(self.base, STACK + GUARD) };
    }
}

/// What parent and child share while the parent is suspended.
struct Shared<'a> {
    plan: &'a Plan<'a>,
    host: libc::pid_t,
    failed: Option<(Step, c_int)>,
    /// What the child found when it had confined itself.
    tier: Tier,
}

/// Makes the process and returns when it executes its program, or process 1 of its namespaces, or has failed to.
///
/// The calling thread must have all signals blocked (see [`block_signals`]) and must live as long
/// as the host: the child is killed when the *thread* that made it ends.
pub(crate) fn spawn(plan: &Plan<'_>, stack: &mut Stack) -> Result<(Pid, OwnedFd, Tier), Failure> {
    let host = rustix::process::getpid().as_raw_nonzero().get();
    let mut shared = Shared { plan, host, failed: None, tier: Tier::T0 };
    let mut pidfd: c_int = -1;
    let own = plan.isolation.map_or(0, |it| it.namespaces.flags);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD | own;
    let argument = ptr::from_mut(&mut shared).cast::<c_void>();
    let pidfd_slot = ptr::from_mut(&mut pidfd);
    // SAFETY: `stack` is a mapping of our own that nobody else uses while we hold it mutably, and
    // `CLONE_VFORK` suspends this thread until the child has left it, so `shared`, `plan` and
    // `pidfd` outlive every use by the child. `child` makes no call that is not
    // async-signal-safe and never unwinds. Signals are blocked in this thread, hence in the child.
    let pid = unsafe { libc::clone(child, stack.top(), flags, argument, pidfd_slot) };
    let Some(pid) = (pid > 0).then(|| Pid::from_raw(pid)).flatten() else {
        return Err(Failure { step: Step::Clone, errno: last_error() });
    };
    // SAFETY: the kernel stored a new descriptor that nobody else knows.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    // SAFETY: `shared` is ours again; the child wrote it through the pointer, which the compiler
    // cannot see, hence the volatile read.
    match unsafe { ptr::read_volatile(&raw const shared.failed) } {
        // SAFETY: as above.
        None => Ok((pid, pidfd, unsafe { ptr::read_volatile(&raw const shared.tier) })),
        Some((step, errno)) => {
            // The child is in `_exit`; waiting for it is a matter of microseconds.
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
            Err(Failure { step, errno: Errno::from_raw_os_error(errno) })
        }
    }
}

/// Blocks all signals in this thread: the host's handlers never run on it nor in its children,
/// and a write to a closed pipe is an error and not a signal.
pub(crate) fn block_signals() {
    let all = [u64::MAX; 2];
    // SAFETY: the mask is read only, for as many bytes as the size says.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, all.as_ptr(), NULL, 8) };
}

const NULL: *mut c_void = ptr::null_mut();

fn last_error() -> Errno {
    let errno = std::io::Error::last_os_error().raw_os_error();
    Errno::from_raw_os_error(errno.unwrap_or(libc::EIO))
}

/// The child: from the clone to `execve`. Everything here is a raw call on prepared memory.
extern "C" fn child(argument: *mut c_void) -> c_int {
    let shared = argument.cast::<Shared<'_>>();
    // SAFETY: `argument` is the `Shared` of `spawn`, which is suspended until we are gone.
    unsafe {
        let tier = &raw mut (*shared).tier;
        let failed = become_program((*shared).plan, (*shared).host, tier);
        ptr::write_volatile(&raw mut (*shared).failed, Some((failed, *libc::__errno_location())));
        libc::_exit(127)
    }
}

/// Becomes the program. Returns only on failure, with the failing step; the error is in `errno`.
///
/// SAFETY of the whole: called in the child only, with memory that the suspended parent keeps.
unsafe fn become_program(plan: &Plan<'_>, host: libc::pid_t, tier: *mut Tier) -> Step {
    // SAFETY: raw calls on numbers and on prepared strings; see above.
    unsafe {
        reset_signals();
        // A session of its own: no terminal, and a group that can be signalled as one.
        if libc::setsid() < 0 {
            return Step::Session;
        }
        // Die with the host; if it is gone already, the signal will not come any more. In namespaces of its own a child has no
        // parent that it could ask, and process 1 asks its descriptor.
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0
            || plan.isolation.is_none() && libc::getppid() != host
        {
            return Step::ParentDeath;
        }
        let [stdin, stdout, stderr] = plan.streams;
        if libc::dup2(stdin, 0) < 0 || libc::dup2(stdout, 1) < 0 || libc::dup2(stderr, 2) < 0 {
            return Step::Streams;
        }
        let first_closed = match plan.announce {
            None => 3,
            Some(announce) if libc::dup2(announce, 3) < 0 => return Step::Streams,
            Some(_) => 4,
        };
        let first_closed = match &plan.isolation {
            None => first_closed,
            Some(it) if libc::dup2(it.status, first_closed) < 0 => return Step::Streams,
            Some(_) => first_closed + 1,
        };
        // The ruleset is entered last, so it is kept past the closing, and closed with the program.
        let ruleset = first_closed;
        let first_closed = match plan.confinement {
            None => first_closed,
            Some(it) if libc::dup2(it.ruleset.as_raw_fd(), ruleset) < 0 => return Step::Streams,
            Some(_) => first_closed + 1,
        };
        let program = first_closed;
        let first_closed = match &plan.isolation {
            None => first_closed,
            Some(it) if libc::dup3(it.program, program, libc::O_CLOEXEC) < 0 => {
                return Step::Streams;
            }
            Some(_) => first_closed + 1,
        };
        let watch = first_closed;
        let first_closed = match plan.confinement.and_then(|it| it.watch.as_ref()) {
            None => first_closed,
            Some(it) if libc::dup2(it.theirs.as_raw_fd(), watch) < 0 => return Step::Streams,
            Some(_) => first_closed + 1,
        };
        // Before the first call that may block on a file system: no pipe of another run is held.
        close_all_from(first_closed);
        // What is confined can mount nothing any more.
        if let Some(it) = &plan.isolation
            && !it.namespaces.enter()
        {
            return Step::Confine;
        }
        if let Some(mask) = plan.umask {
            libc::umask(mask as libc::mode_t);
        }
        if !limit_resources(plan.resources) {
            return Step::Resources;
        }
        if let Some(score) = plan.oom_score_adj {
            raise_oom_score(score);
        }
        if libc::chdir(plan.cwd.as_ptr()) != 0 {
            return Step::Directory;
        }
        if plan.no_new_privileges && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Step::Privileges;
        }
        if let Some(prepared) = plan.confinement {
            if plan.isolation.is_some_and(|it| !it.namespaces.grant(ruleset))
                || !confine(prepared, ruleset, watch)
            {
                return Step::Confine;
            }
            ptr::write_volatile(tier, Tier::T1);
        }
        let (argv, env) = (plan.argv.table.as_ptr(), plan.env.table.as_ptr());
        let Some(isolation) = &plan.isolation else {
            let none = 0u64;
            let how = libc::SIG_SETMASK;
            libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const none, NULL, 8 as c_long);
            libc::execve(plan.path.as_ptr(), argv, env);
            return Step::Execute;
        };
        // Its signals stay blocked: process 1 opens them for the program.
        let (here, argv) = (c"".as_ptr(), isolation.argv.table.as_ptr());
        libc::syscall(libc::SYS_execveat, program, here, argv, env, libc::AT_EMPTY_PATH);
        Step::Confine
    }
}

/// Every signal gets its default action: handlers of the host must not run once the mask opens,
/// and ignored signals (Rust ignores PIPE) would stay ignored through `execve`.
unsafe fn reset_signals() {
    // The kernel's `sigaction` in its default state is zero in every field, whatever their order.
    let default = [0u64; 8];
    for signal in 1..=64 {
        // SAFETY: reads at most 64 bytes of `default`; KILL and STOP are refused, which is fine.
        unsafe {
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), NULL, 8 as c_long)
        };
    }
}

/// Enters the confinement, and finds out by trying whether it holds. On failure the error is in `errno`.
unsafe fn confine(prepared: &Prepared, ruleset: c_int, watch: c_int) -> bool {
    // SAFETY: raw calls on numbers and on prepared memory that the suspended parent keeps.
    unsafe {
        if !drop_capabilities()
            || libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::syscall(RESTRICT_SELF, ruleset, 0u32) != 0
        {
            return false;
        }
        libc::close(ruleset);
        let filter = program_of(&prepared.filter);
        let mode = libc::SECCOMP_MODE_FILTER;
        if libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter) != 0 {
            return false;
        }
        if let Some(it) = &prepared.watch
            && !hand_over_calls(&it.filter, watch)
        {
            return false;
        }
        holds(prepared)
    }
}

const fn program_of(filter: &Filter) -> libc::sock_fprog {
    libc::sock_fprog { len: filter.len() as libc::c_ushort, filter: filter.as_ptr().cast_mut() }
}

/// From here on calls are heard by whoever gets what is sent on `watch`. On failure the error is in `errno`.
unsafe fn hand_over_calls(filter: &Filter, watch: c_int) -> bool {
    let (filter, mut byte) = (program_of(filter), 0u8);
    let mut whole = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // As long as a descriptor with its head, and aligned as one.
    let mut control = [0u64; 3];
    // SAFETY: raw calls on memory of this function, which the kernel reads before they return.
    unsafe {
        let (mode, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
        let calls = libc::syscall(libc::SYS_seccomp, mode, flags, &raw const filter) as c_int;
        if calls < 0 {
            return false;
        }
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut whole;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = libc::CMSG_LEN(size_of::<c_int>() as u32) as _;
        ptr::write_unaligned(libc::CMSG_DATA(head).cast::<c_int>(), calls);
        let sent = libc::sendmsg(watch, &raw const message, 0) == 1;
        let errno = *libc::__errno_location();
        libc::close(calls);
        libc::close(watch);
        *libc::__errno_location() = errno;
        sent
    }
}

/// What is written in a file of the kernel is not believed: the child tries what must fail now.
unsafe fn holds(prepared: &Prepared) -> bool {
    // SAFETY: raw calls on numbers and on a constant path.
    unsafe {
        let mode = libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0);
        let listed = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
        let opens = prepared.tries_root && libc::open(c"/".as_ptr(), listed) >= 0;
        let calls = prepared.tries_socket
            && libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) >= 0;
        let held = mode == libc::SECCOMP_MODE_FILTER as c_int && !opens && !calls;
        if !held {
            *libc::__errno_location() = libc::EOPNOTSUPP;
        }
        held
    }
}

/// Keeps of the powers of root those over files, which Landlock narrows: with the others the memory and environment of
/// other processes could be read past it.
unsafe fn drop_capabilities() -> bool {
    const OVER_FILES: u32 = 0b1_1111;
    let header = [0x2008_0522u32, 0];
    let mut held = [0u32; 6];
    // SAFETY: reads the header and fills three numbers for each half of the set, as this version of it says.
    unsafe {
        if libc::syscall(libc::SYS_capget, header.as_ptr(), held.as_mut_ptr()) != 0 {
            return false;
        }
        let [effective, permitted, _, _, _, _] = held;
        let kept = [effective & OVER_FILES, permitted & OVER_FILES, 0, 0, 0, 0];
        libc::syscall(libc::SYS_capset, header.as_ptr(), kept.as_ptr()) == 0
    }
}

pub(super) unsafe fn close_all_from(first: c_int) {
    // SAFETY: closing descriptors of the child, which has its own table.
    unsafe {
        let last = c_long::from(u32::MAX);
        if libc::syscall(libc::SYS_close_range, c_long::from(first), last, 0 as c_long) == 0 {
            return;
        }
        // Before Linux 5.9. Ours are close-on-exec; this catches those of a careless host.
        for fd in first..4096 {
            libc::close(fd);
        }
    }
}

unsafe fn limit_resources(resources: &[(i64, u64)]) -> bool {
    let set = |resource: i64, value: u64| {
        let pair = [value, value];
        // SAFETY: reads one `rlimit64`, two 64-bit numbers.
        unsafe {
            libc::syscall(libc::SYS_prlimit64, 0 as c_long, resource as c_long, pair.as_ptr(), NULL)
                == 0
        }
    };
    set(libc::RLIMIT_CORE.into(), 0)
        && resources.iter().all(|(resource, value)| set(*resource, *value))
}

/// Best effort: a host in a container may not be allowed to, and the run is no worse for it.
unsafe fn raise_oom_score(score: &[u8]) {
    // SAFETY: a constant path and a prepared buffer.
    unsafe {
        let fd = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd >= 0 {
            libc::write(fd, score.as_ptr().cast(), score.len());
            libc::close(fd);
        }
    }
}
