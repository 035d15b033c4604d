//! Test support of Tenterhook: neutral cases, a hermetic place to run them in, the comparison with what came out,
//! the program that answers, the server that replies, the lines that cost the most, and what brings an agent to every event.
//!
//! Depends on no other crate of ours, so that every one of them, and any other engine, can be tested with it.

pub mod at_once;
pub mod case;
pub mod everything;
pub mod expect;
mod fakehook;
mod fifo;
pub mod page;
pub mod sandbox;
pub mod schema;
pub mod server;
pub mod shapes;

pub use case::Case;
pub use fakehook::fakehook;
pub use fifo::make_fifo;
pub use sandbox::Sandbox;
pub use server::Server;
