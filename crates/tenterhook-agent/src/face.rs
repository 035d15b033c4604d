//! What a person, or a program, sees of a session. Faces say inputs and show updates; they fire no events.

pub(crate) mod exit_signals;
pub(crate) mod headless;
pub(crate) mod terminal;
