//! Calls a tool of an MCP server as a hook, through what the host gives. Knows no dialect and judges nothing.

use std::fmt;

use super::{Task, left_out};
use crate::hook::McpTool;
use crate::report::Report;

/// Calls the tools of `mcp` hooks.
pub trait Servers: Send + Sync + fmt::Debug {}

pub(super) async fn run(task: &Task, call: &McpTool) -> Report {
    let _ = (task.ambient.servers.as_ref(), call);
    left_out("mcp")
}
