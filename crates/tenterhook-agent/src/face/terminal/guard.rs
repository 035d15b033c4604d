//! Takes the terminal, and gives it back on every way out: the end, a panic, an error.

use std::io;
use std::panic;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// The terminal, as long as this lives.
pub(super) struct Guard;

impl Guard {
    /// Takes it.
    pub(super) fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        let guard = Self;
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // First the terminal, then the words, or nobody reads them.
            restore();
            told(info);
        }));
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    // On the way out nothing is left to do about a terminal that does not answer.
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
