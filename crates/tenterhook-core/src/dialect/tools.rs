//! What an agent calls the tools that all agents share: see [`ToolWords`].

pub use crate::event::tool::names::{
    OWN_NAME, ToolWords, find_tool_by_neutral_name, find_tool_by_own_name,
};
