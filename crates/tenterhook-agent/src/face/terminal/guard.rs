//! Takes the terminal, and gives it back on every way out: the end, an error, a panic here or in another thread.

use std::io::{self, Write};
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use rustix::process::{Signal, getpid, kill_process};

/// What other threads said when they broke off.
type Panics = Arc<Mutex<Vec<String>>>;

/// The terminal, as long as this lives.
pub(super) struct Guard {
    panics: Panics,
}

impl Guard {
    /// Switches the terminal to raw mode and the alternate screen.
    pub(super) fn enter_raw_mode() -> io::Result<Self> {
        let guard = Self { panics: Panics::default() };
        acquire_terminal()?;
        let (previous_hook, own, panics) =
            (panic::take_hook(), thread::current().id(), Arc::clone(&guard.panics));
        panic::set_hook(Box::new(move |broken| {
            if thread::current().id() == own {
                // First the terminal, then the message, or it would be invisible.
                restore_terminal();
                previous_hook(broken);
            } else {
                // The screen is still drawn: the words wait until it is not.
                panics.lock().unwrap_or_else(PoisonError::into_inner).push(broken.to_string());
            }
        }));
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore_terminal();
        for words in self.panics.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // Without a receiver the message is not needed.
            let _ = writeln!(io::stderr(), "{words}");
        }
    }
}

fn acquire_terminal() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Restores the terminal, stops the program with `SIGTSTP`, and takes the terminal again when the
/// program continues (AG-32). Processes in separate sessions continue to run.
pub(super) fn suspend_program() -> io::Result<()> {
    restore_terminal();
    // Where no shell is there that could go on with it, the kernel does not stop it, and it goes on at once.
    kill_process(getpid(), Signal::TSTP)?;
    acquire_terminal()
}

fn restore_terminal() {
    // On the way out nothing is left to do about a terminal that does not answer.
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}
