//! A command to run: program, environment, directory, limits.
//!
//! Plain values. Nothing here is read from the host: what is not named is not passed on.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::confine::Confinement;

/// Describes one child process completely.
///
/// Every field is public: a command is a value that the caller fills in. [`Command::new`] and
/// [`Command::shell`] give the defaults.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments.
    pub program: Program,
    /// The complete environment. Nothing is inherited; [`TAG`](crate::TAG) is added.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory; it must be absolute, so that the host's own directory plays no part.
    pub cwd: PathBuf,
    /// Where to run when `cwd` cannot be entered. Without it such a run is not started: a program
    /// never finds itself silently in `/`. A substitution is recorded in the report.
    pub fallback_cwd: Option<PathBuf>,
    /// The bytes of standard input.
    pub stdin: Arc<[u8]>,
    /// Bounds of one run.
    pub limits: Limits,
    /// How long the program may take, counted from the moment it was executed, so that a slow
    /// start under load does not eat it.
    pub timeout: Option<Duration>,
    /// When everything must be over, whatever the start took: the budget of the caller.
    pub deadline: Option<Instant>,
    /// The file mode mask of the child. `None` leaves the host's. Default: `0o077`, so that what
    /// a program leaves behind is for its owner only.
    pub umask: Option<u32>,
    /// Resource limits to set (soft and hard). Core dumps are always off.
    pub resources: Vec<(Resource, u64)>,
    /// Raises (never lowers, without privilege) the chance that the kernel kills this child
    /// first when memory runs out. 800 keeps the host safe.
    pub oom_score_adj: Option<i16>,
    /// Whether set-user-id programs still work below the child.
    pub privileges: Privileges,
    /// What of the machine it may touch. `None`: all that its user may.
    pub confine: Option<Confinement>,
    /// When to look for descendants that left the process group.
    pub sweep: Sweep,
    /// Whether the program may say its exit code before it is gone.
    pub announce: Announce,
}

impl Command {
    /// Describes `program` with `args`, run in `cwd` with an empty environment.
    pub fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self::with_program(Program::Argv { program: program.into(), args }, cwd.into())
    }

    /// Describes the shell line `text`, run by `/bin/sh -c` in `cwd` with an empty environment.
    pub fn shell(text: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self::with_program(Program::Shell { shell: Shell::sh(), text: text.into() }, cwd.into())
    }

    fn with_program(program: Program, cwd: PathBuf) -> Self {
        Self {
            program,
            env: Vec::new(),
            cwd,
            fallback_cwd: None,
            stdin: Arc::from([]),
            limits: Limits::default(),
            timeout: None,
            deadline: None,
            umask: Some(0o077),
            resources: Vec::new(),
            oom_score_adj: None,
            privileges: Privileges::Keep,
            confine: None,
            sweep: Sweep::Suspected,
            announce: Announce::Never,
        }
    }
}

/// The program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A program with its arguments. A bare name is looked up in the `PATH` of the *child's*
    /// environment, a relative path is taken from the child's directory. A file that the kernel
    /// cannot execute (no `#!` line) is reported as not started; it is not handed to a shell.
    Argv {
        /// Name or path of the program; also its `argv[0]`.
        program: OsString,
        /// The arguments after `argv[0]`.
        args: Vec<OsString>,
    },
    /// A line for a shell.
    Shell {
        /// Which shell, and how it is given a line.
        shell: Shell,
        /// The line.
        text: OsString,
    },
}

/// A shell program and the arguments that stand before the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Name or path of the shell.
    pub program: OsString,
    /// The arguments before the line, such as `-c`.
    pub before: Vec<OsString>,
}

impl Shell {
    /// Makes the shell `/bin/sh -c`. It is never a login shell, whose profile would print into the
    /// answer.
    pub fn sh() -> Self {
        Self::posix("/bin/sh")
    }

    /// Makes a shell called as `PROGRAM -c`, for `bash`, `zsh` and similar shells.
    pub fn posix(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), before: vec!["-c".into()] }
    }

    /// Makes a shell called as `PROGRAM -NoProfile -NonInteractive -Command`, for `pwsh` and
    /// `powershell`.
    pub fn powershell(program: impl Into<OsString>) -> Self {
        let before = ["-NoProfile", "-NonInteractive", "-Command"];
        Self { program: program.into(), before: before.map(OsString::from).to_vec() }
    }
}

/// Bounds of one run. Each default names where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes of standard output are kept; the rest is read, counted and dropped.
    /// Default 1 MiB: a hundred times the 10,000 characters that agents show of an answer.
    pub stdout: usize,
    /// How many bytes of standard error are kept. Default 256 KiB: it is read by people.
    pub stderr: usize,
    /// The longest line that [`Child::lines`](crate::Child::lines) delivers; a longer one comes
    /// in pieces. Default 1 MiB, as `stdout`.
    pub line: usize,
    /// From TERM to KILL. Default 250 ms: the slack that an event's deadline allows.
    pub grace: Duration,
    /// How long a descendant that holds a pipe is listened to after the program's own exit.
    /// Default 100 ms: the leak timeout of cargo-nextest.
    pub leak_grace: Duration,
    /// How long the start itself may take, queueing included. Default 10 s: a program on a
    /// network file system may be slow, and so is a sandbox on a machine with hundreds of starts
    /// at a time, but one that cannot even start must not hold its caller.
    pub start: Duration,
    /// From KILL to giving up. Default 1 s: a process that lives on then sits in the kernel. Five
    /// times as long in separate namespaces, which the kernel takes apart at its end.
    pub unkillable: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            stdout: 1 << 20,
            stderr: 256 << 10,
            line: 1 << 20,
            grace: Duration::from_millis(250),
            leak_grace: Duration::from_millis(100),
            start: Duration::from_secs(10),
            unkillable: Duration::from_secs(1),
        }
    }
}

/// A resource that can be limited per process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Processor time in seconds.
    CpuSeconds,
    /// The largest file that can be written, in bytes.
    FileSize,
    /// Open descriptors.
    OpenFiles,
    /// Processes of the same *user*, not of the child: mind the others.
    Processes,
    /// Address space in bytes. Managed runtimes reserve much more than they use.
    AddressSpace,
}

/// Whether the child can gain privileges through set-user-id programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Privileges {
    /// As in the host.
    #[default]
    Keep,
    /// Never again (`no_new_privs`): `sudo` below the child fails.
    NoNew,
}

/// Whether a program may say its exit code before it is gone.
///
/// The kernel tells how a process ended only when it has taken the process's memory apart, which takes milliseconds where
/// there is much of it. A program that has done all its work can say so before: it closes its standard output and standard
/// error, writes its exit code to descriptor 3, as a line with a decimal number up to 255, and leaves.
///
/// The report is sent when the code was announced *and* both streams are at their end: the run
/// still waits for a descendant that holds one of them, and then the real exit decides. Other lines
/// are ignored. A program that announced an exit and has not exited a grace later is killed. An
/// announcement changes nothing about an earlier timeout or cancellation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Announce {
    /// The kernel says how it ended. The program has no descriptor 3.
    #[default]
    Never,
    /// Descriptor 3 takes its announcement. Where [`ANNOUNCES`](crate::ANNOUNCES) is false, such a command is not started.
    OnDescriptor3,
}

/// When to search the process table for descendants that left the process group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// Only when something suggests them: a held pipe, a kill, a group that does not empty.
    #[default]
    Suspected,
    /// After every run. Costs a scan of `/proc`, some milliseconds on a busy machine.
    Always,
}
