//! From a command to a running process, or the reason for the failure.
//!
//! Runs on a thread of the starters' pool. Allocates and looks things up *before* the clone.

use std::cell::RefCell;
use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;

use super::clone::{self, Failure, Isolation, Plan, Stack, Strings};
use super::watch::AskedLog;
use super::{confine, init, namespaces};
use crate::arguments::{self, is_out_of_resources, start_error, to_c_string};
use crate::command::{Announce, Command, Privileges, Resource};
use crate::confine::Tier;
use crate::lookup;
use crate::report::{NotStarted, Step};
use crate::tag;

/// A process that executes its program, with our ends of its streams.
pub(crate) struct Launched {
    pub(crate) pid: Pid,
    pub(crate) pidfd: OwnedFd,
    /// `None` where all input fitted into the pipe and nothing more will come.
    pub(crate) stdin: Option<OwnedFd>,
    /// How much of the input is in the pipe already.
    pub(crate) written: usize,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    /// Where it may announce its exit.
    pub(crate) announce: Option<OwnedFd>,
    /// Where process 1 of its namespaces tells how it ended.
    pub(crate) status: Option<OwnedFd>,
    pub(crate) executed: Instant,
    /// How far it is confined, as it said itself.
    pub(crate) tier: Tier,
    /// What it asks for, where it is watched.
    pub(crate) asked_log: Option<AskedLog>,
    pub(crate) cwd_substituted: Option<PathBuf>,
    pub(crate) word: String,
}

/// What becomes of standard input after the command's own bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Close,
    KeepOpen,
}

/// A writer of the program still has it open: it is gone within milliseconds, or stays.
const BUSY_PAUSES: [Duration; 3] =
    [Duration::from_millis(5), Duration::from_millis(15), Duration::from_millis(30)];
/// Memory, processes or descriptors ran out: they may come back soon.
const SCARCE_PAUSE: Duration = Duration::from_millis(20);

/// Starts `command`. `id` makes its tag unique.
pub(crate) fn launch_command(
    command: &Command,
    input: Input,
    id: u64,
) -> Result<Launched, NotStarted> {
    let word = tag::run_tag(id);
    let prepared = Prepared::new(command, &word)?;
    let pipes = match Pipes::new(command.announce) {
        Err(errno) if is_out_of_resources(errno) => {
            std::thread::sleep(SCARCE_PAUSE);
            Pipes::new(command.announce)
        }
        pipes => pipes,
    };
    let program = Path::new(&prepared.program);
    let pipes = pipes.map_err(|errno| start_error(Step::Prepare, program, errno))?;
    // A pipe holds 64 KiB by default: most inputs are in it before the child exists.
    let written = write_initial_input(&pipes.stdin.ours, &command.stdin);
    let (spawned, cwd_substituted) = spawn_with_cwd_fallback(command, &prepared, &pipes)?;
    let Spawned { pid, pidfd, tier, status } = spawned;
    let executed = Instant::now();
    let all_in = written == command.stdin.len() && input == Input::Close;
    Ok(Launched {
        pid,
        pidfd,
        stdin: (!all_in).then_some(pipes.stdin.ours),
        written,
        stdout: pipes.stdout.ours,
        stderr: pipes.stderr.ours,
        announce: pipes.announce.map(|pipe| pipe.ours),
        status,
        executed,
        tier,
        asked_log: prepared
            .confinement
            .and_then(|confinement| confinement.watch)
            .map(|watch| watch.asked_log),
        cwd_substituted,
        word,
    })
}

/// A process that executes its program.
struct Spawned {
    pid: Pid,
    pidfd: OwnedFd,
    /// How far it is confined.
    tier: Tier,
    /// Where process 1 of its namespaces tells how it ended.
    status: Option<OwnedFd>,
}

/// A command in the form that the child needs.
struct Prepared {
    program: std::ffi::OsString,
    argv: Strings,
    /// The same once more, for process 1 of its namespaces.
    argv_list: Vec<CString>,
    env: Strings,
    env_list: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    resources: Vec<(i64, u64)>,
    oom_score_adj: Option<Vec<u8>>,
    confinement: Option<confine::Prepared>,
}

impl Prepared {
    fn new(command: &Command, word: &str) -> Result<Self, NotStarted> {
        let argv = arguments::program_argv(&command.program);
        let program = argv.first().map(|arg| arg.to_os_string()).unwrap_or_default();
        let argv = arguments::to_c_strings(&argv)?;
        let mut env_list = command.env.clone();
        tag::append_tag(&mut env_list, word);
        let env = arguments::environment_c_strings(&env_list)?;
        let beside = paths_that_must_exist(command, &program);
        let prepare = |confinement| confine::prepare_confinement(confinement, &beside);
        let confinement = command.confine.as_ref().map(prepare).transpose();
        let confinement = confinement
            .map_err(|error| start_error(error.step, Path::new(&program), error.errno))?;
        let mut resources: Vec<_> = command
            .resources
            .iter()
            .map(|(resource, value)| (rlimit_number(*resource), *value))
            .collect();
        let most = command.confine.as_ref().and_then(|confinement| confinement.processes);
        // Process 1 is one of them.
        resources.extend(most.map(|most| (libc::RLIMIT_NPROC.into(), most.saturating_add(1))));
        let confinement = confinement.flatten();
        let is_isolated =
            confinement.as_ref().is_some_and(|prepared| prepared.namespaces.is_some());
        Ok(Self {
            program,
            argv_list: if is_isolated { argv.clone() } else { Vec::new() },
            argv: Strings::new(argv),
            env: Strings::new(env),
            env_list,
            resources,
            confinement,
            oom_score_adj: command.oom_score_adj.map(|n| n.to_string().into_bytes()),
        })
    }
}

/// Returns the paths that a child looks up even if they are not granted: its working directory, its
/// program and its home.
fn paths_that_must_exist<'c>(command: &'c Command, program: &'c OsStr) -> Vec<&'c Path> {
    let home = command.env.iter().find(|(name, _)| name == "HOME").map(|(_, path)| Path::new(path));
    let all = [Some(command.cwd.as_path()), command.fallback_cwd.as_deref(), home];
    all.into_iter().flatten().chain(Path::new(program).parent()).collect()
}

fn rlimit_number(resource: Resource) -> i64 {
    let number = match resource {
        Resource::CpuSeconds => libc::RLIMIT_CPU,
        Resource::FileSize => libc::RLIMIT_FSIZE,
        Resource::OpenFiles => libc::RLIMIT_NOFILE,
        Resource::Processes => libc::RLIMIT_NPROC,
        Resource::AddressSpace => libc::RLIMIT_AS,
    };
    number.into()
}

/// Spawns in the command's directory, or else in its fallback.
fn spawn_with_cwd_fallback(
    command: &Command,
    prepared: &Prepared,
    pipes: &Pipes,
) -> Result<(Spawned, Option<PathBuf>), NotStarted> {
    match spawn_in_directory(command, prepared, pipes, &command.cwd) {
        Ok(spawned) => Ok((spawned, None)),
        Err(NotStarted { step: Step::Directory, errno, path }) => match &command.fallback_cwd {
            None => Err(NotStarted { step: Step::Directory, errno, path }),
            Some(fallback) => {
                let spawned = spawn_in_directory(command, prepared, pipes, fallback)?;
                Ok((spawned, Some(fallback.clone())))
            }
        },
        Err(other) => Err(other),
    }
}

fn spawn_in_directory(
    command: &Command,
    prepared: &Prepared,
    pipes: &Pipes,
    cwd: &Path,
) -> Result<Spawned, NotStarted> {
    if !cwd.is_absolute() {
        return Err(start_error(Step::Directory, cwd, Errno::INVAL));
    }
    let path = lookup::find_program(&prepared.program, &prepared.env_list, cwd)
        .map_err(|(path, errno)| start_error(Step::Find, &path, errno))?;
    let plan = Plan {
        path: &to_c_string(path.as_os_str())?,
        argv: &prepared.argv,
        env: &prepared.env,
        cwd: &to_c_string(cwd.as_os_str())?,
        streams: [&pipes.stdin, &pipes.stdout, &pipes.stderr].map(|pipe| pipe.theirs.as_raw_fd()),
        announce: pipes.announce.as_ref().map(|pipe| pipe.theirs.as_raw_fd()),
        umask: command.umask,
        resources: &prepared.resources,
        oom_score_adj: prepared.oom_score_adj.as_deref(),
        confinement: prepared.confinement.as_ref(),
        no_new_privileges: command.privileges == Privileges::NoNew,
        isolation: None,
    };
    spawn_with_retries(&plan, &prepared.argv_list).map_err(|failure| {
        let at = if failure.step == Step::Directory { cwd } else { &path };
        start_error(failure.step, at, failure.errno)
    })
}

/// Spawns, and retries if the error may be temporary.
fn spawn_with_retries(plan: &Plan<'_>, argv: &[CString]) -> Result<Spawned, Failure> {
    let mut busy = BUSY_PAUSES.iter();
    let mut scarce = Some(SCARCE_PAUSE);
    loop {
        let namespaces = plan.confinement.and_then(|confinement| confinement.namespaces.as_ref());
        let spawned = match namespaces {
            None => spawn_on_new_stack(plan),
            Some(namespaces) => spawn_in_namespaces(plan, namespaces, argv),
        };
        let failure = match spawned {
            Ok(spawned) => return Ok(spawned),
            Err(failure) => failure,
        };
        let pause = match failure.errno {
            Errno::TXTBSY => busy.next().copied(),
            errno if is_out_of_resources(errno) => scarce.take(),
            _ => None,
        };
        std::thread::sleep(pause.ok_or(failure)?);
    }
}

/// Makes the namespaces, and waits until process 1 in them has started the program or failed to.
fn spawn_in_namespaces(
    plan: &Plan<'_>,
    namespaces: &namespaces::Namespaces,
    argv: &[CString],
) -> Result<Spawned, Failure> {
    let confine = |errno| Failure { step: Step::Confine, errno };
    let program = init::init_program_fd().map_err(confine)?;
    let prepare = |errno| Failure { step: Step::Prepare, errno };
    let (status, theirs) = create_pipe().map_err(prepare)?;
    let number = namespaces::status_fd_number(plan.announce.is_some());
    let argv = init::arguments_for_start(number, plan.path, argv);
    let isolation = Isolation { namespaces, status: theirs.as_raw_fd(), program, argv: &argv };
    let spawned = spawn_on_new_stack(&Plan { isolation: Some(isolation), ..*plan })?;
    // Ours would keep the pipe open when process 1 is gone.
    drop(theirs);
    let started = init::await_program_start(&status)
        .and_then(|_| rustix::fs::fcntl_setfl(&status, OFlags::NONBLOCK).map_err(prepare));
    match started {
        Ok(()) => Ok(Spawned { tier: Tier::T2, status: Some(status), ..spawned }),
        Err(failure) => {
            namespaces::kill_init(&spawned.pidfd);
            Err(failure)
        }
    }
}

fn spawn_on_new_stack(plan: &Plan<'_>) -> Result<Spawned, Failure> {
    thread_local! {
        static STACK: RefCell<Option<Stack>> = const { RefCell::new(None) };
    }
    STACK.with_borrow_mut(|slot| {
        let stack = match slot {
            Some(stack) => stack,
            None => {
                let stack = Stack::new().map_err(|errno| Failure { step: Step::Prepare, errno })?;
                slot.insert(stack)
            }
        };
        let (pid, pidfd, tier) = clone::spawn_process(plan, stack)?;
        Ok(Spawned { pid, pidfd, tier, status: None })
    })
}

/// One pipe: our end does not block, theirs does.
struct Ends {
    ours: OwnedFd,
    theirs: OwnedFd,
}

struct Pipes {
    stdin: Ends,
    stdout: Ends,
    stderr: Ends,
    announce: Option<Ends>,
}

impl Pipes {
    fn new(announce: Announce) -> Result<Self, Errno> {
        let (theirs, ours) = create_pipe()?;
        let stdin = Ends { ours, theirs };
        let (ours, theirs) = create_pipe()?;
        let stdout = Ends { ours, theirs };
        let (ours, theirs) = create_pipe()?;
        let stderr = Ends { ours, theirs };
        let announce = match announce {
            Announce::Never => None,
            Announce::OnDescriptor3 => {
                let (ours, theirs) = create_pipe()?;
                Some(Ends { ours, theirs })
            }
        };
        for ends in [&stdin, &stdout, &stderr].into_iter().chain(&announce) {
            rustix::fs::fcntl_setfl(&ends.ours, OFlags::NONBLOCK)?;
        }
        Ok(Self { stdin, stdout, stderr, announce })
    }
}

/// Makes a pipe whose descriptors have numbers from which a child can move them.
pub(super) fn create_pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((move_above_child_fds(read)?, move_above_child_fds(write)?))
}

/// Moves a descriptor above the numbers to which a child moves its own, also in a host that closed
/// its standard streams.
pub(super) fn move_above_child_fds(fd: OwnedFd) -> Result<OwnedFd, Errno> {
    let least = clone::HIGHER;
    if fd.as_raw_fd() >= least { Ok(fd) } else { rustix::io::fcntl_dupfd_cloexec(&fd, least) }
}

/// Writes as much as fits. The supervisor meets an error here again.
fn write_initial_input(fd: &OwnedFd, bytes: &Arc<[u8]>) -> usize {
    if bytes.is_empty() { 0 } else { rustix::io::write(fd, bytes).unwrap_or(0) }
}
