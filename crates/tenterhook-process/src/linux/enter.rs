//! Runs in the child: enters the prepared confinement, then tests it. Makes raw calls on prepared
//! memory; `confine` prepares it.
#![expect(unsafe_code, reason = "what the child of a vfork does exists only as raw calls")]

use std::ffi::c_int;
use std::ptr;

use super::confine::Prepared;
use super::landlock::RESTRICT_SELF;
use super::seccomp::Filter;

/// Enters the confinement, then tests that forbidden calls fail. On failure the error is in
/// `errno`.
pub(super) unsafe fn enter_confinement(prepared: &Prepared, ruleset: c_int, watch: c_int) -> bool {
    // SAFETY: raw calls on numbers and on prepared memory that the suspended parent keeps.
    unsafe {
        if !drop_all_but_file_capabilities()
            || libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || prepared.ruleset.is_some() && !enter_landlock_ruleset(ruleset)
        {
            return false;
        }
        let filter = filter_as_sock_fprog(&prepared.filter);
        let mode = libc::SECCOMP_MODE_FILTER;
        if libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter) != 0 {
            return false;
        }
        if let Some(watcher) = &prepared.watch
            && !install_notify_filter(&watcher.filter, watch)
        {
            return false;
        }
        verify_confinement(prepared)
    }
}

/// Restricts this process by a Landlock ruleset. On failure the error is in `errno`.
unsafe fn enter_landlock_ruleset(ruleset: c_int) -> bool {
    // SAFETY: raw calls on numbers.
    unsafe { libc::syscall(RESTRICT_SELF, ruleset, 0u32) == 0 && libc::close(ruleset) == 0 }
}

const fn filter_as_sock_fprog(filter: &Filter) -> libc::sock_fprog {
    libc::sock_fprog { len: filter.len() as libc::c_ushort, filter: filter.as_ptr().cast_mut() }
}

/// Installs the filter and sends its listener over `watch`, whose receiver is notified of calls
/// from then on. On failure the error is in `errno`.
unsafe fn install_notify_filter(filter: &Filter, watch: c_int) -> bool {
    let (filter, mut byte) = (filter_as_sock_fprog(filter), 0u8);
    let mut whole = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // Space for a `cmsghdr` with one descriptor, aligned for it.
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

/// Tests the confinement with calls that must fail: opening `/` if it is not granted, and a network
/// socket if there is no network. What the kernel reports in files proves nothing.
unsafe fn verify_confinement(prepared: &Prepared) -> bool {
    // SAFETY: raw calls on numbers and on a constant path.
    unsafe {
        let mode = libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0);
        let listed = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
        let opens = prepared.tries_root && libc::open(c"/".as_ptr(), listed) >= 0;
        let calls = prepared.tries_socket
            && libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) >= 0;
        let is_rooted =
            prepared.namespaces.as_ref().is_none_or(|namespace| namespace.verify_file_limits());
        let held = mode == libc::SECCOMP_MODE_FILTER as c_int && !opens && !calls && is_rooted;
        if !held {
            *libc::__errno_location() = libc::EOPNOTSUPP;
        }
        held
    }
}

/// If run as root, keeps only the capabilities over files (bits 0 to 4), which Landlock or mounts
/// restrict. With the others a hook could read the memory and environment of other processes.
unsafe fn drop_all_but_file_capabilities() -> bool {
    const OVER_FILES: u32 = 0b1_1111;
    let header = [0x2008_0522u32, 0];
    let mut held = [0u32; 6];
    // SAFETY: reads the header and fills two structs of three numbers, as version 3 of the interface does.
    unsafe {
        if libc::syscall(libc::SYS_capget, header.as_ptr(), held.as_mut_ptr()) != 0 {
            return false;
        }
        let [effective, permitted, _, _, _, _] = held;
        let kept = [effective & OVER_FILES, permitted & OVER_FILES, 0, 0, 0, 0];
        libc::syscall(libc::SYS_capset, header.as_ptr(), kept.as_ptr()) == 0
    }
}
