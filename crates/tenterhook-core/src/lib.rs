//! The pure part of Tenterhook: events, hooks, dialects, rules and decisions as plain values and functions over them.
//!
//! No module reads a file, a clock, an environment or a network, starts a process, or uses a runtime: the crate has no
//! dependency that could.
//!
//! This interface is for the crates of Tenterhook, which require exactly one version of it; any version may change it. Hosts use
//! the crate `tenterhook`, whose documentation lists what is promised.

#![expect(
    rustdoc::private_intra_doc_links,
    reason = "its readers are the crates of Tenterhook: their maintainers have the code"
)]
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests read cases and run hooks"))]

pub mod agents;
pub mod answer;
mod base64;
#[cfg(feature = "rule")]
pub mod call;
pub mod compat;
pub mod config;
pub mod diagnostic;
pub mod dialect;
#[cfg(feature = "trust")]
pub mod entry;
pub mod event;
pub mod hook;
pub mod install;
pub mod matcher;
pub mod merge;
pub mod outcome;
pub mod plan;
pub mod protect;
pub mod report;
pub mod request;
pub mod rule;
pub mod settle;
pub mod source;
pub mod strict;
pub mod syntax;
pub mod text;
#[cfg(feature = "transcript")]
pub mod transcript;
pub mod verdict;

pub use event::Event;
pub use outcome::Outcome;
