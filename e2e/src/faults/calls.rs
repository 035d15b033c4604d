//! Which system calls fail, and with which errors: those that the kernel may say of them. A table; injects nothing.

/// Calls of one name in `calls.h`, and what each of them may fail with.
pub(super) struct Row {
    pub(super) calls: &'static str,
    pub(super) errors: &'static [Error],
}

/// What a call fails with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Error {
    pub(super) name: &'static str,
    /// The number that the injector gets; 0 stands for a call that does half of the requested work.
    pub(super) number: i32,
    /// Texts, one of which must be in the report of the cause: glibc and musl have different ones.
    pub(super) words: &'static [&'static str],
    /// Whether it may go on for as long as the program lives: a full disk does, a signal does not.
    pub(super) lasts: bool,
}

const fn error(
    name: &'static str,
    number: i32,
    words: &'static [&'static str],
    lasts: bool,
) -> Error {
    Error { name, number, words, lasts }
}

const EPERM: Error = error("EPERM", 1, &["not permitted", "this machine cannot"], true);
const EINTR: Error = error("EINTR", 4, &["Interrupted"], false);
const EIO: Error = error("EIO", 5, &["Input/output", "I/O error"], true);
const EAGAIN: Error = error("EAGAIN", 11, &["temporarily unavailable"], false);
/// A lack of processes lasts; a lack of memory may be over in a moment.
const NO_TASK: Error = error("EAGAIN", 11, &["temporarily unavailable"], true);
/// The C library turns a thread's want of memory into the other word.
const ENOMEM: Error =
    error("ENOMEM", 12, &["allocate memory", "memory", "temporarily unavailable"], true);
const EMFILE: Error =
    error("EMFILE", 24, &["Too many open files", "No file descriptors available"], true);
/// It is what a machine says, too, that makes no more namespaces.
const ENOSPC: Error =
    error("ENOSPC", 28, &["No space left", "no storage space", "this machine cannot"], true);
const ENOLCK: Error = error("ENOLCK", 37, &["No locks available"], true);
/// Any cause will do: half a call is no error.
const SHORT: Error = error("short", 0, &[""], true);

const fn row(calls: &'static str, errors: &'static [Error]) -> Row {
    Row { calls, errors }
}

pub(super) const ROWS: &[Row] = &[
    row("open", &[EINTR, EMFILE, ENOMEM, EIO, ENOSPC]),
    row("read", &[EINTR, EAGAIN, EIO, ENOMEM, SHORT]),
    row("write", &[EINTR, EAGAIN, EIO, ENOSPC, ENOMEM, SHORT]),
    row("lseek", &[EIO]),
    row("stat", &[EIO, ENOMEM]),
    row("readlink", &[EIO, ENOMEM]),
    row("access", &[EIO, ENOMEM]),
    row("getdents", &[EIO, ENOMEM]),
    row("getcwd", &[ENOMEM]),
    row("mkdir", &[EIO, ENOSPC]),
    row("unlink", &[EIO]),
    row("rename", &[EIO, ENOSPC, ENOMEM]),
    row("link", &[EIO, ENOSPC]),
    row("chmod", &[EIO]),
    row("fsync", &[EINTR, EIO, ENOSPC]),
    row("ftruncate", &[EINTR, EIO]),
    row("splice", &[EIO, ENOSPC, ENOMEM]),
    row("flock", &[EINTR, ENOLCK]),
    row("fcntl", &[EINTR, EMFILE, ENOLCK]),
    row("dup", &[EMFILE]),
    row("pipe", &[EMFILE]),
    row("socketpair", &[EMFILE, ENOMEM]),
    row("socket", &[EMFILE, ENOMEM]),
    row("eventfd", &[EMFILE, ENOMEM]),
    row("memfd", &[EMFILE, ENOMEM]),
    row("epoll_create", &[EMFILE, ENOMEM]),
    row("epoll_ctl", &[ENOMEM, ENOSPC]),
    row("epoll_wait", &[EINTR]),
    row("poll", &[EINTR, ENOMEM]),
    row("clone", &[NO_TASK, ENOMEM]),
    row("unshare", &[ENOMEM, ENOSPC, EPERM]),
    row("execve", &[NO_TASK, ENOMEM, EIO, EMFILE]),
    row("wait", &[EINTR]),
    row("pidfd", &[EMFILE, ENOMEM]),
    row("mmap", &[ENOMEM]),
    row("rlimit", &[EPERM]),
    row("landlock", &[ENOMEM, EMFILE]),
    row("seccomp", &[ENOMEM]),
    row("prctl", &[EPERM]),
    row("mount", &[ENOMEM]),
    row("close_range", &[ENOMEM]),
    row("setsid", &[EPERM]),
    row("chdir", &[EIO, ENOMEM]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_that_the_injector_knows() {
        let known = include_str!("calls.h");
        for row in ROWS {
            assert!(known.contains(&format!("{{\"{}\", ", row.calls)), "{}", row.calls);
        }
    }
}
