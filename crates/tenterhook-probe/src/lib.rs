//! What does a real agent do with what its hooks say? Runs it, unmodified, against a scripted model in a home of its own.
//!
//! Knows agents and the wires of models, and nothing of the engine: an outcome is told from the files that tools and hooks
//! left behind and from what the model was sent, never from what the agent prints. Reads no environment and prints nothing.

mod agent;
mod model;
mod play;
mod room;
mod script;
mod survey;
mod way;

pub use agent::{AGENTS, Agent, Event, Mode, Registered, Said, Setting, Tool, named};
pub use model::{Asked, Model, Wire};
pub use play::{Env, Fate, Front, Play, Seen, play};
pub use room::Room;
pub use script::{Call, MAIN, Script, Step};
pub use survey::{Row, Survey};
pub use way::{NEAR_MISSES, PLUGIN_WAYS, Way, deny_json, mark, means_no};
