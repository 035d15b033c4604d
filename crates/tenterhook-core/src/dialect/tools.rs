//! What an agent calls the tools that all agents share: see [`ToolWords`].

pub use crate::event::tool::names::{ToolWords, by_neutral, by_own};
