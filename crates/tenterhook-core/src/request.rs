//! What does a hook send, before it is sent: where a request may go, what its headers say, and what is put into the texts
//! of a configuration? Looks at texts; resolves, connects and reads nothing.
//!
//! Those who read configurations ask the same questions as those who send, and get the same answers.

pub mod address;
pub mod headers;
pub mod input;
pub mod interpolation;
pub mod placeholder;
pub mod variables;
