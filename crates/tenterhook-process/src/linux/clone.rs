//! The one place where a process is made: a vfork-style clone whose child makes raw calls only.
//!
//! `CLONE_VM | CLONE_VFORK` copies no page table, so a start costs the same from a large host. The
//! price is that the child runs in the host's memory, on a separate stack, while the calling
//! thread is suspended: it must not allocate, lock, unwind, or run a signal handler. All that it
//! needs is prepared in a [`Plan`] before. `enter`, `namespaces` and `root` are parts of this child. What else is unsafe in this crate makes a raw call here and there, or, as `last_word`, hears a signal.
#![expect(unsafe_code, reason = "clone, and what its child may do, exist only as raw calls")]

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::confine::Prepared;
use super::enter::enter_confinement;
use super::namespaces::Namespaces;
use crate::confine::Tier;
use crate::last_word::CRASHES;
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
    /// The namespaces that it is started in, if any.
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
        let mut table: Vec<_> = owned.iter().map(|text| text.as_ptr()).collect();
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
/// A page without access, below the stack. 64 KiB is the largest page Linux uses.
const GUARD: usize = 64 << 10;

impl Stack {
    pub(crate) fn new() -> Result<Self, Errno> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing.
        let base = unsafe { libc::mmap(ptr::null_mut(), STACK + GUARD, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(last_errno());
        }
        let stack = Self { base };
        // SAFETY: the range is the lower part of the mapping made above.
        if unsafe { libc::mprotect(base, GUARD, libc::PROT_NONE) } != 0 {
            return Err(last_errno());
        }
        Ok(stack)
    }

    /// Returns the address one past the highest byte. It is page aligned, hence aligned for every
    /// ABI.
    fn top_address(&self) -> *mut c_void {
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
/// The calling thread must have signals blocked (see [`block_signals`]) and must live as long
/// as the host: the child is killed when the *thread* that made it ends.
pub(crate) fn spawn_process(
    plan: &Plan<'_>,
    stack: &mut Stack,
) -> Result<(Pid, OwnedFd, Tier), Failure> {
    let host = rustix::process::getpid().as_raw_nonzero().get();
    let mut shared = Shared { plan, host, failed: None, tier: Tier::T0 };
    let mut pidfd: c_int = -1;
    let own = plan.isolation.map_or(0, |isolation| isolation.namespaces.flags);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD | own;
    let argument = ptr::from_mut(&mut shared).cast::<c_void>();
    let pidfd_slot = ptr::from_mut(&mut pidfd);
    set_blocked_signals(u64::MAX);
    // SAFETY: `stack` is our own mapping, which we borrow mutably, and
    // `CLONE_VFORK` suspends this thread until the child has left it, so `shared`, `plan` and
    // `pidfd` outlive every use by the child. `child` makes no call that is not
    // async-signal-safe and never unwinds. All signals are blocked in this thread, hence in the child.
    let pid = unsafe { libc::clone(child_main, stack.top_address(), flags, argument, pidfd_slot) };
    let errno = last_errno();
    block_signals();
    let Some(pid) = (pid > 0).then(|| Pid::from_raw(pid)).flatten() else {
        return Err(Failure { step: Step::Clone, errno });
    };
    // SAFETY: the kernel stored a new descriptor that no other code uses.
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

/// Blocks signals in this thread, so that the host's handlers never run on it and a write to a
/// closed pipe is an error. Crash signals stay open, because the host may print a message on a
/// crash.
pub(crate) fn block_signals() {
    let crashes = CRASHES.iter().fold(0, |all, signal| all | 1u64 << (signal - 1));
    set_blocked_signals(!crashes);
}

/// Sets the blocked signals of this thread to exactly `set`.
fn set_blocked_signals(set: u64) {
    // SAFETY: the mask is read only, for as many bytes as the size says.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const set,
            NULL,
            8 as c_long,
        )
    };
}

const NULL: *mut c_void = ptr::null_mut();

fn last_errno() -> Errno {
    let errno = std::io::Error::last_os_error().raw_os_error();
    Errno::from_raw_os_error(errno.unwrap_or(libc::EIO))
}

/// Runs in the child, from the clone to `execve`. It makes only raw calls on prepared memory.
extern "C" fn child_main(argument: *mut c_void) -> c_int {
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
        // A new session: no terminal, and a group that can be signalled as one.
        if libc::setsid() < 0 {
            return Step::Session;
        }
        // Die with the host; if it is gone already, the signal will not come any more. In separate namespaces a child has no
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
        let Some(numbers) = move_descriptors(plan) else { return Step::Streams };
        // Before the first call that may block on a file system: no pipe of another run is held.
        close_descriptors_from(numbers.first_free);
        // In a separate root it can change nothing in `/proc`.
        if let Some(score) = plan.oom_score_adj {
            set_oom_score(score);
        }
        // A confined child can mount nothing any more.
        if let Some(isolation) = &plan.isolation
            && !isolation.namespaces.enter()
        {
            return Step::Confine;
        }
        if let Some(mask) = plan.umask {
            libc::umask(mask as libc::mode_t);
        }
        if !limit_resources(plan.resources) {
            return Step::Resources;
        }
        if libc::chdir(plan.cwd.as_ptr()) != 0 {
            return Step::Directory;
        }
        if plan.no_new_privileges && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Step::Privileges;
        }
        if let Some(prepared) = plan.confinement {
            if plan
                .isolation
                .is_some_and(|isolation| !isolation.namespaces.grant_proc_paths(numbers.ruleset))
                || !enter_confinement(prepared, numbers.ruleset, numbers.watch)
            {
                return Step::Confine;
            }
            ptr::write_volatile(tier, Tier::T1);
        }
        execute_program(plan, numbers.program)
    }
}

/// Executes the program, or process 1 of its namespaces. Returns only on failure.
unsafe fn execute_program(plan: &Plan<'_>, process_1: c_int) -> Step {
    let (argv, env) = (plan.argv.table.as_ptr(), plan.env.table.as_ptr());
    // SAFETY: raw calls on numbers and on prepared strings that the suspended parent keeps.
    unsafe {
        let Some(isolation) = &plan.isolation else {
            let none = 0u64;
            let how = libc::SIG_SETMASK;
            libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const none, NULL, 8 as c_long);
            libc::execve(plan.path.as_ptr(), argv, env);
            return Step::Execute;
        };
        // Its signals stay blocked: process 1 opens them for the program.
        let (here, argv) = (c"".as_ptr(), isolation.argv.table.as_ptr());
        libc::syscall(libc::SYS_execveat, process_1, here, argv, env, libc::AT_EMPTY_PATH);
        Step::Confine
    }
}

/// The numbers that a child gives its descriptors behind its streams, one after the other. The number of a missing one belongs to a different descriptor.
struct Numbers {
    /// Entered last, so that it is kept past the closing.
    ruleset: c_int,
    /// Closed with the child's own code.
    program: c_int,
    watch: c_int,
    first_free: c_int,
}

/// Moves each descriptor to its number. Returns `None` if one cannot be moved; the error is in
/// `errno`.
unsafe fn move_descriptors(plan: &Plan<'_>) -> Option<Numbers> {
    let confinement = plan.confinement;
    let (ruleset, watch) = (
        confinement.and_then(|confinement| confinement.ruleset.as_ref()),
        confinement.and_then(|confinement| confinement.watch.as_ref()),
    );
    let mut next: c_int = 3;
    let mut take = |fd: Option<RawFd>, flags: c_int| {
        let number = next;
        next += c_int::from(fd.is_some());
        // SAFETY: a raw call on numbers; `number` was the host's descriptor, and the child has a
        // separate table.
        let is_moved = fd.is_none_or(|fd| unsafe { libc::dup3(fd, number, flags) } >= 0);
        is_moved.then_some(number)
    };
    take(plan.announce, 0)?;
    take(plan.isolation.map(|isolation| isolation.status), 0)?;
    let ruleset = take(ruleset.map(AsRawFd::as_raw_fd), 0)?;
    let program = take(plan.isolation.map(|isolation| isolation.program), libc::O_CLOEXEC)?;
    let watch = take(watch.map(|watch| watch.theirs.as_raw_fd()), 0)?;
    Some(Numbers { ruleset, program, watch, first_free: next })
}

/// Gives every signal its default action: handlers of the host must not run once the mask is empty,
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

pub(super) unsafe fn close_descriptors_from(first: c_int) {
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

/// Sets the OOM score as best effort: a host in a container may not be allowed to.
unsafe fn set_oom_score(score: &[u8]) {
    // SAFETY: a constant path and a prepared buffer.
    unsafe {
        let fd = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd >= 0 {
            libc::write(fd, score.as_ptr().cast(), score.len());
            libc::close(fd);
        }
    }
}
