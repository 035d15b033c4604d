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
    /// Creates a terminal that uses colour according to `color`; `width` overrides the detected
    /// width.
    pub(crate) fn new(color: ColorChoice, width: Option<usize>) -> Self {
        let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width = width.or_else(seen).unwrap_or(WIDTH);
        Self { color, width: width.clamp(32, 120), is_verbose: false }
    }

    /// Sets whether messages list what they otherwise only count.
    pub(crate) const fn with_verbose(self, is_verbose: bool) -> Self {
        Self { is_verbose, ..self }
    }

    /// Returns whether messages list what they otherwise only count.
    pub(crate) const fn is_verbose(self) -> bool {
        self.is_verbose
    }

    /// Returns the maximum number of columns of a line.
    pub(crate) const fn width(self) -> usize {
        self.width
    }

    /// Writes data to standard output. A reader that has gone away is not an error.
    pub(crate) fn print_data(self, text: &str) -> Result<(), Problem> {
        self.print_data_if_read(text).map(drop)
    }

    /// Writes data to standard output, and returns whether there is still a reader.
    pub(crate) fn print_data_if_read(self, text: &str) -> Result<Reader, Problem> {
        let mut stream = AutoStream::new(io::stdout(), self.color_choice(&io::stdout())).lock();
        match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
            Ok(()) => Ok(Reader::There),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
            Err(error) => Err(Problem::new(format!("standard output cannot be written: {error}"))),
        }
    }

    /// Writes a line for people to standard error.
    pub(crate) fn print_note(self, text: &str) {
        let mut stream = AutoStream::new(io::stderr(), self.color_choice(&io::stderr())).lock();
        // Standard error may be closed: ignore the error.
        let _ = writeln!(stream, "{text}");
    }

    /// Writes a question for people to standard error, without a line break.
    pub(crate) fn print_prompt(self, text: &str) {
        let mut stream = AutoStream::new(io::stderr(), self.color_choice(&io::stderr())).lock();
        // If the question cannot be written, no answer will come either.
        let _ = write!(stream, "{text}").and_then(|()| stream.flush());
    }

    /// Writes a text for people after a coloured label; further lines are indented.
    pub(crate) fn print_labelled_note(self, style: Style, lead: &str, text: &str) {
        let inset = layout::display_width(lead) + 1;
        for (at, line) in
            layout::wrap_text(text, self.width.saturating_sub(inset)).iter().enumerate()
        {
            match at {
                0 => self.print_note(&format!("{} {line}", paint(style, lead))),
                _ => self.print_note(&format!("{}{line}", " ".repeat(inset))),
            }
        }
    }

    /// Runs `work`, and shows a progress line once it has taken a second.
    pub(crate) fn run_with_progress<T>(self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let _progress = Progress::begin(what, 0, self.width);
        work()
    }

    /// Prints what went wrong and, after a blank line, what to do.
    pub(crate) fn print_problem(self, problem: &Problem) {
        self.print_labelled_note(ERROR, "error:", &problem.message);
        if let Some(help) = &problem.help {
            self.print_note("");
            self.print_labelled_note(HELP, "hint:", help);
        }
    }

    fn color_choice(self, stream: &impl anstream::stream::RawStream) -> ColorChoice {
        match self.color {
            ColorChoice::Auto => AutoStream::choice(stream),
            chosen => chosen,
        }
    }
}
