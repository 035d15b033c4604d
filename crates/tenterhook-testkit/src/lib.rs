//! Test support of Tenterhook: neutral cases, a hermetic place to run them in, the comparison with what came out, and the program that answers.
//!
//! Depends on no other crate of ours, so that every one of them, and any other engine, can be tested with it.

pub mod case;
pub mod expect;
mod fakehook;
pub mod sandbox;

pub use case::Case;
pub use fakehook::fakehook;
pub use sandbox::Sandbox;
