//! How does a run begin where there is no Linux? Its directory, its program, its streams; what this system cannot do is refused, rather
//! than left out. Supervises nothing.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::Pid;

use super::spawn::{Plan, spawn_process};
use super::{Input, Run, lock_wakeup_pipes};
use crate::arguments::{self, is_out_of_resources, start_error, to_c_string};
use crate::command::{Announce, Command, Privileges};
use crate::confine::Tier;
use crate::report::{Force, NotStarted, Step};
use crate::stream::{Capture, Flow};
use crate::{lookup, tag};

/// A writer of the program still has it open: it is gone within milliseconds, or stays.
const BUSY_PAUSES: [Duration; 3] =
    [Duration::from_millis(5), Duration::from_millis(15), Duration::from_millis(30)];
/// Descriptors, memory or processes ran out: they may come back soon.
const SCARCE_PAUSE: Duration = Duration::from_millis(20);

impl Run {
    pub(super) fn start_command(
        command: Command,
        input: Input,
        id: u64,
        requested: Instant,
    ) -> Result<Self, NotStarted> {
        let cwd_substituted = choose_cwd(&command)?;
        let cwd = cwd_substituted.as_ref().unwrap_or(&command.cwd);
        let mut env = command.env.clone();
        tag::append_tag(&mut env, &tag::run_tag(id));
        let argv = arguments::program_argv(&command.program);
        let program = argv.first().map(|program| program.to_os_string()).unwrap_or_default();
        let (argv, variables) =
            (arguments::to_c_strings(&argv)?, arguments::environment_c_strings(&env)?);
        let path = lookup::find_program(&program, &env, cwd)
            .map_err(|(path, errno)| start_error(Step::Find, &path, errno))?;
        if let Some(step) = first_unsupported_step(&command) {
            return Err(start_error(step, &path, Errno::NOSYS));
        }
        let prepare = |errno| start_error(Step::Prepare, &path, errno);
        let (bell, ring) = retry_when_out_of_resources(create_wakeup_pipe).map_err(prepare)?;
        let Pipes { ours: [stdin, stdout, stderr], theirs } =
            retry_when_out_of_resources(Pipes::new).map_err(prepare)?;
        let (file, directory) = (to_c_string(path.as_os_str())?, to_c_string(cwd.as_os_str())?);
        let (streams, umask) = (theirs.each_ref(), command.umask);
        let plan =
            Plan { path: &file, argv: &argv, env: &variables, cwd: &directory, streams, umask };
        let pid = spawn_with_retries(&plan).map_err(|errno| match errno {
            Errno::NOTSUP => start_error(Step::Prepare, Path::new("umask"), errno),
            _ => start_error(Step::Execute, &path, errno),
        })?;
        drop(theirs);
        let executed = Instant::now();
        lock_wakeup_pipes().insert(id, ring);
        let own = command.timeout.map(|timeout| executed + timeout);
        Ok(Self {
            pid,
            bell,
            stdin: Some(stdin),
            queue: [command.stdin.clone()].into_iter().filter(|stdin| !stdin.is_empty()).collect(),
            written: 0,
            input,
            streams: [
                (Some(stdout), Capture::new(command.limits.stdout)),
                (Some(stderr), Capture::new(command.limits.stderr)),
            ],
            paused: Flow::More,
            deadline: [own, command.deadline].into_iter().flatten().min(),
            ending: None,
            force: Force::None,
            exited: None,
            requested,
            executed,
            signalled: None,
            cwd_substituted,
            command,
        })
    }
}

/// Returns the first step of the command that this system does not support.
fn first_unsupported_step(command: &Command) -> Option<Step> {
    let confines =
        command.confine.as_ref().is_some_and(|confinement| confinement.at_least > Tier::T0);
    let asked = [
        (!command.resources.is_empty(), Step::Resources),
        (command.announce == Announce::OnDescriptor3, Step::Streams),
        (confines, Step::Confine),
        (command.privileges == Privileges::NoNew, Step::Privileges),
    ];
    asked.into_iter().find_map(|(asked, step)| asked.then_some(step))
}

/// Creates the pipe that wakes the run's thread: the end to read from, and the end to write to.
fn create_wakeup_pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (bell, ring) = rustix::pipe::pipe()?;
    for end in [&bell, &ring] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK)?;
    }
    Ok((bell, ring))
}

/// Both ends of the streams of a child.
struct Pipes {
    ours: [OwnedFd; 3],
    theirs: [OwnedFd; 3],
}

impl Pipes {
    /// Creates the pipes. The host's ends do not block.
    fn new() -> Result<Self, Errno> {
        let [input, output, error] = [create_pipe()?, create_pipe()?, create_pipe()?];
        let ours = [input.1, output.0, error.0];
        for end in &ours {
            rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK)?;
        }
        Ok(Self { ours, theirs: [input.0, output.1, error.1] })
    }
}

/// Creates a pipe that no other child inherits, with numbers above the three descriptors to which a
/// child moves its own.
fn create_pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (read, write) = rustix::pipe::pipe()?;
    let moved = |end: OwnedFd| rustix::io::fcntl_dupfd_cloexec(end, 3);
    Ok((moved(read)?, moved(write)?))
}

/// Retries while descriptors, memory or processes are exhausted.
fn retry_when_out_of_resources<T>(make: impl Fn() -> Result<T, Errno>) -> Result<T, Errno> {
    match make() {
        Err(errno) if is_out_of_resources(errno) => {
            std::thread::sleep(SCARCE_PAUSE);
            make()
        }
        made => made,
    }
}

/// Spawns the process, and retries while a writer of the program still has it open.
fn spawn_with_retries(plan: &Plan<'_>) -> Result<Pid, Errno> {
    let mut busy = BUSY_PAUSES.iter();
    loop {
        match retry_when_out_of_resources(|| spawn_process(plan)) {
            Err(Errno::TXTBSY) => match busy.next() {
                Some(pause) => std::thread::sleep(*pause),
                None => return Err(Errno::TXTBSY),
            },
            started => return started,
        }
    }
}

/// Returns the fallback directory if the command's own directory cannot be entered.
fn choose_cwd(command: &Command) -> Result<Option<PathBuf>, NotStarted> {
    let refused = |path: &Path| {
        check_can_enter(path).err().map(|errno| start_error(Step::Directory, path, errno))
    };
    match (refused(&command.cwd), &command.fallback_cwd) {
        (None, _) => Ok(None),
        (Some(_), Some(fallback)) => {
            refused(fallback).map_or_else(|| Ok(Some(fallback.clone())), Err)
        }
        (Some(fault), None) => Err(fault),
    }
}

/// Checks whether a child could enter a directory, without opening it.
fn check_can_enter(path: &Path) -> Result<(), Errno> {
    if !path.is_absolute() {
        return Err(Errno::INVAL);
    }
    // What lies below a directory is reached only if it is one that may be searched.
    rustix::fs::stat(path.join("."))?;
    Ok(())
}
