//! What happened to one run: facts only, no judgement of what they mean.

use std::path::PathBuf;
use std::time::Duration;

use crate::asked::Asked;
use crate::confine::Tier;

/// The facts of one run. There is exactly one for every command, also for one that never started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How the run ended.
    pub end: End,
    /// How much force it took.
    pub force: Force,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// What became of standard input.
    pub stdin: Delivery,
    /// How many bytes of standard input the program or a descendant can have read: what was written,
    /// without what still lay in the pipe at its end. All that was written where the input was closed
    /// before; other systems than Linux do not look.
    pub taken: u64,
    /// The process id, where there was a process.
    pub pid: Option<u32>,
    /// How long each part took.
    pub times: Times,
    /// Descendants that were seen to live on after the run: they left the session, and this host
    /// does not [adopt orphans](crate::adopt_orphans), or they could not be killed.
    pub survivors: Vec<u32>,
    /// How many descendants outside the process group were found and killed.
    pub swept: usize,
    /// Whether the program said its exit code itself, and was believed before it was gone: see
    /// [`Announce`](crate::Announce).
    pub announced: bool,
    /// How far it was confined, as the child itself found when it had entered what was prepared.
    pub tier: Tier,
    /// What it and its descendants asked for until then, each thing once and some thousands at most, where it was
    /// [watched](crate::Confinement::watched). Linux only.
    pub asked: Vec<Asked>,
    /// The directory that stood in for the one that was asked for.
    pub cwd_substituted: Option<PathBuf>,
}

impl Report {
    /// Builds the report of a run that ended before there was a process.
    pub(crate) fn without_process(end: End, spawn: Duration) -> Self {
        Self {
            end,
            force: Force::None,
            stdout: Output::default(),
            stderr: Output::default(),
            stdin: Delivery::Refused { written: 0 },
            taken: 0,
            pid: None,
            times: Times { spawn, ..Times::default() },
            survivors: Vec::new(),
            swept: 0,
            announced: false,
            tier: Tier::T0,
            asked: Vec::new(),
            cwd_substituted: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program was never executed.
    NotStarted(NotStarted),
    /// The program returned this code.
    Exited(i32),
    /// The program was killed by this signal, not by this crate.
    Signalled(i32),
    /// It ended, but how is unknown: other code reaped it, and this kernel stores nothing of that.
    /// It may have denied.
    Unknown,
    /// It ended in separate namespaces, and the system refused to read how, with this error number. It may have said no.
    Unread(i32),
    /// Its time was over; it was killed.
    TimedOut,
    /// Its caller gave it up; it was killed.
    Cancelled,
}

/// Why a program was not executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {step} `{path}`: {error}", path = .path.display(), error = std::io::Error::from_raw_os_error(*.errno))]
pub struct NotStarted {
    /// What was being done.
    pub step: Step,
    /// What it was done to: the program, the directory, the variable.
    pub path: PathBuf,
    /// The error number of the system.
    pub errno: i32,
}

impl NotStarted {
    /// Returns whether the host is the cause and not the command: no memory, thread, process or
    /// descriptor was left, or too much was passed on. The same command may start later.
    pub fn is_host_fault(&self) -> bool {
        let ours = [Step::Prepare, Step::Clone, Step::Session, Step::ParentDeath, Step::Streams];
        let scarce = [
            std::io::ErrorKind::OutOfMemory,
            std::io::ErrorKind::WouldBlock,
            std::io::ErrorKind::ArgumentListTooLong,
        ];
        // How much is granted is the command's.
        if self.step == Step::Grant {
            return false;
        }
        ours.contains(&self.step)
            || scarce.contains(&self.io_error().kind())
            || self.is_out_of_descriptors()
    }

    /// Returns whether the sandbox is the cause.
    pub fn is_sandbox_fault(&self) -> bool {
        matches!(self.step, Step::Confine | Step::Grant)
    }

    /// Returns the access that this machine cannot grant without granting more, if that is the
    /// cause.
    pub fn ungrantable_access(&self) -> Option<Ungranted> {
        #[cfg(unix)]
        let why = match self.errno {
            UNNARROWED_PORTS => Ungranted::Ports,
            libc::E2BIG => Ungranted::ManyFiles,
            libc::ENODEV => Ungranted::Device,
            _ => Ungranted::PartOfProc,
        };
        #[cfg(not(unix))]
        let why = Ungranted::PartOfProc;
        (self.step == Step::Grant).then_some(why)
    }

    /// Returns whether the error is `EMFILE` or `ENFILE`, for which `std` has no kind.
    fn is_out_of_descriptors(&self) -> bool {
        #[cfg(unix)]
        return [libc::EMFILE, libc::ENFILE].contains(&self.errno);
        #[cfg(not(unix))]
        return false;
    }

    /// Returns the system's error as an [`std::io::Error`].
    pub fn io_error(&self) -> std::io::Error {
        std::io::Error::from_raw_os_error(self.errno)
    }
}

/// The error number of a start whose ports cannot be told apart here.
#[cfg(unix)]
pub(crate) const UNNARROWED_PORTS: i32 = libc::EPROTONOSUPPORT;

/// A grant that would be a larger one on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ungranted {
    /// Single ports, which only Landlock tells apart, from its version 4 on.
    Ports,
    /// A part of `/proc`: in a separate root a child has a separate one, as a whole or not at all.
    PartOfProc,
    /// A device or a FIFO to be read: where there is no Landlock, who may read it may write it.
    Device,
    /// A directory with what is never changed in it, beside more than 16,384 files.
    ManyFiles,
}

/// The steps of a start, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading the command: NUL bytes, a relative directory.
    Read,
    /// Getting descriptors, threads and memory, and waiting for its turn.
    Prepare,
    /// Finding the program.
    Find,
    /// Making the process.
    Clone,
    /// Leaving the host's session.
    Session,
    /// Tying its life to the host's.
    ParentDeath,
    /// Connecting the three streams.
    Streams,
    /// Entering the directory.
    Directory,
    /// Setting resource limits.
    Resources,
    /// Giving up privileges.
    Privileges,
    /// Narrowing what it is granted to that: what this machine confines with cannot.
    Grant,
    /// Confining it.
    Confine,
    /// Executing the program.
    Execute,
}

impl std::fmt::Display for Step {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Read => "read",
            Self::Prepare => "prepare",
            Self::Find => "find",
            Self::Clone => "make a process for",
            Self::Session => "make a session for",
            Self::ParentDeath => "tie to this process",
            Self::Streams => "connect the streams of",
            Self::Directory => "enter",
            Self::Resources => "limit the resources of",
            Self::Privileges => "restrict the privileges of",
            Self::Grant => "narrow what is granted to",
            Self::Confine => "confine",
            Self::Execute => "execute",
        })
    }
}

/// How much force a run needed to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Force {
    /// It ended by itself.
    #[default]
    None,
    /// The group was sent TERM.
    Term,
    /// The group was sent KILL.
    Kill,
    /// It outlived KILL. It is watched and reaped when it goes, but no longer waited for; its id
    /// is among the survivors.
    Unkillable,
}

/// What one stream said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The first bytes, as they came, up to the limit.
    pub bytes: Vec<u8>,
    /// How many more came.
    pub dropped: u64,
    /// How the stream ended.
    pub closed: Closed,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closed {
    /// It reached its end, and all of it is kept.
    #[default]
    Complete,
    /// It said more than its limit; what is kept is only the beginning.
    Truncated,
    /// Somebody still held it open when the run was over; earlier output is kept.
    Leaked,
    /// The system refused to read on, with this error number. Earlier output is kept, and may not be all.
    Broken(i32),
}

/// What became of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// All bytes were handed over. That they were read is not known to anybody.
    Delivered,
    /// The child closed its input or ended before. No fault: many programs never read theirs.
    Refused {
        /// How many bytes were handed over before.
        written: u64,
    },
}

/// How long each part of a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// From the request to the execution of the program, queueing included.
    pub spawn: Duration,
    /// From its execution to its exit.
    pub run: Duration,
    /// From its exit to the end of the run.
    pub drain: Duration,
    /// From the first signal to its exit; zero where none was sent.
    pub kill: Duration,
}

impl Times {
    /// Returns the total time, from request to report.
    pub fn total(&self) -> Duration {
        self.spawn + self.run + self.drain
    }
}
