//! The report of one step, of any executor. Facts only; `verdict` judges them.

use std::path::PathBuf;
use std::time::Duration;

use crate::answer::{Answer, Failure};
use crate::diagnostic::Code;

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It never ran: what the engine tried and why that failed.
    NotStarted {
        /// The reason as a message: the path and the system's error.
        why: String,
    },
    /// It ended by itself with this code; a function that returned has 0.
    Exited(i32),
    /// A signal ended it, or a function panicked (reported like `SIGABRT`).
    Signalled(i32),
    /// It ran, and its executor could not bring an answer back: an HTTP status, a model's refusal,
    /// a worker's broken line.
    Failed {
        /// The kind of failure, which becomes the code of the fault.
        code: Code,
        /// The message: what happened and what to do about it.
        why: String,
    },
    /// Its time was up.
    TimedOut,
    /// The host gave up waiting.
    Cancelled,
}

/// The level of a hook's confinement, as in `isolation_min` and in records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Not at all.
    T0,
    /// In what it reaches of files, peers and other processes.
    #[default]
    T1,
    /// The same, and nothing outlives it.
    T2,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Self; 3] = [Self::T0, Self::T1, Self::T2];

    /// Returns the name for configs and records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::T0 => "T0",
            Self::T1 => "T1",
            Self::T2 => "T2",
        }
    }
}

/// Whether all output was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closed {
    /// The stream ended.
    #[default]
    Complete,
    /// More came than the limit allows; the rest was counted and dropped.
    Truncated,
    /// A descendant still held the stream when the leak grace was over.
    Leaked,
    /// The system refused to read on, with this error number; the rest of the output is unknown.
    Broken(i32),
}

/// The output of one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// How many more came.
    pub dropped: u64,
    /// How it ended.
    pub closed: Closed,
}

impl From<&[u8]> for Output {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), ..Self::default() }
    }
}

/// The output of a step, in the form of its executor.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutput {
    /// Bytes that a dialect must read.
    Bytes {
        /// Standard output, or the body of a reply.
        stdout: Output,
        /// Standard error.
        stderr: Output,
    },
    /// An answer that needs no reading.
    Answer(Box<Answer>),
}

/// Whether the envelope arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// All of it.
    #[default]
    Delivered,
    /// The program did not take all of it; no fault (decision 4).
    Refused,
}

/// The report of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub end: End,
    /// Its output.
    pub said: StepOutput,
    /// Whether the envelope arrived.
    pub delivery: Delivery,
    /// From the step's start to its settlement.
    pub took: Duration,
    /// The content of the env file that the hook wrote, if its envelope named one.
    pub env_file: Option<String>,
    /// Processes that were killed and outlived the step.
    pub survivors: Vec<u32>,
    /// Where it ran, when the directory in which it should have started could not be entered.
    pub moved_to: Option<PathBuf>,
    /// How far it was confined, as its process found; `None` where it was not requested.
    pub tier: Option<Tier>,
    /// Notes for people about the run; each becomes a fault and decides nothing.
    pub notes: Vec<Failure>,
}

impl Report {
    /// Creates a report without output.
    #[must_use]
    pub fn without_output(end: End, took: Duration) -> Self {
        let said = StepOutput::Bytes { stdout: Output::default(), stderr: Output::default() };
        Self {
            end,
            said,
            delivery: Delivery::Delivered,
            took,
            env_file: None,
            survivors: Vec::new(),
            moved_to: None,
            tier: None,
            notes: Vec::new(),
        }
    }

    /// Returns the failure if the step did not exit by itself or its output is incomplete. The
    /// message is the same for every dialect; dialects read exit codes themselves.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        let (code, message) = match &self.end {
            End::NotStarted { why } => (Code::NotStarted, format!("it was not started: {why}")),
            End::Signalled(signal) => (Code::Signalled, format!("it was ended by signal {signal}")),
            End::Failed { code, why } => (*code, why.clone()),
            End::TimedOut => {
                let took = self.format_duration();
                (Code::TimedOut, format!("it took longer than it may (it was ended after {took})"))
            }
            End::Cancelled => {
                let took = self.format_duration();
                (Code::Cancelled, format!("the host gave up waiting for it after {took}"))
            }
            End::Exited(_) => match &self.said {
                StepOutput::Bytes { stdout, .. } if stdout.dropped > 0 => (
                    Code::OutputTooLarge,
                    format!("it printed {} bytes more than are kept", stdout.dropped),
                ),
                StepOutput::Bytes { .. } | StepOutput::Answer(_) => {
                    match self.stdout_read_error() {
                        Some(errno) => {
                            (Code::OutOfResources, stream_read_error_message("output", errno))
                        }
                        None => return None,
                    }
                }
            },
        };
        Some(Failure::new(code, message))
    }

    /// Formats how long the step took, for people.
    fn format_duration(&self) -> String {
        match self.took.as_secs() {
            0 => format!("{} ms", self.took.as_millis()),
            _ => format!("{:.1} s", self.took.as_secs_f64()),
        }
    }

    /// Returns true if stdout was longer than the limit, or may have been.
    pub(crate) fn is_stdout_truncated(&self) -> bool {
        let is_cut = |closed| matches!(closed, Closed::Truncated | Closed::Broken(_));
        matches!(&self.said, StepOutput::Bytes { stdout, .. } if is_cut(stdout.closed))
    }

    /// Returns the `errno` with which reading stdout failed, if it did.
    pub(crate) const fn stdout_read_error(&self) -> Option<i32> {
        match &self.said {
            StepOutput::Bytes { stdout: Output { closed: Closed::Broken(errno), .. }, .. } => {
                Some(*errno)
            }
            StepOutput::Bytes { .. } | StepOutput::Answer(_) => None,
        }
    }

    /// Returns true if the step exited with 0, without output, notes or leftover processes.
    #[must_use]
    pub fn is_clean_empty_exit(&self) -> bool {
        *self == Self::without_output(End::Exited(0), self.took)
    }

    /// Returns true if the step did not exit by itself and printed nothing, so that a dialect has
    /// nothing to read.
    #[must_use]
    pub fn ended_without_output(&self) -> bool {
        !matches!(self.end, End::Exited(_)) && self.stdout().is_empty() && self.stderr().is_empty()
    }

    /// Returns standard output; empty if the step returned an answer instead of bytes.
    #[must_use]
    pub fn stdout(&self) -> &[u8] {
        match &self.said {
            StepOutput::Bytes { stdout, .. } => &stdout.bytes,
            StepOutput::Answer(_) => &[],
        }
    }

    /// Returns standard error; empty if the step returned an answer instead of bytes.
    #[must_use]
    pub fn stderr(&self) -> &[u8] {
        match &self.said {
            StepOutput::Bytes { stderr, .. } => &stderr.bytes,
            StepOutput::Answer(_) => &[],
        }
    }
}

/// Returns the message about a stream that could not be read to its end.
pub fn stream_read_error_message(stream: &str, errno: i32) -> String {
    let error = std::io::Error::from_raw_os_error(errno);
    format!("its standard {stream} could not be read to its end: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only a report of exit code 0 without output or traces is skipped; every other is judged.
    #[test]
    fn only_a_good_end_without_words_or_traces_says_nothing() {
        let silent = |end| Report::without_output(end, Duration::from_millis(3));
        assert!(silent(End::Exited(0)).is_clean_empty_exit());
        let dropped = Output { dropped: 1, ..Output::default() };
        let stderr = Output::default();
        let reports = [
            silent(End::Exited(1)),
            silent(End::TimedOut),
            Report { survivors: vec![7], ..silent(End::Exited(0)) },
            Report { env_file: Some(String::new()), ..silent(End::Exited(0)) },
            Report { said: StepOutput::Answer(Box::default()), ..silent(End::Exited(0)) },
            Report {
                said: StepOutput::Bytes { stdout: dropped, stderr },
                ..silent(End::Exited(0))
            },
        ];
        assert!(reports.iter().all(|report| !report.is_clean_empty_exit()));
    }

    /// an end of output after a read error is no answer.
    #[test]
    fn output_that_cannot_be_read_on_is_no_answer() {
        let broken = Output { closed: Closed::Broken(12), ..Output::default() };
        let said = StepOutput::Bytes { stdout: broken, stderr: Output::default() };
        let report = Report { said, ..Report::without_output(End::Exited(0), Duration::ZERO) };
        let failure = report.failure().expect("a failure");
        assert_eq!(failure.code, Code::OutOfResources);
        assert!(failure.message.contains("os error 12"), "{}", failure.message);
        assert!(report.is_stdout_truncated() && !report.is_clean_empty_exit());
    }
}
