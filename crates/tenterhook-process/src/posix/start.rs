//! How does a run begin where there is no Linux? Its directory, its program, its streams; what this system cannot do is refused, rather
//! than left out. Supervises nothing.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Instant;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::Pid;

use super::{Input, Run, bells, fault};
use crate::command::{Announce, Command, Privileges, Program};
use crate::confine::Tier;
use crate::report::{Force, NotStarted, Step};
use crate::stream::{Capture, Flow};
use crate::{lookup, tag};

impl Run {
    pub(super) fn start(
        command: Command,
        input: Input,
        id: u64,
        requested: Instant,
    ) -> Result<Self, NotStarted> {
        let cwd_substituted = choose_cwd(&command)?;
        let cwd = cwd_substituted.as_ref().unwrap_or(&command.cwd);
        let (program, args) = words(&command.program);
        let mut env = command.env.clone();
        tag::mark(&mut env, &tag::word(id));
        let path = lookup::find(&program, &env, cwd)
            .map_err(|(path, errno)| fault(Step::Find, &path, errno))?;
        if let Some(step) = cannot(&command) {
            return Err(fault(step, &path, Errno::NOSYS));
        }
        let prepare = |errno| fault(Step::Prepare, &path, errno);
        let (bell, ring) = bell().map_err(prepare)?;
        let mut start = std::process::Command::new(&path);
        start.arg0(program).args(args).env_clear().envs(env).current_dir(cwd).process_group(0);
        let mut child = spawn(start, &path)?;
        let executed = Instant::now();
        let [stdin, stdout, stderr] = streams(&mut child).map_err(prepare)?;
        bells().insert(id, ring);
        let own = command.timeout.map(|timeout| executed + timeout);
        Ok(Self {
            pid: Pid::from_child(&child),
            bell,
            stdin,
            queue: [command.stdin.clone()].into_iter().filter(|it| !it.is_empty()).collect(),
            written: 0,
            input,
            streams: [
                (stdout, Capture::new(command.limits.stdout)),
                (stderr, Capture::new(command.limits.stderr)),
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

/// What is started: the program, and what it is called with.
fn words(program: &Program) -> (OsString, Vec<OsString>) {
    match program {
        Program::Argv { program, args } => (program.clone(), args.clone()),
        Program::Shell { shell, text } => {
            let args = shell.before.iter().chain([text]).cloned().collect();
            (shell.program.clone(), args)
        }
    }
}

/// The first step of it that this system cannot do.
fn cannot(command: &Command) -> Option<Step> {
    let confines = command.confine.as_ref().is_some_and(|it| it.at_least > Tier::T0);
    let asked = [
        (!command.resources.is_empty(), Step::Resources),
        (command.announce == Announce::OnDescriptor3, Step::Streams),
        (confines, Step::Confine),
        (command.privileges == Privileges::NoNew, Step::Privileges),
    ];
    asked.into_iter().find_map(|(asked, step)| asked.then_some(step))
}

/// What its thread is woken by, and what rings it.
fn bell() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (bell, ring) = rustix::pipe::pipe()?;
    for end in [&bell, &ring] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK)?;
    }
    Ok((bell, ring))
}

fn spawn(mut start: std::process::Command, path: &Path) -> Result<Child, NotStarted> {
    start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[expect(clippy::disallowed_methods, reason = "the one start path of this system")]
    start.spawn().map_err(|error| {
        fault(Step::Execute, path, Errno::from_io_error(&error).unwrap_or(Errno::INVAL))
    })
}

/// Our ends of its streams, none of which makes us wait.
fn streams(child: &mut Child) -> Result<[Option<OwnedFd>; 3], Errno> {
    let ends = [
        child.stdin.take().map(OwnedFd::from),
        child.stdout.take().map(OwnedFd::from),
        child.stderr.take().map(OwnedFd::from),
    ];
    for end in ends.iter().flatten() {
        rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK)?;
    }
    Ok(ends)
}

/// The directory that stands in for the command's, if it needs one.
fn choose_cwd(command: &Command) -> Result<Option<PathBuf>, NotStarted> {
    let refused = |path: &Path| match std::fs::read_dir(path) {
        _ if !path.is_absolute() => Some(fault(Step::Directory, path, Errno::INVAL)),
        Ok(_) => None,
        Err(error) => {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::NOTDIR);
            Some(fault(Step::Directory, path, errno))
        }
    };
    match (refused(&command.cwd), &command.fallback_cwd) {
        (None, _) => Ok(None),
        (Some(_), Some(fallback)) => {
            refused(fallback).map_or_else(|| Ok(Some(fallback.clone())), Err)
        }
        (Some(fault), None) => Err(fault),
    }
}
