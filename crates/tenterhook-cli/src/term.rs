//! The only place that writes: data to standard output, words for people to standard error. Decides no wording.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;

use crate::problem::Problem;
use crate::progress::Progress;
use crate::show::layout;
use crate::show::paint::{ERROR, HELP, paint};

/// Both streams and how wide they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    color: ColorChoice,
    width: usize,
    is_verbose: bool,
}

/// Whether anybody reads standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    There,
    Gone,
}

/// Where the width is unknown.
const WIDTH: usize = 80;

impl Term {
    /// Writes with colour where `color` says so; `width` wins over what the terminal says.
    pub(crate) fn new(color: ColorChoice, width: Option<usize>) -> Self {
        let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width = width.or_else(seen).unwrap_or(WIDTH);
        Self { color, width: width.clamp(32, 120), is_verbose: false }
    }

    /// The same, with everything listed that a message otherwise only counts.
    pub(crate) const fn verbose(self, is_verbose: bool) -> Self {
        Self { is_verbose, ..self }
    }

    /// Whether a message lists what it otherwise only counts.
    pub(crate) const fn is_verbose(self) -> bool {
        self.is_verbose
    }

    /// How many columns a line may have.
    pub(crate) const fn width(self) -> usize {
        self.width
    }

    /// Writes data. A reader that has gone away wants no more; that is no problem.
    pub(crate) fn data(self, text: &str) -> Result<(), Problem> {
        self.offer(text).map(drop)
    }

    /// Writes data, and says whether anybody is left to read more.
    pub(crate) fn offer(self, text: &str) -> Result<Reader, Problem> {
        let mut stream = AutoStream::new(io::stdout(), self.color(&io::stdout())).lock();
        match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
            Ok(()) => Ok(Reader::There),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
            Err(error) => Err(Problem::new(format!("standard output cannot be written: {error}"))),
        }
    }

    /// Writes a line for people.
    pub(crate) fn note(self, text: &str) {
        let mut stream = AutoStream::new(io::stderr(), self.color(&io::stderr())).lock();
        // Standard error may be closed: ignore the error.
        let _ = writeln!(stream, "{text}");
    }

    /// Writes a question for people, and leaves the line open for their answer.
    pub(crate) fn prompt(self, text: &str) {
        let mut stream = AutoStream::new(io::stderr(), self.color(&io::stderr())).lock();
        // If the question cannot be written, no answer will come either.
        let _ = write!(stream, "{text}").and_then(|()| stream.flush());
    }

    /// Writes words for people behind a coloured lead, further lines set in under the first.
    pub(crate) fn note_after(self, style: Style, lead: &str, text: &str) {
        let inset = layout::width(lead) + 1;
        for (at, line) in layout::wrap(text, self.width.saturating_sub(inset)).iter().enumerate() {
            match at {
                0 => self.note(&format!("{} {line}", paint(style, lead))),
                _ => self.note(&format!("{}{line}", " ".repeat(inset))),
            }
        }
    }

    /// Does something that may take long, and says so while it does, once it has taken a second.
    pub(crate) fn doing<T>(self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let _progress = Progress::begin(what, 0, self.width);
        work()
    }

    /// Says what went wrong and, after a blank line, what to do.
    pub(crate) fn complain(self, problem: &Problem) {
        self.note_after(ERROR, "error:", &problem.message);
        if let Some(help) = &problem.help {
            self.note("");
            self.note_after(HELP, "hint:", help);
        }
    }

    fn color(self, stream: &impl anstream::stream::RawStream) -> ColorChoice {
        match self.color {
            ColorChoice::Auto => AutoStream::choice(stream),
            chosen => chosen,
        }
    }
}
