//! The command line, driven as people and programs drive it: one room a command.
#![expect(clippy::unwrap_used, reason = "what tests share may fail them")]

mod cancel;
mod check;
mod convert;
mod demo;
mod docs;
mod events;
mod explain;
mod fire;
mod found;
mod list;
mod room;
mod rules;
mod starved;
mod stream;
#[cfg(target_os = "linux")]
mod stream_host;
mod unread;
mod unseen;
mod usage;
mod within;
