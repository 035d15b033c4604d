//! Test support of Tenterhook: neutral cases, a hermetic place to run them in, and the comparison with what came out.
//!
//! Depends on no other crate of ours, so that every one of them, and any other engine, can be tested with it.

pub mod case;
pub mod expect;
pub mod sandbox;

pub use case::Case;
pub use sandbox::Sandbox;
