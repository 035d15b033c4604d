//! The hook engine for AI agents.

pub mod diagnostic;
pub mod shell;
pub mod syntax;
pub mod text;
