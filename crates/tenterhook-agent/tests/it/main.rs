//! What the agent does, seen from outside: the program itself, its hooks, a model that plays from a file.
#![expect(clippy::panic, clippy::unwrap_used, reason = "what tests share may fail them")]

mod agents;
mod models;
mod prompts;
mod room;
mod tools;
mod turns;
