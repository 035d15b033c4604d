//! A started command until its report: gets its input, is watched for its first line, and is
//! translated.

use std::path::Path;
use std::time::Duration;

use tenterhook_process as process;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::super::confine::{Confined, tier};
use super::super::env_file::EnvFile;
use super::super::{Progress, Rest, Task};
use super::prewarm::Substitute;
use tenterhook_core::answer::Failure;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::Dialect;
use tenterhook_core::hook::Compat;
use tenterhook_core::report::{Closed, Delivery, End, Output, Report, StepOutput, unread};

/// How long a hook runs before its first line is checked for a request to run in the background. A
/// hook that is over by then needs no check, and following its lines would cost a twentieth of its
/// run. Earlier lines are replayed.
const QUICK: Duration = Duration::from_millis(5);

/// Resources that are removed when a command is over.
#[derive(Debug)]
pub(super) struct RunFiles {
    pub(super) env_file: Option<EnvFile>,
    pub(super) confined: Option<Box<Confined>>,
}

/// A command that was started.
#[derive(Debug)]
pub(super) struct Running {
    child: process::Child,
    finished: oneshot::Receiver<process::Report>,
    files: RunFiles,
    /// The code that was put into it; removed with it.
    substitute: Substitute,
    /// When the event came, if the command was started before it.
    handed: Option<Instant>,
}

/// How far a command has come.
#[derive(Debug)]
pub(super) enum Course {
    /// It is over.
    Over(Report),
    /// It is over and read no byte of the event: its output cannot be about the event.
    Unseen(Report),
    /// It goes on in the background.
    Detached(Rest),
}

impl Running {
    /// Starts what is described, with all its input.
    pub(super) fn start(described: process::Command, files: RunFiles) -> Self {
        let (done, finished) = oneshot::channel();
        let child = process::start_fed(described, |child| report_to(child, done));
        Self { child, finished, files, substitute: Substitute::default(), handed: None }
    }

    /// Starts what is described, to wait for its input until [`hand`](Self::hand).
    pub(super) fn wait(
        described: process::Command,
        files: RunFiles,
        substitute: Substitute,
    ) -> Self {
        let (done, finished) = oneshot::channel();
        let child = process::start_with(described, |child| report_to(child, done));
        Self { child, finished, files, substitute, handed: None }
    }

    /// How it ended, if it ended without receiving an event.
    pub(super) fn died(&mut self) -> Option<process::End> {
        match self.finished.try_recv() {
            Ok(report) => Some(report.end),
            Err(oneshot::error::TryRecvError::Empty) => None,
            Err(oneshot::error::TryRecvError::Closed) => Some(process::End::Cancelled),
        }
    }

    /// Sends it the event and starts its clock.
    pub(super) fn hand(&mut self, task: &Task) {
        let now = Instant::now();
        self.handed = Some(now);
        self.child.hand(task.envelope.body.as_slice(), Some((now + task.budget()).into_std()));
    }

    /// Waits for its end, or for its first line to ask for the background.
    pub(super) async fn follow(self, task: &Task) -> Course {
        let Self { child, mut finished, files, substitute, handed } = self;
        let project = task.event.within.project.clone();
        if let Ok(report) = tokio::time::timeout(QUICK, &mut finished).await {
            return over(report.ok(), files, &project, handed);
        }
        let (detach, mut detached) = oneshot::channel();
        watch_first_line(&child, task.dialect(), task.hook.compat, detach);
        tokio::select! {
            // A hook that is over can no longer go to the background.
            biased;
            report = &mut finished => over(report.ok(), files, &project, handed),
            Ok(()) = &mut detached => {
                child.deadline(Some((Instant::now() + task.timeout).into_std()));
                Course::Detached(Rest(Box::pin(async move {
                    let report = translate(finished.await.ok(), files, &project, handed);
                    drop((child, substitute));
                    report
                })))
            }
        }
    }
}

impl Course {
    pub(super) fn into_progress(self) -> Progress {
        match self {
            Self::Over(report) | Self::Unseen(report) => Progress::Ended(report),
            Self::Detached(rest) => Progress::Detached(rest),
        }
    }
}

fn over(
    report: Option<process::Report>,
    files: RunFiles,
    project: &Path,
    handed: Option<Instant>,
) -> Course {
    let unseen = handed.is_some()
        && report.as_ref().is_some_and(|report| {
            let refused = report.stdin == process::Delivery::Refused { written: 0 };
            let ended = matches!(report.end, process::End::Signalled(_) | process::End::Unknown);
            let killed = ended && report.taken == 0;
            killed || refused && report.end != process::End::TimedOut
        });
    let report = translate(report, files, project, handed);
    if unseen { Course::Unseen(report) } else { Course::Over(report) }
}

/// Why the end of a hook is unknown.
const UNKNOWN: &str = "it ended, and how is not known: this process ignores `SIGCHLD` or reaps children that are not its \
                       own, and before Linux 6.15 the kernel keeps no exit code of theirs; reap by process id";

/// Why the end of a hook in separate namespaces is unknown.
fn unreadable_status(errno: i32) -> String {
    let error = std::io::Error::from_raw_os_error(errno);
    format!("it ended, and how could not be read: {error}")
}

/// Why the host could not start it; says nothing about the hook.
fn starved(error: &process::NotStarted) -> String {
    format!("it was not started, for want of something of this host's: {error}; look at its limits")
}

fn translate(
    report: Option<process::Report>,
    files: RunFiles,
    project: &Path,
    handed: Option<Instant>,
) -> Report {
    // The supervisor always reports. If it did not, no output of the step is known.
    let Some(report) = report else { return Report::silent(End::Cancelled, Duration::ZERO) };
    let RunFiles { env_file, confined } = files;
    let limited = confined.as_ref().filter(|_| report.tier > process::Tier::T0);
    let mut notes = limited.map(|confined| confined.refusals(&report, project)).unwrap_or_default();
    if let process::Closed::Broken(errno) = report.stderr.closed {
        // If it denied by its exit code, its reason was lost here.
        notes.push(Failure::new(Code::OutOfResources, unread("error", errno)));
    }
    let end = match report.end {
        process::End::NotStarted(error) if error.is_of_host() => {
            End::Failed { code: Code::OutOfResources, why: starved(&error) }
        }
        process::End::NotStarted(error) => End::NotStarted { why: super::not_there(&error) },
        process::End::Unknown => End::Failed { code: Code::UnknownEnding, why: UNKNOWN.to_owned() },
        process::End::Unread(errno) => {
            End::Failed { code: Code::OutOfResources, why: unreadable_status(errno) }
        }
        process::End::Exited(code) => End::Exited(code),
        process::End::Signalled(signal) => End::Signalled(signal),
        process::End::TimedOut => End::TimedOut,
        process::End::Cancelled => End::Cancelled,
    };
    let has_tier = confined.is_some() && report.pid.is_some();
    Report {
        end,
        said: StepOutput::Bytes { stdout: output(report.stdout), stderr: output(report.stderr) },
        delivery: match report.stdin {
            process::Delivery::Delivered => Delivery::Delivered,
            process::Delivery::Refused { .. } => Delivery::Refused,
        },
        took: handed.map_or_else(|| report.times.took(), |at| at.elapsed()),
        env_file: env_file.and_then(EnvFile::read),
        survivors: report.survivors,
        moved_to: report.cwd_substituted,
        tier: has_tier.then(|| tier(report.tier)),
        notes,
    }
}

fn report_to(child: &process::Child, done: oneshot::Sender<process::Report>) {
    child.finish(move |report| {
        // The step may have been dropped meanwhile; then the report is not needed.
        let _ = done.send(report);
    });
}

/// Checks only the hook's first line of output for a request to run in the background (decision
/// 13).
fn watch_first_line(
    child: &process::Child,
    dialect: &'static Dialect,
    compat: Compat,
    detach: oneshot::Sender<()>,
) {
    // Kept until the run is over: dropped earlier, it would wake the step once a run for nothing.
    let mut detach = Some(detach);
    let mut is_first = true;
    child.on_line(move |line| {
        if std::mem::take(&mut is_first) && dialect.detaches(line, compat) {
            // The step may have been dropped meanwhile; then it is being killed anyway.
            let _ = detach.take().map(|detach| detach.send(()));
        }
        process::Flow::More
    });
}

fn output(output: process::Output) -> Output {
    let closed = match output.closed {
        process::Closed::Complete => Closed::Complete,
        process::Closed::Truncated => Closed::Truncated,
        process::Closed::Leaked => Closed::Leaked,
        process::Closed::Broken(errno) => Closed::Broken(errno),
    };
    Output { bytes: output.bytes, dropped: output.dropped, closed }
}
