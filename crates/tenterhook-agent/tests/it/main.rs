//! What the agent does, seen from outside: the program itself, its hooks, a model that plays from a file.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "what tests share may fail them, and starts the program as a person does"
)]

mod agents;
#[path = "../approve/mod.rs"]
mod approve;
mod asking;
mod bombs;
mod bounds;
mod call_records;
mod codewhale;
mod consent;
mod ends;
mod gates;
mod gen_settings;
mod homeless;
mod hostile;
mod hosts;

mod fixture;
mod late;
mod life;
mod lines;
mod means;
mod models;
mod points;
mod prompts;
mod reasonix;
mod recorded;
mod sandbox;
mod shown;
mod tools;
mod turns;
mod walls;
mod watched;
