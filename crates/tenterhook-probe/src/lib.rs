//! What does a real agent do with its hooks' answers? Runs it, unmodified, against a scripted
//! model in a scratch home, or with its user's account in a scratch project.
//!
//! Knows agents and the wires of models, and nothing of the engine: an outcome is told from the files that tools and hooks
//! left behind and from what the model was sent, never from what the agent prints. Reads no environment and prints nothing.

mod account;
mod agent;
mod fixture;
mod model;
mod play;
mod script;
mod survey;
mod way;

pub use account::{
    ACCOUNT_AGENTS, AccountAgent, AccountProbe, Effect, Start, Trial, find_account_agent,
};
pub use agent::{
    AGENTS, Agent, Event, HookAnswer, Mode, REWRITTEN_LATER, Registered, Setting, Tool, find_agent,
};
pub use fixture::Fixture;
pub use model::{Asked, Model, Wire};
pub use play::{CallOutcome, Env, Front, FrontError, Play, PlayError, Seen, run_agent};
pub use script::{Call, MAIN, Script, Step};
pub use survey::{Row, Survey};
pub use way::{NEAR_MISSES, Way, denial_json, must_block_call_named, reason_marker};
