//! One supervised child process: one deadline, its own session, a full report.
//!
//! Programs misbehave. They never read their input, never close their output, ignore TERM, leave
//! children that hold a pipe, flood, fork, stop themselves. A caller that must have an answer in
//! time needs one thing from all of them: a [`Report`] before the deadline, and nothing left over.
//!
//! ```
//! use std::time::Duration;
//! use tenterhook_process::{Cancel, Command, End, run_blocking};
//!
//! let mut command = Command::shell("read name; echo \"hello $name\"", "/");
//! command.stdin = b"world\n"[..].into();
//! command.timeout = Some(Duration::from_secs(5));
//!
//! let report = run_blocking(command, &Cancel::new());
//! assert_eq!(report.end, End::Exited(0));
//! assert_eq!(report.stdout.bytes, b"hello world\n");
//! assert!(report.survivors.is_empty());
//! ```
//!
//! # Guarantees
//!
//! - **Nothing is inherited.** Environment, directory and input are what the [`Command`] says; no
//!   descriptor but the three streams, no terminal, no signal mask, no ignored signal.
//! - **One deadline** covers the input, the program, its output and its descendants. It ends in
//!   TERM and CONT to the group, a grace, KILL to the group; the group is signalled before its
//!   leader is reaped, so a reused process id is never hit.
//! - **Exit ends a run, not the end of the output.** A descendant that holds a pipe delays nothing
//!   past the leak grace, and earlier output is kept.
//! - **Memory is bounded.** Output beyond its limit is read and counted, not kept.
//! - **The host is not in the way.** A supervisor thread of this crate owns pipes, deadlines, kill
//!   and reap, so a host that blocks, panics or drops its runtime delays none of them. One that
//!   reaps all children, or ignores `SIGCHLD`, takes no exit code; where the kernel is too old
//!   to keep it (before Linux 6.15), the end is [`End::Unknown`], and never a guess.
//! - **Failure to start is a value**, [`End::NotStarted`], with the step, the path and the error.
//!
//! # A run in parts
//!
//! [`run_in_background`] and [`run_blocking`] are composed of parts that are public: [`start`] or [`start_with_setup`], then
//! [`Child::write_stdin`], [`Child::close_stdin`], [`Child::lines`], [`Child::set_deadline`],
//! [`Child::on_finish`], [`Child::detach`]. A started child may wait for its input without a deadline
//! for as long as its owner likes.
//!
//! ```
//! use tenterhook_process::{Command, start};
//!
//! let child = start(Command::new("cat", [] as [&str; 0], "/"));
//! let mut lines = child.lines();
//! child.write_stdin(*b"one\n");
//! assert_eq!(lines.next(), Some(b"one".to_vec()));
//! child.write_stdin(*b"two\n");
//! assert_eq!(lines.next(), Some(b"two".to_vec()));
//! let report = child.close_stdin_and_wait();
//! assert_eq!(report.stdout.bytes, b"one\ntwo\n");
//! ```
//!
//! # Confinement
//!
//! [`Command::confine`] says what of the machine a child may touch: files, peers, no privileges. The child measures what was reached
//! ([`Report::tier`]), and a tier that is demanded and not reached is a failure to start. Linux only; [`available_sandbox_means`] tells what a machine can do.
//!
//! # For programs
//!
//! What belongs to a whole process is a program's affair, and no run does it by itself: [`reset_inherited_signals`] takes back what a
//! parent did to them, [`adopt_orphans`] lets runs end daemons too, [`kill_descendants_on_exit`] ends what runs where the program was killed, [`wait_for_all_runs`] waits for what was cancelled, and
//! [`set_crash_messages`] has a word where it crashes, and with [`Memory`] where memory is exhausted.
//!
//! # Where it works
//!
//! - **Linux 5.4 or later**: all of the above, and tested.
//! - **macOS 10.15 or later**: through `posix_spawn`; no death with the host, no search for descendants
//!   that left, no announced exits, limits or privileges. The mask for files is set in the host for the
//!   moment of a start, and never to a laxer one than the host's. Not tested there yet.
//! - **Elsewhere**: every run reports [`End::NotStarted`] at [`Step::Prepare`].

#![cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "no supervisor of this system uses it yet")
)]

mod account;
#[cfg(unix)]
mod arguments;
mod asked;
#[cfg(all(target_os = "linux", not(tenterhook_portable)))]
#[path = "linux/mod.rs"]
mod backend;
#[cfg(any(target_os = "macos", all(target_os = "linux", tenterhook_portable)))]
#[path = "posix/mod.rs"]
mod backend;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "elsewhere.rs"]
mod backend;
mod cancel;
mod child;
mod command;
mod confine;
mod inbox;
mod inherited;
mod last_word;
mod live;
#[cfg(unix)]
mod lookup;
mod memory;
#[cfg(unix)]
mod remove;
mod report;
mod resolved;
mod stream;
mod tag;
mod writers;

/// Whether [`Announce::OnDescriptor3`] works here.
pub const ANNOUNCES: bool = backend::ANNOUNCES;

pub use backend::{adopt_orphans, kill_descendants_on_exit, leave_descendants_on_exit};

/// Returns what this machine offers to confine a child. Probed once, by trying.
#[must_use]
pub fn available_sandbox_means() -> Means {
    backend::available_sandbox_means()
}

/// Returns the tier of a child on this machine that requires `at_least` this tier. Namespaces are
/// probed, by creating some, only if they are required or nothing else confines.
#[must_use]
pub fn reachable_tier(at_least: Tier) -> Tier {
    backend::sandbox_means_for_tier(at_least).tier_for_requirement(at_least)
}

pub use asked::{Asked, Wish};
pub use cancel::Cancel;
pub use child::{
    Child, Lines, run_blocking, run_in_background, start, start_with_setup, start_with_whole_input,
};
pub use command::{Announce, Command, Limits, Privileges, Program, Resource, Shell, Sweep};
pub use confine::{Confinement, Means, Net, Tier};
pub use inherited::reset_inherited_signals;
pub use last_word::{LastWord, LastWords, set_crash_messages};
pub use live::wait_for_all_runs;
pub use memory::Memory;
pub use report::{
    Closed, Delivery, End, Force, NotStarted, Output, Report, Step, Times, Ungranted,
};
pub use stream::{Flow, StreamEvent};
pub use tag::TAG;

// Hidden because it is for the other crates of Tenterhook: no version keeps it stable.
#[doc(hidden)]
pub mod internal {
    //! Functions on files and accounts that the crates of Tenterhook share. Others must not use them: any version may change them.

    #[cfg(unix)]
    pub use crate::remove::remove_tree;
    pub use crate::{
        account::{account_home, account_name, host_name},
        resolved::{Links, resolve_path, resolve_path_and_links},
        writers::wait_until_no_writer,
    };
}
