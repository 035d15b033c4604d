//! The hook engine for AI agents.

pub mod answer;
pub mod config;
pub mod diagnostic;
pub mod dialect;
pub mod engine;
pub mod event;
pub mod executor;
pub mod hook;
pub mod matcher;
pub mod merge;
pub mod outcome;
pub mod plan;
pub mod record;
pub mod report;
pub mod session;
pub mod shell;
pub mod strict;
pub mod syntax;
pub mod text;
pub mod verdict;

pub use engine::Engine;
pub use event::Event;
pub use outcome::Outcome;
pub use session::Session;
