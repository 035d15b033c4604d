//! Runs a hook as a child process: hands it its envelope and reports what happened. Knows no dialect and judges nothing.
//!
//! The process itself belongs to `tenterhook-process`; this file says what is started, with which environment, and turns
//! facts into a report. Dropping the future drops the child, and that ends it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenterhook_process as process;
use tokio::sync::oneshot;

use super::env_file::EnvFile;
use super::{Progress, Rest, Task};
use crate::dialect::Dialect;
use crate::hook::{Command, Inherit, Invocation, Run, Shell};
use crate::report::{Closed, Delivery, End, Output, Report, Said};

/// What every hook inherits, whatever its source: programs cannot find each other, their files or their language
/// without these. Names that change how a program loads code (`LD_PRELOAD`, `BASH_ENV`, `NODE_OPTIONS`,
/// `PYTHONPATH`) are left out on purpose (H9).
pub const LISTED: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    // Windows programs do not start without these.
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "WINDIR",
];

/// How long a hook runs before anybody looks whether its first line asks for the background: one that is over by then has
/// nothing left to do there, and to follow its lines would cost a twentieth of its run. Lines that came before are replayed.
const QUICK: Duration = Duration::from_millis(5);

pub(super) async fn run(task: Task) -> Progress {
    let Run::Command(command) = &task.hook.run else {
        return Progress::Ended(Report::silent(End::Cancelled, Duration::ZERO));
    };
    let env_file = match EnvFile::create(&task) {
        Ok(file) => file,
        Err(error) => {
            let why = format!("its env file cannot be made: {error}");
            return Progress::Ended(Report::silent(End::NotStarted { why }, Duration::ZERO));
        }
    };
    let (done, mut finished) = oneshot::channel();
    let child = process::start_fed(describe(&task, command, env_file.as_ref()), |child| {
        child.finish(move |report| {
            // The step may have been dropped meanwhile; then nobody wants the report.
            let _ = done.send(report);
        });
    });
    if let Ok(report) = tokio::time::timeout(QUICK, &mut finished).await {
        return Progress::Ended(translate(report.ok(), env_file));
    }
    let (detach, mut detached) = oneshot::channel();
    watch_first_line(&child, task.dialect(), detach);
    tokio::select! {
        // A hook that is over has no background left to go to.
        biased;
        report = &mut finished => Progress::Ended(translate(report.ok(), env_file)),
        Ok(()) = &mut detached => {
            child.deadline(Some((tokio::time::Instant::now() + task.timeout).into_std()));
            Progress::Detached(Rest(Box::pin(async move {
                let report = translate(finished.await.ok(), env_file);
                drop(child);
                report
            })))
        }
    }
}

/// Lets the hook's first line of output, and only that, ask for the background (decision 13).
fn watch_first_line(
    child: &process::Child,
    dialect: &'static dyn Dialect,
    detach: oneshot::Sender<()>,
) {
    // Kept until the run is over: dropped here, it would wake the step for nothing, once a run.
    let mut detach = Some(detach);
    let mut is_first = true;
    child.on_line(move |line| {
        if std::mem::take(&mut is_first) && dialect.detaches(line) {
            // The step may have been dropped meanwhile; then it is being ended anyway.
            let _ = detach.take().map(|detach| detach.send(()));
        }
        process::Flow::More
    });
}

fn describe(task: &Task, command: &Command, env_file: Option<&EnvFile>) -> process::Command {
    let within = &task.event.within;
    let cwd = command.cwd.clone().unwrap_or_else(|| within.cwd.clone());
    let mut described = program(command, cwd);
    let file = env_file.map(|file| (file.variable().to_owned(), file.path().display().to_string()));
    described.env = environment(task, command, task.envelope.env.iter().chain(&file));
    // A hook still has to judge when the agent's directory was deleted; the report says where it ran (H3). A directory
    // that the hook itself names is part of what it judges: elsewhere it would judge something else.
    described.fallback_cwd =
        Some(within.project.clone()).filter(|it| command.cwd.is_none() && it.is_absolute());
    described.stdin = Arc::from(task.envelope.body.as_slice());
    described.timeout = Some(task.timeout);
    described.by = task.by.map(tokio::time::Instant::into_std);
    described
}

/// What a command starts, in `cwd`.
pub(super) fn program(command: &Command, cwd: PathBuf) -> process::Command {
    let mut described = match &command.invocation {
        Invocation::Argv { program, args } => process::Command::new(program, args, cwd),
        Invocation::Shell { text, shell } => {
            let mut described = process::Command::shell(text, cwd);
            described.program =
                process::Program::Shell { shell: shell_of(*shell), text: text.into() };
            described
        }
    };
    // Files that a hook makes (a formatter, say) belong to the project, not to the engine.
    described.umask = None;
    described
}

fn shell_of(shell: Shell) -> process::Shell {
    match shell {
        Shell::Sh => process::Shell::sh(),
        Shell::Bash => process::Shell::posix("bash"),
        Shell::PowerShell => process::Shell::powershell("pwsh"),
    }
}

/// The complete environment: what is inherited, then what is `set` for it, then what the hook sets; the last one wins.
pub(super) fn environment<'a>(
    task: &'a Task,
    command: &'a Command,
    set: impl Iterator<Item = &'a (String, String)>,
) -> Vec<(OsString, OsString)> {
    let passes = |name: &str| match command.inherit {
        Inherit::All => !task.dialect().withholds(name),
        Inherit::Listed => LISTED.contains(&name) || command.pass.iter().any(|it| it == name),
    };
    let inherited = task.ambient.env.iter().filter(|(name, _)| passes(name));
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for (name, value) in inherited.chain(set).chain(&command.env) {
        seen.insert(name, value);
    }
    seen.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn translate(report: Option<process::Report>, env_file: Option<EnvFile>) -> Report {
    // The supervisor always reports; should it not, the step is not known to have said anything.
    let Some(report) = report else { return Report::silent(End::Cancelled, Duration::ZERO) };
    let end = match report.end {
        process::End::NotStarted(error) => End::NotStarted { why: error.to_string() },
        process::End::Exited(code) => End::Exited(code),
        process::End::Signalled(signal) => End::Signalled(signal),
        process::End::TimedOut => End::TimedOut,
        process::End::Cancelled => End::Cancelled,
    };
    Report {
        end,
        said: Said::Bytes { stdout: output(report.stdout), stderr: output(report.stderr) },
        delivery: match report.stdin {
            process::Delivery::Delivered => Delivery::Delivered,
            process::Delivery::Refused { .. } => Delivery::Refused,
        },
        took: report.times.took(),
        env_file: env_file.and_then(EnvFile::read),
        survivors: report.survivors,
        moved_to: report.cwd_substituted,
        notes: Vec::new(),
    }
}

fn output(output: process::Output) -> Output {
    let closed = match output.closed {
        process::Closed::Complete => Closed::Complete,
        process::Closed::Truncated => Closed::Truncated,
        process::Closed::Leaked => Closed::Leaked,
    };
    Output { bytes: output.bytes, dropped: output.dropped, closed }
}
