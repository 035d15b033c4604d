//! A progress line on the standard error of a terminal, shown after one second and erased at the end. Without a terminal, it
//! prints nothing. While one exists, its owner must print nothing else.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::show::layout;

/// Work that is faster than this shows no progress line.
const QUIET: Duration = Duration::from_secs(1);
/// How often the line is written anew.
const PACE: Duration = Duration::from_millis(250);
/// Back to the first column, and the rest of the line away.
const CLEAR: &str = "\r\x1b[K";

/// Something that may take long.
#[derive(Debug)]
pub(crate) struct Progress {
    steps: Steps,
    /// Dropped to end the writer.
    line: Option<(Sender<()>, JoinHandle<()>)>,
}

/// How far it is. Counts wherever its parts are done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps(Arc<AtomicUsize>);

impl Steps {
    /// Counts one more finished part.
    pub(crate) fn count_step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Progress {
    /// Starts the progress line. `what` is a word like "checking"; `all` is the number of parts, or
    /// 0 if it is unknown.
    pub(crate) fn begin(what: &'static str, all: usize, width: usize) -> Self {
        let steps = Steps::default();
        let line = io::stderr().is_terminal().then(|| {
            let (hold, end) = channel();
            let counted = steps.clone();
            let write = move || draw_until_end(&end, what, all, &counted, width, &mut io::stderr());
            (hold, write)
        });
        // A line that cannot be drawn is no reason to stop.
        let line = line.and_then(|(hold, write)| {
            let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(write);
            thread.ok().map(|thread| (hold, thread))
        });
        Self { steps, line }
    }

    /// Returns the counter of finished parts.
    pub(crate) fn step_counter(&self) -> Steps {
        self.steps.clone()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((hold, thread)) = self.line.take() {
            drop(hold);
            // The line is gone before anything else is written.
            let _ = thread.join();
        }
    }
}

fn draw_until_end(
    end: &Receiver<()>,
    what: &str,
    all: usize,
    steps: &Steps,
    width: usize,
    out: &mut impl Write,
) {
    let began = Instant::now();
    let mut wait = QUIET;
    let mut drawn = false;
    while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(wait) {
        let line =
            progress_line(what, steps.0.load(Ordering::Relaxed), all, began.elapsed(), width);
        // Standard error may be closed: ignore the error.
        let _ = write!(out, "{CLEAR}{line}").and_then(|()| out.flush());
        (wait, drawn) = (PACE, true);
    }
    if drawn {
        let _ = write!(out, "{CLEAR}").and_then(|()| out.flush());
    }
}

/// Renders the progress line, truncated to one line.
fn progress_line(what: &str, done: usize, all: usize, took: Duration, width: usize) -> String {
    let seconds = took.as_secs();
    let text = match all {
        0 => format!("{what} ({seconds} s)"),
        all => format!("{what}: {done} of {all} ({seconds} s)"),
    };
    layout::truncate_to_width(&text, width.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let took = Duration::from_millis(2900);
        assert_eq!(progress_line("playing cases", 3, 40, took, 80), "playing cases: 3 of 40 (2 s)");
        assert_eq!(progress_line("checking hooks", 0, 0, took, 80), "checking hooks (2 s)");
    }

    #[test]
    fn fast_work_draws_no_line() {
        let (hold, end) = channel();
        drop(hold);
        let mut out = Vec::new();
        draw_until_end(&end, "checking", 0, &Steps::default(), 80, &mut out);
        assert_eq!(out, b"");
    }
}
