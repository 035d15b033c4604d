//! The dialect, from text to hooks and back.

mod answers;
mod configs;
mod payloads;
