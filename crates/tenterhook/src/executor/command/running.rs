//! A command from its start to its report: sends its input, watches for its first line, and
//! converts the process report into a step report.

use std::path::Path;
use std::time::Duration;

use tenterhook_process as process;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::super::confine::{Confined, from_process_tier};
use super::super::env_file::EnvFile;
use super::super::{Progress, Rest, Task};
use super::prewarm::Substitute;
use tenterhook_core::answer::Failure;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::Dialect;
use tenterhook_core::hook::Compat;
use tenterhook_core::report::{
    Closed, Delivery, End, Output, Report, StepOutput, stream_read_error_message,
};

/// How long a hook runs before its first line is checked for a request to run in the background. A
/// hook that is over by then needs no check, and following its lines would cost a twentieth of its
/// run. A check that begins later still receives the
/// first line.
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
    /// The code that this command runs instead of the hook's code; removed when the command is over.
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
    /// Starts the described process with all its input.
    pub(super) fn start_with_input(described: process::Command, files: RunFiles) -> Self {
        let (done, finished) = oneshot::channel();
        let child =
            process::start_with_whole_input(described, |child| send_report_when_done(child, done));
        Self { child, finished, files, substitute: Substitute::default(), handed: None }
    }

    /// Starts the described process, which waits for its input until
    /// [`send_event`](Self::send_event).
    pub(super) fn start_waiting(
        described: process::Command,
        files: RunFiles,
        substitute: Substitute,
    ) -> Self {
        let (done, finished) = oneshot::channel();
        let child =
            process::start_with_setup(described, |child| send_report_when_done(child, done));
        Self { child, finished, files, substitute, handed: None }
    }

    /// Returns how the process ended, if it ended without receiving an event.
    pub(super) fn how_ended_before_event(&mut self) -> Option<process::End> {
        match self.finished.try_recv() {
            Ok(report) => Some(report.end),
            Err(oneshot::error::TryRecvError::Empty) => None,
            Err(oneshot::error::TryRecvError::Closed) => Some(process::End::Cancelled),
        }
    }

    /// Sends the event to the process and starts its timeout.
    pub(super) fn send_event(&mut self, task: &Task) {
        let now = Instant::now();
        self.handed = Some(now);
        self.child.write_all_input_with_deadline(
            task.envelope.body.as_slice(),
            Some((now + task.remaining_time()).into_std()),
        );
    }

    /// Waits until the process ends, or its first line asks for the background.
    pub(super) async fn wait_for_end_or_detach(self, task: &Task) -> Course {
        let Self { child, mut finished, files, substitute, handed } = self;
        let project = task.event.within.project.clone();
        if let Ok(report) = tokio::time::timeout(QUICK, &mut finished).await {
            return finished_course(report.ok(), files, &project, handed);
        }
        let (detach, mut detached) = oneshot::channel();
        detach_on_first_line(&child, task.dialect(), task.hook.compat, detach);
        tokio::select! {
            // A hook that is over can no longer go to the background.
            biased;
            report = &mut finished => finished_course(report.ok(), files, &project, handed),
            Ok(()) = &mut detached => {
                child.set_deadline(Some((Instant::now() + task.timeout).into_std()));
                Course::Detached(Rest(Box::pin(async move {
                    let report = step_report(finished.await.ok(), files, &project, handed);
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

/// Converts the report of a process that ended, and notes whether it ended without reading its
/// event.
fn finished_course(
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
    let report = step_report(report, files, project, handed);
    if unseen { Course::Unseen(report) } else { Course::Over(report) }
}

/// Why the end of a hook is unknown.
const UNKNOWN: &str = "its exit status was lost: the host ignores `SIGCHLD` or waits for all children, not only \
                       for those that it started, and before Linux 6.15 the status is then gone; let the \
                       host wait by process id";

/// Explains why the end of a hook in separate namespaces is unknown.
fn unreadable_status_message(errno: i32) -> String {
    let error = std::io::Error::from_raw_os_error(errno);
    format!("it ended, but its exit status could not be read: {error}")
}

/// Explains that the host lacked the resources to start the hook; this says nothing about the
/// hook.
fn no_host_resources_message(error: &process::NotStarted) -> String {
    format!(
        "it was not started, because the host lacks a resource: {error}; check the limits of the host (`ulimit -a`)"
    )
}

/// Converts the report of a process into the report of a step.
fn step_report(
    report: Option<process::Report>,
    files: RunFiles,
    project: &Path,
    handed: Option<Instant>,
) -> Report {
    // The supervisor always reports. If it did not, no output of the step is known.
    let Some(report) = report else {
        return Report::without_output(End::Cancelled, Duration::ZERO);
    };
    let RunFiles { env_file, confined } = files;
    let limited = confined.as_ref().filter(|_| report.tier > process::Tier::T0);
    let mut notes =
        limited.map(|confined| confined.refusal_failures(&report, project)).unwrap_or_default();
    if let process::Closed::Broken(errno) = report.stderr.closed {
        // If it denied by its exit code, its reason was lost here.
        notes.push(Failure::new(Code::OutOfResources, stream_read_error_message("error", errno)));
    }
    let end = match report.end {
        process::End::NotStarted(error) if error.is_host_fault() => {
            End::Failed { code: Code::OutOfResources, why: no_host_resources_message(&error) }
        }
        process::End::NotStarted(error) => {
            End::NotStarted { why: super::not_started_message(&error) }
        }
        process::End::Unknown => End::Failed { code: Code::UnknownEnding, why: UNKNOWN.to_owned() },
        process::End::Unread(errno) => {
            End::Failed { code: Code::OutOfResources, why: unreadable_status_message(errno) }
        }
        process::End::Exited(code) => End::Exited(code),
        process::End::Signalled(signal) => End::Signalled(signal),
        process::End::TimedOut => End::TimedOut,
        process::End::Cancelled => End::Cancelled,
    };
    let has_tier = confined.is_some() && report.pid.is_some();
    Report {
        end,
        said: StepOutput::Bytes {
            stdout: convert_output(report.stdout),
            stderr: convert_output(report.stderr),
        },
        delivery: match report.stdin {
            process::Delivery::Delivered => Delivery::Delivered,
            process::Delivery::Refused { .. } => Delivery::Refused,
        },
        took: handed.map_or_else(|| report.times.total(), |at| at.elapsed()),
        env_file: env_file.and_then(EnvFile::read_variables),
        survivors: report.survivors,
        moved_to: report.cwd_substituted,
        tier: has_tier.then(|| from_process_tier(report.tier)),
        notes,
    }
}

/// Sends the report of the process to `done` when it ends.
fn send_report_when_done(child: &process::Child, done: oneshot::Sender<process::Report>) {
    child.on_finish(move |report| {
        // The step may have been dropped meanwhile; then the report is not needed.
        let _ = done.send(report);
    });
}

/// Sends to `detach` if the hook's first line of output asks to run in the background. Later lines
/// are not checked (decision 13).
fn detach_on_first_line(
    child: &process::Child,
    dialect: &'static Dialect,
    compat: Compat,
    detach: oneshot::Sender<()>,
) {
    // Keep the sender until the run is over: to drop it earlier would wake the waiting step
    // without need.
    let mut detach = Some(detach);
    let mut is_first = true;
    child.on_line(move |line| {
        if std::mem::take(&mut is_first) && dialect.is_detach_line(line, compat) {
            // The step may have been dropped meanwhile; then it is being killed anyway.
            let _ = detach.take().map(|detach| detach.send(()));
        }
        process::Flow::More
    });
}

fn convert_output(output: process::Output) -> Output {
    let closed = match output.closed {
        process::Closed::Complete => Closed::Complete,
        process::Closed::Truncated => Closed::Truncated,
        process::Closed::Leaked => Closed::Leaked,
        process::Closed::Broken(errno) => Closed::Broken(errno),
    };
    Output { bytes: output.bytes, dropped: output.dropped, closed }
}
