//! Which files would a shell command show? For hosts that let such a command pass the gates of the files that it reads.

use tenterhook_shell as shell;

use crate::call;
use crate::event::Event;
use crate::event::meter::Meter;

/// The files that the shell command of `event` would show, as far as its text tells, named as the command names them.
/// Empty where the event is about no shell command; `None` where it would cost too much to tell.
#[must_use]
pub fn files_read(event: &Event) -> Option<Vec<String>> {
    let text = event.tool().and_then(|call| call.input.get("command")?.as_str());
    let Some(text) = text else { return Some(Vec::new()) };
    let meter = Meter::new(&|| true);
    let footprint = call::footprint(event, Some(&shell::read(text)), None, &meter).ok()?;
    Some(footprint.reads)
}
