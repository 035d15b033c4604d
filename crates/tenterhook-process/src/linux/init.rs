//! The program that is process 1 of a child's own namespaces: where it lies, how it is called, what it tells. Must not know of runs.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;

use rustix::event::epoll;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;

use super::clone::{Failure, Strings};
use super::exit::Exit;
use super::post::Post;
use crate::report::Step;

/// Made of `init.c` by the build; empty where the build could not.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/init"));

const NAME: &CStr = c"tenterhook-init";

/// A step and a number, as two numbers of four bytes each.
const LENGTH: usize = 8;

/// Returns the descriptor of the program of process 1, which is in memory without a path and cannot
/// be changed. Its number is above those to which a child moves descriptors.
pub(super) fn init_program_fd() -> Result<RawFd, Errno> {
    static MADE: OnceLock<Result<OwnedFd, Errno>> = OnceLock::new();
    MADE.get_or_init(create_program_memfd).as_ref().map(AsRawFd::as_raw_fd).map_err(|errno| *errno)
}

fn create_program_memfd() -> Result<OwnedFd, Errno> {
    if PROGRAM.is_empty() {
        return Err(Errno::NOSYS);
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Before Linux 6.3 whatever lies in memory may be executed, and the flag that asks for it is unknown.
    let made = memfd_create(NAME, flags | MemfdFlags::EXEC).or_else(|errno| match errno {
        Errno::INVAL => memfd_create(NAME, flags),
        other => Err(other),
    })?;
    let mut left = PROGRAM;
    while !left.is_empty() {
        let written = rustix::io::write(&made, left)?;
        left = left.get(written..).unwrap_or_default();
    }
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    fcntl_add_seals(&made, seals)?;
    super::launch::move_above_child_fds(made)
}

/// Returns the arguments with which process 1 only reports what is available.
pub(super) fn arguments_for_probe(status: RawFd) -> Strings {
    Strings::new([NAME.to_owned(), fd_to_c_string(status)].into())
}

/// Returns the arguments with which process 1 starts `path` with `argv`.
pub(super) fn arguments_for_start(status: RawFd, path: &CStr, argv: &[CString]) -> Strings {
    let own = [NAME.to_owned(), fd_to_c_string(status), path.to_owned()];
    Strings::new(own.into_iter().chain(argv.iter().cloned()).collect())
}

fn fd_to_c_string(status: RawFd) -> CString {
    CString::new(status.to_string()).unwrap_or_default()
}

/// A message of process 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InitMessage {
    /// It is process 1 and sees its own processes alone, and the program was executed.
    Started(i32),
    /// There will be no program.
    Failed(Step, i32),
    /// The program ended with this status, as `wait` has it.
    Ended(i32),
}

impl InitMessage {
    fn parse(bytes: [u8; LENGTH]) -> Option<Self> {
        let [a, b, c, d, e, f, g, h] = bytes;
        let value = i32::from_ne_bytes([e, f, g, h]);
        match i32::from_ne_bytes([a, b, c, d]) {
            1 => Some(Self::Started(value)),
            2 => Some(Self::Failed(Step::Confine, value)),
            3 => Some(Self::Failed(Step::Clone, value)),
            4 => Some(Self::Failed(Step::Execute, value)),
            5 => Some(Self::Ended(value)),
            _ => None,
        }
    }
}

fn receive_message(fd: &OwnedFd) -> Result<Option<InitMessage>, Errno> {
    let mut bytes = [0; LENGTH];
    loop {
        match rustix::io::read(fd, &mut bytes) {
            Err(Errno::INTR) => {}
            // A message is shorter than a page and written in one call, so one read returns it whole.
            Ok(LENGTH) => return Ok(InitMessage::parse(bytes)),
            Ok(0) => return Ok(None),
            Ok(_) => return Err(Errno::IO),
            Err(errno) => return Err(errno),
        }
    }
}

/// Waits until the program is executed or has failed to. Returns whether its processes are counted,
/// if that was requested.
pub(super) fn await_program_start(status: &OwnedFd) -> Result<bool, Failure> {
    match receive_message(status) {
        Ok(Some(InitMessage::Started(counts))) => Ok(counts != 0),
        Ok(Some(InitMessage::Failed(step, errno))) => {
            Err(Failure { step, errno: Errno::from_raw_os_error(errno) })
        }
        // It was killed before it could tell anything.
        Ok(_) => Err(Failure { step: Step::Confine, errno: Errno::IO }),
        Err(errno) => Err(Failure { step: Step::Confine, errno }),
    }
}

/// Our end of what it tells, while a run is under way.
pub(super) struct Status {
    fd: Option<OwnedFd>,
}

impl Status {
    /// Takes a descriptor that does not block and is in the epoll set.
    pub(super) const fn new(fd: Option<OwnedFd>) -> Self {
        Self { fd }
    }

    /// Returns how the program ended. Only the first call after the message returns it.
    pub(super) fn read_exit(&mut self, post: &Post) -> Option<Exit> {
        let received = receive_message(self.fd.as_ref()?);
        if received == Err(Errno::AGAIN) {
            return None;
        }
        // It has reported, or it is gone.
        if let Some(fd) = self.fd.take() {
            // It fails only for a descriptor that is not in the set.
            let _ = epoll::delete(&post.epoll, &fd);
        }
        match received {
            Ok(Some(InitMessage::Ended(status))) => Some(Exit::from_wait_status(status)),
            Ok(_) => None,
            // The message is unreadable, and the status of process 1 is not the program's.
            Err(errno) => Some(Exit::Unread(errno)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn init_messages_are_decoded() {
        let said = |step: i32, value: i32| {
            let mut bytes = [0; LENGTH];
            bytes[..4].copy_from_slice(&step.to_ne_bytes());
            bytes[4..].copy_from_slice(&value.to_ne_bytes());
            InitMessage::parse(bytes)
        };
        assert_eq!(said(1, 0), Some(InitMessage::Started(0)));
        assert_eq!(said(4, 2), Some(InitMessage::Failed(Step::Execute, 2)));
        assert_eq!(said(5, 9), Some(InitMessage::Ended(9)));
        assert_eq!(said(0, 0), None);
    }
}
