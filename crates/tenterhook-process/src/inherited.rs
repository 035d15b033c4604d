//! What a program inherits of signals from its parent, and must reset. For programs, not for libraries.
#![cfg_attr(unix, expect(unsafe_code, reason = "dispositions and masks exist only as raw calls"))]

/// Gives this process the default signal settings: `SIGCHLD` at its default, `SIGXFSZ` ignored, and none blocked in this thread, hence in none that
/// it makes.
///
/// A parent that ignores `SIGCHLD` hands that down, and the kernel then reaps children before anybody has seen how they
/// ended. A parent that blocks `SIGTERM` hands that down, and the program cannot be ended in good order. A signal that
/// is *ignored*, as `nohup` ignores `SIGHUP`, was meant for the program and stays so.
///
/// Call it first in `main`, before any thread is started.
pub fn reset_inherited_signals() {
    #[cfg(unix)]
    // SAFETY: dispositions are set to what runs no code of ours, and a mask is made empty and read.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        // A file at its limit is an error for its writer and must not kill the process.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}
